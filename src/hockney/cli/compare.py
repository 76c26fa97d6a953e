"""hockney compare: whether runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.units import parse_share
from hockney.cli import _options
from hockney.cli._help import check_used, given_options, option, verb
from hockney.cli._parameters import FRACTION, Words

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.comparison.compare import RunComparison

TOLERANCE = "tolerance"
"""The value of --gate without a value."""


def _gate(text: str) -> str | float:
    return text if text == TOLERANCE else parse_share(text)


@verb(
    "hockney compare before.jsonl after.jsonl",
    "hockney compare mpich.jsonl openmpi.jsonl intel.jsonl -o ratio.png",
    "hockney compare before.jsonl after.jsonl --tolerance 10% --json",
    "hockney compare before.jsonl after.jsonl --memory runs/ --plan 2%",
    "hockney compare kept.jsonl new.jsonl --gate 10%     # exit status 0, 1, or 3: not judged",
    "hockney compare varied.jsonl                  # variants of one run, by blocks",
)
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("others", nargs=-1, type=click.Path(path_type=Path))
@_options.TOLERANCE
@option(
    "--gate",
    type=Words("fraction", _gate),
    metavar="[FRACTION]",
    is_flag=False,
    flag_value=TOLERANCE,
    help="Print a verdict first: passed (exit status 0) only if surely none of OTHERS, or no "
    "variant, is slower by more than FRACTION, which is the tolerance, too; FAILED (1), or NOT "
    "JUDGED (3), with the reason. Without FRACTION: by the tolerance, or the gate of the command "
    "that measured the variants. Give it after the files.",
)
@_options.HISTORY
@_options.host_memory()
@option(
    "--plan",
    "sought",
    type=FRACTION,
    metavar="DIFFERENCE",
    help="Also print what would show so small a difference in 80 of 100 comparisons.",
)
@_options.EXPLAIN
@_options.MOST_INPUT
@_options.output("Draw the ratio over message size: FILE.png, .svg or .pdf.", metavar="FILE")
@_options.force("the figure")
@_options.JSON
def command(
    base: Path,
    others: tuple[Path, ...],
    tolerance: float,
    gate: str | float | None,
    past: tuple[Path, ...],
    memory: Path | None,
    sought: float | None,
    explain: bool,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Test whether each of OTHERS differs from BASE, at each point and as a whole.

    Launches are the independent units of the test. By how much equal runs differ is part of it: as
    earlier runs of the same question show (in the files' directory, --history or --memory), else as
    runs of other hosts do. A single file that was measured with --vary is judged by its blocks of
    launches, each variant against the first; without --tolerance by the one of that command. What
    one run shows by itself and the other does not, such as a slow node, is a difference, too. Exit
    status 1 when one of OTHERS, or a variant, is slower by more than the tolerance, or shows such a
    failure that BASE does not; 3 when one has nothing in common with BASE. Where all is unknown it
    is 0, unless --gate asks for a verdict.
    """
    from hockney.cli._files import load
    from hockney.cli._memory import earlier_runs
    from hockney.cli._present import end_by, show_gate
    from hockney.infer.analysis.comparison.compare import compare
    from hockney.infer.analysis.comparison.comparison_gate import comparison_gate
    from hockney.infer.analysis.comparison.comparison_plan import plans
    from hockney.infer.analysis.gate import EXIT_STATUSES, NOT_JUDGED, together
    from hockney.show.comparison.comparison_figure import describe_ratio
    from hockney.show.comparison.comparison_lines import (
        UNJUDGED,
        comparison_json,
        plan_lines,
        rule_of_comparisons,
        show_comparison,
    )
    from hockney.show.drawing.saving import save
    from hockney.show.tables.as_json import dumps

    if explain and as_json:
        raise click.UsageError("--explain is about the table: leave out --json")
    has_tolerance = "tolerance" in given_options(click.get_current_context())
    if isinstance(gate, float):
        if has_tolerance:
            raise click.UsageError("--gate FRACTION is the tolerance: leave out --tolerance")
        tolerance, has_tolerance = gate, True
    first: Analysis = load(base)
    if not others:
        check_used("on one file", "tolerance", "gate", "explain", "output", "force", "as_json")
        if has_tolerance:
            by = {"tolerance": tolerance}
            first.judge_variants(**by if gate is None else by | {"gate": tolerance})
        _compare_variants(first, gate is not None, output, force, as_json, explain)
        return
    reference = _reduced(first)
    del first  # its samples go before those of the next come
    read = [_reduced(load(other)) for other in others]
    known = earlier_runs((base, *others), past, memory, [reference])
    comparisons = [compare(reference, other, tolerance, memory=known) for other in read]
    _remember(memory, read, comparisons, tolerance)
    planned = plans(comparisons, sought)
    verdict = None
    if gate is not None:
        verdict = together(comparison_gate(comparison, tolerance) for comparison in comparisons)
    if output is not None:
        save(describe_ratio(comparisons, tolerance), output, force)
    if as_json:
        click.echo(dumps(comparison_json(comparisons, planned, verdict)))
    else:
        show_gate(verdict)
        for comparison, plan in zip(comparisons, planned, strict=True):
            show_comparison(comparison, tolerance)
            if sought is not None:
                click.echo("\n".join(plan_lines(comparison, plan)))
        if explain:
            click.echo(rule_of_comparisons())
        if verdict is None and not any(comparison.is_judged for comparison in comparisons):
            click.echo(UNJUDGED)
    if verdict is not None:
        end_by(verdict)
        return
    if any(comparison.is_worse(tolerance) for comparison in comparisons):
        raise click.exceptions.Exit(1)
    if not all(comparison.points for comparison in comparisons):
        raise click.exceptions.Exit(EXIT_STATUSES[NOT_JUDGED])


