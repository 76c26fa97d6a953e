"""Switches are found to the byte, and named no further than was seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from conftest import RunHockney
from hockney import records
from hockney.infer.fitting.fit import curve_of_arrays
from hockney.infer.fitting.switches import Bracket, narrowed
from hockney.plan import Placement, Plan, Sampling, single, sizes_of
from hockney.plan.workloads.late import Late
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import LaunchRecord, Run, RunRecord, Samples
from hockney.run.measure.sessions.budget import Budget
from hockney.run.measure.studies import refine
from hockney.run.measure.studies.late import LateTimes
from hockney.run.measure.studies.refine import (
    LATE_FRACTION,
    PARTS,
    Refinement,
    joined,
    protocol,
    steps_away,
    survey_sizes,
)
from platforms import two_hosts


@pytest.mark.long
@pytest.mark.simgrid
def test_every_switch_of_a_simulated_machine_is_known_to_the_byte(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """SMPI's own factors change at 1426 and 3484 bytes on the wire, which are 16 more than those of
    the message; the others are set. 3000 is so near 3468 that one survey takes both for one."""
    (tmp_path / "platform.xml").write_text(two_hosts(1e-5, 1.25e9))
    settings = [
        word
        for setting in ("smpi/os:0:1e-6:0;3000:3e-6:0", "smpi/send-is-detached-thresh:4321")
        for word in ("--cfg", setting)
    ]
    switches = hockney.ok(
        *("pingpong", "--platform", "platform.xml"),
        *settings,
        *("--sizes", "512..4KiB,5000", "--refine", "--json", "-o", "run.jsonl", "-q"),
    ).json["switches"]
    assert [switch["low_bytes"] for switch in switches] == [716, 1410, 3000, 3468, 4320]
    assert all(switch["high_bytes"] == switch["low_bytes"] + 1 for switch in switches)
    assert [switch["above"] for switch in switches] == ["eager"] * 4 + ["rendezvous"]
    assert len(records.read(tmp_path / "run.jsonl").switches) == 5


def test_refining_keeps_to_a_budget_that_the_first_launch_has_used(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """A survey and launches of late receivers once followed regardless."""
    of_it = ("--refine", "--sizes", "1..64", "--budget", "50ms")
    done = hockney.ok("pingpong", *of_it, "-o", "run.jsonl")
    assert "breaks of the curve are unknown" in done.stdout + done.stderr
    assert len(records.read(tmp_path / "run.jsonl").launches) == 1


def test_refining_needs_sizes_to_look_between(hockney: RunHockney) -> None:
    for options in (["--sizes", "8"], ["--preset", "osu"]):
        hockney.refused(
            "pingpong", "--refine", *options, because="--refine needs at least two sizes"
        )


@pytest.mark.parametrize("noise", [1e-6, 0.01])
@pytest.mark.parametrize("place", [5000, 5003, 5051])
def test_a_jump_is_found_where_it_is(noise: float, place: int) -> None:
    sizes = np.array([3000, 3500, 4000, 4500, *range(4995, 5065, 8), 5500, 6000, 7000, 8000])
    times = np.where(sizes <= place, 1e-6 + 1e-10 * sizes, 2e-6 + 1e-10 * sizes)
    chance = np.random.default_rng(place)
    times = times * np.exp(noise * chance.standard_normal(len(sizes)))
    bracket = narrowed(curve_of_arrays(sizes, times))
    assert bracket is not None
    assert bracket.low_bytes <= place < bracket.high_bytes
    assert bracket.high_bytes - bracket.low_bytes <= 8
    assert bracket.jump == pytest.approx(1e-6 / 1.5e-6, rel=0.05)


def test_a_kink_is_known_only_as_far_as_noise_allows() -> None:
    sizes = np.arange(1000.0, 9001.0, 250.0)
    times = 1e-6 + 1e-10 * sizes + 4e-10 * np.maximum(sizes - 5000.0, 0.0)
    widths = []
    for noise in (1e-5, 0.04):
        chance = np.random.default_rng(1).standard_normal(len(sizes))
        bracket = narrowed(curve_of_arrays(sizes, times * np.exp(noise * chance)))
        assert bracket is not None
        assert bracket.low_bytes <= 5000 <= bracket.high_bytes
        widths.append(bracket.high_bytes - bracket.low_bytes)
    assert widths[0] <= 500 < widths[1]


@pytest.mark.parametrize("seed", range(5))
def test_noise_alone_holds_no_switch(seed: int) -> None:
    sizes = np.linspace(4000, 6000, 17)
    chance = np.random.default_rng(seed).standard_normal(len(sizes))
    assert narrowed(curve_of_arrays(sizes, (1e-6 + 1e-10 * sizes) * np.exp(0.02 * chance))) is None


def header() -> RunRecord:
    return RunRecord(schema=1, hockney="", id="", started="", experiment="pingpong")


def late_run(times_ns: dict[int, list[float]]) -> Run:
    run = Run(header())
    for size, ns in times_ns.items():
        run.add(
            Samples(
                launch=0,
                round=0,
                operation="late",
                bytes=size,
                ranks=2,
                peers=(0, 1),
                repetitions=1,
                ns=ns,
            )
        )
    return run


def test_a_send_that_waits_takes_two_delays_and_a_disturbed_one_may() -> None:
    late = LateTimes(1e-3)
    late.learn(late_run({8: [1.02e6, 2.1e6], 64: [2.2e6], 512: [1.1e6], 4096: [2.3e6]}), 0)
    assert late.waits == {8: False, 64: True, 512: False, 4096: True}
    assert {64, 512} <= late.sizes_between()
    late.learn(late_run({64: [1.01e6]}), 0)
    assert late.changes() == [(512, 4096)]
    late.learn(late_run({513: [2.1e6]}), 0)
    assert late.sizes_between() == set()


def test_the_trains_of_a_late_receiver_wait_on_both_ranks() -> None:
    workload = LateTimes(2.5e-4).workload(Pingpong(sizes=sizes_of([8]), peers=(1, 0)), {64, 8})
    assert workload.sizes == sizes_of([8, 64])
    assert workload.arguments(2) == [
        "pingpong",
        "--peers=1,0",
        "--operation=late",
        "--trains=1:250000:250000",
    ]


def test_a_break_and_a_change_of_protocol_at_one_place_are_one_switch() -> None:
    breaks = [Bracket(100, 101, 0.2), Bracket(4000, 4100, 0.5)]
    assert joined(breaks, [(4063, 4064)]) == [breaks[0], Bracket(4063, 4064, 0.5)]
    assert joined(breaks, [(8191, 8192)]) == [*breaks, Bracket(8191, 8192)]


@pytest.mark.parametrize(
    ("first", "last", "name"),
    [
        (False, False, "eager"),
        (True, True, "rendezvous"),
        (False, True, "unnamed"),
        (None, None, "unnamed"),
        (None, True, "unnamed"),
    ],
)
def test_a_regime_has_a_name_where_both_its_ends_agree(
    first: bool | None, last: bool | None, name: str
) -> None:
    assert protocol(first, last) == name


def test_a_survey_holds_the_asked_sizes_and_eight_an_octave() -> None:
    sizes = survey_sizes(Pingpong(sizes=sizes_of([0, 1000, 2001])))
    assert {0, 1000, 2001} <= set(sizes)
    assert len(sizes) == 11
    assert steps_away([Bracket(1414, 1415)], sizes) >= {1413, 1412, 1416, 1417, 1158, 1671}


def test_a_break_of_the_survey_alone_is_none() -> None:
    refinement = Refinement(single(Pingpong(sizes=sizes_of([8, 64])), Placement(), Sampling()))
    seen_once, seen_twice = Bracket(8, 16), Bracket(32, 40, 0.5)
    refinement.open = [seen_twice, seen_once]
    refinement._close()
    assert refinement.done == [seen_twice]
    assert refinement.lost == [seen_once]
    assert "8..16 B" in refinement.notes()[0]


def test_a_jump_that_was_not_seen_again_is_none_if_the_search_ends_before_a_close_look() -> None:
    """It was reported as if a launch had confirmed it."""
    refinement = Refinement(single(Pingpong(sizes=sizes_of([8, 64])), Placement(), Sampling()))
    unseen, seen = Bracket(8, 16, 0.3), Bracket(32, 40, 0.5)
    refinement.open, refinement.close = [unseen, seen], {unseen}
    refinement._close()
    assert (refinement.done, refinement.lost) == ([seen], [unseen])
    assert "8..16 B" in refinement.notes()[0]


BELOW = [(4096, 1.73e-6), (5793, 1.84e-6), (6889, 1.91e-6), (8112, 1.97e-6)]
ABOVE = [
    *((8113, 3.43e-6), (8114, 3.26e-6), (8160, 3.36e-6), (8171, 3.9e-6), (8192, 4.3e-6)),
    *((8933, 4.6e-6), (9742, 4.72e-6), (11585, 4.77e-6), (12634, 5.08e-6), (16384, 5.29e-6)),
]
"""Sizes and times of MPICH 5.0.2 on two CPUs: a jump of 70 % at 8113 B, and more just above."""


def times_of(size: int) -> float:
    sizes, times = zip(*(BELOW if size <= 8112 else ABOVE), strict=True)
    return float(np.interp(size, sizes, times))


def refined_by(
    times: Callable[[int], float],
    sizes: tuple[int, ...],
    step_s: float = 0.2,
    ended_by: str = "steps",
) -> Run:
    """The run of a refinement of these times, without an MPI. step_s: what each launch takes."""
    plan = single(Pingpong(sizes=sizes_of(sizes), refine=True), Placement(), Sampling())
    run, clock = Run(header()), [0.0]
    refinement = Refinement(plan, now=lambda: clock[0])
    chance = np.random.default_rng(1)
    session = SimpleNamespace(run=run, add=run.add, reason="launches")
    step: Plan | None = refinement.first()
    while step is not None:
        number = len(run.launches)
        run.add(LaunchRecord(launch=number))
        for size in step.first.workload.sizes:
            late = isinstance(step.first.workload, Late)
            seconds = 1e-4 if late else times(size.bytes)
            for number_of_round in range(4):
                seen = Samples(
                    launch=number,
                    round=number_of_round,
                    operation="late" if late else "pingpong",
                    bytes=size.bytes,
                    ranks=2,
                    peers=(0, 1),
                    repetitions=1,
                    ns=[1e9 * seconds * float(np.exp(0.01 * chance.standard_normal()))],
                )
                run.add(seen)
        clock[0] += step_s
        step = refinement.next(session)  # type: ignore[arg-type]
    assert session.reason == ended_by
    return run


def test_a_jump_beside_another_change_is_found() -> None:
    """A launch that no two lines explain took the confirmed break away."""
    run = refined_by(times_of, (4096, 8192, 16384))
    assert (8112, 8113) in [(switch.low_bytes, switch.high_bytes) for switch in run.switches]


def test_a_search_that_was_cut_short_has_not_found_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing was left to look for, it said."""
    spent = refined_by(times_of, (4096, 8192, 16384), step_s=2.2, ended_by="budget")
    assert max(switch.high_bytes - switch.low_bytes for switch in spent.switches) > 1
    monkeypatch.setattr(refine, "MOST_LAUNCHES", 2)
    refined_by(times_of, (4096, 8192, 16384), ended_by="launches")


def test_a_step_measures_as_long_as_it_was_given() -> None:
    """What this process had computed was taken off each step, which then measured for 30 ms."""
    plan = single(Pingpong(sizes=sizes_of([8, 64]), refine=True), Placement(), Sampling())
    refinement = Refinement(plan, now=lambda: 0.0)
    step = refinement.next(SimpleNamespace(run=Run(header()), reason="launches"))  # type: ignore[arg-type]
    assert step is not None
    seconds = Budget(step.sampling, earlier=20, now=lambda: 0.0).next_seconds()
    assert seconds == pytest.approx(plan.sampling.budget_s / PARTS, rel=0.05)


def test_late_receivers_keep_their_part_of_the_time() -> None:
    times = {"left": Sampling().budget_s}
    plan = single(Pingpong(sizes=sizes_of([8, 64]), refine=True), Placement(), Sampling())
    refinement = Refinement(plan, now=lambda: Sampling().budget_s - times["left"])
    refinement.survey = 0
    assert refinement._may_search(1)
    times["left"] *= 0.5 * LATE_FRACTION
    assert not refinement._may_search(1)
    assert refinement._has_time()
