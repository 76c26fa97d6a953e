"""Problems in the samples of a point, searched in each launch and reported where launches agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hockney.base.units import format_percent, format_ratio, whole_percent
from hockney.infer.analysis.conditions.covariates import covariates
from hockney.infer.analysis.conditions.gaps import VisitTimes, visit_times
from hockney.infer.analysis.conditions.long_times import counters_of, long_times
from hockney.infer.arrays import Array
from hockney.infer.estimate.by_launch import medians_of
from hockney.infer.estimate.cells import headline_rows
from hockney.infer.estimate.launches import MAD_TO_SIGMA
from hockney.infer.estimate.points import Estimates
from hockney.infer.estimate.quantiles import autocorrelation_time
from hockney.infer.estimate.states import States, cluster
from hockney.plan.axes import Point
from hockney.records import Run

FIRST_VISITS = 3
COLD_RATIO = 1.05
"""Ratio of the first visits to the rest from which on they are a cold start."""
LEAST_VISITS = 12
"""Visits of a point in a launch that the search for patterns needs."""
AGREEING = 0.8
"""Fraction of launches that must show the same, so that chance in one is not reported."""
MODE_FRACTION = 0.1
DRIFT = 0.05
"""Relative change over a launch, or over the run, that is reported."""
TREND_P, PERIOD_P = 0.01, 1e-4
LEAST_TRENDS, TRENDING = 2, 0.25
"""Number and fraction of launches that must show a trend, each with p below TREND_P: a trend is
a finding though some launches stay as they were, and by chance two of ten show one in 0.4 % of
runs."""
CORRELATED = 5.0
"""Least number of successive samples worth one independent sample that is reported."""
BURST_RATIO, BURST_SPREADS = 1.2, 5.0
LEAST_BURSTS = 3
"""Fewest bursts that are reported. A burst is two and more successive visits above the median by
BURST_RATIO and by BURST_SPREADS robust standard deviations."""
MOST_SEARCHED = 2000
"""Most visits of a launch, its first, in which a period is searched: time and memory grow with
their square, to 256 MB, and 57,000 visits would take 49 GiB. Neighbours stay neighbours, so that
short periods are found as well."""
MOST_SLOPES = 2000
"""Most visits of which the slopes of all pairs are taken, 2 million of them. More are thinned
evenly: those of 30,000 would take 20 GB."""
SAME_PERIOD = 0.15
HARMONIC = 0.6
"""The least power of a fundamental, as a fraction of the largest peak's."""


@dataclass(frozen=True)
class Finding:
    """A property of the samples that a median hides."""

    what: str
    """Kind: cold start, modes, gaps, drift, bursts, long times, periodic, autocorrelation or
    covariates."""
    operation: str
    bytes: int | None
    """Message size; None for a finding over all sizes."""
    words: str
    size: float
    """The effect as a ratio: the largest comes first."""


ADVICE = {
    "cold start": "the first visits of a launch pay for set-up or cold caches: they are among the "
    "samples, but a median over many visits does not feel them; a longer --budget makes them rarer",
    "modes": "the samples have several typical values, so one number describes none of them: look "
    "at `hockney plot --what samples`; pin the ranks, reserve their cores, or report each mode",
    "gaps": "the run was stopped, its virtual machine was suspended, or the clock was set: bursts "
    "and periods are searched as if the gaps had not been; before and after them the machine may "
    "have been in another state",
    "drift": "times change in one direction while it measures: heating, a frequency change or a "
    "neighbour; fix the frequency governor, or measure again when the machine is quiet",
    "bursts": "for a while everything is slower: a daemon, a neighbour on the node or the network; "
    "the median does not feel them as long as they are rare",
    "long times": "now and then a message takes many times the usual time, which no quantile "
    "shows: a rank that is switched out, a daemon or the network; pin the ranks, "
    "keep others off their CPUs, and look at `hockney plot --what samples`",
    "periodic": "something disturbs at a fixed period, such as a timer, a daemon or a monitor: "
    "find it, or reserve cores for it (isolcpus, core specialisation)",
    "autocorrelation": "successive samples resemble each other: fewer are independent than it "
    "seems; the intervals respect that, more launches help more than longer ones",
    "covariates": "launches differ because the machine does, not the library: what is measured in "
    "the same seconds can be compared, and what was measured apart only where the probes agree",
}


@dataclass(frozen=True)
class VisitSeries:
    """One point in one launch: each visit's time in seconds, without gaps, and median sample."""

    at_s: Array
    visit_s: Array
    samples_s: Array
    launch: int = 0


@dataclass(frozen=True)
class Diagnosis:
    findings: list[Finding]
    """All findings in the headline state, the largest effect of each kind first."""
    not_possible: str | None = None
    """Why nothing could be searched; None if something could."""


