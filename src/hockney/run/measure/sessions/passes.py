"""Continues a pass over all pairs in the next launch."""

from __future__ import annotations

from hockney.plan import Case
from hockney.plan.workloads.fabric import Fabric
from hockney.records import Run, visits_made

COMPLETE = "complete"
"""Reason of the end of a launch that made the last visit of its pass."""


def pass_arguments(case: Case, run: Run) -> list[str]:
    """The engine's options that continue an incomplete last pass; empty if the launch begins a new
    one."""
    if not isinstance(case.workload, Fabric) or not run.pair_times:
        return []
    number = run.pair_times[-1].pass_number
    launches = {block.launch for block in run.pair_times if block.pass_number == number}
    if any(end.reason == COMPLETE for end in run.ends if end.launch in launches):
        return []
    return [f"--pass={number}", f"--from={visits_made(run.pair_times, number)}"]
