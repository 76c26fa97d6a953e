"""Makes the section of a watched system: what changed, its course, and the newest look."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import format_seconds, how_many
from hockney.infer.analysis.history.watch import Look, SeriesNow, Watch, Watched
from hockney.show.curves.curves import sentence
from hockney.show.drawing.description import Figure, Panel, PlotAxis, Series, StraightLine
from hockney.show.history.history_figure import SECONDS_A_DAY
from hockney.show.history.watch_lines import (
    change_line,
    outlying_line,
    pending_words,
    series_words,
)
from hockney.show.report.plain_section import PlainSection
from hockney.show.report.sections import lone_figure
from hockney.show.report.tables import page_table
from hockney.show.tables.table import TableColumn

MOST_DRAWN, MOST_PARTS = 6, 3
"""Most times, and most parts of a network, that are drawn."""
MOST_MARKS = 1000
"""Most marks of a series: of more looks each is the median of several."""
DAY = slice(0, 16)
"""The date and minute of a start in the form of ISO 8601."""

NOW: list[TableColumn[SeriesNow]] = [
    TableColumn("", lambda now: series_words(now.series), page="what"),
    TableColumn(
        "newest look", lambda now: None if now.series.is_part else now.value, format_seconds
    ),
    TableColumn("usual", lambda now: None if now.series.is_part else now.usual, format_seconds),
    TableColumn("over usual", lambda now: now.ratio, "{:.3f}".format),
    TableColumn("alarms", lambda now: now.alarms),
]


def watched_sections(watch: Watch) -> list[PlainSection]:
    return [
        _section(watched, watch.marks, number)
        for number, watched in enumerate(watch.systems.values(), 1)
    ]


def _section(watched: Watched, marks: Sequence[Look], number: int) -> PlainSection:
    id_ = f"watch-{number}"
    figure = lone_figure(f"{id_}-course", "Course", _course(watched, marks))
    return PlainSection(
        id_,
        sentence(watched.system),
        (*(outlying_line(watched, part) for part in watched.lasting), _answer(watched)),
        tuple(change_line(watched, change) for change in reversed(watched.course.changes)),
        (figure,),
        (page_table("Newest look", NOW, watched.now(), "newest-look"),),
        (
            ("looks", f"{len(watched.looks):,}"),
            ("first look", _minute(watched.looks[0])),
            ("newest look", _minute(watched.looks[-1])),
            *((_minute(mark), mark.mark or "") for mark in marks),
        ),
    )


def _answer(watched: Watched) -> str:
    course, slower, looks = watched.course, watched.slower, watched.looks
    begun = course.level_start if slower is None else course.level_of(slower.series).start
    since = f"since {_minute(looks[begun])} ({how_many(len(looks) - begun, 'look')})"
    if slower is not None:
        what = series_words(watched.series[slower.series])
        return f"Slower {since}: {what} takes {slower.ratio:.3f} times as long."
    if course.is_learning:
        return f"Not known yet what is usual: it is being learnt {since}."
    pending = pending_words(watched)
    return f"As usual {since}, but {pending}." if pending else f"As usual {since}."


def _minute(look: Look) -> str:
    return look.started[DAY].replace("T", " ")


def _course(watched: Watched, marks: Sequence[Look]) -> Figure:
    """Each time over its median at the first level; below, the parts that are or were slowest."""
    now = watched.now()
    times = [each.number for each in now if not each.series.is_part][:MOST_DRAWN]
    slowest = sorted(
        (each for each in now if each.series.is_part), key=lambda each: (-each.alarms, -each.ratio)
    )
    parts = [each.number for each in slowest[:MOST_PARTS]]
    begun = sorted({change.at for change in watched.course.changes})
    rules = tuple(StraightLine(watched.looks[at].started_s / SECONDS_A_DAY) for at in begun)
    rules += tuple(StraightLine(mark.started_s / SECONDS_A_DAY, mark.mark or "") for mark in marks)
    date = PlotAxis("date", "start of the look")
    panels = [
        Panel(date, PlotAxis("ratio", label), tuple(_series(watched, of, relative)), rules)
        for of, label, relative in (
            (times, "time over the first level's", True),
            (parts, "time over the peers'", False),
        )
        if of
    ]
    caption = (
        "Each mark is a look, or the median of several that follow each other. Lines: the "
        "median of a level; dotted: a change or a mark.",
    )
    return Figure("course", "course", tuple(panels), caption)


def _series(watched: Watched, which: Sequence[int], is_relative: bool) -> list[Series]:
    series, started_s = [], [look.started_s for look in watched.looks]
    for colour, number in enumerate(which):
        name = series_words(watched.series[number])
        marks, levels = watched.course.drawn(number, started_s, MOST_MARKS, is_relative)
        series.append(Series.through(marks, name, "dots", colour))
        words = f"level of {name}"
        series += [Series.through(level, "", "line", colour, words) for level in levels]
    return series
