"""hockney replay: what a profiled program exchanged, as a benchmark without the program."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._help import PLACEMENT, in_order, option, sampling_option, verb


@verb(
    "hockney replay p.jsonl",
    "hockney replay p.jsonl --mpicc /opt/openmpi/bin/mpicc --delays",
    "hockney replay p.jsonl --platform fat-tree:64",
)
@click.argument("file", type=click.Path(path_type=Path))
@option("--delays", is_flag=True, help="Let each rank compute between its calls as long as it did.")
@sampling_option(
    "--launches",
    type=click.IntRange(1, 1000),
    default=5,
    help="Starts of the MPI program; always 1 when simulated.",
)
@sampling_option(
    "--repetitions",
    type=click.IntRange(1, 100_000),
    default=5,
    help="How often each launch replays the mix.",
)
@_options.mpicc("to replay with", PLACEMENT)
@_options.OVERSUBSCRIBE
@_options.START_ON
@in_order(_options.SIMULATED)
@_options.output("Result file.", show_default="replay-HOST-TIME.jsonl", metavar="FILE")
@_options.force("the result file")
@_options.LABEL
@_options.QUIET
@_options.JSON
def command(
    file: Path,
    delays: bool,
    launches: int,
    repetitions: int,
    mpicc: str | None,
    oversubscribe: bool,
    hosts: tuple[str, ...],
    platform_file: str | None,
    cfg: tuple[str, ...],
    output: Path | None,
    force: bool,
    label: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Exchange the messages and collectives of a profile: as many, as large, between the same
    ranks, in turns.

    A profile does not hold the order of calls: in the replay they take turns as evenly as their
    counts allow. One-sided operations and set-up are left out. The result file is one like others:
    for show, compare and history.
    """
    from hockney.base.endings import AtEnd
    from hockney.cli._files import warn
    from hockney.cli._measure import target_of
    from hockney.cli._profiles import load_profile
    from hockney.plan import Placement
    from hockney.profiling.mix import mix_of
    from hockney.profiling.summary import ProfileSummary
    from hockney.records import Record, encode
    from hockney.run.measure.machine.capacity import check_slots
    from hockney.run.measure.machine.placements import check_nodes, check_simulated
    from hockney.run.measure.replay import header_of, replay
    from hockney.show.profiles.mix_lines import replayed_json, replayed_lines
    from hockney.show.tables.as_json import dumps

    profile = load_profile(file)
    mix = mix_of(profile)
    if profile.first_alone:
        warn([profile.first_alone])
    placement = Placement(
        ranks=mix.ranks,
        place="none",
        oversubscribe=oversubscribe,
        hosts=hosts,
        mpicc=mpicc,
        platform=platform_file,
        cfg=cfg,
    )
    computed = None
    if delays:
        of_ranks = ProfileSummary(profile).computing_s
        computed = [of_ranks[key] for key in sorted(of_ranks) if key[0] == 0]
    check_simulated(placement)
    check_nodes(placement)
    check_slots(placement)
    result = target_of(output, "replay", force).opened()
    at_end = AtEnd(result.remove_empty)
    before = encode(header_of(label))

    def keep(record: Record) -> None:
        nonlocal before
        result.write(before + encode(record))
        before = b""

    try:
        replayed = replay(mix, placement, launches, repetitions, computed, keep)
    finally:
        at_end.now()
        result.close()
    if as_json:
        click.echo(dumps(replayed_json(mix, replayed)))
    else:
        click.echo("\n".join(replayed_lines(mix, replayed)))
    if not quiet:
        click.echo(f"samples are in {result.path}", err=True)
