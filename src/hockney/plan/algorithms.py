"""Common names of algorithms that libraries name differently."""

from __future__ import annotations

from collections.abc import Sequence

COMMON = {
    # Open MPI
    "linear": "basic_linear",
    "binary_tree": "binary",
    "split_binary_tree": "split_binary",
    "modified_bruck": "bruck",
    "two_proc": "two_procs",
    "default": "gather_bcast",
    # MPICH
    "brucks": "bruck",
    "scatter_recursive_doubling_allgather": "scatter_allgather",
    "scatter_ring_allgather": "scatter_allgather_ring",
    "reduce_scatter_allgather": "rabenseifner",
    "reduce_scatter_gather": "rabenseifner",
    # SimGrid
    "flattree": "basic_linear",
    "flat_tree": "basic_linear",
    "binomial_tree": "binomial",
    "scatter_LR_allgather": "scatter_allgather_ring",
    "scatter_rdb_allgather": "scatter_allgather",
    "scatter_gather": "rabenseifner",
    "rdb": "recursive_doubling",
    "lr": "ring",
    "redbcast": "nonoverlapping",
    "pair": "pairwise",
    "ompi_basic_linear": "basic_linear",
    "ompi_binary": "binary",
    "ompi_binomial": "binomial",
    "ompi_bruck": "bruck",
    "ompi_chain": "chain",
    "ompi_doublering": "double_ring",
    "ompi_in_order_binary": "in-order_binary",
    "ompi_linear_nb": "linear_nb",
    "ompi_linear_sync": "linear_sync",
    "ompi_neighborexchange": "neighbor",
    "ompi_pipeline": "pipeline",
    "ompi_recursivedoubling": "recursive_doubling",
    "ompi_ring_segmented": "segmented_ring",
    "ompi_split_bintree": "split_binary",
    "ompi_tree": "tree",
    "ompi_two_procs": "two_procs",
    "mvapich2_knomial": "knomial",
}
"""Maps a library's own name to the common name, which is mostly Open MPI's. Other names are common
names already."""


def common_names(own_names: Sequence[str]) -> dict[str, str]:
    """The common name for each of a library's names of one collective's algorithms. If two would
    get the same name, only the first does: they are different programs."""
    taken: set[str] = set(own_names)
    common = {}
    for own in own_names:
        name = COMMON.get(own, own)
        common[own] = own if name != own and name in taken else name
        taken.add(common[own])
    return common
