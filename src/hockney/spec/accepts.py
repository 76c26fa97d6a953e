"""What every operation accepts: one table, by which the command line refuses everything else before
MPI starts. The engine has a table of its own, for those who start it by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from msgspec.structs import fields

from hockney.errors import AskedWronglyError
from hockney.spec.workloads import BUFFERS, Buffers, Workload
from hockney.spec.workloads.collective import COLLECTIVES, NO_BYTES, NONBLOCKING, ROOTED


@dataclass(frozen=True)
class Row:
    """One operation of an experiment."""

    fields: frozenset[str]
    """Of its workload, apart from sizes and buffers, which all have."""
    buffers: tuple[Buffers, ...] = BUFFERS


NOT_RETURNED: tuple[Buffers, ...] = ("separate", "cold")
PINGPONG = frozenset(
    {"peers", "every_iteration", "keep_clock_cost", "sweep", "seconds_a_size", "reduce", "verify"}
    | {"floor", "refine", "preset"}
)
TRAINS = frozenset({"peers", "messages", "trains"})
PAIRS = frozenset({"pairing", "active", "operation", "every_iteration", "verify"})
COLLECTIVE = frozenset({"collective", "algorithm", "segment_bytes", "sync"})

ACCEPTS: dict[str, dict[str, Row]] = {
    "pingpong": {"pingpong": Row(PINGPONG)},
    "overheads": {"overheads": Row(TRAINS)},
    "late": {"late": Row(frozenset({"peers", "delay_ns"}))},
    "pairs": {
        "pingpong": Row(PAIRS | {"mode"}),
        "stream": Row(PAIRS | {"windows"}, NOT_RETURNED),
        "bidirectional": Row(PAIRS | {"windows"}),
        "exchange": Row(PAIRS),
    },
    "cores": {"cores": Row(frozenset({"parallel", "verify"}))},
    "collective": {
        name: Row(
            COLLECTIVE
            | ({"root"} if name in ROOTED else set())
            | ({"overlap"} if name in NONBLOCKING else set())
            | (set() if name in NO_BYTES else {"verify"}),
            NOT_RETURNED,
        )
        for name in COLLECTIVES
    },
}
"""By experiment and operation."""

OPTIONS = {"active": "pairs-active", "windows": "window", "segment_bytes": "segment-size"}
"""Fields that the command line calls otherwise."""


def option_of(field: str) -> str:
    """The option that sets a field: "--every-iteration"."""
    return "--" + OPTIONS.get(field, field).replace("_", "-")


def check_accepted(workload: Workload) -> None:
    """Raises AskedWronglyError where something was chosen that its operation cannot honour."""
    rows = ACCEPTS[workload.experiment]
    name = workload.row
    row = rows.get(name)
    if row is None:
        raise AskedWronglyError(
            f"{workload.experiment}: no operation {name!r}", f"there are {', '.join(rows)}"
        )
    for field in sorted({*workload.__struct_fields__} - row.fields - {"sizes", "buffers"}):
        if getattr(workload, field) != _default(type(workload), field):
            having = [other for other, one in rows.items() if field in one.fields]
            advice = f"leave it out, or measure {', '.join(having)}" if having else "leave it out"
            raise AskedWronglyError(f"{name} does not take {option_of(field)}", advice)
    if workload.buffers is not None and workload.buffers not in row.buffers:
        raise AskedWronglyError(
            f"{name} does not take --buffers {workload.buffers}",
            f"use {' or '.join(row.buffers)}",
        )
    if getattr(workload, "mode", "standard") == "persistent" and workload.buffers == "cold":
        raise AskedWronglyError(
            "--mode persistent binds its requests to one buffer and cannot walk through a cold one",
            "use --buffers returned or separate",
        )
    if name in NO_BYTES and workload.largest_bytes > 0:
        raise AskedWronglyError(f"{name} sends no message", "leave out --sizes")


@cache
def _default(kind: type[Workload], field: str) -> object:
    return {each.name: each.default for each in fields(kind)}[field]
