"""Runs made of numbers that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hockney import records
from hockney.records import End, LaunchRecord, Place, Probe, Run, RunRecord, Samples

HEADER = RunRecord(
    schema=1,
    hockney="0.1.0",
    id="00000000-0000-0000-0000-000000000000",
    started="2026-01-02T03:04:05+00:00",
    experiment="pingpong",
    environment={"host": "here"},
)


def make_run(
    ns: Callable[[int, int, int], Sequence[float]],
    *,
    launches: int = 5,
    rounds: int = 10,
    sizes: Iterable[int] = (8,),
    handover_ns: Callable[[int, int], float] | None = None,
) -> Run:
    """A run whose batches in (launch, round, bytes) are `ns(launch, round, bytes)`."""
    run = Run(HEADER)
    for launch in range(launches):
        places = [Place(rank=rank, host="here", pu=rank, pinned=True) for rank in (0, 1)]
        run.add(LaunchRecord(launch=launch, places=places, definition="batch over 2k"))
        for round_ in range(rounds):
            if handover_ns:
                run.add(
                    Probe(
                        launch=launch,
                        round=round_,
                        peers=[0, 1],
                        handover_ns=handover_ns(launch, round_),
                    )
                )
            for size in sizes:
                run.add(
                    Samples(
                        launch=launch,
                        round=round_,
                        operation="pingpong",
                        bytes=size,
                        ranks=2,
                        peers=[0, 1],
                        repetitions=10,
                        at_s=0.01 * round_,
                        ns=list(ns(launch, round_, size)),
                    )
                )
        if handover_ns:
            run.add(
                Probe(
                    launch=launch,
                    round=rounds,
                    peers=[0, 1],
                    handover_ns=handover_ns(launch, rounds),
                )
            )
        run.add(End(launch=launch, reason="precision", wall_s=1.0))
    return run


def write_run(run: Run, path: Path) -> Path:
    """Stores it as a file."""
    parts = [run.header, *run.launches, *run.probes, *run.samples, *run.ends]
    path.write_bytes(b"".join(records.encode(record) for record in parts))
    return path
