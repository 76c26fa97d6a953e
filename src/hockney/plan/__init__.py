"""Plans: what is measured (workloads), how much (sampling) and where (placement).

The command line, plan files, job scripts, --resume and the run record carry the same Plan. All of
it is frozen, typed and serialisable; nothing here depends on the machine.
"""

from hockney.plan.placement import Placement
from hockney.plan.plan import (
    Case,
    Plan,
    difference,
    lacking,
    plan_facts,
    plan_of,
    single,
    stored,
    workload_of,
)
from hockney.plan.sampling import Sampling
from hockney.plan.size import Size, sizes_of

__all__ = [
    "Case",
    "Placement",
    "Plan",
    "Sampling",
    "Size",
    "difference",
    "lacking",
    "plan_facts",
    "plan_of",
    "single",
    "sizes_of",
    "stored",
    "workload_of",
]
