"""hockney pingpong: latency and bandwidth between two ranks."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from hockney.cli._options import OLD_NAMES, Common, measuring_options
from hockney.cli._parameters import PEERS, SIZE, SIZES, Named
from hockney.cli._verb import MeasuringVerb
from hockney.programs import layout_names, preset_named, preset_names
from hockney.spec import Plan, Size, single, sizes_of
from hockney.spec.workloads.pingpong import Pingpong
from hockney.units import parse_sizes

DEFAULT_SIZES = "0,1..4MiB"


@click.command(cls=MeasuringVerb)
@click.option("-n", "ranks", type=int, default=2, show_default=True, help="Ranks to start.")
@click.option(
    "--peers",
    type=PEERS,
    default="0,1",
    show_default=True,
    help="Which two of them exchange messages; the others sleep.",
)
@click.option(
    "--sizes",
    type=SIZES,
    metavar="LIST",
    help=f"0,1,8 or 1..4MiB (powers of two), 1..4e6x10 (by tens), 1..1MiB/4 (four an "
    f"octave).  [default: {DEFAULT_SIZES}]",
)
@click.option("--from", "first", type=SIZE, help="Smallest size of a range by powers of two.")
@click.option("--to", "last", type=SIZE, help="Largest size of that range.")
@click.option("--per-octave", type=click.IntRange(1, 64), help="Sizes an octave in that range.")
@click.option(
    "--every-iteration",
    is_flag=True,
    help="Time each exchange on its own, clock cost subtracted: for variability.",
)
@click.option("--floor", is_flag=True, help="Measure the hardware's limit in the same rounds.")
@click.option(
    "--refine", is_flag=True, help="Find where the curve breaks, to the byte where noise allows."
)
@click.option("--verify", is_flag=True, help="Check every message on arrival, untimed.")
@click.option(
    "--preset",
    type=Named(preset_names),
    help="Sizes, repetitions, statistic and table of a classic program.",
)
@click.option(
    "--format",
    "layout",
    type=Named(layout_names),
    help="Print in the layout of a classic program.",
)
@measuring_options()
def command(
    common: Common,
    *,
    ranks: int,
    peers: tuple[int, int],
    preset: str | None,
    every_iteration: bool,
    floor: bool,
    refine: bool,
    verify: bool,
    **grid: Any,
) -> Plan:
    """Measure the one-way time of messages between two ranks.

    Prints a table with the median of each size and its interval, and Hockney's fit
    T(b) = alpha + beta b; keeps every sample in a result file.
    """
    by_nodes = None if "ranks" in common.given else common.ranks_by_nodes()
    placement = replace(common.placement, ranks=by_nodes or ranks)
    workload = Pingpong(
        sizes=sizes_of(_sizes(**grid)),
        buffers=common.buffers,
        peers=peers,
        every_iteration=every_iteration,
        floor=floor,
        refine=refine,
        verify=verify,
    )
    if preset is None:
        return single(workload, placement, common.sampling)
    sampling = common.sampling
    if "launches" not in common.given:
        sampling = replace(sampling, least_launches=1, most_launches=1)
    return single(_with_preset(workload, preset, common), placement, sampling)


def _sizes(
    sizes: list[int] | None, first: int | None, last: int | None, per_octave: int | None
) -> list[int]:
    if sizes and (first is not None or last is not None or per_octave):
        raise click.UsageError("--sizes already says it all: leave out --from, --to, --per-octave")
    if sizes:
        return sizes
    if first is None and last is None and not per_octave:
        return parse_sizes(DEFAULT_SIZES)
    first = 1 if first is None else first
    steps = f"/{per_octave}" if per_octave else ""
    zero = [0] if first == 0 else []
    return zero + parse_sizes(f"{max(first, 1)}..{4 << 20 if last is None else last}{steps}")


def _with_preset(workload: Pingpong, name: str, common: Common) -> Pingpong:
    """A preset is one launch as the classic program makes it; sizes and launches may be changed,
    but what makes it that preset may not."""
    preset = preset_named(name)
    own = common.given_among("buffers", *OLD_NAMES)
    if own:
        raise click.UsageError(f"--preset {name} has buffers of its own: leave out {own[0]}")
    sizes = preset.sizes
    if common.given_among("sizes", "first", "last", "per_octave"):
        sizes = tuple(size for size in sizes if Size(size.bytes) in workload.sizes)
        if not sizes:
            raise click.UsageError(f"--preset {name} has none of these sizes")
    return preset.applied(name, replace(workload, sizes=sizes))
