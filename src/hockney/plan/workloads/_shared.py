"""Knobs that several workloads have."""

from __future__ import annotations

from typing import Annotated

from hockney.plan.knobs import Knob

Verify = Annotated[bool, Knob("Check all data, untimed.")]
Tails = Annotated[
    bool,
    Knob(
        "Time each exchange on its own and count all of them in histograms, for p99.9 and beyond."
    ),
]
