"""The state of the machine in each run, and which runs share one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

SAME_STATE = 0.25
"""Log difference of core-to-core latencies below which two states are the same: states of one
machine differ by half and more, one state scatters by a few per cent."""


def are_one_state(first_s: float | None, second_s: float | None) -> bool:
    """Whether two core-to-core latencies are known and of one state."""
    if not first_s or not second_s:
        return False
    return abs(math.log(first_s / second_s)) < SAME_STATE


def alike(handovers: Sequence[float | None], handover_s: float) -> int | None:
    """The number of the first core-to-core latency that is about this; None if none is."""
    for number, known in enumerate(handovers):
        if are_one_state(known, handover_s):
            return number
    return None


def states_apart(analyses: Sequence[Analysis]) -> list[float | None]:
    """The core-to-core latency (seconds) of each run's usual state, where runs on the same hosts
    were in different ones; None elsewhere."""
    known = [_usual_state(analysis) for analysis in analyses]
    latencies_s: list[float | None] = []
    for state in known:
        here = [other[1] for other in known if other and state and other[0] == state[0]]
        differ = bool(here) and not are_one_state(max(here), min(here))
        latencies_s.append(state[1] if state and differ else None)
    return latencies_s


def _usual_state(analysis: Analysis) -> tuple[frozenset[str | None], float] | None:
    """The hosts of a run and the core-to-core latency of its usual state."""
    states = analysis.states
    if states.probe != "handover" or not states.states or not states.states[0].handover_s:
        return None
    places = [place for launch in analysis.run.launches for place in launch.places]
    return frozenset(place.host for place in places), states.states[0].handover_s
