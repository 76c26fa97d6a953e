"""Algorithms leave the race once they are surely the fastest at no size."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from conftest import RunHockney
from hockney import records
from hockney.measure.race import Race
from hockney.records import Run, Samples
from hockney.spec import Case, Placement, Size
from hockney.spec.workloads.collective import Collective
from samples import HEADER


@dataclass
class Runner:
    name: str
    ns: dict[int, float]
    run: Run = field(default_factory=lambda: Run(HEADER))
    is_done: bool = False
    launches: int = 0
    case: Case = field(init=False)

    def __post_init__(self) -> None:
        sizes = tuple(map(Size, self.ns))
        workload = Collective(collective="bcast", sizes=sizes, algorithm=self.name)
        self.case = Case(workload=workload, placement=Placement(ranks=4), title=self.name)

    @property
    def sizes(self) -> list[int]:
        return [size.bytes for size in self.case.workload.sizes]

    def launch(self) -> None:
        for size, ns in self.ns.items():
            self.run.add(
                Samples(
                    launch=self.launches,
                    round=0,
                    operation="bcast",
                    bytes=size,
                    ranks=4,
                    peers=(),
                    repetitions=1,
                    ns=[ns * (1.0 + 0.01 * self.launches)] * 3,
                )
            )
        self.launches += 1


def test_who_is_behind_everywhere_is_out_and_who_wins_somewhere_stays() -> None:
    default = Runner("default", {8: 300.0, 1024: 900.0})
    small = Runner("small", {8: 100.0, 1024: 800.0})
    large = Runner("large", {8: 200.0, 1024: 400.0})
    never = Runner("never", {8: 150.0, 1024: 500.0})
    near = Runner("near", {8: 104.0, 1024: 900.0})
    race, runners = Race(), [default, small, large, never, near]
    for launch in range(3):
        assert not any(one.is_done for one in runners), launch
        for one in runners:
            one.launch()
            race.drop(runners)
    assert [one.name for one in runners if one.is_done] == ["never"]
    assert race.lost == ["never: out of the race after 3 launches"]
    assert small.sizes == near.sizes == [8], "a size that is lost is not measured further"
    assert large.sizes == [1024]
    assert default.sizes == [8, 1024], "what others are compared with stays"


def test_ranks_and_collectives_race_apart() -> None:
    fast, slow = Runner("a", {8: 100.0}), Runner("b", {8: 900.0})
    other = Case(workload=slow.case.workload, placement=Placement(ranks=8), title="b")
    slow.case = other
    race = Race()
    for _ in range(5):
        fast.launch()
        slow.launch()
        race.drop([fast, slow])
    assert not slow.is_done


def test_a_race_of_simulated_algorithms_ends_the_slow_ones(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """Simulated times do not vary: after two launches who is far behind is out."""
    words = ("--platform", "cluster:8", "-n", "8", "--sizes", "8,1MiB", "--launches", "5")
    names = "default,binomial,flattree,ompi_pipeline"
    file = tmp_path / "race.jsonl"
    done = hockney(
        *("collective", "bcast", "--algorithm", names, *words, "--race", "--json"), "-o", str(file)
    )
    assert done.status == 0, done.stderr
    assert "out of the race after 2 launches" in done.stderr
    run = records.read(file)
    launches: dict[str | None, set[int]] = {}
    for samples in run.samples:
        launches.setdefault(samples.algorithm, set()).add(samples.launch)
    counts = {name: len(numbers) for name, numbers in launches.items()}
    assert counts["default"] == 5
    assert 2 in counts.values()
    assert json.loads(done.stdout)
