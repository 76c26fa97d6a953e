"""Parameters of MPICH's algorithms and the control variables that set them, as
src/mpi/coll/coll_algorithms.txt lists them."""

from __future__ import annotations

from hockney.run.mpis import Radix, Requests

PREFIX = "MPIR_CVAR_"
K = "k"
"""MPICH's name of the radix."""
_TREE = {
    "tree_type": ("BCAST_TREE_TYPE", "kary"),
    "k": ("BCAST_TREE_KVAL", "2"),
    "is_non_blocking": ("BCAST_IS_NON_BLOCKING", "1"),
}


def _recexch(collective: str) -> dict[str, tuple[str, str]]:
    prefix = f"{collective.upper()}_RECEXCH"
    single = {"single_phase_recv": (f"{prefix}_SINGLE_PHASE_RECV", "0")}
    return {"k": (f"{prefix}_KVAL", "2"), **single}


PARAMETERS: dict[tuple[str, str], dict[str, tuple[str, str]]] = {
    ("bcast", "tree"): _TREE,
    ("bcast", "pipelined_tree"): {
        **_TREE,
        "chunk_size": ("BCAST_TREE_PIPELINE_CHUNK_SIZE", "8192"),
        "recv_pre_posted": ("BCAST_RECV_PRE_POST", "0"),
    },
    ("allreduce", "tree"): {
        "tree_type": ("ALLREDUCE_TREE_TYPE", "knomial_1"),
        "k": ("ALLREDUCE_TREE_KVAL", "2"),
        "chunk_size": ("ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE", "0"),
        "buffer_per_child": ("ALLREDUCE_TREE_BUFFER_PER_CHILD", "0"),
    },
    ("allreduce", "recexch"): _recexch("allreduce"),
    ("allreduce", "recursive_multiplying"): {"k": ("ALLREDUCE_RECURSIVE_MULTIPLYING_KVAL", "2")},
    ("allreduce", "k_reduce_scatter_allgather"): _recexch("allreduce"),
    ("allgather", "k_brucks"): {"k": ("ALLGATHER_BRUCKS_KVAL", "2")},
    ("allgather", "recexch_doubling"): _recexch("allgather"),
    ("allgather", "recexch_halving"): _recexch("allgather"),
    ("alltoall", "k_brucks"): {"k": ("ALLTOALL_BRUCKS_KVAL", "2")},
    ("barrier", "k_dissemination"): {"k": ("BARRIER_DISSEM_KVAL", "2")},
    ("barrier", "recexch"): _recexch("barrier"),
}
"""Parameters that the tree must give to an algorithm, each with its control variable
(MPIR_CVAR_...) and default. The library takes 0 for a missing parameter."""
_NONBLOCKING = {
    ("ibarrier", "tsp_recexch"): "IBARRIER_RECEXCH_KVAL",
    ("ibarrier", "tsp_k_dissemination"): "IBARRIER_DISSEM_KVAL",
    ("ibcast", "tsp_tree"): "IBCAST_TREE_KVAL",
    ("igather", "tsp_tree"): "IGATHER_TREE_KVAL",
    ("iscatter", "tsp_tree"): "ISCATTER_TREE_KVAL",
    ("ireduce", "tsp_tree"): "IREDUCE_TREE_KVAL",
    ("iallreduce", "tsp_tree"): "IALLREDUCE_TREE_KVAL",
    ("iallreduce", "tsp_recexch_single_buffer"): "IALLREDUCE_RECEXCH_KVAL",
    ("iallreduce", "tsp_recexch_multiple_buffer"): "IALLREDUCE_RECEXCH_KVAL",
    ("iallreduce", "tsp_recexch_reduce_scatter_recexch_allgatherv"): "IALLREDUCE_RECEXCH_KVAL",
    ("iallgather", "tsp_brucks"): "IALLGATHER_BRUCKS_KVAL",
    ("iallgather", "tsp_recexch_doubling"): "IALLGATHER_RECEXCH_KVAL",
    ("iallgather", "tsp_recexch_halving"): "IALLGATHER_RECEXCH_KVAL",
    ("iallgatherv", "tsp_brucks"): "IALLGATHERV_BRUCKS_KVAL",
    ("iallgatherv", "tsp_recexch_doubling"): "IALLGATHERV_RECEXCH_KVAL",
    ("iallgatherv", "tsp_recexch_halving"): "IALLGATHERV_RECEXCH_KVAL",
    ("ialltoall", "tsp_brucks"): "IALLTOALL_BRUCKS_KVAL",
    ("ireduce_scatter", "tsp_recexch"): "IREDUCE_SCATTER_RECEXCH_KVAL",
    ("ireduce_scatter_block", "tsp_recexch"): "IREDUCE_SCATTER_BLOCK_RECEXCH_KVAL",
}
"""Control variables of the radix of nonblocking collectives, for which there are no rules."""
RADIX = {
    **{key: Radix(PREFIX + named[K][0]) for key, named in PARAMETERS.items() if K in named},
    **{key: Radix(PREFIX + variable) for key, variable in _NONBLOCKING.items()},
}
"""The radix of an algorithm, by collective and the library's own name."""


REQUESTS = {
    ("alltoall", "scattered"): Requests(PREFIX + "ALLTOALL_THROTTLE"),
    ("ialltoall", "tsp_scattered"): Requests(PREFIX + "IALLTOALL_SCATTERED_OUTSTANDING_TASKS"),
    ("ialltoallv", "tsp_scattered"): Requests(PREFIX + "IALLTOALLV_SCATTERED_OUTSTANDING_TASKS"),
}
"""Limits of messages in flight, by collective and the library's own name; one for all rules, whose
trees cannot set it."""


def has_radix(collective: str, algorithm: str) -> bool:
    """Whether a rule sets the radix of an algorithm, by its common name."""
    return K in PARAMETERS.get((collective, algorithm), {})
