"""Runs of victims and aggressors, made of numbers that a test chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.workloads.congestion import Congestion
from hockney.records import End, LaunchRecord, Place, Run, Samples
from samples import HEADER

RANKS = 4
LOAD: dict[str, Any] = {"aggressor": "incast", "load_bytes": 65536, "load_window": 8}


def congestion_run(
    factor: float = 2.0,
    tail: float = 10.0,
    launches: int = 10,
    samples: int = 5000,
    most_factor: float | None = None,
    load_sizes: tuple[int, ...] = (65536,),
    by_load: Mapping[int, tuple[float, float]] | None = None,
) -> Run:
    """A ping-pong that is slower by `factor` under load, and of which 1.5 % of the exchanges take
    `tail` times longer then. Every launch is slower than the one before, alone and under load.
    by_load: factor and tail under a load of that size, where they differ."""
    workload = Congestion(
        sizes=sizes_of([8]), load_sizes=load_sizes, most_factor=most_factor, buffers="returned"
    )
    plan = single(workload, Placement(ranks=RANKS), Sampling())
    header = msgspec.structs.replace(HEADER, experiment="congestion", options=stored(plan))
    run = Run(header)
    chance = np.random.default_rng(7)
    for launch in range(launches):
        places = [Place(rank=rank, host="a", core=rank, pu=rank) for rank in range(RANKS)]
        cast = {"victims": [launch % 2, 2], "aggressors": [1 - launch % 2, 3]}
        run.add(LaunchRecord(launch=launch, buffers="returned", places=places, **cast))
        alone = 1000.0 * (1.0 + 0.1 * launch) * chance.lognormal(0.0, 0.01, samples)
        _add(run, launch, alone)
        for load_size in load_sizes:
            times, late_times = (by_load or {}).get(load_size, (factor, tail))
            loaded = alone * times * (1.0 + 0.005 * (launch % 5 - 2))
            late = chance.permutation(samples) < round(0.015 * samples)
            loaded[late] *= late_times
            _add(run, launch, loaded, **{**LOAD, "load_bytes": load_size}, load_Bps=1e9)
        run.add(End(launch=launch, reason="budget", wall_s=1.0))
    return run


def _add(run: Run, launch: int, ns: Any, **own: Any) -> None:
    run.add(
        Samples(
            launch=launch,
            round=0,
            operation="pingpong",
            mode="standard",
            bytes=8,
            ranks=RANKS,
            repetitions=1,
            ns=ns.tolist(),
            **own,
        )
    )
