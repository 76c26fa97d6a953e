"""What figures draw of a system, and what they say of all of them in small print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hockney.errors import AskedWronglyError, HockneyError
from hockney.estimate.points import PointEstimate, statistic_of
from hockney.fitting.fit import Fit, curve_of
from hockney.models.hockney import fit
from hockney.records import Run
from hockney.units import format_rate
from hockney.views.figures import System
from hockney.views.figures._style import LONGEST_LABEL, plain, time_text


def points_of(system: System, state: int) -> list[PointEstimate]:
    """The experiment's own points that have a place on logarithmic axes, by size."""
    own = system.estimates.own(state)
    drawn = (point for point in own if point.typical_s > 0.0 and point.bytes >= 0)
    return sorted(drawn, key=lambda point: point.bytes)


def all_points_of(system: System) -> list[PointEstimate]:
    """Of every state."""
    states = range(len(system.estimates.states.states))
    return [point for state in states for point in points_of(system, state)]


def headline_of(system: System) -> list[PointEstimate]:
    """The points of the headline state; it is an error to have none."""
    points = points_of(system, 0)
    if not points:
        raise AskedWronglyError(
            f"{system.run.path or system.label}: no time above 0 s to draw",
            "the run holds no samples, or a clock too coarse for them",
        )
    return points


def line_of(system: System) -> Fit | None:
    """Hockney's line through the headline state, as `hockney fit` draws it; None where the points
    do not carry one."""
    try:
        return fit(curve_of(system.estimates.own()))
    except HockneyError:
        return None


def line_text(line: Fit) -> str:
    alpha, rate = line.parameters["alpha_s"].value, line.derived["r_inf_Bps"].value
    return f"α = {time_text(alpha)}, 1/β = {format_rate(rate)}"


def entry_text(label: str, words: str, joint: str = ": ") -> str:
    """A label with more words, on a line of their own where one line does not hold them all."""
    label = plain(label)
    if not words:
        return label
    fits = len(label) + len(joint) + len(words) <= LONGEST_LABEL
    return f"{label}{joint}{words}" if fits else f"{label}\n{words}"


def time_text_of(systems: Sequence[System]) -> str:
    """What the times are: a message's way, or the whole of another operation."""
    experiments = {system.run.header.experiment for system in systems}
    return "one-way time" if experiments == {"pingpong"} else "time"


def title_of(systems: Sequence[System]) -> str:
    """The system, where there is one; else what they all did."""
    if len(systems) == 1:
        return systems[0].label
    return ", ".join(sorted({system.run.header.experiment for system in systems}))


def medians_text(points: Iterable[PointEstimate]) -> str:
    """What a mark and its bar are."""
    points = list(points)
    launches = [point.launches for point in points]
    few, many = min(launches), max(launches)
    statistic = statistic_of(points)
    what = "Medians" if statistic == "median" else f"Marks: {statistic} of each launch. Medians"
    over = f"{few} to {many} launches" if few < many else f"{few} launch{'es' * (few > 1)}"
    known = [point.confidence for point in points if point.confidence is not None]
    if not known:
        return f"{what} over {over}: too few for intervals."
    where = "Bars" if len(known) == len(points) else "Bars, where there were launches enough,"
    return f"{what} over {over}. {where} hold the median with {100.0 * min(known):.1f} % or more."


def samples_text(labelled: Sequence[tuple[str, Run]]) -> str:
    """What one sample or imported number is; whose, where that is not the same for all."""
    number = "Number" if any(run.header.source for _, run in labelled) else "Sample"
    by_definition: dict[str, list[str]] = {}
    for label, run in labelled:
        if run.launches:
            words = run.launches[0].definition or "not told"
            if run.launches[0].simulated:
                words += " (simulated)"
            by_definition.setdefault(words, []).append(plain(label))
    if len(by_definition) == 1:
        return f"{number}: {next(iter(by_definition))}."
    return " ".join(
        f"{number} of {', '.join(labels)}: {words}." for words, labels in by_definition.items()
    )
