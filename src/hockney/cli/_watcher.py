"""One watch of a directory: what it has seen, the next look, and what it says of that."""

from __future__ import annotations

import json
import math
import os
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import structs

from hockney.base.errors import HockneyError, UsageError

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.history.watch import Look, Shown, Watch
    from hockney.plan import Plan
    from hockney.run.measure.parts_file import PartsFile

PLAN, STATE = "plan.json", "state.npz"
LEARNING, ALARM = 3, 1
"""Exit statuses of --once, beside 0."""
DAY_S = 86400.0
COMMAND_S = 60.0
"""Longest time that the command of an alarm may take."""


@dataclass
class Watcher:
    """One watch of a directory."""

    directory: Path
    plan: Plan
    duty: float
    tolerance: float
    on_alarm: str | None
    prometheus: Path | None
    page: Path | None
    quiet: bool
    _looks: list[Look] = field(default_factory=list, init=False, repr=False)
    _watch: Watch = field(init=False, repr=False)

    @cached_property
    def _parts(self) -> PartsFile:
        from hockney.run.measure.parts_file import PartsFile

        return PartsFile(self.directory)

    def open(self) -> None:
        """Takes up what the directory holds. Raises UsageError if that answers another question."""
        self._check_plan()
        self._catch_up()

    def _check_plan(self) -> None:
        from hockney.base.outputs import write_output
        from hockney.plan import difference, stored
        from hockney.show.tables.as_json import dumps

        before = kept_plan(self.directory)
        if before is None:
            write_output(self.directory / PLAN, dumps(stored(self.plan)) + "\n", force=True)
            return
        other = difference(before, self.plan)
        if other is None and before.sampling != self.plan.sampling:
            other = "it had another --budget, --launches or --precision"
        if other is not None:
            raise UsageError(
                f"{self.directory} watches something else: {other}",
                "leave out the verb to go on, or name another directory with --dir",
            )

    def _catch_up(self) -> None:
        """Takes looks and marks that are new in the list. What they show to be slow and last is
        noted, and is an alarm at the next look."""
        from hockney.infer.analysis.history.outlying import SURE_AFTER
        from hockney.infer.analysis.history.watch import Watch
        from hockney.run.measure.looks import read_looks
        from hockney.show.history.watch_lines import change_line, outlying_line

        looks, notes = read_looks(self.directory, look_in_file, self._parts)
        for note in notes:
            click.echo(f"note: {note}", err=True)
        if notes or not self._looks:
            self._watch = Watch(self.tolerance, self._parts.of)
            self._looks = looks[: self._resumed(looks)]
        for look in looks[len(self._looks) :]:
            shown = self._watch.take(look)
            if shown.watched is None:
                continue
            lines = [change_line(shown.watched, change) for change in shown.changes]
            lines += [
                outlying_line(shown.watched, part)
                for part, looks_in_a_row in shown.watched.outlying
                if looks_in_a_row == SURE_AFTER
            ]
            for line in lines:
                click.echo(f"note: {line}", err=True)
        if not self._looks:
            for watched in self._watch.systems.values():
                watched.announce_of_earlier_looks()
        self._looks = looks

    def _resumed(self, looks: list[Look]) -> int:
        """The number of looks that the kept state holds."""
        from hockney.infer.analysis.history.watch import Watch
        from hockney.infer.analysis.history.watch_state import resume

        path = self.directory / STATE
        if not path.exists():
            return 0
        try:
            return resume(self._watch, looks, path.read_bytes())
        except ValueError as error:
            click.echo(f"note: {path} is damaged ({error}): rebuilt from the looks", err=True)
            self._watch = Watch(self.tolerance, self._parts.of)
            return 0

    def rest_s(self) -> float:
        """How long to wait until the next look."""
        last_s, interval_s = self._watch.last_s, self._watch.interval_s(self.duty)
        if last_s is None:
            return 0.0
        since_s = time.time() - last_s
        return max(interval_s - since_s, 0.0) if since_s >= 0.0 else 0.0

    def look(self) -> int:
        """Measures, judges and reports; returns the exit status."""
        from hockney.base.outputs import write_output
        from hockney.infer.analysis.history.watch_state import state_of

        self._catch_up()
        began_s = time.time()
        try:
            look = self._measured()
        except UsageError:
            raise
        except HockneyError:
            self._lose(began_s)
            raise
        self._looks.append(look)
        judged = self._watch.take(look)
        has_news = judged.watched is not None and judged.watched.has_news
        status = self._say(judged)
        try:
            self._write(judged, has_news)
        finally:
            write_output(self.directory / STATE, state_of(self._watch, self._looks), force=True)
        return status

    def _next_file(self) -> Path:
        return self.directory / f"look-{self._watch.next_number:06d}.jsonl"

    def _measured(self) -> Look:
        """A look that is measured and listed."""
        from hockney.cli._measure import measured
        from hockney.infer.analysis import Analysis
        from hockney.run.measure.execution import Target
        from hockney.run.measure.looks import append_look
        from hockney.run.measure.sessions.problems import raise_problems

        session = measured(self.plan, Target(self._next_file()), quiet=True)
        if session.was_stopped:
            raise click.exceptions.Exit(130)
        raise_problems(session)
        number = self._watch.next_number
        look = measured_look(number, Analysis(session.run), session.launches_wall_s)
        if look is None:
            raise HockneyError("nothing was measured")
        return append_look(self.directory, look, self._parts)

    def _lose(self, began_s: float) -> None:
        """Lists a look that failed with the time that it took, which --duty counts, too."""
        from hockney.infer.analysis.history.watch import failed_look
        from hockney.run.measure.looks import append_look

        file, number, wall_s = self._next_file(), self._watch.next_number, time.time() - began_s
        look = look_in_file(number, file) if file.exists() else None
        look = look or failed_look(number, began_s, file.name if file.exists() else "")
        look = structs.replace(look, wall_s=max(wall_s, 0.0))
        with suppress(HockneyError):  # of a disk that takes nothing, such as what failed before
            append_look(self.directory, look, self._parts)
            self._catch_up()
            return
        self._watch.take(structs.replace(look, readings=()))

    def _say(self, judged: Shown) -> int:
        """Reports a look; the alarm comes before what may fail. Returns the exit status."""
        from hockney.show.history import watch_lines as view

        for note in judged.notes:
            click.echo(f"note: {note}", err=True)
        watched = judged.watched
        if watched is None:
            return LEARNING
        changes, sure = watched.news, watched.unannounced
        for change in changes:
            click.echo(view.change_line(watched, change))
        for part in sure:
            click.echo(view.outlying_line(watched, part))
        worse = [change for change in changes if change.is_worse]
        if (worse or sure) and self.on_alarm is not None:
            self._run(self.on_alarm, view.alarm_environment(watched, worse, sure))
        watched.announce()
        self.say(view.look_line(watched))
        if worse or sure:
            return ALARM
        return LEARNING if watched.course.is_learning and not changes else 0

    def _write(self, judged: Shown, has_news: bool) -> None:
        """Writes the metrics, and the page if there is news or it is of another day: drawing takes
        time."""
        from hockney.base.outputs import write_output
        from hockney.show.history.metrics import prometheus
        from hockney.show.report import render_watch

        if self.prometheus is not None:
            write_output(self.prometheus, prometheus(self._watch), force=True, mode=0o644)
        if self.page is None or judged.watched is None:
            return
        if has_news or _age_s(self.page) > DAY_S:
            page = render_watch(self._watch, f"Watch of {self.directory.absolute().name}")
            write_output(self.page, page, force=True, mode=0o644)

    def say(self, line: str) -> None:
        if not self.quiet:
            click.echo(line)

    def _run(self, command: str, variables: dict[str, str]) -> None:
        variables = {**variables, "HOCKNEY_DIR": str(self.directory.absolute())}
        try:
            done = subprocess.run(
                command, shell=True, env=os.environ | variables, timeout=COMMAND_S, check=False
            )
            problem = f"exit status {done.returncode}" if done.returncode else None
        except (OSError, subprocess.TimeoutExpired) as error:
            problem = str(error)
        if problem:
            click.echo(f"hockney: --on-alarm failed: {problem}", err=True)


