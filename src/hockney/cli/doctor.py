"""hockney doctor: whether this machine is ready to be measured."""

from __future__ import annotations

import click


@click.command()
@click.option("--mpicc", help="Compiler wrapper of the MPI to look at.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(mpicc: str | None, as_json: bool) -> None:
    """Look at MPI, launcher, pinning, clock, load and limits, and say what to do about each.

    Exit status 1 when something would spoil a measurement.
    """
    from dataclasses import asdict

    from hockney.measure.doctor import examine
    from hockney.views.as_json import dumps

    findings = examine(mpicc)
    verdicts = [finding.verdict for finding in findings]
    bad, warned = verdicts.count("bad"), verdicts.count("warn")
    if as_json:
        verdict = "bad" if bad else "warn" if warned else "ok"
        click.echo(dumps({"findings": [asdict(f) for f in findings], "verdict": verdict}))
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            click.echo(f"{finding.verdict:<7}  {finding.name:<{width}}  {finding.fact}")
            if finding.advice:
                click.echo(f"{'':9}{'':{width}}  -> {finding.advice}")
        ready = "not ready to be measured" if bad else "ready to be measured"
        click.echo(
            f"\n{ready}: {bad} bad, {warned} to know of, {verdicts.count('unknown')} unknown"
        )
    if bad:
        raise click.exceptions.Exit(1)
