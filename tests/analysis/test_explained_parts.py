"""Why two runs differ where launches or points differ among themselves."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import msgspec

from conftest import RunHockney
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.explanation import Explanation, explanation
from hockney.records import Place, Run
from samples import make_run, write_run

SIZES = (8, 1024, 65536)


def run_of(
    name: str,
    factor: Callable[[int, int], float] = lambda *_: 1.0,
    host: Callable[[int], str] = lambda _: "n0",
    sizes: tuple[int, ...] = SIZES,
    noise: float = 0.01,
) -> Run:
    """Twenty launches that take 1 us + 0.1 ns/B, times factor(launch, size), on host(launch)."""
    source = random.Random(name)

    def ns(launch: int, _: int, size: int) -> list[float]:
        usual = (1000.0 + 0.1 * size) * (1.0 + noise * source.gauss(0.0, 1.0))
        return [usual * factor(launch, size)] * 2

    run = make_run(ns, launches=20, rounds=3, sizes=sizes)
    for number, launch in enumerate(run.launches):
        places = [Place(rank=rank, host=host(number), pu=rank, pinned=True) for rank in (0, 1)]
        run.launches[number] = msgspec.structs.replace(launch, places=places)
    run.header = msgspec.structs.replace(run.header, id=name)
    return run


def explained(first: Run, second: Run, tolerance: float = 0.03) -> Explanation:
    return explanation(Analysis(first), Analysis(second), tolerance)


def test_points_of_few_launches_are_not_called_equal() -> None:
    second = run_of("B", lambda _, size: 3.0 if size > 8 else 1.0)
    second.samples = [s for s in second.samples if s.bytes == 8 or s.launch < 4]
    difference = explained(run_of("A"), second)
    assert difference.gate is not None
    assert difference.gate.why.startswith("at 2 of 3 points there are fewer than 5 launches")


def test_what_only_one_run_has_is_said(hockney: RunHockney, tmp_path: Path) -> None:
    write_run(run_of("A"), tmp_path / "a.jsonl")
    write_run(run_of("B", sizes=SIZES[:1]), tmp_path / "b.jsonl")
    done = hockney("explain", "a.jsonl", "b.jsonl")
    assert done.stdout.startswith("no difference is shown at the only point in common")
    assert "not compared, as only A has them: 1 KiB, 64 KiB" in done.stderr


def test_a_difference_of_the_whole_alone_is_explained() -> None:
    """At each size it may be chance; compare and its gate judge the whole, too."""
    difference = explained(
        run_of("A0", noise=0.02), run_of("B0", lambda *_: 1.06, noise=0.02), 0.01
    )
    assert not any(point.difference.matters for point in difference.points)
    assert difference.is_of_whole
    assert 1.03 < (difference.typical_ratio or 0.0) < 1.09
    assert difference.form is not None
    assert difference.unexplained == 1.0


def test_most_launches_say_where_a_run_was() -> None:
    """All but the first of B are on another host."""
    second = run_of(
        "B", lambda launch, _: 2.0 if launch else 1.0, lambda launch: "n1" if launch else "n0"
    )
    difference = explained(run_of("A"), second)
    assert [cause.factor.name for cause in difference.causes] == ["hosts of the ranks"]
    assert any("launches ran on 2 sets of hosts" in note for note in difference.notes)
    assert difference.form == "factor"  # the first launch makes every interval wide


def test_what_intel_mpi_was_told_of_hosts_acts_by_the_hosts_of_ranks() -> None:
    """The variable was not recorded."""
    first, second = run_of("A"), run_of("B", lambda *_: 2.0)
    environment = {"env": {"I_MPI_PERHOST": "1"}}
    second.header = msgspec.structs.replace(second.header, environment=environment)
    difference = explained(first, second)
    assert [cleared.factor.name for cleared in difference.cleared] == ["I_MPI_PERHOST"]
    assert difference.cleared[0].why == "ranks were on the same hosts under both"
