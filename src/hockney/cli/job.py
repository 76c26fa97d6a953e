"""hockney job: a batch script for a measurement; submitted, waited for and brought home."""

from __future__ import annotations

import platform
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.base.errors import HockneyError, UsageError
from hockney.base.units import format_seconds, how_many
from hockney.cli._help import option, verb
from hockney.cli._parameters import SECONDS, Named
from hockney.plan import Plan
from hockney.run.schedulers import (
    Batch,
    Job,
    JobState,
    batch_named,
    batch_names,
    cancel,
    find_requested,
    resubmitting,
)
from hockney.run.schedulers import submit as submit_job

if TYPE_CHECKING:
    from hockney.cli._option_groups import Output
    from hockney.cli._verb import Request
    from hockney.run.measure.job import Measurement
    from hockney.show.progress import Live

WATCH = "watch"
POLL_S = 1.0
LAST_LINES = 12
"""Lines of the scheduler's log that are shown when a job fails."""


@verb(
    "hockney job slurm --account abc -- pingpong --nodes 2 --ranks-per-node 1",
    "hockney job pbs --submit --time 10min -- collective allreduce --nodes 8",
    "hockney job slurm --submit -- watch --dir /shared/watch -- fabric --nodes 16",
)
@click.argument("scheduler", type=Named(batch_names))
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- VERB ...")
@option("--submit", is_flag=True, help="Submit the script, wait, and show the result.")
@option("--account", metavar="NAME", help="Account to charge.")
@option("--partition", metavar="NAME", help="Partition or queue.")
@option(
    "--time",
    "time_s",
    type=SECONDS,
    show_default="from the budget",
    help="Time limit of the job; refused where the launches do not fit into it.",
)
@option("--exclusive/--no-exclusive", default=True, show_default=True, help="Request whole nodes.")
@option(
    "--module",
    "modules",
    multiple=True,
    metavar="NAME",
    help="Environment module to load. May be repeated.",
)
def command(scheduler: str, words: tuple[str, ...], submit: bool, **options: Any) -> None:
    """Print a batch script that measures on nodes without Python, or submit it.

    With --nodes, and neither -n nor --ranks-per-node, each node has one rank.
    With watch as VERB, each job makes a look and submits the next one; its nodes need hockney.
    """
    from hockney.cli._measure import default_output
    from hockney.cli._verb import ask
    from hockney.run.measure.job import Measurement
    from hockney.run.measure.preparation.setup import mpi_of

    if any(word.partition("=")[0] == "--platform" for word in words):
        raise UsageError("--platform: a simulated machine needs no job", "leave out `job` and `--`")
    if words[0] == WATCH:
        _watch(scheduler, words[1:], submit, options)
        return
    verb_words = _VerbWords.of(words)
    request = ask(verb_words.placed, nodes=1)
    plan, output = request.plan, request.output
    _check(plan, output)
    is_dated = output.path is None and not submit
    dated = Path(f"{plan.experiment}-{platform.node()}.jsonl")
    result = dated if is_dated else output.path or default_output(plan.experiment)
    measurement = Measurement(plan, *mpi_of(plan.first.placement), result, is_dated)
    job = _job(plan, options)
    text = _script(batch_named(scheduler), job, measurement, output.label)
    notes = _not_decided(plan, verb_words.given)
    if not submit:
        shown = result.with_name(f"{result.stem}-TIME.jsonl") if is_dated else result
        notes += _not_shown(request, shown)
        if find_requested(plan.first.placement) is None:
            notes += filter(None, [batch_named(scheduler).assumption(measurement.mpi)])
        click.echo(text, nl=False)
    for note in [] if output.quiet else notes:
        click.echo(note, err=True)
    if submit:
        _submit(batch_named(scheduler), job, text, measurement, output)