def compared_files(
    files: Sequence[tuple[Path, Path]], tolerance: float, memory: Path | None
) -> list[RunComparison]:
    """Comparisons of the second file of each pair with the first, and with what is known of the
    host."""
    from hockney.cli._files import load
    from hockney.cli._memory import earlier_runs
    from hockney.infer.analysis.comparison.compare import compare

    read = [(_reduced(load(first)), _reduced(load(second))) for first, second in files]
    names = [file for pair in files for file in pair]
    known = earlier_runs(names, (), memory, [first for first, _ in read])
    comparisons = [compare(first, second, tolerance, memory=known) for first, second in read]
    _remember(memory, [second for _, second in read], comparisons, tolerance)
    return comparisons


def _remember(
    memory: Path | None,
    others: Sequence[Analysis],
    comparisons: Sequence[RunComparison],
    tolerance: float,
) -> None:
    """Adds the runs to the memory of the host, but those that are worse: how they differ is not
    how equal runs do."""
    from hockney.cli._memory import remembered
    from hockney.infer.analysis.comparison.run_drift import as_earlier

    both = zip(others, comparisons, strict=True)
    kept = [analysis for analysis, comparison in both if not comparison.is_worse(tolerance)]
    if memory is not None and kept:
        remembered(memory, as_earlier(kept))


def _reduced(analysis: Analysis) -> Analysis:
    """The analysis without its samples: those of several large files would exceed the memory."""
    from hockney.infer.analysis.reduced import Reduced

    assert analysis.run.path is not None
    return Reduced.of(analysis).analysis(analysis.run.path)


def _compare_variants(
    analysis: Analysis,
    has_gate: bool,
    output: Path | None,
    force: bool,
    as_json: bool,
    explain: bool,
) -> None:
    from hockney.cli._present import check_blocks, end_by, show_run
    from hockney.infer.analysis.comparison.comparison_gate import whole_gate
    from hockney.infer.analysis.gate import together
    from hockney.show.comparison.variant_table import variants_json
    from hockney.show.curves.curves import Options
    from hockney.show.drawing.saving import save
    from hockney.show.figures import describe
    from hockney.show.tables.as_json import dumps

    plan = analysis.plan
    comparison = plan.comparison if plan is not None else None
    if has_gate and comparison is not None and comparison.gate is None:
        analysis.judge_variants(gate=comparison.tolerance)
    study = analysis.variants
    if study is None:
        raise click.UsageError(
            f"{analysis.run.path} compares no variants: name another file to compare it with"
        )
    if output is not None and study.ratios:
        save(describe("variants", [analysis], Options()), output, force)
    gate = together([whole_gate(analysis.run), *analysis.plan_gates]) if has_gate else None
    if as_json:
        verdict = {"gate": asdict(gate)} if gate is not None else {}
        click.echo(dumps({**verdict, "variants": variants_json(study)}))
    else:
        show_run(analysis, gate=gate, explain=explain)
    if gate is not None:
        end_by(gate)
        return
    check_blocks(analysis)
    if study.slower(study.comparison.tolerance):
        raise click.exceptions.Exit(1)
