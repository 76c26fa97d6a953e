"""Finds labels for runs that are shown together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from hockney import records
from hockney.base.grouping import by_key
from hockney.base.printable import one_line
from hockney.base.units import format_seconds
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.conditions.between import states_apart
from hockney.records import Run

STATE_WORDS = ", core-to-core latency"
"""What names the state of the machine in a label."""


def analyses_of(paths: Iterable[Path]) -> list[Analysis]:
    """Reads result files that are shown together."""
    return labelled(Analysis(records.read(path)) for path in paths)


def labelled(analyses: Iterable[Analysis]) -> list[Analysis]:
    """The analyses, each with a label that differs from the others'; it has the machine's state
    where the states differ."""
    all_analyses = list(analyses)
    labels = labels_of([analysis.run for analysis in all_analyses])
    for analysis, label, latency_s in zip(
        all_analyses, labels, states_apart(all_analyses), strict=True
    ):
        state = "" if latency_s is None else f"{STATE_WORDS} {format_seconds(latency_s, 3)}"
        analysis.label = f"{label}{state}"
    return all_analyses


def labelled_by_experiment(analyses: Iterable[Analysis]) -> list[Analysis]:
    """The analyses of a page with a section for each experiment: their labels differ from those of
    the same experiment only, so that a system has one label."""
    all_analyses = list(analyses)
    for of_it in by_key(all_analyses, lambda each: each.run.header.experiment).values():
        labelled(of_it)
    return all_analyses


def labels_of(runs: Sequence[Run]) -> list[str]:
    """The label of each run, with the name of its file where another run has the same label, its
    directory where their files have the same name, and a number where even that is the same."""
    labels = [run.label for run in runs]
    for part in ("name", "parent"):
        calls = Counter(labels)
        labels = [
            f"{label} ({one_line(str(getattr(run.path, part)))})"
            if calls[label] > 1 and run.path
            else label
            for run, label in zip(runs, labels, strict=True)
        ]
    calls = Counter(labels)
    return [
        f"{label} #{number}" if calls[label] > 1 else label
        for number, label in enumerate(labels, start=1)
    ]
