"""Writes histories as Apache Otava reads them: a CSV file a system, and the configuration that
names its columns."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from hockney.infer.analysis.history.histories import History
from hockney.infer.analysis.history.run_facts import RunFacts

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
    names = _apart([history.system for history in histories])
    for history, name in zip(histories, names, strict=True):
        runs, each = _numbers(history)
        metrics = _metrics(sorted(set.intersection(*each))) if each else []
        if not metrics:
            continue
        files[f"{name}.csv"] = _csv(runs, metrics)
        lines += _configuration(name, f"{directory}/{name}.csv", metrics)
    return {CONFIGURATION: "\n".join([*lines, ""]), **files}


def not_written(histories: Sequence[History]) -> list[str]:
    """What Otava does not get, in words: it needs every number in every run."""
    sentences = []
    for history in histories:
        _, each = _numbers(history)
        common, known = (set.intersection(*each), set.union(*each)) if each else (set(), set())
        lacking, count = len(known - common), len(history.runs)
        if not common:
            sentences.append(f"no size is in all {count} runs of {history.system}: it has no file")
        elif lacking:
            sentences.append(
                f"{lacking} of {len(known)} numbers of {history.system} are not in all of its runs"
                ": they have no column"
            )
    return sentences


def _numbers(history: History) -> tuple[list[RunFacts], list[set[tuple[str, int]]]]:
    """The runs that are not left out, and of each the curves with the sizes that it has."""
    runs = [run for run in history.runs if run.file not in history.left_out]
    return runs, [{(c, size) for c, times in run.curves.items() for size in times} for run in runs]


def _apart(names: Sequence[str]) -> list[str]:
    """The plain form of each name, with a number where another one has it: Otava reads columns and
    tests by their names."""
    unique_names: list[str] = []
    for name in names:
        plain = candidate = _plain(name)
        number = 1
        while candidate in unique_names:
            number += 1
            candidate = f"{plain}_{number}"
        unique_names.append(candidate)
    return unique_names


def _plain(words: str) -> str:
    return re.sub(r"\W+", "_", words, flags=re.ASCII).strip("_")[:LONGEST_NAME] or "system"


class _Metric(NamedTuple):
    """A column: times in us, or a bandwidth in MB/s."""

    name: str
    direction: int
    curve: str
    bytes: int

    def of(self, run: RunFacts) -> float:
        seconds = run.curves[self.curve][self.bytes][0]
        return seconds * 1e6 if self.direction == HIGHER_IS_WORSE else self.bytes / seconds / 1e6


def _metrics(common: Sequence[tuple[str, int]]) -> list[_Metric]:
    """The time of each size, and the bandwidth of the largest, of each curve."""
    curves = sorted({curve for curve, _ in common})
    metrics = []
    for curve, plain in zip(curves, _apart(curves), strict=True):
        sizes = [size for of, size in common if of == curve]
        start = f"{plain}_" if len(curves) > 1 else ""
        metrics += [_Metric(f"{start}time_{n}B_us", HIGHER_IS_WORSE, curve, n) for n in sizes]
        if largest := sizes[-1]:
            name = f"{start}bandwidth_{largest}B_MBps"
            metrics.append(_Metric(name, HIGHER_IS_BETTER, curve, largest))
    return metrics


def _csv(runs: Sequence[RunFacts], metrics: Sequence[_Metric]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", *ATTRIBUTES, *(metric.name for metric in metrics)])
    for run in runs:
        numbers = [f"{metric.of(run):.12g}" for metric in metrics]
        writer.writerow([run.started.isoformat(), run.id, run.file, *numbers])
    return text.getvalue()


def _configuration(name: str, file: str, metrics: Sequence[_Metric]) -> list[str]:
    """YAML; its strings are JSON's."""
    lines = [
        f"  {json.dumps(name)}:",
        "    type: csv",
        f"    file: {json.dumps(file)}",
        "    time_column: time",
        f"    attributes: [{', '.join(ATTRIBUTES)}]",
        "    metrics:",
    ]
    for metric in metrics:
        lines += [
            f"      {metric.name}:",
            f"        column: {metric.name}",
            f"        direction: {metric.direction}",
        ]
    return lines
