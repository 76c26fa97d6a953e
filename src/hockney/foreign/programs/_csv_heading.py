"""Finds the meaning of a CSV table's columns from the names and units that people give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from hockney.base.errors import UsageError
from hockney.foreign.logs.column_names import (
    LONGEST_NAME,
    RATES,
    SIZES,
    STATISTICS,
    TIME_UNITS,
    TIMES,
    plain_name,
    quantile,
    rate,
    split_name,
    statistic_in,
)
from hockney.foreign.logs.table import Column, RowError
from hockney.foreign.programs._csv_cells import SIZE_UNITS
from hockney.infer.analysis.columns import TRAIN_COLUMNS
from hockney.infer.estimate.summaries import FROM_BANDWIDTH
from hockney.plan.axes import AXES

DEFINITION = "as the column is called"
OTHERS = {
    "ranks": ("ranks", "processes", "processors", "procs", "nprocs", "np"),
    "algorithm": ("algorithm", "alg"),
    "operation": ("operation", "collective", "benchmark"),
    "repetitions": ("repetitions", "reps", "iterations", "iters"),
    **{
        name: (name.replace("_", " "),)
        for name in AXES
        if name not in ("bytes", "ranks", "algorithm", "operation", "train")
    },
    **{name: (name.lower().replace("_", " "),) for name in TRAIN_COLUMNS},
}
ROLES = (
    *("bytes", "time", "bandwidth", "ranks", "algorithm", "operation", "repetitions"),
    *("window", "mode", "pairs", "peers"),
)
"""Roles of columns that --columns names."""
OWN = frozenset({"statistic", "typical_s", "bandwidth_Bps"})
"""Names that only a table exported by hockney has."""
Meaning = str | Column


class HalvedColumn(Column):
    """Times of whole round trips, which are halved: the factor is half a unit."""


def heading_of(
    cells: Sequence[str], given: Mapping[str, str] | None = None, of_one_size: bool = False
) -> dict[int, Meaning] | None:
    """The meaning of each column, by its index: a Column of numbers, or the name of what a row
    belongs to. None without a size, unless the user gave the one of all rows, or without a time or
    a bandwidth. given: the user's names of columns by role, NAME or NAME:UNIT."""
    names = [cell.partition(" #")[0].strip().lstrip("\ufeff").strip() for cell in cells]
    if sum(name.upper() != name.lower() for name in names) < 2:
        return None  # fewer than two words: a row of numbers, of which logs have a million
    if set(names) >= OWN:
        meanings = _own(names)
    else:
        meanings = _columns_named(names, given) if given else {}
        taken = {role_of(meaning) for meaning in meanings.values()} if given else set()
        for index, name in enumerate(names):
            meaning = meaning_of(name)
            # A named column is the only one of its role: another time would be something else.
            if index not in meanings and meaning is not None and role_of(meaning) not in taken:
                meanings[index] = meaning
    has_numbers = any(isinstance(meaning, Column) for meaning in meanings.values())
    has_sizes = of_one_size or "bytes" in map(role_of, meanings.values())
    return meanings if has_numbers and has_sizes else None


def halved(column: Column) -> HalvedColumn:
    definition = f"half of the round trip, {column.definition}"
    return HalvedColumn(column.statistic, definition, column.field, column.factor / 2)


def role_of(meaning: Meaning) -> str:
    if isinstance(meaning, str):
        return meaning.partition(":")[0]
    return "time" if meaning.field == "value_s" else "bandwidth"


def meaning_of(name: str) -> Meaning | None:
    """The meaning of a column by its name alone; None where the name or the unit is unknown."""
    if len(name) > LONGEST_NAME:
        return None
    words, unit = split_name(name)
    role = next((role for role, known in OTHERS.items() if words in known), None)
    if role and unit is None:
        return role
    if words in SIZES and (unit is None or unit.lower() in SIZE_UNITS):
        return _sizes(unit)
    if unit is None:
        return None
    statistic, rest = statistic_in(words)
    definition = f"{DEFINITION}: {name.lstrip('#').strip()}"
    if rest in TIMES and unit.lower() in TIME_UNITS:
        return Column(statistic, definition, factor=TIME_UNITS[unit.lower()])
    factor = rate(unit)
    if rest in RATES and factor is not None:
        rated = "bandwidth" if statistic == "mean" else f"{statistic} bandwidth"
        return Column(rated, definition, "value_Bps", factor)
    return None


def statistic_of(name: str) -> str:
    """The statistic that a name has, the mean where it has none: p99 of "p99_latency"."""
    return statistic_in(plain_name(name))[0]


