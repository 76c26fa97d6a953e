"""hockney reproduce: is a published claim true here?"""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.errors import HockneyError, UsageError
from hockney.base.units import how_many
from hockney.cli import _options
from hockney.cli._help import check_used, option, verb
from hockney.cli._option_groups import OF_OUTPUT

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.claims.claim import JudgedClaim
    from hockney.infer.analysis.claims.claimed_number import Remedy
    from hockney.plan import Plan
    from hockney.plan.claims import Claim, ClaimMeasure


@verb(
    "hockney reproduce --list",
    "hockney reproduce bcast-binomial-rounds",
    "hockney reproduce claim.toml -- --hosts n1,n2 --ranks-per-node 1",
    "hockney reproduce claim.toml --from measured.jsonl --json",
)
@click.argument("name", metavar="CLAIM", required=False)
@click.argument("more", nargs=-1, type=click.UNPROCESSED, metavar="[-- OPTIONS]")
@option("--list", "lists", is_flag=True, help="List the claims that come with hockney.")
@option(
    "--dir",
    "directory",
    type=_options.PATH,
    metavar="DIRECTORY",
    help="Directory for the results.",
    show_default="CLAIM-HOST-TIME",
)
@option(
    "--from",
    "files",
    type=_options.PATH,
    metavar="FILE",
    multiple=True,
    help="Judge this file, which was measured before; for several measurements once for each, in "
    "their order.",
)
@_options.QUIET
@_options.JSON
def command(
    name: str | None,
    more: tuple[str, ...],
    lists: bool,
    directory: Path | None,
    files: tuple[Path, ...],
    quiet: bool,
    as_json: bool,
) -> None:
    """Measure what CLAIM is about, and judge it: confirmed, refuted, or cannot tell.

    CLAIM is a TOML file, or the name of one that comes with hockney. OPTIONS are added to each of
    its commands. Exit status 0: confirmed; 1: refuted; 3: it cannot tell, and the second line
    has what would.
    """
    from hockney.plan.claim_file import read_claim
    from hockney.run.measure.preparation.requirements import check_requirements

    if lists:
        if name is not None:
            raise click.UsageError("--list has no claim: leave it out")
        check_used("with --list", "lists", "as_json")
        _show_list(as_json)
        return
    if name is None:
        raise click.UsageError("which claim? Name a file, or one of hockney reproduce --list")
    if files and (more or directory):
        raise click.UsageError("--from measures nothing: leave out --dir and the options after --")
    claim = read_claim(name)
    check_requirements(name, claim.requires)
    analyses: dict[str, Analysis] = {}
    lacks = _measured_before(claim, name, files, analyses) if files else None
    if not files:
        lacks = _measured_now(claim, name, more, directory, quiet, analyses)
    _end(_judged(claim, lacks, analyses), analyses, as_json)


def _show_list(as_json: bool) -> None:
    from hockney.plan.claim_file import CLAIMS, read_claim
    from hockney.show.claims.claim_lines import list_json, list_lines
    from hockney.show.tables.as_json import dumps

    claims = [read_claim(name) for name in CLAIMS]
    click.echo(dumps(list_json(claims)) if as_json else "\n".join(list_lines(claims)))


def _judged(claim: Claim, lacks: Remedy | None, analyses: dict[str, Analysis]) -> JudgedClaim:
    from hockney.infer.analysis.claims.claim import cannot_tell, judged
    from hockney.show.experiments import shown_json

    if lacks is not None:
        return cannot_tell(claim, lacks)
    return judged(claim, analyses, shown_json)


def _end(judgement: JudgedClaim, analyses: dict[str, Analysis], as_json: bool) -> None:
    from hockney.base.terminal import styled
    from hockney.cli._present import end_by
    from hockney.show.claims.claim_lines import claim_json, claim_lines
    from hockney.show.tables.as_json import dumps

    if as_json:
        click.echo(dumps(claim_json(judgement, analyses)))
    else:
        first, *others = claim_lines(judgement, analyses)
        click.echo("\n".join([styled(first, "bold"), *others]))
    end_by(judgement.gate)


def _measured_before(
    claim: Claim, name: str, files: tuple[Path, ...], analyses: dict[str, Analysis]
) -> Remedy | None:
    """Reads the files of a claim's measurements into `analyses`; returns what they lack."""
    from hockney.cli._files import load
    from hockney.run.measure.preparation.requirements import lacking_in

    if len(files) != len(claim.measures):
        names = ", ".join(measure.name for measure in claim.measures)
        raise UsageError(
            f"{how_many(len(files), 'file')} for {how_many(len(claim.measures), 'measurement')} "
            f"({names})",
            "give --from once for each, in this order",
        )
    for measure, file in zip(claim.measures, files, strict=True):
        analyses[measure.name] = load(file)
    ids = [analysis.run.header.id for analysis in analyses.values()]
    if len(set(ids)) < len(ids):
        raise UsageError("two measurements of the claim are from one run", "name a file for each")
    lacks = (lacking_in(claim.requires, analysis.run) for analysis in analyses.values())
    others = (_unlike(name, measure, analyses[measure.name]) for measure in claim.measures)
    return next(filter(None, itertools.chain(lacks, others)), None)


