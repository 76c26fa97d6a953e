"""A user's own system as an entry of the base of published systems."""

from __future__ import annotations

from statistics import median

from hockney import __version__
from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.infer.analysis.claims.published import own_name, transport_of
from hockney.infer.analysis.claims.published_base import (
    HALF_ROUND_TRIP,
    SIZES,
    PublishedNumber,
    PublishedSystem,
)
from hockney.infer.analysis.history.histories import History
from hockney.records import Run


def entry_of(history: History, newest: Run) -> PublishedSystem:
    """The medians over the runs of one system, of which `newest` is the last. Raises UsageError
    unless they are ping-pongs on a real machine with sizes of the base."""
    transport = transport_of(newest)
    if newest.header.experiment != "pingpong" or transport is None:
        raise UsageError(f"{history.system}: only ping-pongs on a real machine can be published")
    times = {
        size: [run.latencies[size][0] for run in history.runs if size in run.latencies]
        for size in SIZES
    }
    numbers = [PublishedNumber("time_s", size, median(of)) for size, of in times.items() if of]
    if not numbers:
        raise UsageError(
            f"{history.system}: no run has a size that is kept",
            f"measure --sizes {','.join(map(str, SIZES))}",
        )
    first, mpi = newest.launches[0], newest.launches[0].mpi
    days = sorted(run.started.date().isoformat() for run in history.runs)
    count = len(history.runs)
    return PublishedSystem(
        system=own_name(newest),
        transport=transport,
        library=" ".join(filter(None, (mpi.library, mpi.version))) or None,
        date=days[-1],
        method=HALF_ROUND_TRIP,
        definition=f"{first.definition or 'unknown'}, median of {how_many(count, 'run')}",
        source=f"own runs from {days[0]} to {days[-1]}, hockney {__version__}",
        numbers=tuple(numbers),
    )
