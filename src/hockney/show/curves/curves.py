"""Curves over message size, and captions that explain their points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, replace

from hockney.base.errors import UsageError
from hockney.base.grouping import by_key
from hockney.base.units import from_to, plural
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.contention import over_pairs
from hockney.infer.estimate.points import PointEstimate, statistic_of
from hockney.plan.axes import grouped
from hockney.records import LaunchRecord, Run
from hockney.show.drawing.description import LONGEST_LABEL, Series, Style, Values
from hockney.show.one_run.run_lines import confidence_text
from hockney.show.one_run.sample_words import sample_words

MOST_CURVES = 21
"""Most curves of one figure: there are no more colours and marks."""
OVER_PAIRS = "Marks: the median pair of ranks; bars: from the fastest to the slowest pair."


@dataclass(frozen=True)
class Options:
    """Choices of a figure."""

    extremes: bool = False
    """Whether to draw standard deviations as bars, and minima and maxima as crosses."""
    fit: bool = True
    bytes: int | None = None
    """The one message size that is shown (bytes)."""
    operation: str | None = None
    """The one operation that is shown, where the runs have several."""
    ranks: int | None = None
    """The one number of processes that is shown."""
    most_samples: int | None = None
    """Most marks of one series of samples; longer series have successive ones merged."""


@dataclass(frozen=True)
class ShownCurve:
    """The points of one curve over sizes, of all its pairs of ranks, in one state."""

    analysis: Analysis
    label: str
    sizes: dict[int, list[PointEstimate]]
    """Points by bytes, ascending; all have times above 0 s."""
    among_pairs: bool = False
    """Whether curves of several pairs are drawn with it: no bar may then be an interval."""

    @property
    def points(self) -> list[PointEstimate]:
        return [point for points in self.sizes.values() for point in points]

    @property
    def x(self) -> list[float]:
        return [float(size) for size in self.sizes]

    @property
    def times(self) -> list[tuple[float, float | None, float | None]]:
        """The time and its interval at each size; for several pairs the median, fastest and slowest
        pair."""
        return [
            (points[0].typical_s, None, None)
            if self.among_pairs and len(points) == 1
            else over_pairs(points)
            for points in self.sizes.values()
        ]

    @property
    def has_pairs(self) -> bool:
        return any(len(points) > 1 for points in self.sizes.values())

    def series(self, style: Style, colour: int, label: str) -> Series:
        y, low, high = zip(*self.times, strict=True)
        return Series(label, self.x, y, low, high, style, colour, name=self.label)


def series_of(
    label: str,
    points: Sequence[PointEstimate],
    along: Callable[[PointEstimate], float],
    colour: int | None = 0,
    name: str = "",
) -> Series:
    """Times with their intervals over a number of each point, joined by a line."""
    places = [(along(point), point.typical_s) for point in points]
    intervals = (point.interval for point in points)
    return Series.through(places, label, colour=colour, name=name, intervals=intervals)


def extremes_of(
    x: Sequence[float], least: Values, most: Values, colour: int, name: str
) -> list[Series]:
    """Crosses at minima and maxima. name: what they are of, with a place for which."""
    return [
        Series(
            "minimum and maximum",
            x,
            values,
            style="crosses",
            colour=colour,
            name=name.format(what),
        )
        for what, values in (("minimum", least), ("maximum", most))
    ]


def check_count(curves: Sized, advice: str | None = None) -> None:
    """Raises UsageError for more curves than one figure shows."""
    if len(curves) > MOST_CURVES:
        words = f"{len(curves)} curves: one figure shows no more than {MOST_CURVES}"
        raise UsageError(words, advice)


def curves_of(
    analyses: Sequence[Analysis], options: Options, *, state: int = 0, least_bytes: int = 0
) -> list[ShownCurve]:
    """The curves of all files in one operation; raises UsageError for none or too many. Points of 0
    s are left out: a logarithmic axis has no place for them."""
    curves = []
    for analysis in analyses:
        chosen = [
            point
            for point in analysis.estimates.own(state)
            if point.typical_s > 0.0
            and point.bytes >= least_bytes
            and options.operation in (None, point.operation)
            and options.ranks in (None, point.ranks)
        ]
        groups = grouped(chosen, "bytes", "peers")
        if not groups and state == 0:
            sizes = f", of sizes above {least_bytes - 1} bytes" if least_bytes else ""
            advice = "the run holds no such samples, or a clock too coarse for them"
            raise lacking(analysis, f"no time above 0 s to draw{sizes}", advice)
        for name, points in zip(
            analysis.texts_apart(groups.values()), groups.values(), strict=True
        ):
            label = ", ".join(filter(None, (analysis.label, name)))
            label = name if name and len(analyses) == 1 else label
            curves.append(ShownCurve(analysis, label, _by_size(points)))
    _refuse_unlike(curves)
    check_count(
        curves,
        "choose with --operation or --ranks, draw fewer files, or take the points from "
        "`hockney export --to csv`",
    )
    among_pairs = any(curve.has_pairs for curve in curves)
    return [replace(curve, among_pairs=among_pairs) for curve in curves]


def _by_size(points: Iterable[PointEstimate]) -> dict[int, list[PointEstimate]]:
    return dict(sorted(by_key(points, lambda point: point.bytes).items()))


def _refuse_unlike(curves: Sequence[ShownCurve]) -> None:
    operations = sorted({curve.points[0].operation for curve in curves})
    if len(operations) > 1:
        raise UsageError(
            f"{', '.join(operations)}: unlike operations do not share a figure",
            "choose one with --operation",
        )


def lacking(analysis: Analysis, what: str, advice: str) -> UsageError:
    """The error of a figure whose data a file lacks."""
    return UsageError(f"{analysis.source}: {what}", advice)


def only(analyses: Sequence[Analysis], what: str) -> Analysis:
    """The one analysis of a figure that shows one."""
    if len(analyses) != 1:
        raise UsageError(f"{what} is drawn from one file at a time")
    return analyses[0]


def chosen_value(requested: int | None, measured: Iterable[int], option: str, default: int) -> int:
    """The requested value, or the default; raises UsageError where it was not measured."""
    if requested is None:
        return default
    every = sorted(set(measured))
    if requested not in every:
        raise UsageError(
            f"{option} {requested} was not measured",
            f"choose one of those that were: {', '.join(map(str, every))}",
        )
    return requested


def title_of(analyses: Sequence[Analysis]) -> str:
    """The system, where there is one; else the common operation."""
    if len(analyses) == 1:
        return analyses[0].label
    return ", ".join(sorted({analysis.run.header.experiment for analysis in analyses}))


def time_label(analyses: Sequence[Analysis]) -> str:
    """The label of the time axis: one way for messages, or the whole of another operation."""
    experiments = {analysis.run.header.experiment for analysis in analyses}
    return "one-way time" if experiments <= {"pingpong", "cores"} else "time"


def sentence(words: str) -> str:
    """The words with a capital at their start, and names in them unchanged."""
    return f"{words[:1].upper()}{words[1:]}"


def joined(label: str, words: str, joint: str = ": ") -> str:
    """A label with more words, on a line of their own where one line does not hold them all."""
    if not label or not words:
        return label or words
    fits = len(label) + len(joint) + len(words) <= LONGEST_LABEL
    return f"{label}{joint}{words}" if fits else f"{label}\n{words}"


def medians_text(points: Iterable[PointEstimate]) -> str:
    """Explains a mark and its bar."""
    points = list(points)
    over = _over_launches(points)
    known = sum(point.interval is not None for point in points)
    if not known:
        return f"{over}: too few for confidence intervals (5 make one)."
    where = "bars" if known == len(points) else "bars, where there were 5 launches or more"
    return f"{over}; {where}: {confidence_text(points)}."


def _over_launches(points: Sequence[PointEstimate]) -> str:
    launches = [point.launches for point in points]
    statistic = statistic_of(points)
    what = "Median" if statistic == "median" else f"Marks: {statistic} of each launch, median"
    return f"{what} over {from_to(launches)} {plural(max(launches), 'launch')}"


def caption_of(curves: Sequence[ShownCurve]) -> tuple[str, ...]:
    """Explains marks and bars, and what a sample is."""
    points = [point for curve in curves for point in curve.points]
    analyses = list(dict.fromkeys(curve.analysis for curve in curves))
    if any(curve.has_pairs for curve in curves):
        return f"{_over_launches(points)}.", OVER_PAIRS, samples_text(analyses)
    return medians_text(points), samples_text(analyses)


def samples_text(analyses: Sequence[Analysis]) -> str:
    """Defines a sample or imported number, for each system where definitions differ."""
    return definitions_text([(analysis.label, analysis.run) for analysis in analyses])


def definitions_text(labelled: Sequence[tuple[str, Run]]) -> str:
    number = "Number" if any(run.header.source for _, run in labelled) else "Sample"
    known = [(label, _sample(run.launches[0])) for label, run in labelled if run.launches]
    by_sample = by_key(known, lambda entry: entry[1])
    if len(by_sample) == 1:
        return f"{number}: {known[0][1]}."
    return " ".join(
        f"{number} of {', '.join(label for label, _ in of)}: {words}."
        for words, of in by_sample.items()
    )


def _sample(launch: LaunchRecord) -> str:
    return sample_words(launch.definition or "not known") + " (simulated)" * bool(launch.simulated)
