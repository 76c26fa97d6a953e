"""hockney history: many runs of one system over time."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.cli import _options
from hockney.cli._files import warn, write_and_say
from hockney.cli._help import option, output_option, verb
from hockney.cli._histories import TOLERANCE, histories_of
from hockney.cli._parameters import FRACTION

if TYPE_CHECKING:
    from hockney.infer.analysis.decision import Decision
    from hockney.infer.analysis.history.histories import History


@verb(
    "hockney history runs/",
    "hockney history runs/ --since 2026-01-01 -o trend.png",
    "hockney history runs/ --publish",
    "hockney history runs/ --openmetrics > /var/lib/node_exporter/hockney.prom",
    "hockney history runs/ --otava otava/",
    "hockney history runs/ --index site.sqlite --sql 'SELECT * FROM measured WHERE bytes = 8'",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@option("--tolerance", type=FRACTION, default=f"{TOLERANCE:.0%}", help="Ignore smaller changes.")
@option("--since", type=click.DateTime(), metavar="DATE", help="Only runs from this date on (UTC).")
@option("--together", is_flag=True, help="Treat all files as runs of one system.")
@option(
    "--index",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep what is worked out of each file in this SQLite database, not in the cache.",
)
@_options.EXPLAIN
@_options.MOST_INPUT
@_options.output("Draw the trend: FILE.png, .svg or .pdf.", metavar="FILE")
@_options.force("the figure, or the files of --otava")
@_options.JSON
@output_option(
    "--openmetrics",
    is_flag=True,
    help="Print metrics for Prometheus' textfile collector.",
)
@output_option(
    "--otava",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a CSV file of each system and otava.yaml for Apache Otava into DIR.",
)
@output_option(
    "--sql",
    metavar="QUERY",
    help="Print the rows of a query over the index, tab-separated or as --json.",
)
@output_option(
    "--publish",
    is_flag=True,
    help="Add each system to your own published systems, which show, report and doctor compare "
    "with. Without another option of output nothing else is printed or judged.",
)
def command(
    paths: tuple[Path, ...],
    tolerance: float,
    since: datetime | None,
    together: bool,
    index: Path | None,
    as_json: bool,
    explain: bool,
    openmetrics: bool,
    otava: Path | None,
    sql: str | None,
    publish: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Show how a system changed over the runs in PATHS (files or directories), by date.

    Runs of the same experiment, MPI library and hosts (or the same label) are one system. It
    follows one number a run and size, of many pairs their median, and fails by what fails the
    newest run by itself, too; what its own gate cannot judge counts for nothing here. Exit status 1
    when the last runs of a system are worse by more than the tolerance or its newest run has an
    outlier or failed, 3 where a system has too few runs to tell.
    """
    from hockney.infer.analysis.decision import decision_of_histories
    from hockney.infer.analysis.gate import EXIT_STATUSES, NOT_JUDGED
    from hockney.infer.index import Index
    from hockney.infer.index.report_rows import with_newest
    from hockney.show.drawing.saving import check_output, save
    from hockney.show.history.history_figure import describe_history

    if as_json and openmetrics:
        raise click.UsageError("--json or --openmetrics, not both")
    if explain and (as_json or openmetrics):
        raise click.UsageError("--explain is about the text: leave out --json and --openmetrics")
    if sql is not None and (openmetrics or publish or otava or output or explain):
        raise click.UsageError("--sql alone, or with --json")
    if output is not None:
        check_output(output, force)
    with closing(Index(index) if index else Index.in_cache()) as opened:
        histories, newer = histories_of(opened, paths, tolerance, since, together)
        if sql is not None:
            warn(opened.notes)
            _print_rows(*opened.ask(sql), as_json)
            return
        histories = with_newest(opened, histories)
        warn(opened.notes)
    if otava is not None:
        _write_otava(histories, otava, force)
    if publish:
        _publish(histories, as_json or openmetrics)
        if not (as_json or openmetrics or explain or output or otava):
            return
    if output is not None:
        save(describe_history(histories), output, force)
    decision = decision_of_histories(histories, newer)
    _show(histories, decision, tolerance, as_json, openmetrics, explain)
    if any(history.worse or history.failed for history in histories):
        raise click.exceptions.Exit(1)
    if decision is not None and decision.status == NOT_JUDGED:
        raise click.exceptions.Exit(EXIT_STATUSES[NOT_JUDGED])


def _print_rows(names: list[str], rows: list[tuple[object, ...]], as_json: bool) -> None:
    from hockney.base.printable import one_line
    from hockney.show.tables.as_json import dumps

    if as_json:
        click.echo(dumps({"columns": names, "rows": rows}))
        return
    for row in (names, *rows):
        click.echo("\t".join("" if cell is None else one_line(str(cell)) for cell in row))


def _write_otava(histories: list[History], directory: Path, force: bool) -> None:
    """Writes files for Otava. Raises UsageError where one exists, unless forced."""
    from hockney.foreign.exchange.otava import not_written, otava_files

    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{directory} cannot be made: {error.strerror}") from error
    warn(f"Otava: {words}" for words in not_written(histories))
    texts = otava_files(histories, str(directory))
    write_and_say([(directory / name, text) for name, text in texts.items()], force)


def _publish(histories: list[History], is_read: bool) -> None:
    """Writes an entry for each system into the user's own base, in place of an earlier one, and
    names them: on stderr where a program reads stdout."""
    from hockney import records
    from hockney.base.outputs import write_output
    from hockney.infer.analysis.claims.published_base import encoded, own_base, own_systems
    from hockney.infer.analysis.claims.publishing import entry_of

    new = {}
    for history in histories:
        run = records.read(Path(history.runs[-1].file))
        entry = entry_of(history, run)
        new[entry.system] = entry
    path = own_base()
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {entry.system: entry for entry in own_systems()} | new
    write_output(path, encoded(list(kept.values())), force=True, mode=0o600)
    for entry in new.values():
        sizes = how_many(len(entry.numbers), "size")
        click.echo(f"{path}: {entry.system}, {entry.transport}, {sizes}", err=is_read)


def _show(
    histories: list[History],
    decision: Decision | None,
    tolerance: float,
    as_json: bool,
    openmetrics: bool,
    explain: bool,
) -> None:
    from hockney.show.decision_lines import decision_lines
    from hockney.show.history import history_lines as view
    from hockney.show.history import metrics
    from hockney.show.tables.as_json import dumps

    if as_json:
        click.echo(dumps(view.history_json(histories, tolerance, decision)))
    elif openmetrics:
        click.echo(metrics.openmetrics(histories), nl=False)
    else:
        if decision is not None:
            click.echo("\n".join([*decision_lines(decision), ""]))
        for history in histories:
            click.echo("\n".join(view.history_lines(history)) + "\n")
        if explain:
            click.echo(view.rule_line(tolerance))
