"""Knobs of several workloads."""

from __future__ import annotations

from typing import Annotated, Literal

from hockney.base.errors import UsageError
from hockney.plan.knobs import Knob

Verify = Annotated[bool, Knob("Check all data, untimed.", is_beside=True)]
EveryIteration = Annotated[
    bool, Knob("Time each exchange on its own instead of batches: for variability.")
]
Sync = Annotated[
    Literal["clock", "barrier"], Knob("Start at a time on a common clock, or after a barrier.")
]


def check_sync(verify: bool, sync: str) -> None:
    """Raises UsageError if --verify is combined with --sync barrier."""
    if verify and sync == "barrier":
        raise UsageError("--verify works with --sync clock only", "leave out --sync barrier")


Tails = Annotated[
    bool,
    Knob(
        "Time each exchange on its own and count all of them in histograms, for p99.9 and beyond."
    ),
]
