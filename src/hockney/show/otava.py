"""Writes histories as Apache Otava reads them: a CSV file a system, and the configuration that
names its columns."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence

from hockney.infer.analysis.histories import History, RunFacts

CONFIGURATION = "otava.yaml"
LONGEST_NAME = 100
"""Most characters of a file's name that come from the system's."""
ATTRIBUTES = ("run", "file")
HIGHER_IS_WORSE, HIGHER_IS_BETTER = -1, 1
"""Values of Otava's `direction`."""


def otava_files(histories: Sequence[History], directory: str) -> dict[str, str]:
    """The contents by file name. directory: where the files will be, as Otava is to find them."""
    files: dict[str, str] = {}
    lines = ["tests:"]
    for history in histories:
        runs = [run for run in history.runs if run.file not in history.left_out]
        sizes = sorted(set.intersection(*(set(run.latencies) for run in runs))) if runs else []
        if not sizes:
            continue
        name = _name(history.system, files)
        files[f"{name}.csv"] = _csv(runs, sizes)
        lines += _configuration(name, f"{directory}/{name}.csv", sizes)
    return {CONFIGURATION: "\n".join([*lines, ""]), **files}


def _name(system: str, taken: dict[str, str]) -> str:
    plain = re.sub(r"\W+", "_", system, flags=re.ASCII).strip("_")[:LONGEST_NAME] or "system"
    name, number = plain, 1
    while f"{name}.csv" in taken:
        number += 1
        name = f"{plain}_{number}"
    return name


def _metrics(sizes: Sequence[int]) -> list[tuple[str, int]]:
    """Names of columns with their direction: times in us, and the bandwidth of the largest size in
    MB/s."""
    times = [(f"time_{size}B_us", HIGHER_IS_WORSE) for size in sizes]
    return [*times, *([(f"bandwidth_{sizes[-1]}B_MBps", HIGHER_IS_BETTER)] if sizes[-1] else [])]


def _csv(runs: Sequence[RunFacts], sizes: Sequence[int]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", *ATTRIBUTES, *(name for name, _ in _metrics(sizes))])
    for run in runs:
        times = [run.latencies[size][0] for size in sizes]
        rates = [sizes[-1] / times[-1] / 1e6] if sizes[-1] else []
        numbers = [*(time * 1e6 for time in times), *rates]
        writer.writerow(
            [run.started.isoformat(), run.id, run.file, *(f"{number:.12g}" for number in numbers)]
        )
    return text.getvalue()


def _configuration(name: str, file: str, sizes: Sequence[int]) -> list[str]:
    """YAML; its strings are JSON's."""
    lines = [
        f"  {json.dumps(name)}:",
        "    type: csv",
        f"    file: {json.dumps(file)}",
        "    time_column: time",
        f"    attributes: [{', '.join(ATTRIBUTES)}]",
        "    metrics:",
    ]
    for metric, direction in _metrics(sizes):
        lines += [
            f"      {metric}:",
            f"        column: {metric}",
            f"        direction: {direction}",
        ]
    return lines
