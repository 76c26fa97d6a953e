"""The progress of a run: a block that is redrawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Sequence

from hockney.base.printable import one_line
from hockney.base.terminal import MARKS, is_terminal, styled
from hockney.base.units import (
    exact_percent,
    format_seconds,
    format_size,
    format_uncertainty,
    how_many,
)
from hockney.plan.variant_names import short_name
from hockney.plan.variants import Comparison
from hockney.records import Progress
from hockney.run.measure.sessions.status import Disturbances, Status
from hockney.show.tables.table import between

PLAIN_EVERY_S = 5.0
"""Time between two lines where there is no terminal."""
DRAW_EVERY_S = 0.1
"""Least time between two drawings: the ranks may have to share a core with us."""
OVER = "over its budget: one message or the start may take longer; Ctrl-C ends it, keeps its rounds"
UNKNOWN_COLUMNS = 80
"""Columns of a terminal that states none: that of a container, or of a serial line."""
BAR = 30
"""Most characters of a bar."""
Words = tuple[str, str]
"""A piece of a line, and its style."""
Line = Sequence[Words]


class Live:
    """Lines on stderr that are redrawn; without a terminal a plain line every few seconds."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = is_terminal(sys.stderr)
        self._every_s = DRAW_EVERY_S if self._terminal else PLAIN_EVERY_S
        self._drawn_at = -math.inf
        self._height = 0

    @property
    def is_due(self) -> bool:
        return not self._quiet and time.monotonic() - self._drawn_at >= self._every_s

    def draw(self, lines: Sequence[Line], plain: str) -> None:
        """plain: the line that is printed where there is no terminal."""
        self._drawn_at = time.monotonic()
        if self._terminal:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
            width = (columns or UNKNOWN_COLUMNS) - 1
            text = "\n".join(_fitted(line, width) for line in lines)
            sys.stderr.write(self._back() + text)
            self._height = len(lines)
        else:
            sys.stderr.write(plain + "\n")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._height:
            sys.stderr.write(self._back())
            sys.stderr.flush()
            self._height = 0

    def _back(self) -> str:
        """Moves to the start of the block and erases it."""
        return MARKS["start"] + MARKS["up"] * (self._height - 1) + MARKS["erase"]


def _fitted(line: Line, width: int) -> str:
    """Cuts a line at the terminal's width: a wrapped line could not be erased."""
    text = ""
    for words, style in line:
        shown = one_line(words)[:width]
        width -= len(shown)
        text += styled(shown, style, stream=sys.stderr) if style else shown
    return text


class BuildView:
    """Shows how far a build is, which is done once for each MPI."""

    def __init__(self) -> None:
        self._live = Live(quiet=False)

    def __call__(self, what: str, files: int, of: int) -> None:
        if files == of:
            self._live.clear()
        elif self._live.is_due:
            words = f"building {what}: {files} of {of} files (kept for later runs)"
            self._live.draw([[(words, "dim")]], words)


class ProgressView:
    """Shows the progress of a run. It is called between batches, not by a thread: on a small node
    a thread would take a core from the ranks."""

    def __init__(
        self,
        quiet: bool,
        precision: float,
        before: str = "",
        comparison: Comparison | None = None,
    ) -> None:
        self._live = Live(quiet)
        self._comparison = comparison
        self._precision = precision
        self._before = before

    def __call__(self, status: Status) -> None:
        if self._live.is_due:
            self._live.draw(self._block(status), self._plain(status))

    def clear(self) -> None:
        self._live.clear()

    def _plain(self, status: Status) -> str:
        name = self._name(status)
        which = f" ({name})" if name else ""
        progress = status.progress
        words = [f"{self._before}launch {status.launch + 1}{which}"]
        if progress is not None:
            words.append(f"{_measured(progress)}, now {format_size(progress.bytes)}")
        if status.least_known is not None:
            words.append("".join(text for text, _ in self._least_known(status)))
        words.append(f"{status.left_s:.1f} s left" if status.left_s > 0.0 else OVER)
        return "; ".join(words)

    def _block(self, status: Status) -> list[Line]:
        now: list[Words] = [("  measuring   ", "dim"), (self._workload(status), "")]
        if status.progress is not None:
            now += [
                (f", now {format_size(status.progress.bytes)}", ""),
                (f"   {_measured(status.progress)}", "dim"),
            ]
        lines: list[Line] = [
            [(self._before, "bold"), *_bar(status), (f"  launch {status.launch + 1}", "bold")],
            now,
        ]
        if status.least_known is not None:
            lines.append([("  worst point ", "dim"), *self._least_known(status)])
        else:
            lines.append([("  worst point intervals need more launches", "dim")])
        if status.left_s <= 0.0:
            lines.append([(f"  {OVER}", "yellow")])
        disturbed = disturbances(status.disturbances)
        if disturbed:
            lines.append([("  disturbed   ", "dim"), (", ".join(disturbed), "yellow")])
        return lines

    def _name(self, status: Status) -> str:
        """The case's title and its variant, without whole paths."""
        case = status.case
        variant = case.variant and short_name(self._comparison, case.variant)
        return ", ".join(filter(None, (case.title, variant)))

    def _workload(self, status: Status) -> str:
        """The workload and its sizes."""
        workload = status.case.workload
        sizes = sorted(size.bytes for size in workload.sizes)
        span = f"{format_size(sizes[0])} to {format_size(sizes[-1])}" if sizes else ""
        return f"{self._name(status) or workload.experiment}, {span}"

    def _least_known(self, status: Status) -> list[Words]:
        """The point that needs more launches most, its interval and the requested precision."""
        assert status.least_known is not None
        title, known = status.least_known
        name = f"{title}, " if title else ""
        requested = f" (requested ±{exact_percent(self._precision)} by half of the launches)"
        point = f"{name}{format_size(known.point.bytes)} {format_seconds(known.median_s)} "
        if known.interval is None:
            return [(point, "bold"), ("no interval yet", ""), (requested, "dim")]
        limits = f"[{between(known.interval, format_seconds)}] "
        style = "green" if known.deciding_precision <= self._precision else "yellow"
        return [
            (point, "bold"),
            (limits, ""),
            (format_uncertainty(known.precision), style),
            (requested, "dim"),
        ]


def _measured(progress: Progress) -> str:
    points, samples = how_many(progress.points, "point"), how_many(progress.samples, "sample")
    return f"{progress.reached} of {points} done, {samples}"


def _bar(status: Status) -> list[Words]:
    """The wall time that is spent, and that is left."""
    spent = 1.0 - status.left_s / status.total_s if status.total_s > 0.0 else 1.0
    full = min(max(round(BAR * spent), 0), BAR)
    done, rest = ("━", "─") if (sys.stderr.encoding or "").lower() == "utf-8" else ("#", "-")
    left = f"  {status.left_s:.0f} s of {status.total_s:.0f} s left"
    return [(done * full, "cyan"), (rest * (BAR - full), "dim"), (left, "")]


def disturbances(observed: Disturbances) -> list[str]:
    """Disturbances of the launches so far."""
    counts = {
        "preemption": observed.preemptions,
        "migration": observed.migrations,
        "missed start": observed.missed_starts,
    }
    words = [how_many(count, what) for what, count in counts.items() if count]
    if observed.changed_in is not None:
        words.append(
            f"core-to-core latency {format_seconds(observed.before_s, 3)} -> "
            f"{format_seconds(observed.latency_s, 3)} in launch {observed.changed_in + 1}"
        )
    return words
