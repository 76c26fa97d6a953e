"""Runs of collectives made of numbers that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from hockney.base.units import parse_size
from hockney.records import SCHEMA, End, LaunchRecord, MpiFacts, Place, Run, RunRecord, Samples
from samples import HEADER

Seconds = Callable[[str, str, int, int], float]
"""Time (s) by collective, algorithm, ranks and bytes."""


def header(label: str | None = None) -> RunRecord:
    return RunRecord(
        schema=SCHEMA,
        hockney=HEADER.hockney,
        id=HEADER.id,
        started=HEADER.started,
        experiment="collective",
        label=label,
        environment={"host": "here"},
    )


def places_of(ranks: int, sockets: int = 8, nodes: int = 16) -> list[Place]:
    """Places of ranks, of which `sockets` fill a socket and `nodes` a node."""
    return [
        Place(rank=n, host=f"node-{n // nodes}", package=n % nodes // sockets, pu=n, pinned=True)
        for n in range(ranks)
    ]


def phases_run() -> Run:
    """An allreduce by messages, whose allgather takes two thirds of the time."""
    run = Run(header())
    for launch in range(5):
        run.add(
            LaunchRecord(
                launch=launch,
                mpi=MpiFacts(library="Open MPI", version="5.0.11"),
                places=places_of(8),
                definition="from the common start to the last rank's end",
            )
        )
        for size in (1024, 65536):
            whole_ns = 3e3 + 0.3 * size
            for algorithm, phase, ns in (
                ("default", None, 0.5 * whole_ns),
                ("ring", "all", whole_ns),
                ("ring", "reduce-scatter", whole_ns / 3.0),
                ("ring", "allgather", whole_ns / 1.5),
            ):
                run.add(
                    Samples(
                        launch=launch,
                        round=0,
                        operation="allreduce",
                        algorithm=algorithm,
                        phase=phase,
                        bytes=size,
                        ranks=8,
                        peers=(),
                        repetitions=1,
                        ns=[ns * (1.0 + 0.001 * launch)] * 5,
                    )
                )
        run.add(End(launch=launch, reason="complete", wall_s=1.0))
    return run


def parameters_of(label: str) -> dict[str, Any]:
    """Axes of an algorithm: "tree, radix 8", "pipeline, 8 KiB segments"."""
    name, _, words = label.partition(", ")
    if words.startswith("radix "):
        return {"algorithm": name, "radix": int(words.removeprefix("radix "))}
    if words:
        size = words.removesuffix(" segments").replace(" ", "")
        return {"algorithm": name, "segment_bytes": parse_size(size)}
    return {"algorithm": name}


def collective_run(
    seconds: Seconds,
    *,
    collectives: Iterable[str] = ("bcast",),
    algorithms: Mapping[str, Mapping[str, str]],
    ranks: Sequence[int] = (4,),
    sizes: Sequence[int] = (8, 1024),
    launches: int = 5,
    spread: float = 0.01,
    arrivals: Mapping[str | None, Mapping[str, float]] = {None: {}},
    library: str = "Open MPI",
    version: str = "5.0.11",
) -> Run:
    """Launches of each algorithm with the variables that forced it; launches of one point lie
    `spread` apart from first to last. arrivals: by pattern, how many times as long an algorithm
    takes then."""
    run = Run(header())
    number = 0
    for launch in range(launches):
        for collective in collectives:
            for count in ranks:
                for name, env in algorithms.items():
                    run.add(
                        LaunchRecord(
                            launch=number,
                            env=dict(env),
                            mpi=MpiFacts(library=library, version=version),
                            places=places_of(count),
                            definition="from the common start to the last rank's end",
                        )
                    )
                    for size, (arrival, factors) in product(sizes, arrivals.items()):
                        exact = seconds(collective, name, count, size) * factors.get(name, 1.0)
                        off = 1.0 + spread * (launch / max(launches - 1, 1) - 0.5)
                        run.add(
                            Samples(
                                launch=number,
                                round=0,
                                operation=collective,
                                **parameters_of(name),
                                bytes=size,
                                ranks=count,
                                peers=(),
                                arrival=arrival,
                                skew_times=1.0 if arrival not in (None, "none") else None,
                                repetitions=1,
                                ns=[1e9 * exact * off] * 5,
                            )
                        )
                    run.add(End(launch=number, reason="complete", wall_s=1.0))
                    number += 1
    return run
