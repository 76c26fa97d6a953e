"""One page that holds everything: a section for each experiment, then what repeats each run.

Python collects, describes and writes the text; the page's script draws the figures. The page
fetches nothing: its policy names the very script and style that it holds.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from hockney import __version__
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.published import Positions
from hockney.infer.analysis.decision import Decision
from hockney.infer.analysis.history.watch import Watch
from hockney.show.claims.published_lines import frame_lines, source_lines
from hockney.show.decision_lines import decision_lines
from hockney.show.drawing import page as drawing
from hockney.show.drawing.colours import COLOURS, ON_DARK
from hockney.show.experiments import shown_json
from hockney.show.profiles.profile import profile_json
from hockney.show.report import tables
from hockney.show.report.profiles import Profiled, profile_sections
from hockney.show.report.sections import Section, ShownFigure, sections
from hockney.show.report.summary import cards, fits_of
from hockney.show.report.watched import watched_sections
from hockney.show.tables.as_json import finite, fit_json

CLOSED_FROM = 3
"""With this many sections, each shows only its answer until it is opened: more are not read."""
IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
"""JSON that no HTML parser takes for markup."""


def render(
    analyses: Sequence[Analysis],
    positions: Mapping[Analysis, Positions],
    title: str | None = None,
    followed: tables.Followed = lambda systems, _: systems,
    profiles: Sequence[Profiled] = (),
    decision: Decision | None = None,
) -> str:
    """The whole page, which opens with the decision. positions: each run among others, except
    reduced ones. The labels of the analyses of an experiment differ. followed: shows the progress
    of a long table."""
    experiments, whole = sections(analyses), list(positions)
    programs = profile_sections(profiles)
    figures = [figure for section in programs for figure in section.figures]
    figures += [figure for section in experiments for figure in section.figures]
    return _page(
        title=title or _title(analyses, profiles),
        data=Markup(_data(whole, profiles, figures)),
        verdict=None if decision is None else _verdict(decision),
        figures=figures,
        plain=programs,
        is_closed=decision is not None and len(experiments) >= CLOSED_FROM,
        sections=_with_systems(experiments, positions, followed),
        runs=[(_name(analysis, whole), tables.repeat(analysis)) for analysis in whole],
    )


def render_watch(watch: Watch, title: str) -> str:
    """The page of a watch: a section for each system."""
    plain = watched_sections(watch)
    figures = [figure for section in plain for figure in section.figures]
    return _page(
        title=title,
        data=Markup(_data([], [], figures)),
        verdict=None,
        figures=figures,
        plain=plain,
        is_closed=False,
        sections=[],
        runs=[],
    )


def _page(**parts: Any) -> str:
    style, script = _style(), drawing.script() + _text("page.js")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string(_text("page.html"))
    return page.render(
        version=__version__,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        **parts,
    )


def _with_systems(
    experiments: Sequence[Section],
    positions: Mapping[Analysis, Positions],
    followed: tables.Followed,
) -> list[dict[str, Any]]:
    """Each section with its tables and with the summaries of those systems that have not been
    summarised before: a file with several operations has several sections."""
    summarised: set[Analysis] = set()
    shown = []
    for section in experiments:
        every, of = section.analyses, section.whole
        new = [analysis for analysis in of if analysis not in summarised]
        summarised.update(new)
        shown.append(
            {
                "section": section,
                "sides": tables.side_by_side(every, section.operation, followed)
                if len(every) > 1
                else None,
                "summaries": [
                    {
                        "number": list(positions).index(analysis),
                        "label": analysis.label,
                        "cards": cards(analysis, len(every) == 1),
                        "compared": frame_lines(positions[analysis]),
                        "published": tables.published_table(positions[analysis]),
                        "sources": source_lines(positions[analysis]),
                    }
                    for analysis in new
                ],
                "points": [tables.points_table(analysis, section.operation) for analysis in of],
            }
        )
    return shown


def _verdict(decision: Decision) -> dict[str, Any]:
    first, *lines = decision_lines(decision)
    return {"heading": first, "lines": lines, "kind": decision.status.replace(" ", "-")}


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _title(analyses: Sequence[Analysis], profiles: Sequence[Profiled]) -> str:
    if not analyses:
        return f"profile: {', '.join(profiled.label for profiled in profiles)}"
    experiments = sorted({analysis.run.header.experiment for analysis in analyses})
    who = analyses[0].label if len(analyses) == 1 else f"{len(analyses)} runs"
    return f"{', '.join(experiments)}: {who}"


def _name(analysis: Analysis, among: Sequence[Analysis]) -> str:
    """The label, with the experiment where another run has the same."""
    same = sum(other.label == analysis.label for other in among) > 1
    return f"{analysis.label}: {analysis.run.header.experiment}" if same else analysis.label


def _style() -> str:
    light = "".join(f"--c{number}:{colour};" for number, colour in enumerate(COLOURS))
    dark = "".join(f"--c{number}:{colour};" for number, colour in enumerate(ON_DARK))
    return (
        f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        + _text("page.css")
    )


def _policy(style: str, script: str) -> str:
    """The page's policy: nothing is fetched, and nothing runs but what was written with the
    page."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest(style)}'; "
        f"script-src 'sha256-{digest(script)}'; base-uri 'none'; form-action 'none'"
    )


def _data(
    analyses: Sequence[Analysis], profiles: Sequence[Profiled], figures: Sequence[ShownFigure]
) -> str:
    """The output of `show --json` and `fit --json` for each file, and the figures."""
    systems = [
        {"label": analysis.label, "show": shown_json(analysis), "fit": _fits_json(analysis)}
        for analysis in analyses
    ]
    content: dict[str, Any] = {"systems": systems, "figures": drawing.plain(figures)}
    if profiles:
        content["profiles"] = [
            {"label": profile.label, "show": profile_json(profile.summary, profile.findings)}
            for profile in profiles
        ]
    written = json.dumps(finite(content), ensure_ascii=False, separators=(",", ":"))
    return written.translate(IN_SCRIPT)


def _fits_json(analysis: Analysis) -> dict[str, Any]:
    named = {"label": analysis.label, "file": str(analysis.run.path)}
    return {"fits": [{**named, **fit_json(fit)} for fit in fits_of(analysis)]}
