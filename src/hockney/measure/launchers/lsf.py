"""LSF: a job's hosts are in a variable; MPI's own mpiexec starts the ranks on them."""

from __future__ import annotations

import os

from hockney.measure.launchers import Allocation


def allocation() -> Allocation | None:
    """Hosts and slots in turn: "nodeA 40 nodeB 40". A slot is what LSF counts as a CPU."""
    words = os.environ.get("LSB_MCPU_HOSTS", "").split()
    if not os.environ.get("LSB_JOBID") or not words or len(words) % 2:
        return None
    hosts = tuple(dict.fromkeys(words[::2]))  # bsub -hostfile may name one again
    return Allocation(len(hosts), sum(map(int, words[1::2])), hosts)
