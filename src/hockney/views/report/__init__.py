"""One page that holds everything: words and numbers first, then figures, tables and the data.

Python collects and writes the text; figure.js draws what Python collected. The page fetches
nothing: its policy names the very script and style that it holds.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from hockney import __version__
from hockney.analysis.published import Beside
from hockney.views.as_json import finite
from hockney.views.colours import COLOURS, ON_DARK
from hockney.views.normal import frame_lines, source_lines
from hockney.views.report import curves, many, samples, tables
from hockney.views.report.figure import Figure, plain
from hockney.views.report.reported import Reported
from hockney.views.report.summary import Number, summary

IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
"""JSON that no HTML parser takes for markup."""


def render(systems: Sequence[Reported], besides: Sequence[Beside], title: str | None = None) -> str:
    """The whole page; besides: for each system what it is set beside."""
    systems = _named(systems)
    figures = [*curves.figures(systems), *samples.figures(systems), *many.figures(systems)]
    style, script = _style(), _text("figure.js") + _text("page.js")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string(_text("page.html"))
    return page.render(
        title=title or " and ".join(_title(systems)),
        version=__version__,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        data=Markup(_data(systems, figures)),
        figures=figures,
        sides=tables.side_by_side(systems) if len(systems) > 1 else None,
        systems=[
            {
                "label": system.label,
                "summary": summary(system),
                "beside": frame_lines(beside),
                "published": tables.beside_table(beside),
                "sources": source_lines(beside),
                "points": tables.points_table(system),
                "repeat": tables.repeat(system),
            }
            for system, beside in zip(systems, besides, strict=True)
        ],
        is_number=lambda part: isinstance(part, Number),
    )


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _named(systems: Sequence[Reported]) -> list[Reported]:
    """Labels that tell them apart: with the file's name where two are called the same."""
    calls = Counter(system.label for system in systems)
    named = []
    for number, system in enumerate(systems, start=1):
        file = system.run.path.name if system.run.path else str(number)
        label = f"{system.label} ({file})" if calls[system.label] > 1 else system.label
        named.append(replace(system, label=label))
    twice = Counter(system.label for system in named)
    return [
        replace(system, label=f"{system.label} #{number}") if twice[system.label] > 1 else system
        for number, system in enumerate(named, start=1)
    ]


def _title(systems: Sequence[Reported]) -> list[str]:
    experiments = sorted({system.run.header.experiment for system in systems})
    who = systems[0].label if len(systems) == 1 else f"{len(systems)} systems"
    return [f"{', '.join(experiments)}: {who}"]


def _style() -> str:
    light = "".join(f"--c{number}:{colour};" for number, colour in enumerate(COLOURS))
    dark = "".join(f"--c{number}:{colour};" for number, colour in enumerate(ON_DARK))
    return (
        f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        + _text("page.css")
    )


def _policy(style: str, script: str) -> str:
    """Nothing is fetched, and nothing runs but what was written with the page."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest(style)}'; "
        f"script-src 'sha256-{digest(script)}'; base-uri 'none'; form-action 'none'"
    )


def _data(systems: Sequence[Reported], figures: Sequence[Figure]) -> str:
    content = {
        "systems": [
            {"label": system.label, "show": system.show, "fit": system.fit} for system in systems
        ],
        "figures": plain(figures),
    }
    written = json.dumps(finite(content), ensure_ascii=False, separators=(",", ":"))
    return written.translate(IN_SCRIPT)
