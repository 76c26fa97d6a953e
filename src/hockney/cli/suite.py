"""hockney suite: a plan of many runs, which can be interrupted and resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.base.endings import AtEnd
from hockney.base.errors import HockneyError, UsageError
from hockney.cli import _options
from hockney.cli._help import Option, given_options, option, verb
from hockney.cli._option_groups import OF_OUTPUT, OUTLIERS
from hockney.plan import Plan

if TYPE_CHECKING:
    from hockney.cli._verb import Request
    from hockney.infer.analysis.findings import DecidingFinding
    from hockney.infer.analysis.gate import Gate
    from hockney.run.measure.journal import Journal
    from hockney.run.measure.sessions.answer import Problem
    from hockney.run.measure.suite import PlannedRun, Suite

MEASURE_THERE = "measure this plan there, too"


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
    from hockney.infer.analysis.gate import together
    from hockney.run.measure.journal import Journal
    from hockney.run.measure.suite import read_suite

    suite, requests = _requested(read_suite(plan_name), plan_name, more)
    plans = [request.plan for request in requests]
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
        failed = _measure_all(suite, plans, journal, quiet)
        own = _gated(suite, requests, journal)
        compared = _compared(journal, against, tolerance, memory) if against else _Judged()
        unfinished = _unfinished(journal, failed)
        is_gated = own.gate is not None or compared.gate is not None
        verdict = together([own.gate, compared.gate, unfinished.gate]) if is_gated else None
        beside = (*unfinished.findings, *compared.findings, *own.findings)
        show_gate(verdict)
        _show_decision(journal, beside, compared.lines)
        _show_end(suite, journal, beside, quiet)
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
    from hockney.show.comparison import against_lines

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


def _gated(suite: Suite, requests: list[Request], journal: Journal) -> _Judged:
    """The gate of all runs together: of their plans' gates, and with --gate of outliers where a run
    has several pairs. None if nothing is gated."""
    from hockney import records
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.findings import explainer, of_gate
    from hockney.infer.analysis.gate import not_judged, together

    if not any(request.output.gate or request.plan.has_gate for request in requests):
        return _Judged()
    gated: list[tuple[Gate | None, Sequence[DecidingFinding]]] = []
    for number, (run, request) in enumerate(zip(suite.runs, requests, strict=True), 1):
        path = journal.directory / run.file_name(number)
        if path in journal.files():
            analysis = Analysis(records.read(path))
            gate = analysis.gate(request.output.gate and analysis.compares_pairs)
            gated.append((gate, analysis.findings_by_itself))
    if not any(gate for gate, _ in gated) and any(request.output.gate for request in requests):
        gate = not_judged("no run measured several pairs", "add one of pairs, cores or fabric")
        return _Judged(gate, (of_gate("", gate, ""),))
    known = [finding for _, findings in gated for finding in findings]
    gated.sort(key=lambda each: any(explainer(finding, known) for finding in each[1]))
    return _Judged(together(gate for gate, _ in gated))


def _requested(suite: Suite, where: str, more: tuple[str, ...]) -> tuple[Suite, list[Request]]:
    """The runs that are not left out, and their plans. Whether there are enough nodes for a run
    is known from the one before it, as its own words may not fit fewer."""
    from hockney.run.measure.machine.placements import nodes_of

    runs: list[PlannedRun] = []
    requests: list[Request] = []
    for run in suite.runs:
        if requests and nodes_of(requests[-1].plan.first.placement) < run.least_nodes:
            continue
        runs.append(run)
        requests.append(_request(where, run, more))
    return replace(suite, runs=tuple(runs)), requests


def _request(where: str, run: PlannedRun, more: tuple[str, ...]) -> Request:
    """The plan and output of one run; all are checked before any is measured."""
    from hockney.base.toml_file import check_keys
    from hockney.cli._verb import ask, measuring_verb
    from hockney.run.measure.machine.placements import check_allocation
    from hockney.run.measure.preparation.setup import mpi_of

    try:
        verb = measuring_verb(run.verb)
    except UsageError as error:
        raise UsageError(f"{where}, {run.label}: {error.message}", error.advice) from error
    options = {
        name.lstrip("-"): param
        for param in verb.params
        for name in (*param.opts, *param.secondary_opts)
        if param.name not in OF_OUTPUT
    }
    check_keys(f"{where}, {run.label}", dict(run.options), options)
    _check_not_varied(f"{where}, {run.label}", run, options, more)
    try:
        words = [run.verb]
        # Arguments first: an option with several values would take them for values.
        for name, value in sorted(run.options, key=lambda pair: _is_option(options[pair[0]])):
            words += _words(options[name], name, value)
        words += _closed_words(more)
        request = ask(words, OF_OUTPUT)
        for case in request.plan.cases:
            check_allocation(case.placement)
        mpi_of(request.plan.first.placement)
    except (UsageError, click.UsageError) as error:
        message = error.message if isinstance(error, click.UsageError) else str(error)
        raise UsageError(f"{where}, {run.label}: {message}") from error
    return request


def _is_option(param: click.Parameter) -> bool:
    return isinstance(param, click.Option)


def _check_not_varied(
    where: str, run: PlannedRun, options: dict[str, click.Parameter], more: tuple[str, ...]
) -> None:
    """Raises UsageError for an option behind -- that would make all runs of a matrix the same."""
    varied = {options[name].name: name for name in run.varied}
    for word in more:
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        param = options.get(name.lstrip("-")) if name.startswith("-") else None
        if param is not None and param.name in varied:
            raise UsageError(
                f"{where}: {name} is given, and {varied[param.name]} is in the run's matrix",
                "leave it out, or change the plan",
            )


def _words(param: click.Parameter, name: str, value: Any) -> list[str]:
    """The words of a key of a run. Raises UsageError where a part of its value would be ignored."""
    values = value if isinstance(value, list) else [value]
    has_several = isinstance(param, Option) and (param.multiple or param.several)
    if isinstance(value, list) and not (has_several and values):
        text = ",".join(map(str, values)) or "..."
        raise UsageError(
            f"{name} is a list",
            f'write one text, such as {name} = "{text}", or matrix.{name} for a run of each',
        )
    if not isinstance(param, Option):
        return [str(value)]
    option = f"--{name}" if len(name) > 1 else f"-{name}"
    if isinstance(value, bool):
        return _switched(param, option, value)
    if param.is_flag:
        raise UsageError(f"{name} = {value!r}", f"it has no value: write {name} = true")
    if param.several:
        return [option, *map(str, values)]
    return [word for each in values for word in (option, str(each))]


def _switched(param: Option, option: str, is_on: bool) -> list[str]:
    """The words of a key that is true or false."""
    may_be_alone = isinstance(param.flag_value, str)
    if not (param.is_flag or may_be_alone):
        raise UsageError(f"{option} is true or false", "give it a value, or leave it out")
    if is_on:
        return [f"{option}={param.flag_value}" if may_be_alone else option]
    return (param.secondary_opts if option in param.opts else param.opts)[:1]


def _closed_words(more: tuple[str, ...]) -> Iterator[str]:
    """The words, with the value of a --gate that has none: it would take a later word for it."""
    for word, following in zip(more, (*more[1:], "-"), strict=False):
        is_alone = word == "--gate" and following.startswith("-")
        yield f"{word}={OUTLIERS}" if is_alone else word


def _measure_all(
    suite: Suite, plans: list[Plan], journal: Journal, quiet: bool
) -> dict[str, list[Problem]]:
    """Measures every run that is not done yet, even after one has failed; returns what went wrong,
    by the file of the run."""
    # For a signal that no launch heeds, as between two runs.
    hint = AtEnd(lambda: os.write(2, f"{_advice(journal)}\n".encode()))
    try:
        return _measured(suite, plans, journal, quiet)
    finally:
        hint.forget()


def _advice(journal: Journal) -> str:
    return f"interrupted; continue with --resume -o {journal.directory}"


def _measured(
    suite: Suite, plans: list[Plan], journal: Journal, quiet: bool
) -> dict[str, list[Problem]]:
    from hockney.cli._measure import measured
    from hockney.run.measure.execution import Target
    from hockney.run.measure.sessions.answer import Problem
    from hockney.run.measure.sessions.problems import problems_of

    failed = {}
    for number, (run, plan) in enumerate(zip(suite.runs, plans, strict=True), 1):
        name = run.file_name(number)
        before = f"{number} of {len(suite.runs)}, {run.label}: "
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
    suite: Suite, journal: Journal, beside: Sequence[DecidingFinding], quiet: bool
) -> None:
    """Lists the files and how each run ended, and writes a report of all of them."""
    from hockney.cli import report
    from hockney.show.table import aligned

    rows = [["run", "ended by", "file"]]
    rows += [[entry.label, entry.reason, str(journal.directory / entry.file)] for entry in journal]
    click.echo(aligned(rows))
    files, page = journal.files(), journal.directory / "report.html"
    if files:
        invoke = click.get_current_context().invoke
        named = {"output": page, "title": suite.name, "against": beside}
        invoke(report.command, paths=files, force=True, **named)
    if not quiet:
        click.echo(f"results are in {journal.directory}", err=True)