def kept_plan(directory: Path) -> Plan | None:
    """What a directory watches; None where no watch has begun. Raises UsageError if it cannot be
    read."""
    from hockney.plan import plan_of

    path = directory / PLAN
    if not path.exists():
        return None
    try:
        plan, why = plan_of(json.loads(path.read_text())), "it holds no plan"
    except (ValueError, OSError) as error:
        plan, why = None, str(error)
    if plan is None:
        raise UsageError(f"{path} is damaged: {why}", "remove it, if the words are the same")
    return plan


def _age_s(path: Path) -> float:
    """The time since a file was written; infinite where there is none."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return math.inf


def measured_look(number: int, analysis: Analysis, wall_s: float | None) -> Look | None:
    from hockney.infer.analysis.history.outlying import outlying_in
    from hockney.infer.analysis.history.readings import not_followed, readings_of
    from hockney.infer.analysis.history.watch import look_of

    facts = analysis.facts
    if facts is None:
        return None
    if (note := not_followed(analysis.pairwise)) is not None:
        click.echo(f"note: {note}", err=True)
    readings = readings_of(facts, analysis.tails, analysis.pairwise)
    look = look_of(number, facts, readings, wall_s)
    return structs.replace(look, outlying=outlying_in(analysis))


def look_in_file(number: int, path: Path) -> Look | None:
    """The look in a file; without numbers where the file is not whole."""
    from hockney import records
    from hockney.infer.analysis import Analysis

    try:
        run = records.read(path)
    except UsageError as error:
        click.echo(f"left out: {error.message}", err=True)
        return None
    look = measured_look(number, Analysis(run), None)
    if run.cut is None or look is None:
        return look
    click.echo(f"left out: {path}: {run.cut}", err=True)
    return structs.replace(look, readings=())
