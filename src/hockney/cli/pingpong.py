"""hockney pingpong: latency and bandwidth between two ranks."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from hockney.base.units import parse_sizes
from hockney.cli import _options
from hockney.cli._help import option, output_option, verb, workload_option
from hockney.cli._messages import MESSAGES, NAMES, messages_of
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._parameters import SIZE, Named
from hockney.cli._verb import MeasuringVerb
from hockney.foreign.programs import layout_names, preset_named, preset_names
from hockney.plan import Plan, Size, single, sizes_of
from hockney.plan.messages import whole_sizes
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.measure.preparation.endpoints import with_endpoints

DEFAULT_SIZES = "0,1..4MiB"


@verb(
    "hockney pingpong                              # two cores of this machine",
    "hockney pingpong --hosts a,b --sizes 8,1MiB   # between two nodes",
    "hockney pingpong --refine -o breaks.jsonl     # where the protocol changes",
    "hockney pingpong --threads 1,2,4              # latency over threads",
    cls=MeasuringVerb,
)
@_options.sizes(DEFAULT_SIZES)
@_options.ranks(2)
@option(
    "--refine",
    is_flag=True,
    help="Find at which sizes, between the ends of --sizes, the protocol changes.",
)
@option(
    "--preset",
    type=Named(preset_names),
    help="Sizes, repetitions, statistic and table of a classic program.",
)
@_options.peers("The two ranks that exchange messages; the others sleep.")
@workload_option("--from", "first", type=SIZE, help="First size of a range by powers of two.")
@workload_option("--to", "last", type=SIZE, help="Last size of that range.")
@workload_option(
    "--per-octave",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Sizes per factor of two in that range.",
)
@MESSAGES
@output_option(
    "--format",
    "layout",
    type=Named(layout_names),
    help="Print the table of a classic program.",
)
@measuring_options()
def command(
    common: Common,
    *,
    ranks: int,
    peers: tuple[int, int],
    preset: str | None,
    refine: bool,
    **others: Any,
) -> Plan:
    """Measure the one-way time of messages between two ranks.

    Prints latency and bandwidth, the median of each size with its confidence interval, and
    Hockney's fit T(b) = alpha + beta b. Every sample is kept in a result file.
    """
    by_nodes = None if "ranks" in common.given else common.ranks_by_nodes()
    placement = replace(common.placement, ranks=by_nodes or ranks)
    grid = {name: others.pop(name) for name in ("sizes", "first", "last", "per_octave")}
    sizes = _sizes(common, **grid)
    workload = Pingpong(
        sizes=sizes_of(sizes),
        buffers=common.buffers,
        peers=peers,
        refine=refine,
        **messages_of(common, others, max(sizes)),
    )
    if not common.given_among(*grid):
        workload = replace(workload, sizes=sizes_of(whole_sizes(sizes, workload.unit_bytes)))
    placement = with_endpoints(placement, workload)
    if preset is None:
        return single(workload, placement, common.sampling)
    sampling = common.sampling
    if "launches" not in common.given:
        sampling = replace(sampling, least_launches=1, most_launches=1)
    return single(_with_preset(workload, preset, common), placement, sampling)


def _sizes(
    common: Common, sizes: list[int], first: int | None, last: int | None, per_octave: int | None
) -> list[int]:
    has_range = first is not None or last is not None or per_octave
    if "sizes" in common.given and has_range:
        raise click.UsageError("--sizes gives all sizes: leave out --from, --to, --per-octave")
    if not has_range:
        return sizes
    first = 1 if first is None else first
    steps = f"/{per_octave}" if per_octave else ""
    zero = [0] if first == 0 else []
    return zero + parse_sizes(f"{max(first, 1)}..{4 << 20 if last is None else last}{steps}")


def _with_preset(workload: Pingpong, name: str, common: Common) -> Pingpong:
    """A preset is one launch as the classic program makes it; sizes and launches may be changed,
    but what makes it that preset may not."""
    preset = preset_named(name)
    if common.given_among("buffers"):
        raise click.UsageError(f"--preset {name} has buffers of its own: leave out --buffers")
    other = common.given_among(*NAMES, "any_source")
    if other:
        raise click.UsageError(f"--preset {name} fixes the workload: leave out {other[0]}")
    sizes = preset.sizes
    if common.given_among("sizes", "first", "last", "per_octave"):
        sizes = tuple(size for size in sizes if Size(size.bytes) in workload.sizes)
        if not sizes:
            raise click.UsageError(f"--preset {name} has none of these sizes")
    return preset.applied(name, replace(workload, sizes=sizes))