def _watch(scheduler: str, words: tuple[str, ...], submit: bool, options: dict[str, Any]) -> None:
    """The script that makes looks between other jobs."""
    from hockney.cli import watch
    from hockney.cli._watcher import kept_plan
    from hockney.run.measure.job import watch_script

    with watch.command.make_context(WATCH, list(words)) as context:
        for name in ("once", "due", "mark"):
            if context.params[name]:
                raise UsageError(f"--{name} cannot be used in a job: leave it out")
        given, directory = context.params["words"], context.params["directory"]
        plan = None if given else kept_plan(directory)
        if plan is None:
            verb_words = _VerbWords.of(given or watch.USUAL)
            plan = watch.request_of(verb_words.placed, nodes=1).plan
            words = tuple(verb_words.placed_at_the_end_of(words))
    batch, again = batch_named(scheduler), resubmitting(scheduler)
    job = replace(_job(plan, options), name=f"hockney-{WATCH}")
    text = watch_script(batch, again, job, words)
    if submit:
        click.echo(f"job {submit_job(batch, text)} makes a look and submits the next one")
    else:
        click.echo(text, nl=False)


@dataclass(frozen=True)
class _VerbWords:
    """The words of a verb whose ranks run on nodes that are unknown to this host."""

    words: Sequence[str]
    given: frozenset[str]
    """Names of the parameters that the words give."""
    has_nodes: bool
    """Whether the words ask for several nodes."""

    @staticmethod
    def of(words: Sequence[str]) -> _VerbWords:
        """Raises UsageError where the number of ranks would be that of the CPUs of this host."""
        from hockney.cli._verb import measuring_verb

        with measuring_verb(words[0]).make_context(words[0], list(words[1:])) as context:
            default = click.core.ParameterSource.DEFAULT
            params = context.params
            given = {name for name in params if context.get_parameter_source(name) != default}
        verb_words = _VerbWords(words, frozenset(given), (params["nodes"] or 1) > 1)
        if params["ranks"] is None and not (verb_words.has_nodes or params["ranks_per_node"]):
            raise UsageError(
                "the number of ranks is not given, and the job's nodes may have other CPUs than "
                "this host",
                "give it with -n, or with --nodes and --ranks-per-node",
            )
        return verb_words

    @property
    def _each(self) -> list[str]:
        """One rank on each node where only the number of nodes is given."""
        is_known = self.given & {"ranks", "ranks_per_node"} or not self.has_nodes
        return [] if is_known else ["--ranks-per-node=1"]

    @property
    def placed(self) -> list[str]:
        """The words with the number of ranks on each node."""
        return [self.words[0], *self._each, *self.words[1:]]

    def placed_at_the_end_of(self, words: Sequence[str]) -> list[str]:
        """Words that end with these, with the number of ranks on each node."""
        before = len(words) - len(self.words) + 1
        return [*words[:before], *self._each, *words[before:]] if self._each else [*words]


def _not_decided(plan: Plan, given: frozenset[str]) -> list[str]:
    """Notes on options with which hockney would decide something while the job runs."""
    sampling, notes = plan.sampling, []
    if sampling.most_launches not in (None, sampling.least_launches):
        notes.append(
            f"--launches: the script makes {sampling.least_launches}, as it cannot tell whether "
            "more are needed"
        )
    if "timeout" in given:
        notes.append("--timeout: the script ends no launch that hangs; the job's time limit does")
    return notes


def _not_shown(request: Request, result: Path) -> list[str]:
    """Notes on options about an answer, which a script that is only printed does not give."""
    output = request.output
    show = f"hockney show {shlex.quote(str(result))}"
    notes = []
    if output.gate:
        notes.append(f"--gate: judge what the job measures by {show} --gate")
    elif request.plan.has_gate:
        notes.append(f"--gate: judge what the job measures by {show}")
    if output.as_json:
        notes.append(f"--json: the answer is that of {show} --json")
    if output.layout:
        notes.append(f"--format: the table is that of {show} --format {output.layout}")
    return notes


def _check(plan: Plan, output: Output) -> None:
    from hockney.run.measure.studies.steps import has_steps

    for name in ("hosts", "launcher"):
        if getattr(plan.first.placement, name):
            raise UsageError(f"--{name} cannot be used in a job: the scheduler chooses it")
    if plan.first.placement.without_bad_nodes:
        raise UsageError(
            "a batch script cannot tell which node makes a launch fail",
            "let the job run hockney itself, with --without-bad-nodes",
        )
    if output.resume or output.force:
        raise UsageError("a job writes a new file: leave out --resume and --force")
    if plan.comparison is not None:
        raise UsageError(
            "a batch script cannot tell which launch measures which variant",
            "let the job run hockney itself, with --vary",
        )
    if plan.race and not plan.searched:
        raise UsageError(
            "--race decides after each launch, which a batch script without Python cannot",
            "leave it out",
        )
    if has_steps(plan):
        raise UsageError(
            "a batch script cannot choose what to measure next from what was measured",
            "let the job run hockney itself, or leave out --refine and auto",
        )


