"""hockney watch: brief measurements for ever, and an alarm when what is usual changes."""

from __future__ import annotations

import math
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

from hockney.base.errors import HockneyError, UsageError
from hockney.cli._help import OUTPUT, check_used, option, verb
from hockney.cli._parameters import FRACTION

if TYPE_CHECKING:
    from hockney.cli._verb import Request
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.history.watch import Look, Shown, Watch
    from hockney.plan import Plan

USUAL = ("pingpong", "--sizes", "8,64KiB,1MiB")
"""The words of a look without any."""
BUDGET, LAUNCHES = "2s", "3"
"""How much a look measures without --budget or --launches."""
PLAN, STATE, LOCK = "plan.json", "state.npz", "watch.lock"
LEARNING, ALARM = 3, 1
"""Exit statuses of --once, beside 0."""
DAY_S = 86400.0
COMMAND_S = 60.0
"""Longest time that the command of an alarm may take."""


@verb(
    "hockney watch --dir /var/lib/hockney",
    "hockney watch --dir runs --once --on-alarm 'logger \"$HOCKNEY_TEXT\"'",
    "hockney watch --dir runs --duty 0.5% -- collective allreduce -n 4 --sizes 8,64KiB",
    "hockney watch --dir runs --mark 'new firmware'",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- VERB ...]")
@option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    required=True,
    help="Where looks are kept; another watch of it goes on there.",
)
@option("--duty", type=FRACTION, default="1%", help="Largest part of the time that looks take.")
@option("--once", is_flag=True, help="Make one look if one is due, for cron or between jobs.")
@option("--due", is_flag=True, help="Print in how many seconds a look is due, and stop.")
@option("--tolerance", type=FRACTION, default="1%", help="Ignore smaller changes.")
@option("--mark", metavar="TEXT", help="Note a planned change: a level begins, without an alarm.")
@option(
    "--on-alarm",
    metavar="COMMAND",
    heading=OUTPUT,
    help="Run this in a shell where something became slower; HOCKNEY_TEXT says what.",
)
@option(
    "--prometheus",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    heading=OUTPUT,
    help="Write metrics for Prometheus' textfile collector after each look.",
)
@option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    heading=OUTPUT,
    help="Write a page with the course of all looks: at each alarm, and once a day.",
)
@option("-q", "--quiet", is_flag=True, heading=OUTPUT, help="Print alarms only.")
def command(
    words: tuple[str, ...],
    directory: Path,
    duty: float,
    once: bool,
    due: bool,
    tolerance: float,
    mark: str | None,
    on_alarm: str | None,
    prometheus: Path | None,
    page: Path | None,
    quiet: bool,
) -> None:
    """Measure briefly, again and again, and raise an alarm at a change.

    Without VERB it measures what DIR watches already, or else a ping-pong of three sizes. A change
    is reported once; the new level is the usual one from then on. With --once the exit status is 0
    if all is as usual, 1 if something became slower or the look failed, and 3 while it is not yet
    known what is usual.
    """
    if mark is not None:
        if not once:
            check_used("with --mark without --once", "mark", "directory", "quiet")
        _mark(directory, mark, quiet)
        if not once:
            return
    plan = kept_plan(directory) if not words else None
    plan = plan or request_of(words).plan
    watcher = _Watcher(directory, plan, duty, tolerance, on_alarm, prometheus, page, quiet)
    with _alone(directory):
        watcher.open()
        if due:
            click.echo(math.ceil(watcher.rest_s()))
            return
        if once:
            _end(watcher)
        while True:
            try:
                watcher.look()
            except UsageError:
                raise
            except HockneyError as error:
                click.echo(f"hockney: this look failed: {error}", err=True)
            time.sleep(watcher.rest_s())


def _end(watcher: _Watcher) -> None:
    rest_s = watcher.rest_s()
    if rest_s > 0.0:
        watcher.say(f"the next look is due in {rest_s:.0f} s (--duty)")
        raise click.exceptions.Exit(0)
    raise click.exceptions.Exit(watcher.look())


def request_of(words: Sequence[str], **defaults: Any) -> Request:
    """The plan of the words of a look."""
    from hockney.cli._option_groups import OF_OUTPUT
    from hockney.cli._verb import ask

    return ask(words or USUAL, (*OF_OUTPUT, "gate"), budget=BUDGET, launches=LAUNCHES, **defaults)


