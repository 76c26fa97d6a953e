"""What Prometheus takes of a history, as OpenMetrics, and of a watch, in its own text format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hockney.infer.analysis.history.histories import History, Trend
from hockney.infer.analysis.history.readings import WatchedSeries
from hockney.infer.analysis.history.watch import SeriesNow, Watch
from hockney.infer.estimate.interval import high_of, low_of

Samples = list[tuple[str, float]]
"""Numbers with their labels."""


class MetricFamily(NamedTuple):
    name: str
    words: str
    samples: Samples
    unit: str | None = None
    kind: str = "gauge"

    @property
    def lines(self) -> list[str]:
        return [f"{self.name}{labels} {number!r}" for labels, number in self.samples]


def openmetrics(histories: Sequence[History]) -> str:
    """The last run of each system as OpenMetrics 1.0 text; one family of gauges after the other."""
    lines = []
    for family in _of_histories(histories):
        if family.samples:
            unit = [f"# UNIT {family.name} {family.unit}"] if family.unit else []
            lines += [f"# TYPE {family.name} {family.kind}", *unit]
            lines += [f"# HELP {family.name} {family.words}", *family.lines]
    return "\n".join([*lines, "# EOF", ""])


def _of_histories(histories: Sequence[History]) -> Iterator[MetricFamily]:
    def of_trends(unit: str) -> Samples:
        trends = ((history.label, trend) for history in histories for trend in history.trends)
        return [s for label, trend in trends if trend.unit == unit for s in _last(label, trend)]

    def of_each(number: Callable[[History], float]) -> Samples:
        return [(_labels(system=each.label), number(each)) for each in histories if each.runs]

    words = "Time of a message or operation, the last run."
    yield MetricFamily("hockney_time_seconds", words, of_trends("s"), "seconds")
    name, words = "hockney_bandwidth_bytes_per_second", "Bytes over time, the last run."
    yield MetricFamily(name, words, of_trends("B/s"))
    worse = of_each(lambda history: int(bool(history.worse)))
    yield MetricFamily("hockney_worse", "1 where the last runs are worse.", worse)
    words = "1 where the last run by itself has an outlier or failed."
    failed = of_each(lambda history: int(bool(history.failed)))
    yield MetricFamily("hockney_last_run_failed", words, failed)
    words = "1 for each part that the last run by itself shows to be slow."
    outliers = [outlier for history in histories for outlier in _outliers(history)]
    yield MetricFamily("hockney_last_run_outlier", words, outliers)
    runs = of_each(lambda history: len(history.runs))
    yield MetricFamily("hockney_runs", "Runs in the history.", runs)
    started = of_each(lambda history: history.runs[-1].started.timestamp())
    name, words = "hockney_last_run_timestamp_seconds", "Start of the last run."
    yield MetricFamily(name, words, started, "seconds")


def _outliers(history: History) -> Samples:
    """Slow parts: a limit of the plan that failed has no words for what it is about."""
    return [
        (_labels(system=history.label, name=" ".join(finding.names), what=finding.what), 1)
        for finding in history.failed
        if finding.names and finding.what
    ]


def _last(system: str, trend: Trend) -> Samples:
    point = trend.points[-1]
    numbers = (
        ("value", point.value),
        ("low", low_of(point.interval)),
        ("high", high_of(point.interval)),
        ("level", trend.level),
    )
    labels = {"system": system, "bytes": str(trend.bytes)}
    labels |= {"curve": trend.curve} if trend.curve else {}
    return [
        (_labels(**labels, what=what), number) for what, number in numbers if number is not None
    ]


def prometheus(watch: Watch) -> str:
    """The newest look of each system in Prometheus' text format."""
    lines = []
    for family in _of_watch(watch):
        name = f"hockney_watch_{family.name}"
        lines += [f"# HELP {name} {family.words}", f"# TYPE {name} {family.kind}"]
        lines += [f"hockney_watch_{line}" for line in family.lines]
    return "\n".join([*lines, ""])


def _of_watch(watch: Watch) -> Iterator[MetricFamily]:
    systems = [watched for watched in watch.systems.values() if watched.looks]
    every = [
        (_labels(system=system.label, **_series_labels(now.series)), now)
        for system in systems
        for now in system.now()
    ]
    times = [(labels, now) for labels, now in every if not now.series.is_part]
    parts = [(labels, now) for labels, now in every if now.series.is_part]

    def of(each: Iterable[tuple[str, SeriesNow]], name: str) -> Samples:
        return [(labels, getattr(now, name)) for labels, now in each]

    newest, usual = "Time of the newest look: the median, or a quantile.", "at the current level."
    yield MetricFamily("time_seconds", newest, of(times, "value"))
    yield MetricFamily("usual_seconds", f"Median of that time {usual}", of(times, "usual"))
    ratio = "Time of a part's messages over its peers', newest look."
    yield MetricFamily("part_ratio", ratio, of(parts, "value"))
    yield MetricFamily("usual_part_ratio", f"Median of that ratio {usual}", of(parts, "usual"))
    alarms = [(labels, float(now.alarms)) for labels, now in every]
    yield MetricFamily("alarms_total", "Changes for the worse so far.", alarms, kind="counter")
    labelled = [(_labels(system=system.label), system) for system in systems]
    outliers = [(labels, float(len(system.looks[-1].outlying))) for labels, system in labelled]
    yield MetricFamily("outliers", "Parts that the newest look alone shows to be slow.", outliers)
    learning = [(labels, float(system.course.is_learning)) for labels, system in labelled]
    yield MetricFamily("learning", "1 while what is usual is not known.", learning)
    started = [(labels, system.looks[-1].started_s) for labels, system in labelled]
    yield MetricFamily("last_look_timestamp_seconds", "Start of the newest look.", started)


def _series_labels(series: WatchedSeries) -> dict[str, str]:
    labels = {"bytes": str(series.bytes)}
    if series.quantile is not None:
        labels["quantile"] = f"{series.quantile:g}"
    if series.is_part:
        labels |= {"part": series.what, "name": " ".join(series.names)}
    elif series.names:
        labels["curve"] = series.names[0]
    return labels


def _labels(**labels: str) -> str:
    """Labels of a number in Prometheus' text format."""

    def escaped(text: str) -> str:
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in labels.items()) + "}"
