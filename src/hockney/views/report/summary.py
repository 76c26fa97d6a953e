"""The summary of a run in words. Each number has its place in `show --json` or `fit --json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

from hockney.estimate.points import BESIDE, by_curve
from hockney.units import format_rate, format_seconds, format_size
from hockney.views.diagnosis import diagnosis_lines
from hockney.views.report.reported import Reported
from hockney.views.table import state_lines


@dataclass(frozen=True)
class Number:
    text: str
    value: Any
    source: str
    """show or fit, then the way through its JSON."""


Sentence = list[str | Number]
DECODE: dict[str, Callable[[Any], str]] = {
    "s": lambda value: format_seconds(value).replace("us", "µs"),
    "Bps": format_rate,
    "B": lambda value: "-" if value is None else format_size(round(value)),
    "fraction": lambda value: f"{100.0 * value:.1f} %",
    "count": str,
}
"""By unit, how people read it."""


@dataclass(frozen=True)
class Paragraph:
    title: str
    sentences: list[Sentence]


def summary(system: Reported) -> list[Paragraph]:
    paragraphs = [_latency(system), _bandwidth(system), _switches(system), _uncertainty(system)]
    return [p for p in [*paragraphs, _disturbed(system)] if p.sentences]


def number(system: Reported, unit: str, document: str, path: str) -> Number:
    """The value at a path such as points.3.median_s of the system's JSON."""
    root = system.show if document == "show" else system.fit
    value = reduce(lambda at, key: at[int(key) if isinstance(at, list) else key], path.split("."),
                   root)  # fmt: skip
    return Number("-" if value is None else DECODE[unit](value), value, f"{document} {path}")


def _points(system: Reported) -> list[tuple[int, dict[str, Any]]]:
    """The experiment's own, with their places in the JSON."""
    found = enumerate(system.show["points"])
    return [(i, point) for i, point in found if point["operation"] not in BESIDE]


def _centre(point: dict[str, Any]) -> str:
    """The field that stands for the point; of an imported one a median may not be known."""
    return "median_s" if point["median_s"] is not None else "typical_s"


def _interval(system: Reported, path: str, unit: str, document: str = "show") -> Sentence:
    low, high = (number(system, unit, document, f"{path}{end}") for end in ("low", "high"))
    if low.value is None or high.value is None:
        return [" (interval unknown)"]
    return [" (", low, " to ", high, ")"]


def _point_interval(system: Reported, i: int) -> Sentence:
    point = system.show["points"][i]
    if point["low_s"] is None or point["high_s"] is None:
        return [" (too few launches for an interval)"]
    return [" (", number(system, "s", "show", f"points.{i}.low_s"), " to ",
            number(system, "s", "show", f"points.{i}.high_s"), ")"]  # fmt: skip


def _is_one_curve(system: Reported) -> bool:
    return len(by_curve(system.analysis.estimates.own())) == 1


def _latency(system: Reported) -> Paragraph:
    points = _points(system)
    sentences: list[Sentence] = []
    if points and points[0][1]["operation"] != "train":
        smallest = min(points, key=lambda pair: pair[1]["bytes"])[1]["bytes"]
        i, point = min(((i, p) for i, p in points if p["bytes"] == smallest),
                       key=lambda pair: pair[1][_centre(pair[1])])  # fmt: skip
        what = "A message" if point["operation"] == "pingpong" else f"{point['operation']}"
        which = "" if _is_one_curve(system) else ", in the fastest case,"
        sentences.append([
            f"{what} of ", number(system, "B", "show", f"points.{i}.bytes"), f"{which} takes ",
            number(system, "s", "show", f"points.{i}.{_centre(point)}"),
            *([] if point["statistic"] == "median" else [f" (the log's {point['statistic']})"]),
            *_point_interval(system, i), ".",
        ])  # fmt: skip
    for k, fit in enumerate(system.fit["fits"]):
        if fit["model"] == "hockney":
            path = f"fits.{k}.parameters.alpha_s."
            sentences.append([
                "Hockney's line through all sizes has α\N{NO-BREAK SPACE}= ",
                number(system, "s", "fit", path + "value"), *_interval(system, path, "s", "fit"),
                "; its error is ", number(system, "fraction", "fit", f"fits.{k}.error.median"),
                " in the median and at most ",
                number(system, "fraction", "fit", f"fits.{k}.error.max"), ", at ",
                number(system, "B", "fit", f"fits.{k}.error.max_bytes"), ".",
            ])  # fmt: skip
    return Paragraph("Latency", sentences)


