"""Amount of measurement: launches, time and precision, common to all cases of a plan."""

from __future__ import annotations

import msgspec


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    least_launches: int = 5
    most_launches: int | None = None
    """Most launches; None for as many as the precision needs and the budget allows."""
    within_budget: bool = False
    """Whether the budget also ends a fixed number of launches, because the user did not choose it;
    otherwise all are made."""
    precision: float = 0.01
    """Relative half-width of every median's interval at which a run ends."""
    budget_s: float = 10.0
    """Wall time of all launches of all cases."""
    over_s: float | None = None
    """Wall time to spread the launches over, with pauses between them; None for no pauses."""
    timeout_s: float = 60.0
    """Silence in seconds after which a launch is ended."""
    usual_launch_s: float = 0.25
    """Seconds of a usual launch, enough to visit each point dozens of times."""
