"""MPICH and what is made of it: the control variables MPIR_CVAR_X_INTRA_ALGORITHM.

They are integers without an enumeration; their names stand in the description, in the order of
their numbers. What an algorithm is restricted to: src/mpi/coll/coll_algorithms.txt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hockney.measure.algorithms import INT_BYTES, Algorithm, Forcing, listed
from hockney.measure.algorithms.controls import Control, accepts, read_controls
from hockney.measure.build import Engine
from hockney.measure.mpi import Mpi
from hockney.spec.workloads.collective import DEFAULT

AUTO = "auto"
"""The value that forces nothing."""
SEGMENT_SIZES = {
    ("bcast", "pipelined_tree"): "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE",
    ("allreduce", "tree"): "MPIR_CVAR_ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE",
}
NOT_DEVICE = "1"
"""The number of `none` in MPIR_CVAR_DEVICE_COLLECTIVES."""
FALLBACKS = {"error": "0", "silent": "2"}
"""Numbers in MPIR_CVAR_COLLECTIVE_FALLBACK."""
REDUCE_SCATTERS = frozenset({"reduce_scatter_gather", "reduce_scatter_allgather"})
"""They need an element for each rank."""
MAY_FALL_BACK = REDUCE_SCATTERS | {"smp"}
"""MPI_Init itself reduces single integers, and smp calls the collective again on the ranks of a
node, where it is not usable: an error there would end every launch. For what sizes REDUCE_SCATTERS
fall back is known."""
NEEDS_POWER_OF_TWO = frozenset(
    {("allgather", "recursive_doubling"), ("reduce_scatter_block", "noncommutative")}
)


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:  # noqa: ARG001
    """The names in the descriptions."""
    controls = read_controls(engine)
    words = {
        word
        for control in controls.values()
        for word in re.findall("[A-Za-z]+", control.description or "")
    }
    found = []
    for collective in collectives:
        control = controls.get(_variable(collective))
        own_names = list(_choices(engine, control, words)) if control else []
        found += listed(collective, own_names, AUTO)
    return found


def _variable(collective: str) -> str:
    return f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM"


def _choices(engine: Engine, control: Control, words: set[str]) -> Iterator[str]:
    """The names before each " - "; MPICH 4.0 lost its newlines, so that the word before a name
    sticks to it ("algorithmsmp - Force ..."), and only the library knows where it begins."""
    for token in re.findall(r"(\S+)\s+- ", control.description or ""):
        first, stuck = token.rpartition(")")[2], token
        if re.search(r"\n\s*" + re.escape(stuck) + r"\s+- ", control.description or ""):
            yield stuck
            continue
        splits = [first] + [first[at:] for at in range(1, len(first)) if first[:at] in words]
        yield next((name for name in splits if name and accepts(engine, control.name, name)), stuck)


def is_segmented(algorithm: Algorithm) -> bool:
    return (algorithm.collective, algorithm.own_name) in SEGMENT_SIZES


def forcing(collective: str, algorithm: Algorithm | None, segment: int | None) -> Forcing:
    """The device's collectives off, and an error for a silent fallback, but for MAY_FALL_BACK."""
    variable, device = _variable(collective), "MPIR_CVAR_DEVICE_COLLECTIVES"
    if algorithm is None:
        return Forcing(DEFAULT, controls=((variable, None), (device, None)))
    fallback = "MPIR_CVAR_COLLECTIVE_FALLBACK"
    to = "silent" if algorithm.own_name in MAY_FALL_BACK else "error"
    env = {variable: algorithm.own_name, device: "none", fallback: to}
    controls: dict[str, str | None] = {
        variable: str(algorithm.number),
        device: NOT_DEVICE,
        fallback: FALLBACKS[to],
    }
    if is_segmented(algorithm):
        chunk = SEGMENT_SIZES[collective, algorithm.own_name]
        controls[chunk] = str(segment) if segment else None
        env |= {chunk: str(segment)} if segment else {}
    return Forcing(algorithm.name, segment, tuple(env.items()), controls=tuple(controls.items()))


def replaced_by(
    algorithm: Algorithm,
    ranks: int,
    bytes_: int,
    segment: int | None,  # noqa: ARG001
) -> str | None:
    """MPICH gives an error there, because the fallback is one, or falls back to its decision."""
    name = algorithm.own_name
    power_of_two = not ranks & (ranks - 1)
    if (algorithm.collective, name) in NEEDS_POWER_OF_TWO and not power_of_two:
        return "gives an error: the number of ranks is not a power of two"
    fewer = bytes_ // INT_BYTES < 1 << (ranks.bit_length() - 1)
    if name in REDUCE_SCATTERS and fewer:
        return "runs its own decision: fewer elements than ranks"
    if name == "pairwise_sendrecv_replace":
        return "gives an error: it is for MPI_IN_PLACE"
    if name == "ccl":
        return "runs its own decision: it is for buffers of a GPU"
    return None
