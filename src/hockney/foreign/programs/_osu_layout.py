"""Tables as OSU Micro-Benchmarks print them: a title for the operation, and a line for each setting
that the title lacks, so that tables of unlike settings stay apart."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from hockney.base.errors import UsageError
from hockney.foreign.programs._layout import needed
from hockney.infer.estimate.points import PointEstimate
from hockney.plan import Size
from hockney.plan.axes import AXES, grouped
from hockney.plan.preset import KIB, MIB, Preset, powers
from hockney.plan.words import RETURNED, SEPARATE, STANDARD
from hockney.plan.workloads.collective import COLLECTIVES, NONBLOCKING
from hockney.records import Run

PARAMETER = re.compile(r"^\s*#\s*([A-Z][\w ()/-]{2,60}):\s+(\S.{0,80}?)\s*$")
"""A line of a setting above a table."""
RANKS = "Ranks"
"""The setting of the number of ranks."""
KEYS = {"datatype": "Message layout"}
"""Names of settings that differ from their axes': OSU's Datatype is another."""
CALLED = {
    "bcast": "Broadcast",
    "alltoall": "All-to-All Personalized Exchange",
    "alltoallv": "All-to-Allv Personalized Exchange",
    "alltoallw": "All-to-Allw Personalized Exchange",
}
"""Collectives that titles name otherwise than MPI's calls."""
USUAL: dict[str, tuple[Any, ...]] = {
    "memory": ("host", "managed", "device"),
    "peer_memory": ("host", "managed", "device"),
    "buffers": (RETURNED, SEPARATE),
    "mode": (STANDARD,),
}
"""Values without a line: the memory is in that on buffers."""
USUAL_ALONE = {"ranks": (2,), "peers": ((0, 1),)}
"""Values that osu_latency always has, for a ping-pong of one pair."""
HEADING = f"""# Datatype: MPI_CHAR.
{"# Size":<10}{"Avg Latency(us)":>18}"""
WORDS = {
    "host": "HOST (H)",
    "pinned": "HOST (H)",
    "managed": "MANAGED MEMORY (M)",
    "device": "DEVICE (D)",
}
"""Memories as its tables name them; memory that is pinned is the host's."""
INTERFACES = {"CUDA": "CUDA", "ROCm": "ROCM", "Level Zero": "SYCL"}
"""Words of its title by the interface of the accelerators."""
LEAST_US = 0.1
"""A table with a shorter time (us) gets more than OSU's two decimals, which would show one digit
of it."""


def tables_text(run: Run, points: Sequence[PointEstimate]) -> str:
    """A table for all points that differ in nothing but their size. Raises UsageError where OSU has
    no program for the operation, or a line no place for a setting."""
    return "\n".join(_table(run, table) for table in grouped(points, "bytes").values())


def _table(run: Run, points: Sequence[PointEstimate]) -> str:
    us = [needed(point, "mean_s") * 1e6 for point in points]
    places = _decimals(us)
    rows = (
        f"{point.bytes:<10d}{time:18.{places}f}" for point, time in zip(points, us, strict=True)
    )
    return "\n".join(["", *_above(run, points[0]), HEADING, *rows])


def _decimals(us: Sequence[float]) -> int:
    """Decimals of a table's times: three digits at least of the shortest above 0."""
    shortest = min((time for time in us if time > 0.0), default=LEAST_US)
    return 2 if shortest >= LEAST_US else 2 - math.floor(math.log10(shortest))


def _above(run: Run, point: PointEstimate) -> list[str]:
    """The lines between title and heading."""
    title, settings = _title(point.operation), _settings(point)
    if point.memory is None:
        return [f"# OSU MPI {title} Test v7.4", *settings]
    accelerator = next((launch.accelerator for launch in run.launches if launch.accelerator), None)
    kind = f"-{INTERFACES[accelerator.interface]}" if accelerator is not None else ""
    sides = [WORDS[memory] for memory in (point.memory, point.peer_memory or point.memory)]
    buffers = "# Send Buffer on {} and Receive Buffer on {}".format(*sides)
    return [f"# OSU MPI{kind} {title} Test v7.4", buffers, *settings]


def _title(operation: str) -> str:
    if operation == "pingpong":
        return "Latency"
    if operation not in COLLECTIVES:
        raise UsageError(
            f"OSU's programs have no latency test of {operation}",
            "export ping-pongs or collectives, or export to csv",
        )
    is_nonblocking = operation in NONBLOCKING
    call = operation[1:] if is_nonblocking else operation
    name = CALLED.get(call, call.capitalize())
    return f"Non-blocking {name} Latency" if is_nonblocking else f"{name} Latency"


def _settings(point: PointEstimate) -> list[str]:
    """A line for each axis in which the point is not as the title says."""
    usual = dict(USUAL)
    if point.operation == "pingpong" and point.pairs is None:
        usual |= USUAL_ALONE
    if point.operation in NONBLOCKING:
        usual["form"] = ("nonblocking",)
    lines = []
    for field in point.__struct_fields__:
        value = getattr(point, field)
        is_usual = field in ("operation", "bytes") or value in usual.get(field, ())
        if field in AXES and value not in (None, (), False) and not is_usual:
            lines.append(_line(field, value))
    return lines


def _line(axis: str, value: Any) -> str:
    """The line of an axis. Raises UsageError where it could not be read back."""
    text = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    key = KEYS.get(axis, axis.replace("_", " ").capitalize())
    line = f"# {key}: {text}"
    if PARAMETER.match(line) is None:
        raise UsageError(
            f"OSU's tables have no place for {axis.replace('_', ' ')} of {len(text)} characters",
            "export to csv",
        )
    return line


def preset() -> Preset:
    """The preset of OSU Micro-Benchmarks 7.4, osu_latency: each exchange timed with the clock
    inside."""
    sizes = tuple(
        Size(size, 10000, 100) if size <= 8 * KIB else Size(size, 1000, 10)
        for size in powers(1, 4 * MIB)
    )
    return Preset(
        sizes,
        every_iteration=True,
        keep_clock_cost=True,
        reduce="first",
        buffers="separate",
    )
