"""Runs of one-sided operations and of start-ups, made of numbers that a test chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hockney.records import End, LaunchRecord, Place, Run, Samples
from samples import HEADER

ROUNDS = 4
SIZES = (8, 1024, 65536)
FACTORS: dict[tuple[str, str], float] = {
    ("flush", "allocate"): 0.1,
    ("flush", "create"): 1.5,
    ("flush-local", "allocate"): 0.1,
    ("fence", "allocate"): 1.0,
}
"""Times of a put over those of half a ping-pong, by synchronization and window kind."""


def one_sided_run(
    factors: Mapping[tuple[str, str], float] = FACTORS,
    launches: int = 10,
    sizes: Sequence[int] = SIZES,
    overlapped: Mapping[tuple[str, str], float] | None = None,
) -> Run:
    """Every launch is slower than the one before, ping-pong and puts alike. overlapped: by how much
    puts are slower while their target computes."""
    run = Run(msgspec.structs.replace(HEADER, experiment="rma"))
    for launch in range(launches):
        _open(run, launch)
        for round_ in range(ROUNDS):
            for size in sizes:
                ns = (800.0 + 0.1 * size) * (1.0 + 0.05 * launch)
                wobble = 1.0 + 0.001 * (launch % 5 - 2)
                _add(run, launch, round_, ns, operation="pingpong", mode="standard", bytes=size)
                for (how, kind), factor in factors.items():
                    _add(
                        run,
                        launch,
                        round_,
                        ns * factor * wobble,
                        operation="put",
                        bytes=size,
                        synchronization=how,
                        window_kind=kind,
                    )
                for (how, kind), slower in (overlapped or {}).items():
                    _add(
                        run,
                        launch,
                        round_,
                        ns * factors[how, kind] * wobble * slower,
                        operation="put",
                        bytes=size,
                        synchronization=how,
                        window_kind=kind,
                        overlap=True,
                    )
        run.add(End(launch=launch, reason="precision", wall_s=1.0))
    return run


def startup_run(launches: int = 6, rank_counts: Sequence[int] = (4, 2)) -> Run:
    """MPI_Init that takes 10 ms a rank, and messages of which the first takes 20 times longer; each
    launch takes a percent more than the one before."""
    run = Run(msgspec.structs.replace(HEADER, experiment="startup"))
    each = len(rank_counts)
    for launch in range(launches):
        _open(run, launch)
        ranks = rank_counts[launch % each]
        slower = 1.0 + 0.01 * (launch // each - (launches // each - 1) / 2)
        axes: dict[str, Any] = {"ranks": ranks, "peers": ()}
        _add(run, launch, 0, 1e7 * ranks * slower, operation="init", bytes=0, **axes)
        _add(run, launch, 0, 2e4, operation="contact", bytes=8, occurrence="first", **axes)
        _add(run, launch, 0, 1e3, operation="contact", bytes=8, occurrence="later", **axes)
        for kind in ("allocate", "dynamic"):
            _add(
                run,
                launch,
                0,
                5e4,
                operation="window",
                bytes=8,
                occurrence="first",
                window_kind=kind,
                **axes,
            )
        run.add(End(launch=launch, reason="complete", wall_s=1.0))
    return run


def _open(run: Run, launch: int) -> None:
    places = [Place(rank=rank, host="here", pu=rank, pinned=True) for rank in (0, 1)]
    run.add(LaunchRecord(launch=launch, places=places, definition="batch over k on the origin"))


def _add(run: Run, launch: int, round_: int, ns: float, **axes: Any) -> None:
    axes = {"ranks": 2, "peers": (0, 1), "repetitions": 10, **axes}
    run.add(Samples(launch=launch, round=round_, ns=[ns], **axes))
