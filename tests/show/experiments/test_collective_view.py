"""Tables of collectives, from runs of chosen numbers."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from collective_samples import collective_run
from hockney.infer.analysis import Analysis
from hockney.infer.estimate import estimate
from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.workloads.collective import Collective
from hockney.records import LaunchRecord, Place, Probe, Run, Samples
from hockney.show.experiments import view_of
from samples import HEADER


def study(algorithms: Iterable[str], ranks: Iterable[int], sizes: Iterable[int] = (2, 1024)) -> Run:
    """Five launches of each: completion 100 us a rank and size above 2 B, own durations a half and
    three quarters of it."""
    left_out = ("bcast ring, 3 ranks, 2 B: the library runs chain: why",)
    workload = Collective(collective="bcast", sizes=sizes_of(sizes))
    options = stored(replace(single(workload, Placement(), Sampling()), left_out=left_out))
    run = Run(msgspec.structs.replace(HEADER, experiment="collective", options=options))
    launches = [(name, count) for _ in range(5) for name in algorithms for count in ranks]
    for launch, (name, count) in enumerate(launches):
        places = [Place(rank=rank, host="here", pu=rank, pinned=True) for rank in range(count)]
        run.add(LaunchRecord(launch=launch, places=places))
        for round_ in range(4):
            if count == 2:  # more ranks have no pair whose core-to-core latency can be probed
                run.add(Probe(launch=launch, round=round_, peers=(0, 1), handover_ns=53.0))
            for size in sizes:
                ns = 1e5 * count * (1 if size == 2 else 2)
                run.add(
                    Samples(
                        launch=launch,
                        round=round_,
                        operation="bcast",
                        algorithm=name,
                        bytes=size,
                        ranks=count,
                        peers=(),
                        repetitions=1,
                        ns=[ns],
                        own_mean_ns=[ns / 2],
                        own_max_ns=[3 * ns / 4],
                    )
                )
        if count == 2:
            run.add(Probe(launch=launch, round=4, peers=(0, 1), handover_ns=53.0))
    return run


def shown(run: Run) -> str:
    analysis = Analysis(run)
    return "\n\n".join(view_of(analysis).parts(analysis, all_states=False))


def rows_of(text: str, title: str) -> list[list[str]]:
    """The cells of the table under a title, without its heading."""
    table = text.split(f"\n{title}\n")[1].split("\n\n")[0]
    return [line.split() for line in table.splitlines()[1:]]


def test_launches_that_have_no_probe_are_not_lost() -> None:
    points = estimate(study(["ring", "chain"], [2, 3])).headline
    assert len(points) == 8
    assert {point.launches for point in points} == {5}


def test_one_algorithm_and_one_number_of_ranks_have_all_numbers_by_size() -> None:
    text = shown(study(["ring"], [3], sizes=(2, 4, 8)))
    rows = rows_of(text, "bcast, ring, 3 ranks")
    assert [row[0] for row in rows] == ["2", "4", "8"]
    assert "bcast of" not in text


def test_sizes_are_the_references_or_the_ends() -> None:
    text = shown(study(["ring", "chain"], [3], sizes=(16, 32, 64)))
    assert "bcast of 16 B" in text
    assert "bcast of 64 B" in text
    assert "bcast of 32 B" not in text


def said_of(**factors: float) -> tuple[str, list[str]]:
    """The first line of the answer, and the last word of each row of the table by size. factors:
    times over the library's own, by algorithm."""
    run = collective_run(
        lambda _, name, __, size: 1e-6 * factors.get(name, 1.0) * (1 + size / 1e3),
        algorithms={name: {} for name in ("default", *factors)},
        launches=8,
    )
    analysis = Analysis(run)
    rows = rows_of(shown(run), "bcast, 4 ranks, completion")
    return view_of(analysis).answer(analysis)[0], [" ".join(row[-1:]) for row in rows]


def test_the_answer_and_the_table_name_the_library_where_its_own_decision_is_the_best() -> None:
    line, fastest = said_of(binomial=0.99, chain=2.0)
    assert (
        line
        == "bcast, 4 ranks: 1.008 us ±0.5 % at 8 B (default), 2.024 us ±0.5 % at 1 KiB (default)"
    )
    assert fastest == ["default", "default"]


def test_the_answer_and_the_table_name_all_that_may_be_the_fastest() -> None:
    line, fastest = said_of(binomial=0.5, chain=0.505)
    assert line.count("(binomial or chain)") == 2
    assert fastest == ["chain", "chain"], "binomial or chain"
    line, fastest = said_of(binomial=0.5, chain=0.505, ring=0.507, linear=0.7)
    assert line.count("(binomial or 2 others)") == 2
    line, fastest = said_of(binomial=0.5, chain=0.6)
    assert line.count("(binomial)") == 2
    assert fastest == ["binomial", "binomial"]
