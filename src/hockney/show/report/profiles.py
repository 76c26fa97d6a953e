"""Makes the section of a profile: what takes its time, its figures, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.base.errors import HockneyError
from hockney.base.units import format_sizes
from hockney.profiling.findings import ProfileFinding
from hockney.profiling.summary import CallRow, ProfileSummary
from hockney.show.drawing.description import Figure
from hockney.show.profile import answer_lines, percent, profile_facts, row_words
from hockney.show.profile_figures import PROFILE_FIGURES
from hockney.show.report.sections import Alternative, ShownFigure
from hockney.show.report.tables import ReportCell, ReportTable
from hockney.show.table import microseconds

ORDER = ("reasons", "calls", "sizes", "partners", "traffic", "waits")
"""Order of figures, the most important first; those of other packages follow."""
TOP = 10
MOST_ROWS = 1000
"""Most rows of a table in the page."""
COLUMNS = (
    "call",
    "ranks",
    "bytes",
    "count",
    "time, s",
    "of MPI",
    "each, µs",
    "waited, s",
    "inside, s",
)
"""Columns, each with one unit. The time is with what completed the requests of these calls, as in
figures."""


@dataclass(frozen=True)
class Profiled:
    """A profile that is shown."""

    label: str
    summary: ProfileSummary
    findings: Sequence[ProfileFinding]


@dataclass(frozen=True)
class ProfileSection:
    id: str
    title: str
    answer: tuple[str, ...]
    findings: tuple[str, ...]
    figures: tuple[ShownFigure, ...]
    tables: tuple[ReportTable, ...]
    facts: tuple[tuple[str, str], ...]


def profile_sections(profiles: Sequence[Profiled]) -> list[ProfileSection]:
    return [_section(profiled, number) for number, profiled in enumerate(profiles, 1)]


def _section(profiled: Profiled, number: int) -> ProfileSection:
    summary = profiled.summary
    id_ = f"profile-{number}"
    names = [*ORDER, *sorted(set(PROFILE_FIGURES.names()) - set(ORDER))]
    found = (_shown(name, f"{id_}-{name}", summary) for name in names)
    answer = answer_lines(summary, profiled.findings)
    told = len(answer) - len(profiled.findings)
    return ProfileSection(
        id_,
        f"Profile: {profiled.label}",
        tuple(answer[:told]),
        tuple(answer[told:]),
        tuple(figure for figure in found if figure is not None),
        (_top(summary), _ranks(summary), _all(summary)),
        tuple(profile_facts(summary)),
    )


def _shown(name: str, id_: str, summary: ProfileSummary) -> ShownFigure | None:
    """The figure in the section; None where the profile lacks its data."""
    module = PROFILE_FIGURES.find(name)
    try:
        figure: Figure = module.describe(summary)
    except HockneyError:
        return None
    return ShownFigure(id_, module.HEADING, "", (Alternative("", figure),))


def _seconds(seconds: float | None) -> ReportCell:
    return ReportCell("-") if seconds is None else ReportCell(f"{seconds:.6g}", seconds)


def _top(summary: ProfileSummary) -> ReportTable:
    """A table of the lines that take the most time; sizes up to one power of two are one line."""
    lines = summary.lines[:TOP]
    return ReportTable(
        "Top ten lines by time", COLUMNS, [_line(row, summary.time_s) for row in lines], "top-ten"
    )


def _all(summary: ProfileSummary) -> ReportTable:
    """A table of all calls, or as many as the page may hold."""
    rows = [_line(row, summary.time_s) for row in summary.rows[:MOST_ROWS]]
    left = len(summary.rows) - len(rows)
    more = f"; {left} more are in `hockney show --json`" if left else ""
    return ReportTable(f"All calls{more}", COLUMNS, rows, "calls")


def _line(row: CallRow, whole_s: float) -> list[ReportCell]:
    _, _, ranks, *sizes = row.key
    found = row.sum
    part = found.spent_s / whole_s if whole_s else 0.0
    least, most = int(str(sizes[0])), int(str(sizes[-1]))
    each_s = found.spent_s / found.count
    return [
        ReportCell(row_words(row)),
        ReportCell(
            "-" if ranks is None else str(ranks), None if ranks is None else float(str(ranks))
        ),
        ReportCell(format_sizes(least, most), float(least)),
        ReportCell(str(found.count), found.count),
        _seconds(found.spent_s),
        ReportCell(percent(found.spent_s, whole_s), part),
        ReportCell(microseconds(each_s), each_s),
        _seconds(found.wait_s),
        _seconds(found.time_s),
    ]


def _ranks(summary: ProfileSummary) -> ReportTable:
    columns = (
        "rank",
        "host",
        "CPUs",
        "time, s",
        "in MPI, s",
        "of its time",
        "waited, s",
        "calls",
        "ended",
    )
    rows = []
    for key in sorted(summary.of_rank)[:MOST_ROWS]:
        rank, found = summary.profile.by_rank[key], summary.of_rank[key]
        part = found.time_s / rank.wall_s if rank.wall_s else 0.0
        rows.append(
            [
                ReportCell(
                    str(rank.rank) if rank.job == 0 else f"{rank.job}: {rank.rank}", rank.rank
                ),
                ReportCell(rank.host),
                ReportCell(rank.cpus),
                _seconds(rank.wall_s),
                _seconds(found.time_s),
                ReportCell(percent(found.time_s, rank.wall_s), part),
                _seconds(found.wait_s),
                ReportCell(str(found.count), found.count),
                ReportCell(rank.end),
            ]
        )
    return ReportTable("Ranks", columns, rows, "ranks")
