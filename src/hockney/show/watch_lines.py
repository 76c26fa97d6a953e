"""Shows what a look found: to people, to a command at an alarm, and to Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hockney.base.units import format_seconds, format_size
from hockney.infer.analysis.course import LevelChange
from hockney.infer.analysis.watch import Watch, Watched


def look_line(watched: Watched) -> str:
    """The newest look beside what is usual."""
    look = watched.looks[-1]
    numbers = ", ".join(
        f"{format_size(one.bytes)} {format_seconds(one.time_s)} ({one.ratio:.3f})"
        for one in watched.sizes_now()
    )
    course = watched.course
    seen = len(course.times) - course.level_start
    state = "learning what is usual" if course.is_learning else "as usual"
    return f"{look.started[:19]}  {numbers}: {state}, look {seen} at this level"


def change_line(watched: Watched, change: LevelChange) -> str:
    """What changed, by how much, since when, and how rare such an alarm is by chance."""
    at, first, last = (
        watched.looks[i].started[:16].replace("T", " ")
        for i in (change.at, change.first, change.last)
    )
    what = format_size(int(watched.sizes[change.series]))
    word = "slower" if change.is_worse else "faster"
    return (
        f"{word.upper()}: {what} takes {change.ratio:.3f} times [{change.low:.3f} to "
        f"{change.high:.3f}] what was usual, since {at} (between {first} and {last}); "
        f"by chance once in {min(change.run_length, 1e12):,.0f} looks ({watched.system})"
    )


def alarm_environment(watched: Watched, changes: Sequence[LevelChange]) -> dict[str, str]:
    """Variables for the command of --on-alarm, of the largest change."""
    worst = max(changes, key=lambda change: change.ratio)
    return {
        "HOCKNEY_TEXT": "\n".join(change_line(watched, change) for change in changes),
        "HOCKNEY_SYSTEM": watched.system,
        "HOCKNEY_BYTES": watched.sizes[worst.series],
        "HOCKNEY_RATIO": f"{worst.ratio:.4f}",
        "HOCKNEY_SINCE": watched.looks[worst.at].started,
        "HOCKNEY_FILE": watched.looks[worst.at].file,
    }


def prometheus(watch: Watch) -> str:
    """The newest look of each system in Prometheus' text format."""
    lines = []
    for name, kind, words, samples in _families(watch):
        lines += [f"# HELP hockney_watch_{name} {words}", f"# TYPE hockney_watch_{name} {kind}"]
        lines += [f"hockney_watch_{name}{labels} {value!r}" for labels, value in samples]
    return "\n".join([*lines, ""])


def _families(watch: Watch) -> Iterator[tuple[str, str, str, list[tuple[str, float]]]]:
    systems = [watched for watched in watch.systems.values() if watched.looks]
    each = [
        (_labels(system=one.system, bytes=str(size.bytes)), size)
        for one in systems
        for size in one.sizes_now()
    ]
    newest = [(label, size.time_s) for label, size in each]
    yield "time_seconds", "gauge", "Median time of the newest look.", newest
    usual = [(label, size.usual_s) for label, size in each]
    yield "usual_seconds", "gauge", "Median time at the current level.", usual
    alarms = [(label, float(size.alarms)) for label, size in each]
    yield "alarms_total", "counter", "Changes for the worse so far.", alarms
    learning = [(_labels(system=one.system), float(one.course.is_learning)) for one in systems]
    yield "learning", "gauge", "1 while what is usual is not known.", learning
    started = [(_labels(system=one.system), one.looks[-1].started_s) for one in systems]
    yield "last_look_timestamp_seconds", "gauge", "Start of the newest look.", started


def _labels(**labels: str) -> str:
    def escaped(text: str) -> str:
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in labels.items()) + "}"
