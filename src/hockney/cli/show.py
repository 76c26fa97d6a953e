"""hockney show: a result file as a table or as JSON."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._help import check_used, option, output_option, verb
from hockney.cli._parameters import Named
from hockney.foreign.programs import layout_names


@verb(
    "hockney show run.jsonl",
    "hockney show run.jsonl --diagnose --history runs/",
    "hockney show run.jsonl --plot",
    "hockney show run.jsonl --json",
)
@click.argument("file", type=click.Path(path_type=Path))
@option(
    "--diagnose",
    is_flag=True,
    help="Look for cold start, several modes, drift, periods and autocorrelation in the samples.",
)
@option(
    "--explain",
    is_flag=True,
    help="Also print how a sample is made, what each column holds, and the rules of verdicts.",
)
@option("--all-states", is_flag=True, help="Show all states of the machine, not just the main one.")
@_options.HISTORY
@_options.host_memory()
@option(
    "--model-from",
    "messages",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare collectives and halos with predictions from the point-to-point times in FILE; of "
    "a profile, show what its messages from memory of accelerators take by each way in FILE.",
)
@output_option(
    "--format",
    "layout",
    type=Named(layout_names),
    help="Print the table of a classic program.",
)
@output_option("--plot", is_flag=True, help="Draw the run in the terminal, too.")
@_options.MOST_INPUT
@_options.GATE
@_options.JSON
def command(
    file: Path,
    all_states: bool,
    layout: str | None,
    diagnose: bool,
    explain: bool,
    plot: bool,
    gate: bool,
    past: tuple[Path, ...],
    memory: Path | None,
    messages: Path | None,
    as_json: bool,
) -> None:
    """Show the results in a file: the answer, the table, and what to know about it."""
    from hockney import load
    from hockney.cli import _present
    from hockney.cli._histories import histories_with
    from hockney.cli._memory import earlier_runs
    from hockney.cli._profiles import show_profile
    from hockney.profiling.kinds import is_profile

    if plot and as_json:
        raise click.UsageError("--plot or --json, not both")
    if explain and (as_json or layout):
        raise click.UsageError("--explain is about the table: leave out --json and --format")
    if all_states and layout:
        raise click.UsageError("--all-states is about hockney's table: leave out --format")
    if is_profile(file):
        check_used("on a profile", "messages", "as_json")
        show_profile(file, as_json, messages)
        return
    if messages is not None:
        check_used("with --model-from", "messages", "as_json")
    analysis = load(file)
    if messages is not None:
        _present.show_predicted(analysis, load(messages), as_json)
        return
    analysis.earlier = earlier_runs((file,), past, memory, [analysis])
    histories = histories_with((file,), past)
    verdict = None
    if gate:
        from hockney.infer.analysis.comparison.comparison_gate import whole_gate
        from hockney.infer.analysis.gate import together

        own = analysis.gate(False) or analysis.outlier_gate
        verdict = together([whole_gate(analysis.run), own])
    if as_json:
        _present.show_json(analysis, all_states, diagnose, histories, verdict)
    else:
        _present.show_run(analysis, layout, all_states, gate=verdict, explain=explain)
        if plot:
            _present.show_figures(analysis)
        if diagnose:
            _present.show_diagnosis(analysis)
        if not layout:
            _present.show_positions(analysis, histories, explain)
    _present.check_blocks(analysis)
    _present.end_by(verdict)
