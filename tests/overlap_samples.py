"""Runs of halos and of messages that overlap with computation, made of numbers that a test
chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hockney.records import End, LaunchRecord, Place, Run, Samples
from samples import HEADER

SIZES = (8, 65536)
GRID: dict[str, Any] = {"grid": (2, 2), "neighbors": "faces", "periodic": True}


HALOS = {"waitall": 1.0, "neighbor": 1.25}


def halo_run(launches: int = 6, exchanges: Mapping[str, float] = HALOS) -> Run:
    """Four ranks on a grid, by several exchanges, each with its factor of the time; computation
    hides half of the first. And the single messages of which halos consist."""
    run = _run("halo")
    for launch in range(launches):
        _open(run, launch, 4)
        for size in SIZES:
            ns = (3000.0 + 0.3 * size) * (1.0 + 0.001 * launch)
            for exchange, factor in exchanges.items():
                _add(run, launch, size, ns * factor, operation="halo", exchange=exchange, **GRID)
            hidden = {"operation": "halo", "exchange": "waitall", "compute_ns": ns, **GRID}
            _add(run, launch, size, 1.5 * ns, **hidden, overlap=True)
            for other in (1, 2):
                _add(run, launch, size, ns / 3, operation="message", ranks=2, peers=(0, other))
        run.add(End(launch=launch, reason="complete", wall_s=1.0))
    return run


def overlap_run(launches: int = 6) -> Run:
    """A message of which a quarter is hidden by its sender and all by its receiver."""
    run = _run("overlap")
    for launch in range(launches):
        _open(run, launch, 2)
        for size in SIZES:
            ns = (500.0 + 0.1 * size) * (1.0 + 0.001 * launch)
            for operation, factor in (("isend", 1.75), ("irecv", 1.0)):
                axes: dict[str, Any] = {"operation": operation, "form": "nonblocking", "ranks": 2}
                _add(run, launch, size, ns, **axes)
                _add(run, launch, size, ns * factor, **axes, overlap=True, compute_ns=ns)
        run.add(End(launch=launch, reason="complete", wall_s=1.0))
    return run


def _run(experiment: str) -> Run:
    return Run(msgspec.structs.replace(HEADER, experiment=experiment))


def _open(run: Run, launch: int, ranks: int) -> None:
    places = [Place(rank=rank, host="here", pu=rank, pinned=True) for rank in range(ranks)]
    definition = "from the common start to the last rank's end"
    run.add(LaunchRecord(launch=launch, places=places, definition=definition))


def _add(run: Run, launch: int, size: int, ns: float, **axes: Any) -> None:
    """Three repetitions of this time, half of it the ranks' mean and all of it their maximum."""
    axes = {"ranks": 4, "peers": (), "repetitions": 1, **axes}
    own = {} if axes["peers"] else {"own_mean_ns": [ns / 2] * 3, "own_max_ns": [ns] * 3}
    run.add(Samples(launch=launch, round=0, bytes=size, ns=[ns] * 3, **own, **axes))