def _bandwidth(system: Reported) -> Paragraph:
    sentences: list[Sentence] = []
    rated = [(i, point) for i, point in _points(system) if point["bandwidth_Bps"]]
    if rated:
        i, _ = max(rated, key=lambda pair: pair[1]["bandwidth_Bps"])
        sentences.append([
            "The largest is ", number(system, "Bps", "show", f"points.{i}.bandwidth_Bps"), ", at ",
            number(system, "B", "show", f"points.{i}.bytes"), ".",
        ])  # fmt: skip
    for k, fit in enumerate(system.fit["fits"]):
        if fit["model"] == "hockney" and fit["derived"]["r_inf_Bps"]["value"] is not None:
            path = f"fits.{k}.derived."
            sentences.append([
                "Hockney's line approaches r∞\N{NO-BREAK SPACE}= ",
                number(system, "Bps", "fit", path + "r_inf_Bps.value"),
                *_interval(system, path + "r_inf_Bps.", "Bps", "fit"), "; half of it is reached at "
                "n½\N{NO-BREAK SPACE}= ", number(system, "B", "fit", path + "n_half_B.value"), ".",
            ])  # fmt: skip
    return Paragraph("Bandwidth", sentences)


def _switches(system: Reported) -> Paragraph:
    sentences: list[Sentence] = []
    for k, fit in enumerate(system.fit["fits"]):
        if fit["model"] != "segmented":
            continue
        for i, _ in enumerate(pairwise(fit["segments"])):
            path = f"fits.{k}.segments."
            sentences.append([
                "Between ", number(system, "B", "fit", f"{path}{i}.to_bytes"), " and ",
                number(system, "B", "fit", f"{path}{i + 1}.from_bytes"),
                " the regime changes: α goes from ",
                number(system, "s", "fit", f"{path}{i}.alpha_s"), " to ",
                number(system, "s", "fit", f"{path}{i + 1}.alpha_s"), ".",
            ])  # fmt: skip
        if not sentences:
            sentences.append(
                ["None found: one line describes all sizes as well as several lines do."]
            )
        sentences.append([
            "The median error of the segmented fit is ",
            number(system, "fraction", "fit", f"fits.{k}.error.median"), ".",
        ])  # fmt: skip
    return Paragraph("Protocol switches", sentences)


def _uncertainty(system: Reported) -> Paragraph:
    points = _points(system)
    if not points:
        return Paragraph("Uncertainty", [["The file holds no estimate: no point was measured."]])
    i, first = points[0]
    rests: Sentence = [
        "The first point has ", number(system, "count", "show", f"points.{i}.launches"),
        " launches, ", number(system, "count", "show", f"points.{i}.samples"), " samples",
    ]  # fmt: skip
    if first["confidence"]:
        confidence = number(system, "fraction", "show", f"points.{i}.confidence")
        rests += [" and a ", confidence, " confidence interval of the median"]
    sentences: list[Sentence] = [[*rests, "."]]
    known = [(k, p) for k, p in points if p["low_s"] is not None and p[_centre(p)]]
    if known:
        k, worst = max(known, key=lambda pair: (pair[1]["high_s"] - pair[1]["low_s"])
                       / pair[1][_centre(pair[1])])  # fmt: skip
        sentences.append([
            "The widest relative interval is that of ",
            number(system, "B", "show", f"points.{k}.bytes"), ": ",
            number(system, "s", "show", f"points.{k}.{_centre(worst)}"),
            *_point_interval(system, k), ".",
        ])  # fmt: skip
    definition = system.show["run"]["definition"]
    if definition:
        sentences.append([f"A sample is: {definition}."])
    return Paragraph("Uncertainty", sentences)


def _disturbed(system: Reported) -> Paragraph:
    """Sentences that `show` prints as they stand here."""
    lines = [*system.warnings, *state_lines(system.analysis.estimates)]
    if system.findings is None:
        lines.append("not searched for cold start, modes, drift and periods, as there are too many "
                     "visits: `hockney show --diagnose` does that")  # fmt: skip
    elif system.analysis.estimates.own():
        lines += _findings(diagnosis_lines(system.findings))
    return Paragraph("Disturbances", [[line] for line in lines])


def _findings(lines: Sequence[str]) -> list[str]:
    """One sentence a kind: its places, then the advice."""
    if len(lines) == 1:
        return [lines[0].removeprefix("diagnosis: ")]
    found: list[str] = []
    for line in lines[1:]:
        words = line.strip()
        if words.startswith("-> "):
            found[-1] += f". What to do: {words.removeprefix('-> ')}"
        elif line.startswith("    "):
            found[-1] += f"; {words}"
        else:
            found.append(words)
    return found
