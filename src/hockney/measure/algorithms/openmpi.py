"""Open MPI: the component coll/tuned, its enumerations and its dynamic rules; coll/libnbc for
nonblocking collectives.

Where they fall back: ompi/mca/coll/base/coll_base_*.c and coll/libnbc/nbc_*.c of 4.1 to 6.0.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from hockney.measure.algorithms import INT_BYTES, Algorithm, Forcing, listed
from hockney.measure.algorithms.controls import read_controls
from hockney.measure.build import Engine
from hockney.measure.mpi import Mpi
from hockney.spec.workloads.collective import DEFAULT

PREFIX = "OMPI_MCA_"
"""Of the environment variable that sets a control variable."""
IGNORE = "ignore"
"""The value of an enumeration that forces nothing."""
OTHERS = ("han", "hcoll", "ucc")
"""Components that come before coll/tuned where they are built, and know nothing of its rules."""
SEGMENTED = {
    "bcast": ("chain", "pipeline", "split_binary_tree", "binary_tree", "binomial", "knomial"),
    "reduce": ("chain", "pipeline", "binary", "binomial", "in-order_binary", "knomial"),
    "allreduce": ("segmented_ring",),
}
"""Those that are handed the segment size. Others ignore it."""


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:  # noqa: ARG001
    """The enumerations of the two components; those of others are not forced."""
    controls = read_controls(engine)
    found = []
    for collective in collectives:
        control = controls.get(_variable(collective))
        found += listed(collective, control.choices if control else [], IGNORE)
    return found


def _variable(collective: str) -> str:
    component = "libnbc" if collective.startswith("i") else "tuned"
    return f"coll_{component}_{collective}_algorithm"


def is_segmented(algorithm: Algorithm) -> bool:
    return algorithm.own_name in SEGMENTED.get(algorithm.collective, ())


def forcing(collective: str, algorithm: Algorithm | None, segment: int | None) -> Forcing:
    """Dynamic rules on, the algorithm by its number, other components aside. A rules file of the
    user would come before it (4.1), so none may be set."""
    variable = _variable(collective)
    if algorithm is None:
        names = ("coll", "coll_tuned_use_dynamic_rules", "coll_tuned_dynamic_rules_filename")
        return Forcing(DEFAULT, controls=tuple((name, None) for name in (*names, variable)))
    settings = {
        "coll": _components(),
        "coll_tuned_use_dynamic_rules": "1",
        variable: str(algorithm.number),
    }
    read_back: dict[str, str | None] = {
        "coll": None,  # --read-back takes no commas in a value
        "coll_tuned_use_dynamic_rules": "true",
        "coll_tuned_dynamic_rules_filename": "",
        variable: algorithm.own_name,
    }
    if is_segmented(algorithm):
        size = f"{variable}_segmentsize"
        read_back[size] = settings[size] = str(segment or 0)
    env = tuple((PREFIX + name, value) for name, value in settings.items())
    # A pipeline without segments is a chain through which the whole message goes at once.
    segment_bytes = 0 if algorithm.name == "pipeline" and not segment else segment
    return Forcing(algorithm.name, segment_bytes, env, controls=tuple(read_back.items()))


def _components() -> str:
    """Without OTHERS; a list of the user's own is kept where it says which to take."""
    asked = os.environ.get(PREFIX + "coll", "")
    if asked and not asked.startswith("^"):
        return asked
    without = [name for name in asked.removeprefix("^").split(",") if name]
    return "^" + ",".join(dict.fromkeys([*without, *OTHERS]))


def replaced_by(algorithm: Algorithm, ranks: int, bytes_: int, segment: int | None) -> str | None:
    """Its functions call another of their own, without a word."""
    collective, name = algorithm.collective, algorithm.own_name
    if name == "two_proc" and ranks != 2:
        return "gives an error: it is for two ranks"
    if collective == "bcast":
        return _bcast_replaced_by(name, ranks, bytes_, segment)
    if collective.endswith("reduce"):
        return _reduction_replaced_by(algorithm, ranks, bytes_ // INT_BYTES, segment)
    if collective.endswith("allgather") and name == "recursive_doubling" and ranks & (ranks - 1):
        return "runs another: the number of ranks is not a power of two"
    if name == "neighbor" and ranks % 2:
        return "runs ring: the number of ranks is odd"
    return None


def _bcast_replaced_by(name: str, ranks: int, bytes_: int, segment: int | None) -> str | None:
    if name.startswith("scatter_allgather") and bytes_ < ranks:
        return "runs basic_linear: fewer bytes than ranks"
    if name == "split_binary_tree" and bytes_ < 2:
        return "runs pipeline: a message that cannot be split"
    if name == "split_binary_tree" and segment and segment > bytes_ // 2:
        return "runs pipeline: half a message is less than a segment"
    return None


def _reduction_replaced_by(
    algorithm: Algorithm, ranks: int, count: int, segment: int | None
) -> str | None:
    collective, name = algorithm.collective, algorithm.own_name
    power = 1 << (ranks.bit_length() - 1)
    if name == "rabenseifner" and count < power:  # from 6 on, not in allreduce
        return "runs another: fewer elements than ranks"
    if name == "rabenseifner" and collective == "ireduce" and ranks == 2:
        return "runs another: it is for more than two ranks"
    if name == "ring" and collective == "allreduce" and count < ranks:
        return "runs recursive_doubling: fewer elements than ranks"
    if name == "segmented_ring" and count < ranks * ((segment or 0) // INT_BYTES or count):
        return "runs ring: not a segment for every rank"
    return None