def diagnose(run: Run, estimates: Estimates) -> Diagnosis:
    """Searches every point that has launches with LEAST_VISITS visits and more."""
    if not run.samples:
        return Diagnosis([], "the file has statistics, but no samples")
    times = visit_times(run, LEAST_VISITS)
    findings, searched = _explained(run, estimates), False
    if times.text:
        findings.append(Finding("gaps", run.header.experiment, None, times.text, 1.0))
    counters = counters_of(run)
    for key, every in _series(run, estimates.states, times):
        long = long_times({series.launch: series.samples_s for series in every}, counters)
        if long is not None:
            words, of_time = long
            findings.append(Finding("long times", key.operation, key.bytes, words, 1.0 + of_time))
        launches = [series for series in every if len(series.visit_s) >= LEAST_VISITS]
        searched = searched or bool(launches)
        for look in LOOKS if launches else ():
            problem = look(launches)
            if problem is not None:
                what, words, size = problem
                findings.append(Finding(what, key.operation, key.bytes, words, size))
    if not searched and not findings:
        return Diagnosis([], f"no launch visited a point {LEAST_VISITS} times")
    return Diagnosis(sorted(findings, key=lambda finding: (finding.what, -finding.size)))


def _explained(run: Run, estimates: Estimates) -> list[Finding]:
    return [
        Finding(
            "covariates",
            covariate.operation,
            None,
            f"{whole_percent(covariate.fraction)} of the variance between launches goes with the "
            f"{covariate.probe} probe (p = {covariate.p:.1g}, {covariate.launches} launches)",
            1.0 + covariate.fraction,
        )
        for covariate in covariates(run, estimates)
    ]


def _series(
    run: Run, states: States, times: VisitTimes
) -> Iterator[tuple[Point, list[VisitSeries]]]:
    """The visits of each point's launches, point by point. Excludes visits that took 0 s by the
    clock: every search looks at ratios."""
    visits, rows = run.samples, headline_rows(run, states)
    codes = visits.codes[rows]
    known, firsts = np.unique(codes, return_index=True)
    for code in known[np.argsort(firsts)].tolist():
        own = rows[codes == code]
        counts, seconds = visits.counts()[own], visits.values(own) * 1e-9
        visit_s = medians_of(counts, seconds)
        taken = visit_s > 0.0
        launch, at_s = visits.column("launch")[own], times.at_s[own]
        each = np.repeat(np.where(taken, launch, -1), counts)
        numbers, places = np.unique(launch[taken], return_index=True)
        yield (
            visits.visited[code],
            [
                VisitSeries(at_s[chosen], visit_s[chosen], seconds[each == number], number)
                for number in numbers[np.argsort(places)].tolist()
                for chosen in [taken & (launch == number)]
            ],
        )


Problem = tuple[str, str, float]
"""The kind of a finding, its words, and the size of its effect."""


def _agree(shows: list[bool]) -> bool:
    return sum(shows) >= AGREEING * len(shows)


def cold_start(launches: list[VisitSeries]) -> Problem | None:
    """Compares the first visits of each launch with the others, or the first one alone."""
    ratios = [
        float(np.median(s.visit_s[:FIRST_VISITS]) / np.median(s.visit_s[FIRST_VISITS:]))
        for s in launches
    ]
    typical = float(np.median(ratios))
    if typical >= COLD_RATIO and _agree([ratio > (1.0 + COLD_RATIO) / 2.0 for ratio in ratios]):
        words = f"the first {FIRST_VISITS} visits are {typical:.2f} times the rest"
        return "cold start", words, typical
    shows = [float(s.visit_s[0]) > _beyond(s.visit_s, COLD_RATIO) for s in launches]
    if len(launches) < LEAST_TRENDS or not _agree(shows):
        return None
    first = float(np.median([s.visit_s[0] / np.median(s.visit_s) for s in launches]))
    return "cold start", f"the first visit is {first:.2f} times the rest", first


def _beyond(visits_s: Array, ratio: float) -> float:
    """The time from which on a visit is slow for its launch: above the median by a ratio and by
    BURST_SPREADS."""
    median = float(np.median(visits_s))
    spread = MAD_TO_SIGMA * float(np.median(np.abs(visits_s - median)))
    return max(ratio * median, median + BURST_SPREADS * spread)


def modes(launches: list[VisitSeries]) -> Problem | None:
    """Looks for several peaks of the samples' density, each with at least MODE_FRACTION of them."""
    samples = np.concatenate([s.samples_s for s in launches])
    samples = samples[samples > 0.0]
    labels = cluster(samples)
    centres = [
        (float(np.median(samples[labels == label])), float(np.mean(labels == label)))
        for label in range(int(labels.max()) + 1)
    ]
    large = [(centre, part) for centre, part in centres if part >= MODE_FRACTION]
    if len(large) < 2:
        return None
    listed = [f"{format_ratio(centre * 1e6)} us ({whole_percent(part)})" for centre, part in large]
    return "modes", f"{len(large)} modes: {', '.join(listed)}", large[-1][0] / large[0][0]


