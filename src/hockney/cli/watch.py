"""hockney watch: brief measurements for ever, and an alarm when what is usual changes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.base.errors import HockneyError, UsageError
from hockney.cli._help import check_used, option, output_option, verb
from hockney.cli._parameters import FRACTION, UP_TO_ALL
from hockney.cli._watcher import Watcher, kept_plan

if TYPE_CHECKING:
    from hockney.cli._verb import Request

USUAL = ("pingpong", "--sizes", "8,64KiB,1MiB")
"""The words of a look without any."""
BUDGET, LAUNCHES = "2s", "3"
"""How much a look measures without --budget or --launches."""
LOCK = "watch.lock"


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
@option("--duty", type=UP_TO_ALL, default="1%", help="Largest part of the time that looks take.")
@option("--once", is_flag=True, help="Make one look if one is due, for cron or between jobs.")
@option("--due", is_flag=True, help="Print in how many seconds a look is due, and stop.")
@option("--tolerance", type=FRACTION, default="1%", help="Ignore smaller changes.")
@option("--mark", metavar="TEXT", help="Note a planned change: a level begins, without an alarm.")
@output_option(
    "--on-alarm",
    metavar="COMMAND",
    help="Run this in a shell where something became slower, or at the third look in a row with an "
    "outlier; HOCKNEY_TEXT says what.",
)
@output_option(
    "--prometheus",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write metrics for Prometheus' textfile collector after each look.",
)
@output_option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with the course of all looks: at each alarm, and once a day.",
)
@output_option("-q", "--quiet", is_flag=True, help="Print outliers and changes only.")
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
    if all is as usual, 1 if something became slower, a third look in a row shows an outlier or the
    look failed, and 3 while it is not yet known what is usual.
    """
    if mark is not None:
        if not once:
            check_used("with --mark without --once", "mark", "directory", "quiet")
        _mark(directory, mark, quiet)
        if not once:
            return
    plan = kept_plan(directory) if not words else None
    plan = plan or request_of(words).plan
    watcher = Watcher(directory, plan, duty, tolerance, on_alarm, prometheus, page, quiet)
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


def _end(watcher: Watcher) -> None:
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
