"""Passes over all pairs whose times are known."""

from __future__ import annotations

import numpy as np

from hockney.records import LaunchRecord, PairBlock, Place, Run, RunRecord


def fabric_run(
    nodes: int = 24,
    each: int = 4,
    passes: int = 3,
    slow: dict[tuple[int, int], float] | None = None,
    is_known: bool = True,
    slow_pairs: int | None = None,
) -> Run:
    """Every two of these nodes, `each` of which are on a switch: 2 us on one, 3 us between two,
    with 1 % of noise; `slow` has factors for pairs of switches (of one with itself: inside), for
    the first `slow_pairs` of them or for all."""
    random = np.random.default_rng(1)
    first, second = np.triu_indices(nodes, 1)
    switch = np.arange(nodes) // each
    low, high = switch[first], switch[second]
    ns = np.where(low == high, 2000.0, 3000.0)
    for (one_switch, other), factor in (slow or {}).items():
        between = np.flatnonzero((low == min(one_switch, other)) & (high == max(one_switch, other)))
        ns[between[:slow_pairs]] *= factor
    run = Run(RunRecord(schema=2, hockney="0", id="f", experiment="fabric", label="network"))
    for number in range(passes):
        places = [
            Place(rank=i, host=f"n{i}", topology=f"core.s{i // each}.n{i}" if is_known else None)
            for i in range(nodes)
        ]
        run.add(LaunchRecord(launch=number, places=places))
        times = ns * random.lognormal(0.0, 0.01, len(ns))
        run.pair_times.append(
            PairBlock(
                launch=number,
                pass_number=number,
                visit=0,
                visits=nodes - 1,
                operation="pingpong",
                bytes=(8,),
                peers=np.stack([first, second], axis=1).astype(np.int32),
                ns=times[None, :].astype(np.float32),
            )
        )
    return run