def _unlike(name: str, measure: ClaimMeasure, analysis: Analysis) -> Remedy | None:
    """Why a file is no measurement of the claim; None if it is, as far as its records say."""
    from hockney.infer.analysis.claims.claimed_number import Remedy
    from hockney.plan import lacking, plan_of

    made = plan_of(analysis.run.header.options)
    if made is None:
        return None  # a log of another program
    try:
        planned = _plan(name, measure, ())
    except UsageError as error:  # what it was measured with need not be here
        click.echo(f"hockney: not checked that it measured this: {error.message}", err=True)
        return None
    names_ranks = any(word.startswith(("-n", "--ranks")) for word in measure.words)
    why = lacking(planned, made, with_ranks=names_ranks) or _elsewhere(planned, analysis)
    if why is None:
        return None
    return Remedy(
        f"{analysis.run.path} is another measurement than the claim's: {why}",
        f"measure it: {measure.command}",
    )


def _elsewhere(planned: Plan, analysis: Analysis) -> str | None:
    """Why ranks were on other nodes than requested; None if they were not, or if it is unknown."""
    wanted = planned.first.placement.nodes
    hosts = {place.host for place in analysis.places.values()}
    if wanted is None or not hosts or None in hosts or len(hosts) == wanted:
        return None
    return f"its ranks were on {how_many(len(hosts), 'node')}, not {wanted}"


def _measured_now(
    claim: Claim,
    where: str,
    more: tuple[str, ...],
    directory: Path | None,
    quiet: bool,
    analyses: dict[str, Analysis],
) -> Remedy | None:
    """Measures what a claim needs into `analyses`; returns what is lacking or went wrong."""
    from hockney.base.outputs import here_and_now
    from hockney.run.measure.preparation.requirements import lacking_for, lacking_here

    if (lacks := lacking_here(claim.requires)) is not None:
        return lacks
    plans = [_plan(where, measure, more) for measure in claim.measures]
    for plan in plans:
        if (lacks := lacking_for(claim.requires, plan.first.placement)) is not None:
            return lacks
    results = directory or here_and_now(claim.name)
    results.mkdir(parents=True, exist_ok=True)
    try:
        for number, (measure, plan) in enumerate(zip(claim.measures, plans, strict=True), 1):
            before = f"{number} of {len(plans)}, {measure.name}: " if len(plans) > 1 else ""
            lacks = _measure(measure, plan, results, quiet, before, analyses)
            if lacks is not None:
                return lacks
    finally:
        with suppress(OSError):
            results.rmdir()  # where nothing was measured
    return None


def _plan(where: str, measure: ClaimMeasure, more: tuple[str, ...]) -> Plan:
    """The plan of one measurement, checked as its verb checks it."""
    from hockney.cli._verb import ask

    here = f"{where}, measure {measure.name}: command"
    try:
        return ask([*measure.words, *more], (*OF_OUTPUT, "gate")).plan
    except UsageError as error:
        raise UsageError(f"{here}: {error.message}", error.advice) from error
    except click.UsageError as error:
        raise UsageError(f"{here}: {error.message}", "see hockney VERB --help-all") from error


def _measure(
    measure: ClaimMeasure,
    plan: Plan,
    directory: Path,
    quiet: bool,
    before: str,
    analyses: dict[str, Analysis],
) -> Remedy | None:
    """Measures into `analyses`; returns why nothing was."""
    from hockney.cli._measure import measured
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.claims.claimed_number import Remedy
    from hockney.run.measure.execution import Target
    from hockney.run.measure.sessions.problems import problems_of

    target = Target(directory / f"{measure.name}.jsonl", measure.name, is_chosen=False)
    again = "hockney doctor looks for the cause"
    try:
        session = measured(plan, target, quiet, before)
    except UsageError:
        raise
    except HockneyError as error:
        return Remedy(f"{measure.name} was not measured: {error.message}", error.advice or again)
    if session.was_stopped:
        click.echo(f"hockney: interrupted; what was measured is in {directory}", err=True)
        raise click.exceptions.Exit(130)
    problems = problems_of(session)
    if not session.run.is_measured:
        why = "; ".join(map(str, problems)) or f"it ended by {session.reason}"
        return Remedy(f"{measure.name} was not measured: {why}", again)
    for problem in problems:
        click.echo(f"hockney: {before}{problem}", err=True)
    analyses[measure.name] = Analysis(session.run)
    return None
