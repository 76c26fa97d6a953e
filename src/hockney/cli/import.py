"""hockney import: logs of other benchmarks as result files."""  # noqa: N999

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.cli import _options
from hockney.cli._help import check_used, option, verb
from hockney.cli._parameters import SIZE, Named, Words
from hockney.foreign.logs.log import UNKNOWN, Log, read_log
from hockney.foreign.programs import reader_names

if TYPE_CHECKING:
    from hockney.foreign.logs.table import LogTable
    from hockney.profiling.kinds import Profile
    from hockney.records import Run


def _columns(text: str) -> Any:
    from hockney.foreign.programs.csv import parse_columns

    return parse_columns(text)


@verb(
    "hockney import osu_latency.log imb.txt",
    "hockney import --join osu-1.log osu-2.log osu-3.log -o osu.jsonl",
    "hockney import --as netpipe np.out --label cluster",
    "hockney import times.csv --columns bytes=size,time=lat:us --operation pingpong -o a.jsonl",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@option(
    "--as",
    "format_name",
    type=Named(reader_names),
    show_default="recognised",
    help="Format of the logs.",
)
@_options.output(
    "Result file, or an existing directory for several.",
    show_default="LOG-EXPERIMENT.jsonl",
    metavar="PATH",
)
@option("--join", is_flag=True, help="The logs are launches of one run.")
@option("--only", metavar="EXPERIMENT", help="Read only this experiment of the logs.")
@option("--bytes", "size", type=SIZE, help="Message size, where the log does not give it.")
@option(
    "--operation",
    default=UNKNOWN,
    metavar="NAME",
    help="Operation that was measured, where the log does not give it.",
)
@option(
    "--columns",
    type=Words("ROLE=NAME[:UNIT],...", _columns),
    help="Names of a table's columns: bytes, time, bandwidth, ranks, operation ...",
)
@option(
    "--repeated",
    type=click.Choice(["launches", "samples"]),
    help="What repeated rows of a point (CSV), or tables of a log, are.",
)
@_options.LABEL
@_options.force("existing result files")
def command(
    files: tuple[Path, ...],
    format_name: str | None,
    output: Path | None,
    only: str | None,
    join: bool,
    size: int | None,
    operation: str,
    columns: dict[str, str] | None,
    repeated: str | None,
    label: str | None,
    force: bool,
) -> None:
    """Convert logs of OSU, IMB, nccl-tests, UCX, libfabric, GPCNeT and others to result files.

    A result file holds one experiment under one setting; a log with several gives several files. A
    trace in GOAL becomes a profile, for predict and replay.
    """

    if (columns or repeated == "samples") and format_name not in (None, "csv"):
        raise UsageError(
            f"--columns and --repeated samples are of tables in CSV, --as {format_name} is none",
            "leave out one of them",
        )
    programs, others = _programs(files, format_name)
    if not others:
        check_used("on programs", "format_name", "output", "only", "force")
    twice = [file for file, count in Counter(map(Path.resolve, others)).items() if count > 1]
    if join and twice:
        raise UsageError(f"--join: {twice[0]} is given twice", "name each log once")
    logs = [
        replace(read_log(file), bytes=size, operation=operation, columns=columns, repeated=repeated)
        for file in others
    ]
    format_name = "csv" if columns else format_name
    converted: list[Converted] = list(programs)
    for group in [logs] if join else [[log] for log in logs]:
        converted += [
            ConvertedRun(group[0].path, run.header.experiment, run)
            for run in _runs(group, format_name, label)
        ]
    converted = [each for each in converted if only in (None, each.name)]
    if not converted:
        raise UsageError(f"--only {only}: no log has this experiment")
    _store(converted, output, force)


@dataclass(frozen=True)
class ConvertedRun:
    """A result file that is made of a log."""

    source: Path
    name: str
    run: Run

    def store(self, path: Path, force: bool) -> None:
        from hockney.foreign.logs.runs import store

        store(self.run, path, force)
        _report(self.run)


@dataclass(frozen=True)
class ConvertedProgram:
    """A profile that is made of a file that holds what a program does (GOAL)."""

    source: Path
    profile: Profile
    notes: list[str]
    name: str = "profile"

    def store(self, path: Path, force: bool) -> None:
        from hockney.base.outputs import write_output
        from hockney.cli._files import warn
        from hockney.profiling.kinds import encode
        from hockney.profiling.summary import sends

        write_output(path, [encode(self.profile)], force)
        count = sum(call.count for call in self.profile.calls if sends(call))
        messages, ranks = how_many(count, "message"), how_many(len(self.profile.ranks), "rank")
        click.echo(f"{path}: profile of {ranks}, {messages}; for predict and replay")
        warn(self.notes)


Converted = ConvertedRun | ConvertedProgram


def _programs(
    files: Sequence[Path], format_name: str | None
) -> tuple[list[ConvertedProgram], list[Path]]:
    """The profiles of files that hold what a program does, and the other files."""
    from hockney.foreign.logs.content import STDIN
    from hockney.foreign.programs import profile_in

    programs: list[ConvertedProgram] = []
    others: list[Path] = []
    for file in files:
        program = profile_in(file) if file != STDIN and format_name is None else None
        if program is None:
            others.append(file)
        else:
            programs.append(ConvertedProgram(file, *program))
    return programs, others


def _runs(logs: Sequence[Log], format_name: str | None, label: str | None) -> list[Run]:
    from hockney.foreign.exchange.reading import read, recognise
    from hockney.foreign.logs.runs import runs_of

    names = [format_name or recognise(log) for log in logs]
    if len(set(names)) > 1:
        raise UsageError(
            f"--join: {logs[0].path} is {names[0]}, another file is not",
            "join logs of the same program",
        )
    tables = [(log, table) for log in logs for table in read(log, names[0])]
    _note_copies(tables)
    return runs_of(tables, names[0], label)


def _note_copies(tables: Sequence[tuple[Log, LogTable]]) -> None:
    """Notes logs of the same text: their launches are one."""
    first: dict[str, Log] = {}
    for log, table in tables:
        same = first.setdefault(log.text, log)
        if same is not log:
            table.note(
                f"{log.path} has the same text as {same.path}: a copy is no other launch, and "
                "makes intervals too narrow"
            )


def _store(converted: Sequence[Converted], output: Path | None, force: bool) -> None:
    """Stores all files, or none where one of them exists."""
    paths = _paths(converted, output)
    existing = [path for path in paths if path.exists()]
    if existing and not force:
        raise UsageError(
            f"{existing[0]} exists", "name another place with -o, or overwrite it with --force"
        )
    for path, each in zip(paths, converted, strict=True):
        each.store(path, force)


def _paths(converted: Sequence[Converted], output: Path | None) -> list[Path]:
    from hockney.foreign.logs.content import stem_of

    if output is not None and not output.is_dir():
        if len(converted) > 1:
            counts = Counter(each.name for each in converted)
            names = ", ".join(f"{n} of {name}" if n > 1 else name for name, n in counts.items())
            raise UsageError(
                f"-o {output}: there are {len(converted)} experiments: {names}",
                "name a directory that exists, or choose one with --only",
            )
        return [output]
    paths: dict[Path, None] = {}
    called: Counter[str] = Counter()
    for each in converted:
        stem = f"{stem_of(each.source)}-{_safe(each.name)}"
        path = None
        while path is None or path in paths:
            called[stem] += 1
            end = f"-{called[stem]}" if called[stem] > 1 else ""
            path = (output or Path()) / f"{stem}{end}.jsonl"
        paths[path] = None
    return list(paths)


def _safe(name: str) -> str:
    """An operation's name as part of a file name: a log may hold any text."""
    return "".join(char if char.isalnum() or char in "-_." else "-" for char in name)[:60]


def _report(run: Run) -> None:
    from hockney.cli._files import warn
    from hockney.foreign.logs.settings_above import apart_text

    source = run.header.source
    points = {
        (s.operation, s.algorithm, s.ranks, str(s.peers), s.bytes)
        for s in (*run.summaries, *run.samples)
    }
    launches = len(run.launches)
    program = f"{source.program} {source.version or ''}".strip() if source else ""
    apart = apart_text(run.header.options)
    click.echo(
        f"{run.path}: {program}, {how_many(len(points), 'point')}, "
        f"{how_many(launches, 'launch')}{f' ({apart})' if apart else ''}"
    )
    cut = [end.message for end in run.ends if end.message]
    unnamed = ["the log does not name the operation: give it with --operation"]
    warn([*cut, *(source.notes if source else []), *unnamed * (run.header.experiment == UNKNOWN)])
