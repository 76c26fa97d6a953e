"""Knobs of several workloads."""

from __future__ import annotations

from typing import Annotated, Literal

from hockney.plan.knobs import Knob

Verify = Annotated[bool, Knob("Check all data, untimed.", is_beside=True)]
EveryIteration = Annotated[
    bool, Knob("Time each exchange on its own instead of batches: for variability.")
]
Sync = Annotated[
    Literal["clock", "barrier"], Knob("Start at a time on a common clock, or after a barrier.")
]
Tails = Annotated[
    bool,
    Knob(
        "Time each exchange on its own and count all of them in histograms, for p99.9 and beyond."
    ),
]
