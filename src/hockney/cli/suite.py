"""hockney suite: a plan of many runs, which can be interrupted and resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.endings import AtEnd
from hockney.base.errors import HockneyError, UsageError
from hockney.cli import _options
from hockney.cli._help import given_options, option, verb

if TYPE_CHECKING:
    from hockney.cli._suite_runs import RequestedRun
    from hockney.infer.analysis.findings import DecidingFinding
    from hockney.infer.analysis.gate import Gate
    from hockney.run.measure.journal import Entry, Journal
    from hockney.run.measure.sessions.answer import Problem

MEASURE_THERE = "measure this plan there, too"
MEASURE_HERE = "measure all runs of that plan here, too"
RUN_FILE = re.compile(r"\d{2,}-.*\.jsonl")


@verb(
    "hockney suite acceptance",
    "hockney suite acceptance -- --nodes 2 --ranks-per-node 1",
    "hockney suite plan.toml -o results --resume",
    "hockney suite acceptance -o tonight --against good --memory nights/",
)
@click.argument("plan_name", metavar="PLAN")
@click.argument("more", nargs=-1, type=click.UNPROCESSED, metavar="[-- OPTIONS]")
@_options.output("Directory for the results.", show_default="PLAN-HOST-TIME", metavar="DIRECTORY")
@option("--resume", is_flag=True, help="Continue in that directory.")
@option(
    "--against",
    type=_options.PATH,
    metavar="DIRECTORY",
    help="Results of this plan from before: a run that is slower, or shows a failure that is new, "
    "fails the suite.",
)
@_options.TOLERANCE
@_options.host_memory()
@_options.QUIET
def command(
    plan_name: str,
    more: tuple[str, ...],
    output: Path | None,
    resume: bool,
    against: Path | None,
    tolerance: float,
    memory: Path | None,
    quiet: bool,
) -> None:
    """Measure all runs of PLAN: a TOML file, or one that comes with hockney such as acceptance.

    Each run is measured once, even when the suite is interrupted and resumed. OPTIONS are added to
    every run. -- --gate judges all runs together, and --against each run as `hockney compare` does:
    exit status 1 where that fails, 3 where it cannot be judged. Without them the verdict sets no
    exit status.
    """
    from hockney.base.outputs import here_and_now
    from hockney.cli._present import end_by, show_gate
    from hockney.cli._suite_runs import requested_runs
    from hockney.infer.analysis.gate import together
    from hockney.run.measure.journal import Journal
    from hockney.run.measure.suite import read_suite

    suite = read_suite(plan_name)
    runs, left_out = requested_runs(suite, plan_name, more)
    if resume and output is None:
        raise click.UsageError("--resume needs the directory to continue in: give it with -o")
    given = given_options(click.get_current_context())
    for name in ("memory", "tolerance"):
        if name in given and against is None:
            raise click.UsageError(f"--{name} is for --against: name the results to compare with")
    directory = output or here_and_now(suite.file_name)
    if against is not None and (not against.is_dir() or against.resolve() == directory.resolve()):
        raise UsageError(
            f"--against {against} is no directory of earlier results",
            "name the directory of another run of this plan",
        )
    with closing(Journal(directory, resume)) as journal:
        for run in left_out:
            journal.note_left_out(run.file_name, run.label, run.why)
        failed = _measure_all(len(suite.runs), runs, journal, quiet)
        own = _gated(runs, journal)
        compared = _compared(journal, against, tolerance, memory) if against else _Judged()
        unfinished = _unfinished(journal, failed)
        is_gated = own.gate is not None or compared.gate is not None
        verdict = together([own.gate, compared.gate, unfinished.gate]) if is_gated else None
        beside = (*unfinished.findings, *compared.findings, *own.findings)
        show_gate(verdict)
        _show_decision(journal, beside, compared.lines)
        _show_end(suite.name, journal, [run.words for run in left_out], beside, quiet)
    if failed:
        raise click.exceptions.Exit(1)
    end_by(verdict)


@dataclass(frozen=True)
class _Judged:
    """What the runs of a suite are, by themselves or against those of an earlier one."""

    gate: Gate | None = None
    findings: tuple[DecidingFinding, ...] = ()
    """Those that no run has by itself."""
    lines: tuple[str, ...] = ()


def _compared(journal: Journal, against: Path, tolerance: float, memory: Path | None) -> _Judged:
    """Compares each run with the one of that name in `against`."""
    from hockney.cli.compare import compared_files
    from hockney.infer.analysis.comparison.comparison_gate import comparison_gate
    from hockney.infer.analysis.decision import of_comparison
    from hockney.infer.analysis.findings import of_gate
    from hockney.infer.analysis.gate import not_judged, together
    from hockney.records.reading import why_no_result
    from hockney.show.comparison.comparison_lines import against_lines

    files = [(against / file.name, file) for file in journal.files()]
    whys = {before: why_no_result(before) for before, _ in files if before.exists()}
    missing = [before.name for before, _ in files if before not in whys]
    both = [(before, file) for before, file in files if whys.get(before, "missing") is None]
    comparisons = compared_files(both, tolerance, memory)
    gates = [comparison_gate(comparison, tolerance) for comparison in comparisons]
    lacks = [f"{before}: {why}" for before, why in whys.items() if why]
    if missing or not files:
        lacks.insert(0, f"{against} has no {', '.join(missing) or 'any run'}")
    unjudged = [not_judged(why, MEASURE_THERE) for why in lacks]
    known = {entry.file for entry in journal}
    there = sorted(path.name for path in against.iterdir() if RUN_FILE.fullmatch(path.name))
    if more := [name for name in there if name not in known]:
        why = f"{against} has {', '.join(more)}, which this suite has not"
        unjudged.append(not_judged(why, MEASURE_HERE))
    findings = [of_comparison(comparison, tolerance) for comparison in comparisons]
    findings += [of_gate("", gate, str(against)) for gate in unjudged]
    lines = against_lines(comparisons, tolerance) if comparisons else []
    return _Judged(together([*gates, *unjudged]), tuple(findings), tuple(lines))


def _unfinished(journal: Journal, failed: Mapping[str, Sequence[Problem]]) -> _Judged:
    """Runs that failed and have no result, which no other part of the verdict knows. failed: what
    went wrong, by the file of the run."""
    from hockney.infer.analysis import gate
    from hockney.infer.analysis.findings import DecidingFinding

    done = journal.files()
    lines = {
        entry.label: "; ".join(problem.first_line for problem in failed[entry.file])
        for entry in journal
        if entry.file in failed and journal.directory / entry.file not in done
    }
    action = f"see what is wrong there, then continue with --resume -o {journal.directory}"
    findings = [
        DecidingFinding(gate.FAILED, "the run failed", line, "", action, label)
        for label, line in lines.items()
    ]
    words = [f'"{label}" failed: {line}' for label, line in lines.items()]
    return _Judged(gate.failed(words, lines) if words else None, tuple(findings))


def _gated(runs: Sequence[RequestedRun], journal: Journal) -> _Judged:
    """The gate of all runs together: of their plans' gates, and with --gate of outliers where a run
    has several pairs. None if nothing is gated."""
    from hockney import records
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.findings import explainer, of_gate
    from hockney.infer.analysis.gate import not_judged, together

    if not any(run.request.output.gate or run.plan.has_gate for run in runs):
        return _Judged()
    gated: list[tuple[Gate | None, Sequence[DecidingFinding]]] = []
    for run in runs:
        path = journal.directory / run.file_name
        if path in journal.files():
            analysis = Analysis(records.read(path))
            gate = analysis.gate(run.request.output.gate and analysis.compares_pairs)
            gated.append((gate, analysis.findings_by_itself))
    if not any(gate for gate, _ in gated) and any(run.request.output.gate for run in runs):
        gate = not_judged("no run measured several pairs", "add one of pairs, cores or fabric")
        return _Judged(gate, (of_gate("", gate, ""),))
    known = [finding for _, findings in gated for finding in findings]
    gated.sort(key=lambda each: any(explainer(finding, known) for finding in each[1]))
    return _Judged(together(gate for gate, _ in gated))


def _measure_all(
    count: int, runs: Sequence[RequestedRun], journal: Journal, quiet: bool
) -> dict[str, list[Problem]]:
    """Measures every run that is not done yet, even after one has failed; returns what went wrong,
    by the file of the run. count: of all runs, with those that are left out."""
    # For a signal that no launch heeds, as between two runs.
    hint = AtEnd(lambda: os.write(2, f"{_advice(journal)}\n".encode()))
    try:
        return _measured(count, runs, journal, quiet)
    finally:
        hint.forget()


def _advice(journal: Journal) -> str:
    return f"interrupted; continue with --resume -o {journal.directory}"


def _measured(
    count: int, runs: Sequence[RequestedRun], journal: Journal, quiet: bool
) -> dict[str, list[Problem]]:
    from hockney.cli._measure import measured
    from hockney.run.measure.execution import Target
    from hockney.run.measure.sessions.answer import Problem
    from hockney.run.measure.sessions.problems import problems_of

    failed = {}
    for run in runs:
        name, plan = run.file_name, run.plan
        before = f"{run.number} of {count}, {run.label}: "
        if journal.is_done(name, plan):
            damage = journal.set_aside(name)
            if damage is None:
                continue
            click.echo(f"hockney: {before}{damage}", err=True)
        target = Target(journal.directory / name, run.label, resume=True)
        try:
            session = measured(plan, target, quiet, before)
            reason, problems = session.reason, problems_of(session)
            was_stopped = session.was_stopped
        except HockneyError as error:
            reason, problems, was_stopped = "failed", [Problem.of(error)], False
        journal.note(name, run.label, plan, reason)
        if was_stopped:
            click.echo(_advice(journal), err=True)
            raise click.exceptions.Exit(130)
        if problems:
            failed[name] = problems
            click.echo(f"hockney: {before}{'; '.join(map(str, problems))}", err=True)
    return failed


def _show_decision(
    journal: Journal, beside: Sequence[DecidingFinding], lines: Sequence[str]
) -> None:
    """The verdict of all runs, before what each of them was. beside: findings that no run has by
    itself."""
    from hockney import records
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.decision import decision_of
    from hockney.show.decision_lines import decision_lines

    runs = [Analysis(records.read(path)) for path in journal.files()]
    decision = decision_of(runs, against=beside)
    if decision is not None:
        click.echo("\n".join([*decision_lines(decision), ""]))
    if lines:
        click.echo("\n".join(lines))


def _show_end(
    name: str,
    journal: Journal,
    left_out: Sequence[str],
    beside: Sequence[DecidingFinding],
    quiet: bool,
) -> None:
    """Lists the files, how each run ended and what was left out, and writes a report of all."""
    from hockney.cli import report
    from hockney.show.tables.table import TableColumn, table_text

    columns: list[TableColumn[Entry]] = [
        TableColumn("run", lambda entry: entry.label),
        TableColumn("ended by", lambda entry: entry.reason),
        TableColumn("file", lambda entry: journal.directory / entry.file),
    ]
    lines = [table_text(columns, list(journal)), *(f"left out: {words}" for words in left_out)]
    click.echo("\n".join(filter(None, lines)))
    files, page = journal.files(), journal.directory / "report.html"
    if files:
        invoke = click.get_current_context().invoke
        named = {"output": page, "title": name, "against": beside, "left_out": left_out}
        invoke(report.command, paths=files, force=True, **named)
    if not quiet:
        click.echo(f"results are in {journal.directory}", err=True)
