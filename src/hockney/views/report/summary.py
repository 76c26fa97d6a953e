"""The summary in words. Every number carries where `show --json` or `fit --json` says the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

from hockney.estimate.points import BESIDE
from hockney.units import format_rate, format_seconds, format_size
from hockney.views.diagnosis import diagnosis_lines
from hockney.views.report.reported import Reported, group_of
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
    "share": lambda value: f"{100.0 * value:.1f} %",
    "count": str,
}
"""By unit, how people read it."""


@dataclass(frozen=True)
class Paragraph:
    title: str
    sentences: list[Sentence]


def summary(system: Reported) -> list[Paragraph]:
    paragraphs = [_latency(system), _bandwidth(system), _switches(system), _sure(system)]
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
        return [" (interval not known)"]
    return [" (", low, " to ", high, ")"]


def _point_interval(system: Reported, i: int) -> Sentence:
    point = system.show["points"][i]
    if point["low_s"] is None or point["high_s"] is None:
        return [" (too few launches for an interval)"]
    return [" (", number(system, "s", "show", f"points.{i}.low_s"), " to ",
            number(system, "s", "show", f"points.{i}.high_s"), ")"]  # fmt: skip


def _is_one_curve(system: Reported) -> bool:
    return len({group_of(point) for point in system.estimates.own()}) == 1


def _latency(system: Reported) -> Paragraph:
    points = _points(system)
    sentences: list[Sentence] = []
    if points:
        smallest = min(points, key=lambda pair: pair[1]["bytes"])[1]["bytes"]
        i, point = min(((i, p) for i, p in points if p["bytes"] == smallest),
                       key=lambda pair: pair[1][_centre(pair[1])])  # fmt: skip
        what = "A message" if point["operation"] == "pingpong" else f"{point['operation']}"
        which = "" if _is_one_curve(system) else ", at its fastest,"
        sentences.append([
            f"{what} of ", number(system, "B", "show", f"points.{i}.bytes"), f"{which} takes ",
            number(system, "s", "show", f"points.{i}.{_centre(point)}"),
            *([] if point["statistic"] == "median" else [f", the {point['statistic']} of a log"]),
            *_point_interval(system, i), ".",
        ])  # fmt: skip
    for k, fit in enumerate(system.fit["fits"]):
        if fit["model"] == "hockney":
            path = f"fits.{k}.parameters.alpha_s."
            sentences.append([
                "Hockney's line through all sizes has α\N{NO-BREAK SPACE}= ",
                number(system, "s", "fit", path + "value"), *_interval(system, path, "s", "fit"),
                "; it errs by ", number(system, "share", "fit", f"fits.{k}.error.median"),
                " at the median size and by ",
                number(system, "share", "fit", f"fits.{k}.error.max"), " at ",
                number(system, "B", "fit", f"fits.{k}.error.max_bytes"), ".",
            ])  # fmt: skip
    return Paragraph("Latency", sentences)


def _bandwidth(system: Reported) -> Paragraph:
    sentences: list[Sentence] = []
    rated = [(i, point) for i, point in _points(system) if point["bandwidth_Bps"]]
    if rated:
        i, _ = max(rated, key=lambda pair: pair[1]["bandwidth_Bps"])
        sentences.append([
            "The most is ", number(system, "Bps", "show", f"points.{i}.bandwidth_Bps"), ", at ",
            number(system, "B", "show", f"points.{i}.bytes"), ".",
        ])  # fmt: skip
    for k, fit in enumerate(system.fit["fits"]):
        if fit["model"] == "hockney" and fit["derived"]["r_inf_Bps"]["value"] is not None:
            path = f"fits.{k}.derived."
            sentences.append([
                "Hockney's line tends to r∞\N{NO-BREAK SPACE}= ",
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
            sentences.append(["No switch shows: one line describes all sizes as well as several."])
        sentences.append([
            "With these regimes the fit errs by ",
            number(system, "share", "fit", f"fits.{k}.error.median"), " at the median size.",
        ])  # fmt: skip
    return Paragraph("Protocol switches", sentences)


def _sure(system: Reported) -> Paragraph:
    points = _points(system)
    if not points:
        return Paragraph("How sure", [["The file holds no estimate: no point was measured."]])
    i, first = points[0]
    rests: Sentence = [
        "The first point rests on ", number(system, "count", "show", f"points.{i}.launches"),
        " launches and ", number(system, "count", "show", f"points.{i}.samples"), " samples",
    ]  # fmt: skip
    if first["confidence"]:
        confidence = number(system, "share", "show", f"points.{i}.confidence")
        rests += [", its interval holds the median with ", confidence]
    sentences: list[Sentence] = [[*rests, "."]]
    known = [(k, p) for k, p in points if p["low_s"] is not None and p[_centre(p)]]
    if known:
        k, worst = max(known, key=lambda pair: (pair[1]["high_s"] - pair[1]["low_s"])
                       / pair[1][_centre(pair[1])])  # fmt: skip
        sentences.append([
            "The least sure is that of ", number(system, "B", "show", f"points.{k}.bytes"), ": ",
            number(system, "s", "show", f"points.{k}.{_centre(worst)}"),
            *_point_interval(system, k), ".",
        ])  # fmt: skip
    definition = system.show["run"]["definition"]
    if definition:
        sentences.append([f"A sample is: {definition}."])
    return Paragraph("How sure", sentences)


def _disturbed(system: Reported) -> Paragraph:
    """Sentences that `show` prints as they stand here."""
    lines = [*system.warnings, *state_lines(system.estimates)]
    if system.findings is None:
        lines.append("too many visits to look for cold start, modes, drift and periods here: "
                     "`hockney show --diagnose` does")  # fmt: skip
    elif system.estimates.own():
        lines += _findings(diagnosis_lines(system.findings))
    return Paragraph("What disturbed it", [[line] for line in lines])


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
