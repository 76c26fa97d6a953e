"""Makes the section of a profile: what takes its time, its figures, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.base.errors import HockneyError
from hockney.profiling.findings import ProfileFinding
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import Figure
from hockney.show.profiles.figures import PROFILE_FIGURES
from hockney.show.profiles.profile import (
    RANKS,
    TOP,
    answer_lines,
    call_columns,
    profile_facts,
    rank_rows,
)
from hockney.show.report.plain_section import PlainSection
from hockney.show.report.sections import ShownFigure, lone_figure
from hockney.show.report.tables import MOST_ROWS, ReportTable, page_table

ORDER = ("reasons", "calls", "sizes", "partners", "traffic", "waits")
"""Order of figures, the most important first; those of other packages follow."""


@dataclass(frozen=True)
class Profiled:
    """A profile that is shown."""

    label: str
    summary: ProfileSummary
    findings: Sequence[ProfileFinding]


def profile_sections(profiles: Sequence[Profiled]) -> list[PlainSection]:
    return [_section(profiled, number) for number, profiled in enumerate(profiles, 1)]


def _section(profiled: Profiled, number: int) -> PlainSection:
    summary = profiled.summary
    id_ = f"profile-{number}"
    names = [*ORDER, *sorted(set(PROFILE_FIGURES.names()) - set(ORDER))]
    figures = (_shown(name, f"{id_}-{name}", summary) for name in names)
    answer = answer_lines(summary, profiled.findings)
    first_finding = len(answer) - len(profiled.findings)
    return PlainSection(
        id_,
        f"Profile: {profiled.label}",
        tuple(answer[:first_finding]),
        tuple(answer[first_finding:]),
        tuple(figure for figure in figures if figure is not None),
        _tables(summary),
        tuple(profile_facts(summary)),
    )


def _shown(name: str, id_: str, summary: ProfileSummary) -> ShownFigure | None:
    """The figure in the section; None where the profile lacks its data."""
    module = PROFILE_FIGURES.find(name)
    try:
        figure: Figure = module.describe(summary)
    except HockneyError:
        return None
    return lone_figure(id_, module.HEADING, figure)


def _tables(summary: ProfileSummary) -> tuple[ReportTable, ...]:
    """The lines that take the most time, with sizes merged up to each power of two; all calls and
    ranks, or as many as the page may hold."""
    columns = call_columns(summary.time_s)
    left = len(summary.rows) - MOST_ROWS
    more = f"; {left} more in `hockney show --json`" if left > 0 else ""
    return (
        page_table("Top ten lines by time", columns, summary.lines[:TOP], "top-ten"),
        page_table("Ranks", RANKS, rank_rows(summary)[:MOST_ROWS], "ranks"),
        page_table(f"All calls{more}", columns, summary.rows[:MOST_ROWS], "calls"),
    )
