"""Intel MPI: I_MPI_ADJUST_X takes the number of a list in its Developer Reference.

Neither its list nor its choice can be read back through MPI_T, so there is no proof that it took.
From 2021.13 on the numbers are those of presets, of which there are more than are listed here.
"""

from __future__ import annotations

from collections.abc import Sequence

from hockney.measure.algorithms import Algorithm, Forcing
from hockney.measure.build import Engine
from hockney.measure.mpi import Mpi
from hockney.spec.workloads.collective import DEFAULT

ALGORITHMS = {
    "barrier": (
        "dissemination",
        "recursive_doubling",
        "topology_dissemination",
        "topology_recursive_doubling",
        "binomial",
        "topology_binomial",
        "shm_flat",
        "shm_knomial",
        "shm_knary",
    ),
    "bcast": (
        "binomial",
        "recursive_doubling",
        "ring",
        "topology_binomial",
        "topology_recursive_doubling",
        "topology_ring",
        "shumilin",
        "knomial",
        "shm_flat",
        "shm_knomial",
        "shm_knary",
        "numa_sse42",
        "numa_avx2",
        "numa_avx512",
    ),
    "scatter": ("binomial", "topology_binomial", "shumilin"),
    "gather": ("binomial", "topology_binomial", "shumilin", "binomial_segmented"),
    "reduce": (
        "shumilin",
        "binomial",
        "topology_shumilin",
        "topology_binomial",
        "rabenseifner",
        "topology_rabenseifner",
        "knomial",
        "shm_flat",
        "shm_knomial",
        "shm_knary",
    ),
    "allreduce": (
        "recursive_doubling",
        "rabenseifner",
        "nonoverlapping",
        "topology_nonoverlapping",
        "binomial",
        "topology_binomial",
        "shumilin_ring",
        "ring",
        "knomial",
        "shm_flat",
        "shm_knomial",
        "shm_knary",
    ),
    "allgather": ("recursive_doubling", "bruck", "ring", "topology_gatherv_bcast", "knomial"),
    "alltoall": ("bruck", "linear", "pairwise", "plum"),
    "scan": ("partial_results", "topology_partial_results"),
}
"""In the order of their numbers, which begin at 1."""


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:  # noqa: ARG001
    """Those of the manual."""
    return [
        Algorithm(collective, name, str(number), number)
        for collective in collectives
        for number, name in enumerate(ALGORITHMS.get(collective, ()), start=1)
    ]


def is_segmented(algorithm: Algorithm) -> bool:  # noqa: ARG001
    """There are such variables (I_MPI_ADJUST_BCAST_SEGMENT), unproved here."""
    return False


def forcing(collective: str, algorithm: Algorithm | None, segment: int | None) -> Forcing:
    if algorithm is None:
        return Forcing(DEFAULT)
    env = ((f"I_MPI_ADJUST_{collective.upper()}", str(algorithm.number)),)
    return Forcing(algorithm.name, segment, env)


def replaced_by(
    algorithm: Algorithm,  # noqa: ARG001
    ranks: int,  # noqa: ARG001
    bytes_: int,  # noqa: ARG001
    segment: int | None,  # noqa: ARG001
) -> str | None:
    """Not documented."""
    return None
