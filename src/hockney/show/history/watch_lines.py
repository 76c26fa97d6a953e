"""Shows what a look found to people, and to a command at an alarm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timezone

from hockney.base.units import first_few, format_seconds, format_size, how_many
from hockney.infer.analysis.history.course import LevelChange
from hockney.infer.analysis.history.outlying import Outlying
from hockney.infer.analysis.history.readings import TIME, WatchedSeries
from hockney.infer.analysis.history.watch import Watched
from hockney.infer.analysis.network.boards import CABLE, INSIDE, NODE, UPLINK
from hockney.infer.estimate.detector import FIRST_TOLERANCE
from hockney.infer.estimate.interval import interval_words
from hockney.show.history.history_lines import rarity_text

PARTS = {
    NODE: "node {}",
    UPLINK: "links of switch {}",
    INSIDE: "switch {} inside",
    CABLE: "cable {}",
}
"""The parts of a network by their kind, in words."""
MOST_IN_TEXT = 100
"""Most changes in HOCKNEY_TEXT: Linux starts no command with a variable of more than 128 KiB."""


def look_line(watched: Watched) -> str:
    """The newest look beside what is usual: of the parts of a network the slowest one."""
    now = watched.now()
    numbers = [
        f"{series_words(reading.series)} {format_seconds(reading.value)} ({reading.ratio:.3f})"
        for reading in now
        if not reading.series.is_part
    ]
    parts = [reading for reading in now if reading.series.is_part]
    if parts:
        slowest = max(parts, key=lambda reading: reading.ratio)
        words = series_words(slowest.series)
        numbers.append(f"slowest of {how_many(len(parts), 'part')}: {words} ({slowest.ratio:.3f})")
    slow = [
        f"{part.words} beside its peers, for {how_many(looks, 'look')}"
        for part, looks in watched.outlying
    ]
    state = "learning what is usual" if watched.course.is_learning else "as usual"
    if not watched.course.is_learning and (pending := pending_words(watched)):
        state = f"{state}, but {pending}"
    end = "; ".join([*slow, f"{state}, look {watched.looks_at_level} at this level"])
    return f"{watched.looks[-1].started[:19]}  {', '.join(numbers)}: {end}"


def pending_words(watched: Watched) -> str:
    """Which changes cannot be seen yet; empty where all can."""
    known_s = watched.course.week_known_s
    if known_s is None:
        return ""
    day = datetime.fromtimestamp(known_s, timezone.utc).strftime("%Y-%m-%d")
    smallest = 100.0 * math.expm1(FIRST_TOLERANCE)
    return f"changes by less than {smallest:.0f} % are looked for on {day}"


def series_words(series: WatchedSeries) -> str:
    """What a number is of: "8 B", "bcast, chain at 8 B", "p99 of 8 B", "node n3 at 8 B"."""
    size = format_size(series.bytes)
    if series.what == TIME:
        return " at ".join([*series.names, size])
    if series.quantile is not None:
        return f"p{100.0 * series.quantile:g} of {size}"
    return f"{PARTS[series.what].format(' and '.join(series.names))} at {size}"


def change_line(watched: Watched, change: LevelChange) -> str:
    """What changed, by how much, since when, and how rare such an alarm is by chance."""
    at, first, last = (
        watched.looks[i].started[:16].replace("T", " ")
        for i in (change.at, change.first, change.last)
    )
    series = watched.series[change.series]
    beside = ", relative to its peers" if series.is_part else ""
    word = "slower" if change.is_worse else "faster"
    return (
        f"{word.upper()}: {series_words(series)} takes {change.ratio:.3f} times"
        f"{interval_words(change.interval, '{:.3f}'.format)} as long as usual{beside}, "
        f"since {at} (between {first} and {last}); "
        f"{rarity_text(change.run_length, 'looks')} ({watched.label})"
    )


def outlying_line(watched: Watched, part: Outlying) -> str:
    """What each of the last looks shows to be slow by itself."""
    return (
        f"OUTLIER: {part.words}: {part.number}, in each of the last "
        f"{watched.looks_in_a_row(part)} looks ({watched.label})"
    )


def alarm_environment(
    watched: Watched, changes: Sequence[LevelChange], outlying: Sequence[Outlying] = ()
) -> dict[str, str]:
    """Variables for the command of --on-alarm, of the largest change, or of the largest outlier
    where nothing changed."""
    lines = first_few([change_line(watched, change) for change in changes], MOST_IN_TEXT)
    lines += [outlying_line(watched, part) for part in outlying]
    worst: LevelChange | Outlying
    if changes:
        worst = max(changes, key=lambda change: change.ratio)
        series, first = watched.series[worst.series], watched.looks[worst.at]
        what, size = series_words(series), series.bytes
    else:
        worst = max(outlying, key=lambda part: part.ratio)
        first = watched.looks[-watched.looks_in_a_row(worst)]
        what, size = worst.words, worst.bytes
    return {
        "HOCKNEY_TEXT": "\n".join(lines),
        "HOCKNEY_SYSTEM": watched.system,
        "HOCKNEY_WHAT": what,
        "HOCKNEY_BYTES": str(size),
        "HOCKNEY_RATIO": f"{worst.ratio:.4f}",
        "HOCKNEY_SINCE": first.started,
        "HOCKNEY_FILE": first.file,
    }