def _job(plan: Plan, options: dict[str, Any]) -> Job:
    minutes = _minutes(plan, options.pop("time_s"))
    most = max((case.placement for case in plan.cases), key=lambda placement: placement.ranks)
    return Job(
        name=f"hockney-{plan.experiment}",
        nodes=most.node_count or 1,
        per_node=most.per_node or most.ranks,
        minutes=minutes,
        cpus_per_rank=max(case.workload.threads_of_rank for case in plan.cases),
        **options,
    )


def _minutes(plan: Plan, time_s: float | None) -> int:
    """The time limit, of whole minutes. Raises UsageError if the launches do not fit into it."""
    from hockney.run.measure.job import launches_of, minutes_for

    needed = minutes_for(plan)
    if time_s is None:
        return needed
    if time_s < needed * 60.0:
        count = launches_of(plan)
        launches = f"{count} launches and their starts" if count > 1 else "a launch and its start"
        raise UsageError(
            f"--time {format_seconds(time_s)} cannot hold the job: {launches} need {needed} min",
            f"ask for --time {needed}min or more, leave it out, or measure for less time (--budget"
            + (", --over)" if plan.sampling.over_s else ")"),
        )
    return int(time_s // 60.0)


def _script(scheduler: Batch, job: Job, measurement: Measurement, label: str | None) -> str:
    from hockney import records
    from hockney.run.measure.job import job_script
    from hockney.run.measure.sessions.session import new_run

    header = records.encode(new_run(measurement.plan, label).header)
    return job_script(scheduler, job, measurement, header)


def _submit(
    scheduler: Batch, job: Job, text: str, measurement: Measurement, output: Output
) -> None:
    """Submits the job, waits and shows the result; an interrupted wait cancels the job and keeps
    what it has."""
    from hockney import records
    from hockney.cli._measure import show_measured
    from hockney.cli._present import end_by
    from hockney.infer.analysis import Analysis
    from hockney.run.measure.job import launches_of
    from hockney.run.measure.sessions.resume import whole_launches
    from hockney.show.progress import Live

    result = measurement.result
    if result.exists():
        raise UsageError(f"{result} exists", "name another file with -o")
    number, most = submit_job(scheduler, text), launches_of(measurement.plan)
    state = _await_end(scheduler, number, most, result, Live(output.quiet))
    run = records.read(result) if result.exists() else None
    verdict = None
    if run is not None and run.is_measured:
        verdict = show_measured(Analysis(run), output)
    whole = len(whole_launches(run)) if run is not None else 0
    # PBS reports a deleted job as one that ended well.
    if not state.well or whole < most:
        raise HockneyError(
            f"job {number} ended as {state.word.lower()} after {whole} of "
            f"{how_many(most, 'launch')}",
            _last_words(scheduler.log(number, job)),
        )
    if not output.quiet:
        click.echo(f"job {number} is done; samples are in {result}", err=True)
    end_by(verdict)


def _await_end(
    scheduler: Batch, number: str, launches: int, result: Path, status: Live
) -> JobState:

    try:
        while not (state := scheduler.state(number)).ended:
            done = f"{_launches_in(result)} of {how_many(launches, 'launch')}"
            if status.is_due:
                words = f"job {number}: {state.word.lower()}, {done}"
                status.draw([[(words, "")]], words)
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        cancel(scheduler, number)
        kept = f"; its rounds are in {result}" if result.exists() else ""
        raise HockneyError(f"job {number} was cancelled{kept}") from None
    finally:
        status.clear()
    return state


def _launches_in(result: Path) -> int:
    try:
        return result.read_bytes().count(b'{"kind":"end"')
    except OSError:
        return 0


def _last_words(log: Path) -> str | None:
    try:
        lines = log.read_text(errors="replace").splitlines()[-LAST_LINES:]
    except OSError:
        return None
    shown = "\n".join(f"    {line}" for line in lines)
    return f"the last lines of {log}:\n{shown}" if shown else None