def _change(values: Array) -> float:
    """Relative change from the first value to the last, by the median of all slopes (Theil and
    Sen), at most what the values differ by; 0 where Kendall's test does not show it. Values are
    in the order in which they were measured: a clock may jump."""
    from scipy.stats import kendalltau

    order = np.arange(len(values))
    if float(kendalltau(order, values).pvalue) >= TREND_P:
        return 0.0
    with np.errstate(invalid="ignore"):  # in the interval, which is not used
        slope = slope_of(values)
    most = float(np.ptp(values))
    return float(np.clip(slope * order[-1], -most, most)) / float(np.median(values))


def slope_of(values: Array) -> float:
    """The median of the slopes of all pairs of values over their order (Theil 1950, Sen 1968)."""
    from scipy.stats import theilslopes

    count = len(values)
    some = np.linspace(0, count - 1, min(count, MOST_SLOPES)).astype(np.int64)
    return float(theilslopes(values[some], some)[0])


def drift(launches: list[VisitSeries]) -> Problem | None:
    """A trend inside launches that more of them show than chance would, or one from launch to
    launch."""
    changes = np.array([_change(series.visit_s) for series in launches])
    rising, falling = changes[changes > DRIFT], changes[changes < -DRIFT]
    shown, opposite = (rising, falling) if len(rising) >= len(falling) else (falling, rising)
    least = min(LEAST_TRENDS, len(launches))
    if len(shown) >= max(least, TRENDING * len(launches)) and len(shown) > 2 * len(opposite):
        change = float(np.median(shown))
        words = (
            f"{100.0 * change:+.0f} % over a launch, in {len(shown)} of {len(launches)} launches"
        )
        return "drift", words, 1.0 + abs(change)
    if len(launches) < 6:
        return None
    change = _change(np.array([np.median(series.visit_s) for series in launches]))
    if abs(change) <= DRIFT:
        return None
    words = f"{100.0 * change:+.0f} % from the first launch to the last"
    return "drift", words, 1.0 + abs(change)


def bursts(launches: list[VisitSeries]) -> Problem | None:
    """Slow visits in a row, after those that may be a cold start; disturbances come at any time, so
    launches need not agree."""
    lengths, wall_s = [], 0.0
    for series in launches:
        slow = series.visit_s > _beyond(series.visit_s, BURST_RATIO)
        slow[:FIRST_VISITS] = False
        edges = np.flatnonzero(np.diff(np.concatenate(([0], slow.astype(int), [0]))))
        runs = edges.reshape(-1, 2)
        lengths += [
            float(series.at_s[end - 1] - series.at_s[first])
            for first, end in runs.tolist()
            if end - first > 1
        ]
        wall_s += float(np.ptp(series.at_s))
    if len(lengths) < LEAST_BURSTS or wall_s <= 0.0:
        return None
    words = (
        f"{len(lengths)} bursts, the longest {format_ratio(max(lengths))} s, "
        f"{format_percent(sum(lengths) / wall_s)} of the time"
    )
    return "bursts", words, 1.0 + sum(lengths) / wall_s


def periodic(launches: list[VisitSeries]) -> Problem | None:
    """One frequency above the noise of the periodogram (Lomb-Scargle, because visits are not evenly
    spaced; p of the largest peak as Scargle 1982) in most launches."""
    periods = []
    for series in launches:
        period = _period(series)
        if period is not None:
            periods.append(period)
    if len(periods) < AGREEING * len(launches):
        return None
    typical = float(np.median(periods))
    if not _agree([abs(period / typical - 1.0) < SAME_PERIOD for period in periods]):
        return None
    return "periodic", f"a disturbance every {format_ratio(typical * 1e3)} ms", 1.0


def _period(series: VisitSeries) -> float | None:
    from scipy.signal import lombscargle

    at_s = series.at_s[:MOST_SEARCHED]
    duration, count = float(np.ptp(at_s)), len(at_s)
    if count < 4 * LEAST_VISITS or duration <= 0.0:
        return None
    values = np.log(series.visit_s[:MOST_SEARCHED])
    values = values - values.mean()
    variance = float(values.var(ddof=1))
    if variance == 0.0:
        return None
    frequencies = np.arange(3.0, count / 2.0, 0.25) / duration
    power = lombscargle(at_s, values, 2.0 * np.pi * frequencies) / variance
    # Harmonics of short disturbances are as strong as the fundamental, the lowest of them.
    best = int(np.flatnonzero(power >= HARMONIC * power.max())[0])
    p = 1.0 - (1.0 - np.exp(-float(power[best]))) ** len(frequencies)
    return 1.0 / float(frequencies[best]) if p < PERIOD_P else None


def autocorrelation(launches: list[VisitSeries]) -> Problem | None:
    time = float(np.median([autocorrelation_time(series.visit_s) for series in launches]))
    if time < CORRELATED:
        return None
    return (
        "autocorrelation",
        f"{time:.0f} successive visits carry as much information as one independent visit",
        time,
    )


Look = Callable[[list[VisitSeries]], Problem | None]
LOOKS: tuple[Look, ...] = (cold_start, modes, drift, bursts, periodic, autocorrelation)
