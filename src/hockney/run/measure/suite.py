"""Reads a suite: a TOML file of many runs, each a verb with options and a matrix of options.

name = "night"

[[run]]
verb = "pingpong"
sizes = "0,1..4MiB"
every-iteration = true
matrix.place = ["core", "spread"]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hockney.plan
from hockney.base.errors import UsageError
from hockney.base.toml_file import check_keys, parsed_toml, read_toml
from hockney.plan.bounds import check_combinations

SUITE_KEYS = ("name", "run")
RUN_KEYS = ("verb", "matrix", "least-nodes")


READY = {path.stem: path for path in sorted(Path(hockney.plan.__path__[0], "ready").glob("*.toml"))}
"""Suites that hockney brings, by name."""


def _plain(text: str) -> str:
    """A text as part of a file name in this directory, in characters that need no quoting."""
    return re.sub(r"[^A-Za-z0-9_.=-]+", "-", text).strip("-.")[:80]


@dataclass(frozen=True)
class PlannedRun:
    """One combination of a run's matrix."""

    verb: str
    options: tuple[tuple[str, Any], ...]
    """Options by their long names without dashes, in the order of the file."""
    label: str
    varied: tuple[str, ...] = ()
    """Those of the matrix."""
    least_nodes: int = 1
    """The run is left out where fewer nodes are measured, as it could tell nothing of them."""

    def file_name(self, number: int) -> str:
        """A file name from the label."""
        return f"{number:02d}-{_plain(self.label)}.jsonl"


@dataclass(frozen=True)
class Suite:
    name: str
    runs: tuple[PlannedRun, ...]

    @property
    def file_name(self) -> str:
        """Its name, in characters that a file name may have: a plan may come from anybody."""
        return _plain(self.name) or "suite"


def read_suite(name: str) -> Suite:
    """The suite in a file, or the ready one of that name."""
    path, ready = Path(name), list(READY)
    try:
        is_ready = name in ready and not path.exists()
        tables = parsed_toml(path, READY[name].read_text()) if is_ready else read_toml(path)
    except (OSError, UnicodeDecodeError) as error:
        advice = f"ready plans are: {', '.join(ready)}"
        raise UsageError(f"{name}: {error}", advice) from error
    check_keys(name, tables, SUITE_KEYS)
    runs = tables.get("run", [])
    if not isinstance(runs, list) or not runs or not all(isinstance(run, dict) for run in runs):
        raise UsageError(f"{path}: no runs", 'write [[run]] and verb = "pingpong" below it')
    expanded = [
        planned for number, run in enumerate(runs, 1) for planned in _expand(path, number, run)
    ]
    return Suite(str(tables.get("name", path.stem)), tuple(expanded))


def _expand(path: Path, number: int, table: dict[str, Any]) -> Iterable[PlannedRun]:
    """Yields each combination of the matrix; the last option changes fastest."""
    where = f"{path}, run {number}"
    verb, matrix = table.get("verb"), table.get("matrix", {})
    if not isinstance(verb, str):
        raise UsageError(f"{where}: no verb", 'write verb = "pingpong"')
    if not isinstance(matrix, dict) or not all(isinstance(v, list) and v for v in matrix.values()):
        raise UsageError(
            f"{where}: the matrix must have a list for each option", 'write matrix.place = ["core"]'
        )
    least_nodes = table.get("least-nodes", 1)
    if not isinstance(least_nodes, int) or isinstance(least_nodes, bool) or least_nodes < 1:
        raise UsageError(f"{where}: least-nodes = {least_nodes!r}", "write least-nodes = 6")
    fixed = {key: value for key, value in table.items() if key not in RUN_KEYS}
    twice = sorted(set(fixed) & set(matrix))
    if twice:
        raise UsageError(f"{where}: {twice[0]} is in the run and in its matrix")
    label = str(fixed.pop("label", verb))
    check_combinations(map(len, matrix.values()), where)
    for values in itertools.product(*matrix.values()):
        varied = dict(zip(matrix, values, strict=True))
        words = " ".join([label, *(f"{key}={value}" for key, value in varied.items())])
        options = tuple((fixed | varied).items())
        yield PlannedRun(verb, options, words, tuple(varied), least_nodes)
