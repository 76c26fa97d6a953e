"""Algorithms leave the race once measuring them further would gain next to nothing at any size."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records
from hockney.plan import Case, Placement, Size
from hockney.plan.workloads.collective import Collective
from hockney.records import Round, Run, Samples
from hockney.run.measure.sessions.race import Race
from samples import HEADER


@dataclass
class Runner:
    name: str
    ns: dict[int, float]
    scatter: float = 0.01
    visits: tuple[float, ...] = (1.0, 1.0, 1.0)
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
                    ns=[
                        ns * (1.0 + self.scatter * (self.launches % 2)) * visit
                        for visit in self.visits
                    ],
                )
            )
        self.launches += 1


def test_who_is_behind_everywhere_is_out_and_who_wins_somewhere_stays() -> None:
    default = Runner("default", {8: 300.0, 1024: 900.0})
    small = Runner("small", {8: 100.0, 1024: 800.0})
    large = Runner("large", {8: 200.0, 1024: 400.0})
    never = Runner("never", {8: 150.0, 1024: 500.0})
    race, runners = Race(), [default, small, large, never]
    for launch in range(2):
        assert not any(runner.is_done for runner in runners), launch
        for runner in runners:
            runner.launch()
            race.drop(runners)
    assert [runner.name for runner in runners if runner.is_done] == ["never"]
    assert race.lost == ["never: out of the race after 2 launches"]
    assert small.sizes == [8], "a size that is lost is not measured further"
    assert large.sizes == [1024]
    assert default.sizes == [8, 1024], "what others are compared with stays"


def raced(times: dict[str, float], launches: int, requested: int | None) -> list[str]:
    """Names of those that are left after `launches` launches, where `requested` are wanted."""
    runners = [Runner(name, {8: ns}, scatter=0.03) for name, ns in times.items()]
    race = Race(requested)
    for _ in range(launches):
        for runner in runners:
            if not runner.is_done:
                runner.launch()
        race.drop(runners)
    return [runner.name for runner in runners if not runner.is_done]


def test_of_those_that_are_alike_one_stays() -> None:
    """Once launches show that more of them would gain little, and not before."""
    times = {"a": 100.0, "b": 100.1, "c": 106.0}
    assert raced(times, 2, None) == ["a", "b"], "two launches that scatter show little"
    assert raced(times, 6, None) == ["a"]


def test_the_fewer_launches_are_left_the_less_they_can_gain() -> None:
    times = {"a": 100.0, "b": 100.1}
    assert raced(times, 3, 30) == ["a", "b"]
    assert raced(times, 3, 4) == ["a"]
    assert raced(times, 1, 1) == ["a", "b"], "none is left that could be saved"


def test_those_that_leave_together_must_gain_little_together() -> None:
    alike = {name: 100.0 + 0.01 * number for number, name in enumerate("abcdefgh")}
    assert raced({"a": 100.0, "b": 100.01}, 6, None) == ["a"]
    assert len(raced(alike, 6, None)) > 4


def test_after_one_launch_those_that_take_several_times_as_long_are_out() -> None:
    fast, twice = Runner("fast", {8: 100.0}), Runner("twice", {8: 290.0})
    slow = Runner("slow", {8: 310.0})
    mixed = Runner("mixed", {8: 310.0}, visits=(0.9, 0.93, 1.06, 1.3))
    held = Runner("held", {8: 900.0})
    held.run.add(Round(launch=0, round=0, wall_s=1.0, waited_s=0.4))
    runners = [fast, twice, slow, mixed, held]
    for runner in runners:
        runner.launch()
    race = Race()
    race.drop(runners)
    assert [runner.name for runner in runners if runner.is_done] == ["slow"]
    assert race.lost == ["slow: out of the race after 1 launch"]


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


@pytest.mark.simgrid
def test_a_race_of_simulated_algorithms_ends_the_slow_ones(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """Simulated times do not vary: after two launches, a loser at a size is not measured there."""
    words = ("--platform", "cluster:8", "-n", "8", "--sizes", "8,1MiB", "--launches", "5")
    names = "default,binomial,flattree,ompi_pipeline"
    file = tmp_path / "race.jsonl"
    done = hockney.ok(
        *("collective", "bcast", "--algorithm", names, *words, "--race", "--json"), "-o", str(file)
    )
    assert "out of the race after 2 launches" in done.stderr
    run = records.read(file)
    launches: dict[tuple[str | None, int], set[int]] = {}
    for samples in run.samples:
        launches.setdefault((samples.algorithm, samples.bytes), set()).add(samples.launch)
    counts = {key: len(numbers) for key, numbers in launches.items()}
    assert counts["default", 8] == counts["default", 1 << 20] == 5
    assert counts["basic_linear", 8] == 5
    assert counts["basic_linear", 1 << 20] == 2
    assert done.json
