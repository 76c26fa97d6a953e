"""hockney fabric: all pairs of a network's nodes, and which node, switch or cable is slow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.base.units import parse_sizes
from hockney.cli import _options
from hockney.cli._help import verb, workload_option
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._parameters import count_of
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Placement, Plan, Sampling, single, sizes_of
from hockney.plan.knobs import option_of
from hockney.plan.platform_files import UnreadableRoutesError
from hockney.plan.workloads.fabric import Fabric
from hockney.run.measure.machine.capacity import allowed_cpus
from hockney.run.measure.machine.topology import of_scheduler, with_routes, with_topology

DEFAULT_SIZES = "8,1MiB"
USUAL_FROM = 512
"""Ranks from which on all pairs take so many rounds that few are chosen unless all are asked
for."""


@verb(
    "hockney fabric -n 4096 --nodes 4096                  # what is slow, in some 40 rounds",
    "hockney fabric -n 4096 --nodes 4096 --all-pairs      # all pairs, in 4095 rounds of 2048",
    "hockney fabric -n 64 --nodes 64 --one-way            # what is slow in one direction alone",
    "hockney fabric -n 64 --nodes 64 --topology switches.txt --per-switch --gate",
    "hockney fabric -n 512 --nodes 512 --serial -o all.jsonl --resume --budget 30min",
    "hockney plot --what fabric all.jsonl -o map.png",
    cls=MeasuringVerb,
)
@_options.sizes(DEFAULT_SIZES)
@_options.ranks(None, "one per node with --nodes, else all CPUs that may be used")
@_options.TOPOLOGY
@workload_option(
    "--locate/--all-pairs",
    "locate",
    default=None,
    help="Choose rounds, launch by launch, until what is slow is 1,000 times likelier than any "
    f"other explanation (the default from {USUAL_FROM} ranks on), or measure all pairs.",
)
@workload_option(
    "--per-switch",
    is_flag=True,
    help="Pair the nodes of each switch, on all switches at the same time, and then every two "
    "switches, node by node: fewer rounds than all pairs take.",
)
@workload_option(
    "--serial",
    is_flag=True,
    help="Measure one pair at a time, not as many at once as there are.",
)
@workload_option(
    "--rounds",
    "visits",
    type=count_of("repetitions"),
    metavar="N",
    help="Make only N rounds of each pass, drawn at random: a sample of the pairs. With --locate: "
    "choose at most N rounds.",
)
@measuring_options()
def command(common: Common, **options: Any) -> Plan:
    """Measure pairs of nodes, in rounds in which each node has one partner.

    Each launch makes a pass over all pairs, or over few rounds that show what is slow; one that is
    interrupted goes on where it ended with --resume. Prints the times by level (same switch, one
    hop, ...), which node, switch or cable is an outlier, and the slowest pairs.
    """
    return plan_of(common, **options)


def plan_of(
    common: Common,
    *,
    ranks: int | None,
    sizes: list[int],
    topology: str | None,
    per_switch: bool,
    serial: bool = False,
    visits: int | None = None,
    locate: bool | None = False,
) -> Plan:
    """Passes over the pairs of a network. locate: None if the number of ranks decides."""
    placement = replace(common.placement, ranks=ranks or _usual_ranks(common))
    if locate is None:
        is_sample = per_switch or serial or visits is not None
        locate = placement.ranks >= USUAL_FROM and not is_sample
    known = _with_routes if locate else with_topology
    placement = known(placement, topology or of_scheduler())
    if per_switch and placement.topology is None:
        raise UsageError("--per-switch: the switches are unknown", "describe them: --topology FILE")
    numbers = placement.topology.numbered() if placement.topology and per_switch else ()
    workload = Fabric(
        sizes=sizes_of(sizes),
        buffers=common.buffers,
        serial=serial,
        switch_numbers=numbers,
        visits=visits,
        locate=locate,
    )
    return single(workload, placement, _passes(common))


def _with_routes(placement: Placement, topology: str | None) -> Placement:
    try:
        return with_routes(placement, topology)
    except UnreadableRoutesError as error:
        source = topology or placement.platform
        click.echo(
            f"note: {source}: its routes are not read, cables stay unknown: {error}", err=True
        )
        return placement


def per_switch_plan(
    common: Common,
    ranks: int | None,
    topology: str | None,
    sizes: list[int] | None,
    fixed: Sequence[str],
) -> Plan:
    """The passes of --per-switch that another verb makes. sizes: None for those of fabric. fixed:
    options of the verb that would make it something else, and are refused."""
    given = [option_of(name) for name in fixed if name in common.given]
    if given:
        raise click.UsageError(f"--per-switch fixes the pairs: leave out {', '.join(given)}")
    sizes = sizes or parse_sizes(DEFAULT_SIZES)
    return plan_of(common, ranks=ranks, sizes=sizes, topology=topology, per_switch=True)


def _usual_ranks(common: Common) -> int:
    common.check_not_simulated()
    return common.ranks_by_nodes() or common.placement.node_count or allowed_cpus()


def _passes(common: Common) -> Sampling:
    """The sampling with at most the least passes that are asked for: more would show nothing
    more."""
    sampling = common.sampling
    if sampling.most_launches is not None:
        return sampling
    return replace(sampling, most_launches=sampling.least_launches, within_budget=True)