def has_unit(name: str) -> bool:
    """True if a column of this name holds times or rates, whatever else is in the name."""
    unit = split_name(name)[1] or "" if len(name) <= LONGEST_NAME else ""
    return unit.lower() in TIME_UNITS or rate(unit) is not None


def is_size(name: str) -> bool:
    """True if a column of this name holds sizes, in whatever unit."""
    return len(name) <= LONGEST_NAME and split_name(name.lstrip("\ufeff"))[0] in SIZES


def factor_of(unit: str, field: str) -> Decimal:
    """The factor of a unit that is written beside a number. Raises RowError where it is unknown."""
    factor = TIME_UNITS.get(unit.lower()) if field == "value_s" else rate(unit)
    if factor is None:
        raise RowError(f"{unit!r} is no known unit")
    return factor


def _sizes(unit: str | None) -> str:
    factor = SIZE_UNITS[(unit or "b").lower()]
    return "bytes" if factor == 1 else f"bytes:{factor}"


def _own(names: Sequence[str]) -> dict[int, Meaning]:
    """Meanings of the columns of a table that hockney wrote: every statistic in seconds, and the
    bandwidth of points of which nothing else is known."""
    meanings: dict[int, Meaning] = {}
    for index, name in enumerate(names):
        first = plain_name(name).partition(" ")[0]
        known = meaning_of(name)
        if name in ("statistic", "notes"):
            meanings[index] = name
        elif isinstance(known, str):
            meanings[index] = known
        elif name == "bandwidth_Bps":
            meanings[index] = Column("bandwidth", FROM_BANDWIDTH, "value_Bps", Decimal(1))
        elif isinstance(known, Column) and (first in STATISTICS or quantile(first)):
            meanings[index] = known
    return meanings


def _columns_named(names: Sequence[str], given: Mapping[str, str]) -> dict[int, Meaning]:
    """The columns that the user named. Raises UsageError where one is not there or its unit
    is unknown."""
    meanings: dict[int, Meaning] = {}
    for role, words in given.items():
        name, unit = (words, None) if words in names else _with_unit(words)
        if name not in names:
            raise UsageError(
                f"--columns {role}={words}: no column is called {name!r}",
                f"the header has {', '.join(names)}",
            )
        meanings[names.index(name)] = _meaning_as(role, name, unit)
    return meanings


def _with_unit(words: str) -> tuple[str, str | None]:
    name, colon, unit = words.rpartition(":")
    return (name, unit) if colon else (words, None)


def _meaning_as(role: str, name: str, unit: str | None) -> Meaning:
    definition = f"{DEFINITION}: {name.lstrip('#').strip()}"
    known = split_name(name)[1] if unit is None else unit
    statistic, _ = statistic_in(split_name(name)[0])
    if role == "time":
        if known is None or known.lower() not in TIME_UNITS:
            raise _unit_error(role, name, unit, "s, ms, us, ns")
        return Column(statistic, definition, factor=TIME_UNITS[known.lower()])
    if role == "bandwidth":
        factor = rate(known) if known else None
        if factor is None:
            raise _unit_error(
                role, name, unit, "B/s, kB/s, MB/s, GB/s, MiB/s, GiB/s, Mbit/s, Gbit/s"
            )
        return Column("bandwidth", definition, "value_Bps", factor)
    if role == "bytes":
        if (unit or "b").lower() not in SIZE_UNITS:
            raise _unit_error(role, name, unit, "B, KiB, MiB, GiB")
        return _sizes(unit)
    return role


def _unit_error(role: str, name: str, unit: str | None, known: str) -> UsageError:
    what = f"{unit!r} is no unit" if unit else "the unit is not known"
    return UsageError(
        f"--columns {role}={name}: {what}", f"write {role}={name}:UNIT with one of {known}"
    )


def parse_columns(text: str) -> dict[str, str]:
    """Reads ROLE=NAME or ROLE=NAME:UNIT, with commas between: "bytes=size,time=lat:us"."""
    columns: dict[str, str] = {}
    for item in text.split(","):
        role, equals, name = item.partition("=")
        role, name = role.strip(), name.strip()
        if role not in ROLES:
            raise UsageError(
                f"--columns: {role!r} is no column that is read", f"there are {', '.join(ROLES)}"
            )
        if not equals or not name:
            raise UsageError(
                f"--columns {item.strip()}: the name of the column is missing",
                "write bytes=size,time=lat:us",
            )
        if role in columns:
            raise UsageError(f"--columns: {role} is given twice")
        columns[role] = name
    return columns
