"""Writes src/hockney/infer/analysis/claims/published.json from public logs and papers.

    python published.py LOGS     # LOGS/OWNER+NAME: copies of the repositories of published.toml

published.toml says where each log is, and what is known of its system; hockney's own importers read
the numbers. Those of papers, which are in no log, are in published.toml themselves.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from hockney.base.errors import HockneyError
from hockney.foreign.exchange.reading import read, recognise
from hockney.foreign.logs.log import Log, log_of
from hockney.foreign.logs.runs import runs_of
from hockney.foreign.programs.csv import parse_columns
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.published_base import (
    HALF_ROUND_TRIP,
    SIZES,
    THEIR_LINE,
    PublishedNumber,
    PublishedSystem,
    encoded,
)
from hockney.records import Run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
FACTS = HERE / "published.toml"
KEPT = ("system", "transport", "detail", "library", "date")
DATA = HERE.parent / "src" / "hockney" / "infer" / "analysis" / "claims" / "published.json"


def systems_of(facts: dict[str, Any], logs: Path) -> Iterator[PublishedSystem]:
    for paper in facts["paper"]:
        numbers = tuple(PublishedNumber(*_number(*number)) for number in paper.pop("numbers"))
        method = THEIR_LINE if numbers[0].quantity != "time_s" else HALF_ROUND_TRIP
        yield PublishedSystem(**paper, method=method, numbers=numbers)
    for entry in facts["log"]:
        repository = facts["repositories"][entry["repository"]]
        yield _system(entry, repository, _git_directory(logs / repository.replace("/", "+")))


def _number(quantity: str, *size_and_value: float) -> tuple[str, int | None, float]:
    *size, value = size_and_value
    return quantity, int(size[0]) if size else None, value


def _git_directory(copy: Path) -> Path:
    directories = [path for path in (copy / "repo" / ".git", copy / "repo", copy) if path.is_dir()]
    return directories[0]


def _system(entry: dict[str, Any], repository: str, git: Path) -> PublishedSystem:
    paths = _paths(git, entry["logs"])
    run, read_from = _joined([(path, _shown(git, path)) for path in paths], entry)
    analysis = Analysis(run)
    points = {point.bytes: point for point in analysis.estimates.headline}
    numbers = [
        PublishedNumber("time_s", size, _rounded(points[size].typical_s))
        for size in SIZES
        if size in points
    ]
    line = analysis.line() if len(points) > len(SIZES) else None
    if line is not None:
        known = (
            ("alpha_s", line.parameters["alpha_s"].value),
            ("r_inf_Bps", line.derived["r_inf_Bps"].value),
        )
        numbers += [PublishedNumber(name, None, _rounded(v)) for name, v in known if v]
    commit = _git(git, "rev-parse", "--short=12", "HEAD").strip()
    several = f", median of {len(run.launches)} tables" if len(run.launches) > 1 else ""
    kept = {name: entry[name] for name in KEPT if name in entry}
    source = run.header.source
    named = f"{source.program} {source.version or ''}".strip() if source else ""
    program = entry.get("program", named)
    statistic = next(iter(points.values())).statistic
    return PublishedSystem(
        **kept,
        method=HALF_ROUND_TRIP,
        definition=f"{program}: half of a round trip, {statistic} of a loop{several}",
        source=f"{repository}@{commit}, {_common(read_from)}",
        numbers=tuple(numbers),
    )


def _rounded(value: float) -> float:
    """Six digits: more than any source has."""
    return float(f"{value:.6g}")


def _common(paths: list[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _paths(git: Path, pattern: str) -> list[str]:
    names = _git(git, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return sorted(name for name in names if fnmatchcase(name, pattern))


def _shown(git: Path, path: str) -> str:
    return _git(git, "show", f"HEAD:{path}")


def _git(git: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", git, *words], capture_output=True, check=True)
    return done.stdout.decode(errors="replace")


def _joined(texts: list[tuple[str, str]], entry: dict[str, Any]) -> tuple[Run, list[str]]:
    """All ping-pong tables as launches of one run, and the files that have one. Some directories
    hold other logs, too."""
    pingpongs, used, reasons = [], [], []
    for path, text in texts:
        log = _log(text, path, entry)
        try:
            name = "csv" if log.columns else recognise(log)
            tables = [table for table in read(log, name) if table.operation == "pingpong"]
        except HockneyError as error:
            reasons.append(str(error))
            continue
        for table in tables:
            table.options.clear()
            pingpongs.append((log, table))
        used += [path] * bool(tables)
    if not pingpongs:
        raise SystemExit(f"{entry['system']}: no ping-pong in {entry['logs']}: {reasons[:3]}")
    [run] = runs_of(pingpongs, "published")
    return run, used


def _log(text: str, path: str, entry: dict[str, Any]) -> Log:
    columns = parse_columns(entry["columns"]) if "columns" in entry else None
    return replace(
        log_of(text, Path(path)),
        operation=entry.get("operation", "unknown"),
        columns=columns,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", type=Path)
    logs: Path = parser.parse_args().logs
    systems = list(systems_of(tomllib.loads(FACTS.read_text()), logs))
    DATA.write_bytes(encoded(systems))
    print(
        f"{DATA}: {len(systems)} systems, {sum(len(system.numbers) for system in systems)} numbers"
    )


if __name__ == "__main__":
    main()
