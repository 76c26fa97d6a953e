"""Runs that show every figure of a report."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hockney.records import SCHEMA, End, LaunchRecord, Place, Run, RunRecord, Samples
from samples import make_run, write_run

ATTACK = "</script><img src=x onerror=alert(1)>"
LAUNCHES, ROUNDS = 5, 4


def pingpong_run(label: str | None = None, slower: float = 1.0) -> Run:
    """A ping-pong with a protocol switch between 4 and 8 KiB."""

    def ns(launch: int, round_: int, size: int) -> list[float]:
        start = 3000.0 if size > 4096 else 900.0
        return [slower * (start + 0.1 * size) * (1.0 + 0.002 * launch + 0.001 * round_)] * 2

    sizes = (0, 1, 8, 256, 4096, 8192, 65536, 2**20)
    run = make_run(ns, rounds=13, sizes=sizes, handover_ns=lambda *_: 53.0)
    run.header = msgspec.structs.replace(run.header, label=label)
    return run


def empty_run(experiment: str, ranks: int, label: str) -> Run:
    header = RunRecord(
        schema=SCHEMA,
        hockney="0.1.0",
        id=experiment,
        experiment=experiment,
        label=label,
        started="2026-01-02T03:04:05+00:00",
    )
    run = Run(header)
    for launch in range(LAUNCHES):
        places = [Place(rank=rank, host="node1", pu=rank, pinned=True) for rank in range(ranks)]
        run.add(LaunchRecord(launch=launch, places=places, definition="batch over 2k"))
        run.add(End(launch=launch, reason="precision"))
    return run


def put(
    run: Run,
    operation: str,
    algorithm: str | None,
    size: int,
    ranks: int,
    peers: tuple[int, ...],
    us: float,
) -> None:
    """Samples of one point in every launch."""
    for launch in range(LAUNCHES):
        for round_ in range(ROUNDS):
            run.add(
                Samples(
                    launch=launch,
                    round=round_,
                    operation=operation,
                    algorithm=algorithm,
                    mode="standard" if operation == "pingpong" else None,
                    pairs=ranks // 2 if run.header.experiment in ("pairs", "cores") else None,
                    bytes=size,
                    ranks=ranks,
                    peers=peers,
                    repetitions=10,
                    ns=[1000.0 * us * (1.0 + 0.001 * launch)],
                )
            )


def pairs_run() -> Run:
    run = empty_run("pairs", 8, "pairs")
    for count in (1, 2, 4):
        for pair in range(count):
            put(run, "pingpong", None, 1024, 2 * count, (pair, pair + 4), 1.0 + 0.2 * count)
    return run


def cores_run() -> Run:
    run = empty_run("cores", 4, "cores")
    for first in range(4):
        for second in range(first + 1, 4):
            put(run, "pingpong", None, 8, 2, (first, second), 0.3 if second - first == 1 else 0.9)
    return run


def algorithms_run() -> Run:
    run = empty_run("collective", 8, "bcast")
    for ranks in (4, 8):
        put(run, "bcast", "binomial", 8, ranks, (), 2.0)
        put(run, "bcast", "chain", 8, ranks, (), 4.0)
        put(run, "bcast", "binomial", 65536, ranks, (), 40.0)
        put(run, "bcast", "chain", 65536, ranks, (), 40.01)
    return run


def write_runs(folder: Path) -> list[Path]:
    """Two of ping-pongs, one with a label that attacks, and one of each other kind."""
    runs = {
        "a": pingpong_run("fast"),
        "b": pingpong_run(ATTACK, 1.3),
        "pairs": pairs_run(),
        "cores": cores_run(),
        "algorithms": algorithms_run(),
    }
    return [write_run(run, folder / f"{name}.jsonl") for name, run in runs.items()]
