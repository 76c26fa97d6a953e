"""How much is measured: launches, time and precision, shared by all cases of a plan."""

from __future__ import annotations

import msgspec


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    least_launches: int = 5
    most_launches: int | None = None
    """None for as many as the precision needs and the budget allows."""
    within_budget: bool = False
    """A fixed number of launches is usually made whatever the time; here as far as the budget
    reaches, because nobody asked for that number."""
    precision: float = 0.01
    """A run ends when the relative half-width of every median's interval is at most this."""
    budget_s: float = 10.0
    """Wall time of all launches of all cases."""
    over_s: float | None = None
    """Wall time to spread the launches over, with pauses between them; None for no pauses."""
    timeout_s: float = 60.0
    """A launch that is silent for this long is ended."""
    usual_launch_s: float = 0.25
    """Long enough to visit each point dozens of times."""
