"""Reads a claim: a TOML file with a published statement, how to measure it, and what must come out.

claim = "A binomial broadcast takes ceil(log2 P) rounds."
source = "Thakur, Rabenseifner and Gropp 2005, doi:10.1177/1094342005051521"
value = 1.0
tolerance = "3%"

[[measure]]
command = "hockney collective bcast --algorithm binomial --platform cluster:16 -n 2,5,9,16"

[quantity]
what = "exponent"
against = "rounds"
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import hockney
from hockney.base.errors import UsageError
from hockney.base.toml_file import check_keys, parsed_toml, read_toml
from hockney.base.units import exact_percent, parse_seconds, parse_share, parse_size
from hockney.plan.axes import AXES
from hockney.plan.claims import (
    BANDWIDTH,
    BEST,
    EXPONENT,
    MODEL,
    PARAMETER,
    PATH,
    PROGRAM,
    RATIO,
    SIMPLE,
    TIME,
    WHAT,
    Claim,
    ClaimedRange,
    ClaimMeasure,
    Quantity,
    Requires,
    unit_of,
)

CLAIMS = {path.stem: path for path in sorted(Path(hockney.__path__[0], "claims").glob("*.toml"))}
"""Claims that hockney brings, by name."""
EXPECTATIONS = ("value", "at_least", "at_most", "between")
KEYS = ("claim", "source", *EXPECTATIONS, "tolerance", "requires", "measure", "quantity")
MEASURE_KEYS = ("name", "command")
REQUIREMENTS = ("cpus", "nodes", "mpi", "simgrid")
AGAINST = ("bytes", "ranks", "others", "rounds", "pairs")
"""What an exponent may be taken against: others are ranks - 1, rounds are ceil(log2 ranks)."""
TAKEN = (TIME, BANDWIDTH)
USUAL_NAME = "run"
"""Name of the only measurement of a claim."""


def read_claim(name: str) -> Claim:
    """The claim in a file, or the one of that name that hockney brings."""
    path = Path(name)
    try:
        if name in CLAIMS and not path.exists():
            path = CLAIMS[name]
            return _claim(name, path.stem, parsed_toml(path, path.read_text()))
        return _claim(name, path.stem, read_toml(path))
    except (OSError, UnicodeDecodeError) as error:
        advice = f"claims that come with hockney: {', '.join(CLAIMS)} (hockney reproduce --list)"
        raise UsageError(f"{name}: {error}", advice) from error


def _claim(where: str, name: str, table: dict[str, Any]) -> Claim:
    check_keys(where, table, KEYS)
    measures = _measures(where, table.get("measure"))
    quantity = _quantity(
        where, "quantity", table.get("quantity"), [measure.name for measure in measures]
    )
    expected = _expected(where, table, quantity)
    if quantity.what == BEST:
        quantity = replace(quantity, name=table["value"].strip())
    return Claim(
        name=name,
        claim=_text(where, table, "claim", "write the statement as a sentence"),
        source=_text(where, table, "source", "cite the paper or give its address"),
        measures=measures,
        quantity=quantity,
        expected=expected,
        requires=_requires(where, table.get("requires", {}), measures),
    )


def _text(where: str, table: Mapping[str, Any], key: str, advice: str) -> str:
    text = table.get(key)
    if not isinstance(text, str) or not text.strip():
        state = "missing" if key not in table else f"{text!r} is not a text"
        raise UsageError(f"{where}: {key}: {state}", f"{advice}: {key} = ...")
    return text.strip()


def _measures(where: str, tables: Any) -> tuple[ClaimMeasure, ...]:
    if not isinstance(tables, list) or not tables or not all(isinstance(t, dict) for t in tables):
        raise UsageError(
            f"{where}: measure: nothing is measured",
            'write [[measure]] and command = "hockney pingpong" below it',
        )
    measures: list[ClaimMeasure] = []
    for number, table in enumerate(tables, 1):
        here = f"{where}, measure {number}"
        check_keys(here, table, MEASURE_KEYS)
        name = USUAL_NAME
        if len(tables) > 1:
            name = _text(here, table, "name", "several measurements need a name each")
        if "name" in table:
            name = _text(here, table, "name", "a name")
        if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
            raise UsageError(
                f"{here}: name: {name!r} would not do as the name of a file",
                "use letters, digits, - and _",
            )
        if name in [measure.name for measure in measures]:
            raise UsageError(f"{here}: name: {name!r} is given twice", "choose another")
        measures.append(ClaimMeasure(name, _words(here, table)))
    return tuple(measures)


def _words(where: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    command = _text(where, table, "command", "write the words of a verb that measures")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{where}: command: {error}", "close the quotation") from error
    words = words[1:] if words[:1] == [PROGRAM] else words
    if not words:
        raise UsageError(f"{where}: command: no verb", 'such as command = "hockney pingpong"')
    return tuple(words)


def _quantity(where: str, key: str, table: Any, measures: list[str]) -> Quantity:
    """A quantity; `key`: its place in the file, "quantity" or "quantity.of"."""
    here, is_part = f"{where}, [{key}]", key != "quantity"
    if not isinstance(table, dict):
        raise UsageError(
            f"{where}: {key}: not a table", f'write [{key}] and what = "time" below it'
        )
    known = SIMPLE if is_part else WHAT
    what = table.get("what", TIME if is_part else None)
    if not isinstance(what, str) or what not in known:
        state = "missing" if what is None else f"{what!r} is not known"
        raise UsageError(f"{here}: what: {state}", f"one of {', '.join(known)}")
    for misplaced in (*EXPECTATIONS, "tolerance"):
        if misplaced in table:
            raise UsageError(
                f"{here}: {misplaced} is not part of a quantity",
                f"write {misplaced} at the top of the file, above the first table",
            )
    chosen = () if what in (RATIO, PATH) else tuple(AXES)
    check_keys(here, table, ("what", "measure", *known[what], *chosen))
    measure = table.get("measure", measures[0] if len(measures) == 1 else None)
    if what != RATIO and measure not in measures:
        state = "missing" if measure is None else f"there is no measurement {measure!r}"
        raise UsageError(f"{here}: measure: {state}", f"one of {', '.join(measures)}")
    own: dict[str, Any] = {}
    if what == RATIO:
        own = {
            part: _quantity(where, f"{key}.{part}", table.get(part), measures)
            for part in known[what]
        }
        _check_alike(here, *own.values())
    elif what == EXPONENT:
        own = {
            "take": _one_of(here, table, "take", TAKEN, TIME),
            "against": _one_of(here, table, "against", AGAINST),
        }
    elif what == PARAMETER:
        own = {
            "name": _text(here, table, "name", "name one such as alpha_s, r_inf_Bps or n_half_B"),
            "model": _text(here, {"model": MODEL, **table}, "model", "a model of hockney fit"),
        }
    elif what == PATH:
        own = {"path": _text(here, table, "path", "such as contention[pairs=8].slowdown")}
    axes = {name: _axis(here, name, table[name]) for name in chosen if name in table}
    if what == BEST and "algorithm" in axes:
        raise UsageError(
            f"{here}: algorithm: the best one is the claimed value",
            'write value = "binomial" at the top of the file',
        )
    return Quantity(what=what, measure=measure or "", axes=axes, **own)


def _one_of(
    where: str, table: Mapping[str, Any], key: str, known: tuple[str, ...], usual: str | None = None
) -> str:
    choice = table.get(key, usual)
    if choice not in known:
        state = "missing" if choice is None else f"{choice!r} is not known"
        raise UsageError(f"{where}: {key}: {state}", f"one of {', '.join(known)}")
    return str(choice)


def _axis(where: str, name: str, value: Any) -> Any:
    """A value of an axis as points have it; sizes may be written as 64KiB."""
    if isinstance(value, str) and AXES[name].unit == "bytes":
        return _read(where, name, parse_size, value)
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        raise UsageError(f"{where}: {name}: a table chooses nothing", "give one value")
    return value


def _read(where: str, key: str, parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except UsageError as error:
        raise UsageError(f"{where}: {key}: {error.message}", error.advice) from error


def _check_alike(here: str, of: Quantity, over: Quantity) -> None:
    """Raises UsageError for a ratio of a time and a bandwidth."""
    units = [unit_of(of), unit_of(over)]
    if all(units) and units[0] != units[1]:
        raise UsageError(
            f"{here}: of is in {units[0]} and over in {units[1]}, which have no ratio",
            "take the same from both",
        )


def _expected(where: str, table: Mapping[str, Any], quantity: Quantity) -> ClaimedRange:
    given = [key for key in EXPECTATIONS if key in table]
    if len(given) != 1:
        state = f"{' and '.join(given)} exclude each other" if given else "nothing is claimed"
        keys = f"{given[1]}: " if given else "value: "
        raise UsageError(f"{where}: {keys}{state}", f"write one of {', '.join(EXPECTATIONS)}")
    key = given[0]
    if key != "value" and "tolerance" in table:
        raise UsageError(f"{where}: tolerance: {key} has none", f"widen {key} instead")
    if quantity.what == BEST:
        return _expected_best(where, table, key)
    if key == "between":
        ends = table[key]
        if not isinstance(ends, list) or len(ends) != 2:
            raise UsageError(f"{where}: between: not two numbers", "write between = [1.5, 2]")
        low, high = (_number(where, key, end, quantity) for end in ends)
        if low > high:
            raise UsageError(f"{where}: between: {low:g} is above {high:g}", "the lower one first")
        return ClaimedRange(low, high, f"between {ends[0]} and {ends[1]}{_unit(ends[1], quantity)}")
    number = _number(where, key, table[key], quantity)
    text = f"{table[key]}{_unit(table[key], quantity)}"
    if key == "at_least":
        return ClaimedRange(number, math.inf, f"at least {text}")
    if key == "at_most":
        return ClaimedRange(-math.inf, number, f"at most {text}")
    if number == 0.0:
        raise UsageError(f"{where}: value: no fraction of 0 is a tolerance", "write between")
    share = _tolerance(where, table, "no measured number equals another: write tolerance = '5%'")
    low, high = sorted((number * (1.0 - share), number * (1.0 + share)))
    return ClaimedRange(low, high, f"{text} ± {exact_percent(share)}")


def _unit(value: Any, quantity: Quantity) -> str:
    """The unit of a number that the file has without one."""
    unit = "" if isinstance(value, str) else unit_of(quantity)
    return f" {unit}" if unit else ""


def _expected_best(where: str, table: Mapping[str, Any], key: str) -> ClaimedRange:
    if key != "value":
        raise UsageError(f"{where}: {key}: the best algorithm is a name", 'value = "binomial"')
    name = _text(where, table, "value", "the best algorithm is a name, as hockney algorithms has")
    share = _tolerance(where, table, None)
    by = f" by more than {exact_percent(share)}" if share else ""
    return ClaimedRange(-math.inf, 1.0 + share, f"none is faster than {name}{by}")


def _tolerance(where: str, table: Mapping[str, Any], missing: str | None) -> float:
    """The tolerance as a fraction; missing: what to do where there is none, None where it may be
    left out."""
    tolerance = table.get("tolerance")
    if tolerance is None:
        if missing is not None:
            raise UsageError(f"{where}: tolerance: missing", missing)
        return 0.0
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | str):
        raise UsageError(
            f"{where}: tolerance: {tolerance!r} is not a fraction", "write '5%' or 0.05"
        )
    share: float = _read(where, "tolerance", parse_share, str(tolerance))
    return share


def _number(where: str, key: str, value: Any, quantity: Quantity) -> float:
    """A claimed number; times and rates may be written with their units."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if isinstance(value, str):
        if (unit := unit_of(quantity)) == "B/s":
            return float(_read(where, key, lambda text: parse_size(text.removesuffix("/s")), value))
        if unit == "s":
            return float(_read(where, key, parse_seconds, value))
        if (quantity.name or quantity.path or "").endswith("_B"):
            return float(_read(where, key, parse_size, value))
    raise UsageError(f"{where}: {key}: {value!r} is not a number", f"such as {key} = 1.5")


def _requires(where: str, table: Any, measures: tuple[ClaimMeasure, ...]) -> Requires:
    here = f"{where}, [requires]"
    if not isinstance(table, dict):
        raise UsageError(f"{where}: requires: not a table", "write [requires] and nodes = 2")
    check_keys(here, table, REQUIREMENTS)
    counts = {key: table.get(key, 0) for key in ("cpus", "nodes")}
    for key, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise UsageError(f"{here}: {key}: {count!r} is not a number", f"such as {key} = 2")
    simulated = table.get("simgrid", False)
    if not isinstance(simulated, bool):
        raise UsageError(f"{here}: simgrid: {simulated!r} is neither true nor false", "true")
    mpi = _text(here, table, "mpi", "name its family: mpich, openmpi") if "mpi" in table else None
    is_simulated = any(measure.is_simulated for measure in measures)
    return Requires(**counts, mpi=mpi, simgrid=simulated or is_simulated)
