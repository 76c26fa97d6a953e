"""hockney doctor: whether this machine is ready to be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from hockney.base.errors import HockneyError, UsageError
from hockney.cli import _options
from hockney.cli._help import COMMON, option, verb
from hockney.cli._parameters import HOSTS

if TYPE_CHECKING:
    from hockney.records import Record, Run
    from hockney.run.measure.doctor import DoctorFinding, Trial

WORST_FIRST = ("bad", "warn", "unknown", "ok")


@verb("hockney doctor", "hockney doctor --mpicc /opt/openmpi/bin/mpicc")
@_options.mpicc("to look at", COMMON)
@option(
    "--transports",
    is_flag=True,
    heading=COMMON,
    help="List the network ports, and which of them, or what memory, messages of each size take.",
)
@option(
    "--hosts",
    type=HOSTS,
    metavar="A,B,...",
    default="",
    show_default="those of the job",
    heading=COMMON,
    help="With --transports: hosts to try messages between.",
)
@_options.memory_to_try(
    "Try whether the MPI sends messages in memory of accelerators: pinned, managed, device, or two "
    "of them, of the sender and the receiver."
)
@_options.JSON
def command(
    mpicc: str | None,
    transports: bool,
    hosts: tuple[str, ...],
    memory: str | None,
    as_json: bool,
) -> None:
    """Check MPI, CPUs, clock, load and limits before a run, with advice on each.

    Inside an allocation of several nodes it compares these first.

    Exit status 1 when something would spoil a measurement.
    """
    if transports and memory is not None:
        raise UsageError("--transports or --memory, not both", "run each by itself")
    if hosts and not transports:
        raise UsageError("--hosts is for --transports", "add --transports")
    if transports:
        _transports(mpicc, hosts, as_json)
        return
    if memory is not None:
        from hockney.cli._present import end_tried
        from hockney.run.measure.preparation.tried_memories import try_messages

        end_tried(try_messages(mpicc, memory), as_json)
        return
    from hockney.run.measure.doctor import examine, overall
    from hockney.show.tables.as_json import dumps

    findings = examine(mpicc, more=(_among_published,))
    verdict = overall(findings)
    if as_json:
        click.echo(dumps({"findings": [asdict(each) for each in findings], "verdict": verdict}))
    else:
        click.echo(f"{_summary(findings)}\n\n{_table(findings)}")
    if verdict == "bad":
        raise click.exceptions.Exit(1)


def _transports(mpicc: str | None, hosts: tuple[str, ...], as_json: bool) -> None:
    """Prints what carries messages, and warnings where that is not the best there is."""
    from hockney.infer.analysis.conditions.detours import detours
    from hockney.infer.analysis.conditions.transports import transports_of
    from hockney.run.measure.doctor.transports import try_transports
    from hockney.show.conditions.transport_lines import transport_lines
    from hockney.show.tables.as_json import dumps, transport_json

    tried = try_transports(mpicc, hosts)
    transports = transports_of(_run_of("collective", tried.records))
    if transports is None:
        raise HockneyError(
            "the engine did not record what carried the messages", "give another --engine"
        )
    warned = [detour.text for detour in detours(transports)]
    if as_json:
        click.echo(
            dumps({**(transport_json(transports) or {}), "says": tried.says, "warnings": warned})
        )
        return
    click.echo(f"messages by {transports.text or 'unknown ways'}: {tried.mpi.mpicc}\n")
    click.echo("\n".join(transport_lines(transports)))
    if tried.says:
        click.echo("\n".join(["the library says:", *(f"  {line}" for line in tried.says)]))
    for text in warned:
        click.echo(f"warning: {text}", err=True)


def _run_of(experiment: str, records: Sequence[Record]) -> Run:
    """The records of a trial as a run that the analysis reads."""
    from hockney import __version__
    from hockney.records import SCHEMA, Run, RunRecord

    run = Run(RunRecord(schema=SCHEMA, hockney=__version__, id="", experiment=experiment))
    for record in records:
        run.add(record)
    return run


def _among_published(trial: Trial) -> DoctorFinding:
    """How the trial's empty messages compare with published systems of the same transport."""
    from hockney.base.units import format_seconds
    from hockney.infer.analysis import Analysis
    from hockney.run.measure.doctor import DoctorFinding
    from hockney.show.claims.published_lines import number_name, place_among

    name = "message among others"
    places = []
    if trial.launch is not None and trial.samples:
        run = _run_of("pingpong", (trial.launch, *trial.samples))
        places = [place for place in Analysis(run).positions().places if place.bytes == 0]
    if not places:
        return DoctorFinding(name, "unknown", "the trial sent no message that others published")
    place = places[0]
    transport = " or ".join(sorted(place.by_transport))
    fact = (
        f"{number_name(place)} {format_seconds(place.value, 3)}: {place_among(place)} ({transport})"
    )
    if place.value <= place.like[-1].value:
        return DoctorFinding(name, "ok", fact)
    return DoctorFinding(
        name, "warn", fact, "see places of ranks, busy CPUs and the MPI's transports first"
    )


def _table(findings: list[DoctorFinding]) -> str:
    """One line for each finding, the worst first, with its advice and details indented below."""
    findings = sorted(findings, key=lambda each: WORST_FIRST.index(each.verdict))
    verdict = max(len(each.verdict) for each in findings)
    name = max(len(each.name) for each in findings)
    lines = []
    for each in findings:
        first, *more = each.fact.splitlines() or [""]
        lines.append(f"{each.verdict:<{verdict}}  {each.name:<{name}}  {first}")
        indent = " " * (verdict + name + 4)
        below = [*more, *(each.advice or "").splitlines()]
        lines += [f"{indent}{line.strip()}" for line in below if line.strip()]
    return "\n".join(lines)


def _summary(findings: list[DoctorFinding]) -> str:
    """The verdict, and which findings decide it."""
    bad, warned = (
        [each.name for each in findings if each.verdict == verdict] for verdict in ("bad", "warn")
    )
    if bad:
        return f"not ready to be measured: {', '.join(bad)}"
    if warned:
        return f"ready to be measured, with warnings: {', '.join(warned)}"
    return "ready to be measured"
