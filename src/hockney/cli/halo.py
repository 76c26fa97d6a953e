"""hockney halo: every rank exchanges messages with its neighbours on a grid."""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.cli import _options
from hockney.cli._help import option, verb, workload_option
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._parameters import count_of, some_of
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Placement, Plan, single, sizes_of
from hockney.plan.workloads.collective import FORMS, PERSISTENT
from hockney.plan.workloads.halo import (
    EXCHANGES,
    MOST_DIMENSIONS,
    PACKINGS,
    PARTITIONED,
    Halo,
)

DEFAULT_SIZES = "8,1KiB,64KiB"
PARTS = 4


@verb(
    "hockney halo -n 8 --grid 3d --exchange waitall,neighbor",
    "hockney halo -n 4 --grid 2x2 --neighbors corners --packing none,hand,datatype",
    "hockney halo -n 64 --grid 2d --platform fat-tree:64 --sizes 1KiB",
    cls=MeasuringVerb,
)
@option(
    "--grid",
    "shape",
    metavar="1d|2d|3d|SIDES",
    default="2d",
    help="Ranks on a grid with as little surface as possible, or with these sides: 8x4x2.",
)
@option(
    "--exchange",
    "exchanges",
    type=some_of(EXCHANGES),
    metavar="LIST",
    default="waitall",
    help=f"How neighbours exchange messages: {', '.join(EXCHANGES)}.",
)
@_options.sizes(DEFAULT_SIZES, "Of the message to each neighbour.")
@_options.ranks(None, "one per CPU")
@workload_option(
    "--form",
    "forms",
    type=some_of(FORMS),
    metavar="LIST",
    default="blocking",
    help="Forms of neighbourhood collectives: blocking, nonblocking, persistent (MPI 4.0).",
)
@workload_option(
    "--packing",
    "packings",
    type=some_of(PACKINGS),
    metavar="LIST",
    default=PACKINGS[0],
    help="Contiguous messages (none); or columns of an array of 8 B elements, packed by hand or by "
    "MPI's datatype.",
)
@workload_option(
    "--partitions",
    type=count_of("parts of a message"),
    metavar="N",
    show_default=str(PARTS),
    help="Parts of each message of --exchange partitioned (MPI 4.0).",
)
@measuring_options()
def command(
    common: Common,
    *,
    ranks: int | None,
    shape: str,
    sizes: list[int],
    exchanges: tuple[str, ...],
    partitions: int | None,
    **own: Any,
) -> Plan:
    """Measure exchanges of every rank with its neighbours on a grid.

    A time is from the common start to the end on the last rank. Beside it is what is predicted from
    single messages, which are measured in the same rounds.
    """
    ranks = ranks or common.ranks_by_nodes() or _usual_ranks(common)
    workload = Halo(
        sizes=sizes_of(sizes),
        buffers=common.buffers,
        grid=grid_of(shape, ranks),
        exchanges=exchanges,
        partitions=PARTS if partitions is None and PARTITIONED in exchanges else partitions,
        **own,
    )
    placement = replace(common.placement, ranks=ranks)
    workload.check(ranks)
    if workload.has_neighborhood or workload.partitions is not None:
        _check_features(workload, placement)
    return single(workload, placement, common.sampling)


def _check_features(workload: Halo, placement: Placement) -> None:
    from hockney.run.measure.preparation.setup import mpi_of
    from hockney.run.measure.toolchain.features import (
        check_neighborhood,
        check_partitioned,
        check_persistent,
        features_of,
    )

    features = features_of(mpi_of(placement)[1], placement.platform is not None)
    if workload.partitions is not None:
        check_partitioned(features)
    if workload.has_neighborhood:
        check_neighborhood(features)
    if PERSISTENT in workload.forms:
        check_persistent(features)


def _usual_ranks(common: Common) -> int:
    from hockney.run.measure.machine.capacity import allowed_cpus

    common.check_not_simulated()
    return max(allowed_cpus(), 2)


def grid_of(shape: str, ranks: int) -> tuple[int, ...]:
    """The sides of a grid such as "2d" or "4x2"."""
    from hockney.infer.predict.patterns import grid as balanced_grid

    if match := re.fullmatch(r"([1-9])d", shape):
        dimensions = int(match[1])
    elif re.fullmatch(r"[1-9]\d{0,8}(x[1-9]\d{0,8})*", shape):
        dimensions = shape.count("x") + 1
    else:
        dimensions = 0
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise UsageError(
            f"--grid {shape}: not a grid of one to three dimensions", "write 2d, 3d or 4x2"
        )
    if match:
        return tuple(sorted(balanced_grid(ranks, dimensions), reverse=True))
    return tuple(map(int, shape.split("x")))
