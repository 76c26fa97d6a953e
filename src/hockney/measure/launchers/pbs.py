"""PBS: a job's hosts are in a file; MPI's own mpiexec starts the ranks on them."""

from __future__ import annotations

import os
from pathlib import Path

from hockney.measure.launchers import Allocation


def allocation() -> Allocation | None:
    """A line a slot; a host once for each. A slot may have several CPUs, which the file does not
    tell: no more than this process may run on, on every node."""
    file = os.environ.get("PBS_NODEFILE")
    if not file:
        return None
    try:
        slots = Path(file).read_text().split()
    except OSError:
        return None
    hosts = tuple(dict.fromkeys(slots))
    cpus = max(len(slots), len(hosts) * len(os.sched_getaffinity(0)))
    return Allocation(len(hosts), cpus, hosts)
