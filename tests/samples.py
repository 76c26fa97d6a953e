"""Runs made of numbers that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta, timezone
from itertools import combinations, product
from pathlib import Path
from typing import Any

import msgspec

from hockney import records
from hockney.plan import Case, Placement, Plan, Sampling, single, sizes_of, stored
from hockney.plan.variants import Comparison, Variant
from hockney.plan.workloads import Workload
from hockney.plan.workloads.pairs import Pairs, halves
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import SCHEMA, Clock, End, LaunchRecord, Place, Probe, Run, RunRecord, Samples

Pair = tuple[int, int]

HEADER = RunRecord(
    schema=SCHEMA,
    hockney="0.1.0",
    id="00000000-0000-0000-0000-000000000000",
    started="2026-01-02T03:04:05+00:00",
    experiment="pingpong",
    environment={"host": "here"},
)


def options_of(workload: Workload) -> dict[str, object]:
    """The options of a run record."""
    return stored(single(workload, Placement(), Sampling()))


EVERY_ITERATION = options_of(
    Pairs(sizes=sizes_of([8]), pairing=halves(16), active=(8,), every_iteration=True)
)


def make_run(
    ns: Callable[[int, int, int], Sequence[float]],
    *,
    launches: int = 5,
    rounds: int = 10,
    sizes: Iterable[int] = (8,),
    handover_ns: Callable[[int, int], float] | None = None,
    repetitions: int = 10,
    step_ns: float | None = None,
) -> Run:
    """A run whose batches in (launch, round, bytes) are `ns(launch, round, bytes)`. step_ns: of the
    clock."""
    run = Run(HEADER)
    clock = Clock(resolution_s=step_ns * 1e-9) if step_ns else Clock()
    for launch in range(launches):
        places = [Place(rank=rank, host="here", pu=rank, pinned=True) for rank in (0, 1)]
        run.add(LaunchRecord(launch=launch, places=places, definition="batch over 2k", clock=clock))
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
                        mode="standard",
                        bytes=size,
                        ranks=2,
                        peers=(0, 1),
                        repetitions=repetitions,
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


def make_pairs_run(
    ns: Callable[[int, Pair, int, int], Sequence[float]],
    at_once: Sequence[Sequence[Pair]],
    places: Sequence[Place],
    *,
    experiment: str = "pairs",
    launches: int = 5,
    rounds: int = 4,
    sizes: Iterable[int] = (8,),
    options: dict[str, object] | None = None,
    repetitions: Callable[[int], int] = lambda _: 10,
) -> Run:
    """A run in which each of `at_once` exchanged messages together, in batches `ns(launch, pair,
    bytes, pairs at once)`."""
    run = Run(msgspec.structs.replace(HEADER, experiment=experiment, options=options or {}))
    for launch in range(launches):
        run.add(LaunchRecord(launch=launch, places=list(places), definition="batch over 2k"))
        visits = [(size, pairs) for size in sizes for pairs in at_once]
        for number, (size, pairs) in enumerate(visits * rounds):
            for pair in pairs:
                run.add(
                    Samples(
                        launch=launch,
                        round=number // len(visits),
                        operation="pingpong",
                        mode="standard",
                        bytes=size,
                        ranks=2 * len(pairs),
                        pairs=len(pairs),
                        peers=pair,
                        repetitions=repetitions(size),
                        at_s=0.01 * number,
                        ns=list(ns(launch, pair, size, len(pairs))),
                    )
                )
        run.add(End(launch=launch, reason="precision", wall_s=1.0))
    return run


def varied_run(
    blocks: int,
    effects: dict[str, float],
    sizes: Sequence[int] = (8, 65536),
    gate: float | None = None,
) -> Run:
    """A run of ping-pongs that compares variants, each slower than 1 us by its factor."""
    variants = tuple(Variant(name=name, values={}) for name in effects)
    comparison = Comparison(variants=variants, gate=gate)
    workload = Pingpong(sizes=sizes_of(sizes))
    cases = tuple(
        Case(workload=workload, placement=Placement(), variant=variant) for variant in effects
    )
    plan = Plan(cases=cases, sampling=Sampling(), comparison=comparison)
    run = Run(msgspec.structs.replace(HEADER, options=stored(plan)))
    for number, (block, (variant, factor)) in enumerate(product(range(blocks), effects.items())):
        run.add(LaunchRecord(launch=number, variant=variant, block=block, definition="batch"))
        for size in sizes:
            ns = [1e3 * factor * (1.0 + size / 1e4) * (1.0 + 0.01 * ((7 * number) % 5))]
            run.add(
                Samples(
                    launch=number,
                    round=0,
                    operation="pingpong",
                    mode="standard",
                    bytes=size,
                    ranks=2,
                    peers=(0, 1),
                    repetitions=10,
                    ns=ns,
                )
            )
        run.add(End(launch=number, reason="budget", wall_s=0.1))
    return run


def one_a_node(nodes: int) -> list[Place]:
    return [Place(rank=rank, host=f"n{rank}", pu=0, pinned=True) for rank in range(nodes)]


FIRST_DAY = datetime(2026, 1, 1, tzinfo=timezone.utc)


def past_run(day: int, factor: float = 1.0, **header: Any) -> Run:
    """A run of a history: so many days after FIRST_DAY, so many times as slow."""
    run = make_run(lambda launch, *_: [1000.0 * factor + launch], sizes=(0, 8, 65536), rounds=2)
    started = (FIRST_DAY + timedelta(days=day)).isoformat()
    run.header = msgspec.structs.replace(run.header, id=f"run {day}", started=started, **header)
    return run


def night_run(day: int, *slow: int) -> Run:
    """A run of a history: every pair of eight nodes; pairs with a slow one take three times as
    long."""
    run = make_pairs_run(
        lambda _launch, pair, *_: [3e3 if {*pair} & {*slow} else 1e3],
        [[pair] for pair in combinations(range(8), 2)],
        one_a_node(8),
        rounds=1,
    )
    started = (FIRST_DAY + timedelta(days=day)).isoformat()
    run.header = msgspec.structs.replace(run.header, id=f"night {day}", started=started)
    return run


def write_run(run: Run, path: Path) -> Path:
    """Stores it as a file."""
    path.write_bytes(b"".join(map(records.encode, run.records())))
    return path