def kept_plan(directory: Path) -> Plan | None:
    """What a directory watches; None where no watch has begun. Raises UsageError if it cannot be
    read."""
    import json

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


def _mark(directory: Path, text: str, quiet: bool) -> None:
    from hockney.infer.analysis.history.watch import mark_of
    from hockney.run.measure.looks import append_look, last_number

    if not directory.is_dir():
        raise UsageError(f"{directory} holds no watch", "start one without --mark")
    append_look(directory, mark_of(last_number(directory) + 1, text))
    if not quiet:
        click.echo(f"noted: {text}; a new level begins with the next look")


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Excludes other watchers of the directory."""
    from hockney.base.file_lock import locked

    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{directory} cannot be made: {error.strerror}") from error
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(directory / LOCK, 0.0))
        except TimeoutError:
            raise UsageError(
                f"{directory} is being watched by another process", "name another one with --dir"
            ) from None
        yield


class _Watcher:
    """One watch of a directory."""

    def __init__(
        self,
        directory: Path,
        plan: Plan,
        duty: float,
        tolerance: float,
        on_alarm: str | None,
        prometheus: Path | None,
        page: Path | None,
        quiet: bool,
    ) -> None:
        self._directory, self._plan = directory, plan
        self._duty, self._tolerance = duty, tolerance
        self._on_alarm, self._prometheus = on_alarm, prometheus
        self._page, self._quiet = page, quiet
        self._looks: list[Look] = []
        self._watch: Watch

    def open(self) -> None:
        """Takes up what the directory holds. Raises UsageError if that answers another question."""
        self._check_plan()
        self._catch_up()

    def _check_plan(self) -> None:
        from hockney.base.outputs import write_output
        from hockney.plan import difference, stored
        from hockney.show.as_json import dumps

        before = kept_plan(self._directory)
        if before is None:
            write_output(self._directory / PLAN, dumps(stored(self._plan)) + "\n", force=True)
            return
        other = difference(before, self._plan)
        if other is None and before.sampling != self._plan.sampling:
            other = "it had another --budget, --launches or --precision"
        if other is not None:
            raise UsageError(
                f"{self._directory} watches something else: {other}",
                "leave out the verb to go on, or name another directory with --dir",
            )

    def _catch_up(self) -> None:
        """Takes looks and marks that are new in the list."""
        from hockney.infer.analysis.history.watch import Watch
        from hockney.run.measure.looks import read_looks
        from hockney.show.watch_lines import change_line

        looks, notes = read_looks(self._directory, _look_of_file)
        for note in notes:
            click.echo(f"note: {note}", err=True)
        if notes or not self._looks:
            self._watch = Watch(self._tolerance)
            self._looks = looks[: self._resumed(looks)]
        for look in looks[len(self._looks) :]:
            shown = self._watch.take(look)
            if shown.watched is not None and shown.changes:
                for change in shown.changes:
                    click.echo(f"note: {change_line(shown.watched, change)}", err=True)
        self._looks = looks

    def _resumed(self, looks: list[Look]) -> int:
        """The number of looks that the kept state holds."""
        from hockney.infer.analysis.history.watch import Watch, resume

        path = self._directory / STATE
        if not path.exists():
            return 0
        try:
            return resume(self._watch, looks, path.read_bytes())
        except ValueError as error:
            click.echo(f"note: {path} is damaged ({error}): rebuilt from the looks", err=True)
            self._watch = Watch(self._tolerance)
            return 0

    def rest_s(self) -> float:
        """How long to wait until the next look."""
        last_s, interval_s = self._watch.last_s, self._watch.interval_s(self._duty)
        if last_s is None:
            return 0.0
        since_s = time.time() - last_s
        return max(interval_s - since_s, 0.0) if since_s >= 0.0 else 0.0

    def look(self) -> int:
        """Measures, judges and reports; returns the exit status."""
        from hockney.base.outputs import write_output
        from hockney.infer.analysis.history.watch import state_of

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
        write_output(self._directory / STATE, state_of(self._watch, self._looks), force=True)
        return self._say(judged)

    def _next_file(self) -> Path:
        return self._directory / f"look-{self._watch.next_number:06d}.jsonl"

    def _measured(self) -> Look:
        """A look that is measured and listed."""
        from hockney.cli._measure import measured
        from hockney.infer.analysis import Analysis
        from hockney.run.measure.execution import Target
        from hockney.run.measure.looks import append_look
        from hockney.run.measure.sessions.problems import raise_problems

        session = measured(self._plan, Target(self._next_file()), quiet=True)
        if session.was_stopped:
            raise click.exceptions.Exit(130)
        raise_problems(session)
        number = self._watch.next_number
        look = _look_of(number, Analysis(session.run), session.launches_wall_s)
        if look is None:
            raise HockneyError("nothing was measured")
        append_look(self._directory, look)
        return look

    def _lose(self, began_s: float) -> None:
        """Lists a look that failed with the time that it took, which --duty counts, too."""
        from hockney.infer.analysis.history.watch import failed_look
        from hockney.run.measure.looks import append_look

        file, number, wall_s = self._next_file(), self._watch.next_number, time.time() - began_s
        look = _look_of_file(number, file) if file.exists() else None
        look = look or failed_look(number, began_s, file.name if file.exists() else "")
        look = structs.replace(look, wall_s=max(wall_s, 0.0))
        with suppress(HockneyError):  # of a disk that takes nothing, such as what failed before
            append_look(self._directory, look)
            self._catch_up()
            return
        self._watch.take(structs.replace(look, readings=()))

    def _say(self, judged: Shown) -> int:
        from hockney.base.outputs import write_output
        from hockney.show import watch_lines as view

        for note in judged.notes:
            click.echo(f"note: {note}", err=True)
        if self._prometheus is not None:
            write_output(self._prometheus, view.prometheus(self._watch), force=True, mode=0o644)
        watched = judged.watched
        if watched is None:
            return LEARNING
        for change in judged.changes:
            click.echo(view.change_line(watched, change))
        self._write_page(judged)
        worse = [change for change in judged.changes if change.is_worse]
        if worse and self._on_alarm is not None:
            self._run(self._on_alarm, view.alarm_environment(watched, worse))
        self.say(view.look_line(watched))
        if worse:
            return ALARM
        return LEARNING if watched.course.is_learning and not judged.changes else 0

    def _write_page(self, judged: Shown) -> None:
        """Writes the page if something changed or it is of another day: drawing takes time."""
        from hockney.base.outputs import write_output
        from hockney.show.report import render_watch

        if self._page is None or not (judged.changes or _age_s(self._page) > DAY_S):
            return
        page = render_watch(self._watch, f"Watch of {self._directory.absolute().name}")
        write_output(self._page, page, force=True, mode=0o644)

    def say(self, line: str) -> None:
        if not self._quiet:
            click.echo(line)

    def _run(self, command: str, variables: dict[str, str]) -> None:
        variables = {**variables, "HOCKNEY_DIR": str(self._directory.absolute())}
        try:
            done = subprocess.run(
                command, shell=True, env=os.environ | variables, timeout=COMMAND_S, check=False
            )
            problem = f"exit status {done.returncode}" if done.returncode else None
        except (OSError, subprocess.TimeoutExpired) as error:
            problem = str(error)
        if problem:
            click.echo(f"hockney: --on-alarm failed: {problem}", err=True)


def _age_s(path: Path) -> float:
    """The time since a file was written; infinite where there is none."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return math.inf


def _look_of(number: int, analysis: Analysis, wall_s: float | None) -> Look | None:
    from hockney.infer.analysis.history.readings import not_followed, readings_of
    from hockney.infer.analysis.history.watch import look_of

    facts = analysis.facts
    if facts is None:
        return None
    if (note := not_followed(analysis.pairwise)) is not None:
        click.echo(f"note: {note}", err=True)
    return look_of(number, facts, readings_of(facts, analysis.tails, analysis.pairwise), wall_s)


def _look_of_file(number: int, path: Path) -> Look | None:
    """The look in a file; without numbers where the file is not whole."""
    from hockney import records
    from hockney.infer.analysis import Analysis

    try:
        run = records.read(path)
    except UsageError as error:
        click.echo(f"left out: {error.message}", err=True)
        return None
    look = _look_of(number, Analysis(run), None)
    if run.cut is None or look is None:
        return look
    click.echo(f"left out: {path}: {run.cut}", err=True)
    return structs.replace(look, readings=())
