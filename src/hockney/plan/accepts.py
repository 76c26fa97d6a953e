"""Refuses options that an operation does not take, before MPI starts, by the rows of its workload.

The engine has a table of its own, for users who start it by hand.
"""

from __future__ import annotations

from functools import cache

from msgspec.structs import fields

from hockney.base.errors import UsageError
from hockney.plan.knobs import knobs_of, option_of
from hockney.plan.words import PARTITIONED, PERSISTENT, REPLACE, STANDARD
from hockney.plan.workloads import Workload

ONE_BUFFER = (PERSISTENT, REPLACE, PARTITIONED)
"""Modes whose messages stay in one buffer."""


def check_accepted(workload: Workload) -> None:
    """Raises UsageError if a field is set that the operation does not take."""
    rows = workload.rows()
    name = workload.row
    row = rows.get(name)
    if row is None:
        raise UsageError(
            f"{workload.experiment}: no operation {name!r}", f"there are {', '.join(rows)}"
        )
    own = {*workload.__struct_fields__} - {"sizes", "buffers"}
    for field in sorted(field for field in own if not takes(type(workload), name, field)):
        if getattr(workload, field) != default_of(type(workload), field):
            having = [other for other in rows if takes(type(workload), other, field)]
            advice = f"leave it out, or measure {', '.join(having)}" if having else "leave it out"
            raise UsageError(f"{name} does not take {option_of(field)}", advice)
    if workload.buffers is not None and workload.buffers not in row.buffers:
        raise UsageError(
            f"{name} does not take --buffers {workload.buffers}",
            f"use {' or '.join(row.buffers)}",
        )
    mode = getattr(workload, "mode", STANDARD)
    if mode not in row.modes:
        raise UsageError(f"{name} does not take --mode {mode}", f"it takes {', '.join(row.modes)}")
    if mode in ONE_BUFFER and workload.buffers == "cold":
        raise UsageError(
            f"--mode {mode} binds its requests to one buffer and cannot walk through a cold one",
            "use --buffers returned or separate",
        )
    if not row.has_bytes and workload.largest_bytes > 0:
        raise UsageError(f"{name} sends no message", "leave out --sizes")


def takes(kind: type[Workload], operation: str, field: str) -> bool:
    """Whether an operation takes a field: a knob by its own row, others by those of operations."""
    knob = knobs_of(kind).get(field)
    if knob is not None:
        return knob.operations is None or operation in knob.operations
    fields = kind.rows()[operation].fields
    return fields is None or field in fields


@cache
def default_of(kind: type[Workload], field: str) -> object:
    """Default of a field."""
    return {each.name: each.default for each in fields(kind)}[field]
