"""hockney profile: what a program of the user sends, and what that costs it."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._help import COMMON, given_options, option, output_option, verb


@verb(
    "hockney profile -o p.jsonl -- mpiexec -n 4 ./app input",
    "hockney profile -o p.jsonl --mpicc /opt/openmpi/bin/mpicc -- srun ./app",
)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND ...")
@_options.output("Profile to write.", show_default="profile-HOST-TIME.jsonl", metavar="FILE")
@output_option(
    "--arguments/--no-arguments",
    default=None,
    help="Keep the whole command in the profile, without what looks like a credential; or nothing "
    "of it.",
    show_default="the launcher, its numbers of ranks and the program",
)
@option(
    "--trace",
    is_flag=True,
    help="Keep the order of calls, for predict and export.",
)
@option(
    "--trace-calls",
    type=click.IntRange(1, 10_000_000),
    default=1_000_000,
    metavar="N",
    help="Of each rank, the first so many calls (48 B each) whose order is kept.",
)
@_options.mpicc("that the program uses", COMMON)
@_options.force("the profile")
@_options.QUIET
def command(
    words: tuple[str, ...],
    output: Path | None,
    arguments: bool | None,
    trace: bool,
    trace_calls: int,
    mpicc: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Run a program and count its calls of MPI: their sizes, partners, times and waits.

    The command runs as it is, with a recorder preloaded into its processes. Its output and exit
    status are the program's own; the status is 1 where it is 0 and nothing was recorded. If the
    program crashes, what was recorded until then is kept. With --force, an older profile stays
    until the new one is whole.
    """
    if not trace and "trace_calls" in given_options(click.get_current_context()):
        raise click.UsageError("--trace-calls is for --trace: add that")
    from hockney.base.endings import AtEnd
    from hockney.cli._measure import target_of
    from hockney.profiling import kinds
    from hockney.profiling.findings import findings_of
    from hockney.profiling.summary import ProfileSummary
    from hockney.run.measure.baseline import is_one_host, machine_of
    from hockney.run.measure.recording import mpi_of_command, record, why_nothing
    from hockney.show.profiles.profile import answer_lines

    mpi = mpi_of_command(words, mpicc)
    file = target_of(output, "profile", force).opened(keep=True)
    path = file.path
    at_end = AtEnd(file.remove_empty)
    try:
        most_acts = trace_calls if trace else 0
        stored = _stored(words, arguments)
        profile = record(words, mpi, path.resolve().parent, stored, most_acts)
        if profile.ranks:
            profile.machine = machine_of(mpi) if is_one_host(profile) else None
            file.replace(kinds.encode(profile))
    finally:
        at_end.now()
        file.close()
    if not profile.ranks:
        why = profile.cut or why_nothing(words)
        kept = f"; {path} is as it was" if file.has_content else ""
        click.echo(f"hockney: nothing was recorded: {why}{kept}", err=True)
        raise click.exceptions.Exit(profile.program.exit_status or 1)
    if profile.cut:
        click.echo(f"hockney: {profile.cut}", err=True)
    if not quiet:
        summary = ProfileSummary(profile)
        for line in answer_lines(summary, findings_of(summary)):
            click.echo(line, err=True)
        click.echo(f"wrote {path}; more: hockney show {shlex.quote(str(path))}", err=True)
    raise click.exceptions.Exit(profile.program.exit_status)


def _stored(words: tuple[str, ...], arguments: bool | None) -> list[str] | None:
    """The words of the command that the profile stores."""
    from hockney.base.confidential import programs_of, redacted

    if arguments is None:
        return programs_of(words)
    return redacted(words) if arguments else None
