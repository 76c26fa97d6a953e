"""The engine alone, under the launcher of its MPI."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from conftest import RunEngine
from hockney.records import decode
from hockney.run.mpis import Engine

QUICK = ("--seconds", "0.15", "--sizes", "0,8,1KiB")
# As many rounds as a test needs, however slow the machine is.
TEN_ROUNDS = ("--rounds", "10:10", "--seconds", "60")


def test_it_prints_records_that_we_read(run_engine: RunEngine) -> None:
    done = run_engine.ok("pingpong", *QUICK)
    for line in done.stdout.splitlines():
        assert decode(line.encode()) is not None
    (launch,), (end,) = done.of("launch"), done.of("end")
    assert end["reason"] == "budget"
    assert 0.0 < launch["clock"]["cost_s"] < 1e-5
    assert 0.0 < launch["clock"]["resolution_s"] < 1e-4
    assert {s["bytes"] for s in done.of("samples")} == {0, 8, 1024}
    assert all(ns > 0.0 for s in done.of("samples") for ns in s["ns"])


def test_every_round_visits_every_size_in_an_order_of_its_own(run_engine: RunEngine) -> None:
    orders: dict[int, list[int]] = {}
    for samples in run_engine("pingpong", *TEN_ROUNDS, "--sizes", "0,1..64").of("samples"):
        orders.setdefault(samples["round"], []).append(samples["bytes"])
    assert all(sorted(order) == [0, 1, 2, 4, 8, 16, 32, 64] for order in orders.values())
    assert len({tuple(order) for order in orders.values()}) > 3


def test_batches_are_long_enough_for_the_clock(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", *TEN_ROUNDS, "--sizes", "0,8,1KiB")
    clock = done.of("launch")[0]["clock"]
    # The last visit of each size: where the first were disturbed, batches are lengthened.
    for samples in {samples["bytes"]: samples for samples in done.of("samples")}.values():
        batch_s = max(samples["ns"]) * 2.0 * samples["repetitions"] * 1e-9
        assert clock["cost_s"] < 0.01 * batch_s


def test_it_stops_when_it_is_precise_enough(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", "--seconds", "20", "--precision", "30", "--sizes", "8,64")
    assert done.of("end")[0]["reason"] == "precision"
    assert max(s["round"] for s in done.of("samples")) >= 9


@pytest.mark.long
def test_ranks_without_a_part_sleep(run_engine: RunEngine) -> None:
    """CPU time of all children: two that spin for most of the run, and two that should not. If
    these did, they would take 4 s; half of that is more than ending four processes takes."""
    before = os.times()
    done = run_engine(
        "pingpong", "--peers", "0,3", "-n", "4", "--seconds", "2", "--sizes", "8", ranks=4
    )
    after = os.times()
    assert done.status == 0, done.stderr
    assert done.of("samples")[0]["peers"] == [0, 3]
    assert len(done.of("launch")[0]["places"]) == 4
    cpu_s = after.children_user + after.children_system
    cpu_s -= before.children_user + before.children_system
    wall_s = after.elapsed - before.elapsed
    active_s = sum(n["cpu_s"] for n in done.of("noise"))
    start_s = wall_s - done.of("end")[0]["wall_s"]
    assert cpu_s - active_s < 2.0 + 4.0 * start_s


def test_peers_may_be_in_any_order_and_odd_worlds_work(run_engine: RunEngine) -> None:
    done = run_engine.ok("pingpong", *QUICK, "--peers", "2,1", ranks=3)
    assert done.of("samples")[0]["peers"] == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["pingpong", "--peers", "1,1"], "with itself"),
        (["pingpong", "--peers", "0;1"], "two numbers with ','"),
        (["pingpong", "--sizes", "8,-1"], "expected a number"),
        (["pingpong", "--sizes", "8Kib"], "ib"),
        (["pingpong", "--sizes", "99999999999999999999"], "too large"),
        (["bcast"], "no such experiment"),
        ([], "name an experiment"),
        (["pingpong", "--rounds", "9:3"], "at most MAX"),
        (["pingpong", "--sweep", "--sizes", "8"], "needs counts"),
        (["pingpong", "--place", "attic"], "unknown"),
    ],
)
def test_bad_questions_are_told_and_nothing_is_measured(
    run_alone: RunEngine, arguments: list[str], complaint: str
) -> None:
    done = run_alone.refused(*arguments, because=complaint)
    assert done.of("samples") == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["pingpong", "--peers", "0,9"], "no rank 9"),
        (["pingpong", "--cpus", "x"], "not a list"),
        (["pingpong", "--cpus", "0"], "names too few CPUs: 1"),
        (["pingpong", "--sizes", "1..4000GiB"], "free"),
    ],
)
def test_what_the_ranks_together_cannot_do_is_refused(
    run_engine: RunEngine, arguments: list[str], complaint: str
) -> None:
    done = run_engine.refused(*arguments, because=complaint)
    assert done.of("samples") == []


def test_a_rank_alone_is_refused(run_engine: RunEngine) -> None:
    run_engine.refused("pingpong", *QUICK, ranks=1, because="at least 2 ranks, this world has 1")


def test_a_wrong_number_of_ranks_is_noticed(run_engine: RunEngine) -> None:
    """A launcher of another MPI causes this: it is no wrong request."""
    done = run_engine("pingpong", "-n", "3", *QUICK)
    assert done.status == 1
    assert "a world of 2 ranks where 3 were asked for" in done.stderr


def test_the_table_is_for_people(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", "--table", *QUICK)
    rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
    assert [row[0] for row in rows] == ["0", "8", "1024"]
    # A median is kept as a float, which may be the next one above the largest sample.
    assert all(0.0 < float(row[2]) <= 1.000001 * float(row[3]) for row in rows)
    assert all(float(row[3]) <= 1.000001 * float(row[5]) for row in rows)
    # Beside other work the larger size may be the faster one.
    assert re.search(r"alpha = \d+\.\d+ us, (1/beta = \d+\.\d+ MiB/s|beta = 0)", done.stdout)


def test_single_exchanges_have_the_clock_subtracted_unless_asked(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", "--every-iteration", *QUICK)
    assert {s["repetitions"] for s in done.of("samples")} == {1}
    assert "clock cost subtracted" in done.of("launch")[0]["definition"]
    kept = run_engine("pingpong", "--every-iteration", "--keep-clock-cost", *QUICK)
    assert "clock cost included" in kept.of("launch")[0]["definition"]


@pytest.mark.long
def test_the_choice_of_buffers_is_recorded(run_engine: RunEngine) -> None:
    choices = {
        (): "returned",
        ("--buffers=separate",): "separate",
        ("--verify",): "separate",
        ("--buffers=cold",): "cold",
        ("--operation=stream",): "separate",
    }
    for option, buffers in choices.items():
        launch = run_engine("pingpong", *QUICK, *option).of("launch")[0]
        assert launch["buffers"] == buffers
        assert launch["definition"].endswith(f"{buffers} buffers")
        assert (launch["cold_bytes"] > 0) == (buffers == "cold")


def test_a_sweep_makes_the_asked_counts(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", "--sweep", "--sizes", "8@50+5,64@7")
    assert [(s["bytes"], s["repetitions"], len(s["ns"])) for s in done.of("samples")] == [
        (8, 50, 1),
        (64, 7, 1),
    ]
    single = run_engine("pingpong", "--sweep", "--every-iteration", "--sizes", "8@5000")
    assert [len(s["ns"]) for s in single.of("samples")] == [4096, 904]


@pytest.mark.long
def test_the_floor_is_measured_beside(run_engine: RunEngine) -> None:
    done = run_engine.ok("pingpong", "--floor", *QUICK)
    operations = {(s["operation"], s["algorithm"]) for s in done.of("samples")}
    assert operations == {
        ("pingpong", None),
        ("copy", "warm"),
        ("copy", "cold"),
        ("handover", "one line"),
        ("handover", "two lines"),
        ("handover", "swap"),
    }


def test_the_machine_is_probed_before_and_after_every_round(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", *QUICK)
    rounds = {s["round"] for s in done.of("samples")}
    assert {p["round"] for p in done.of("probe")} == rounds | {max(rounds) + 1}
    assert {looked["round"] for looked in done.of("round")} == rounds
    for probe in done.of("probe"):
        low, high = probe["handover_low_ns"], probe["handover_high_ns"]
        assert 0.0 < low <= probe["handover_ns"] <= high
    assert any(p["handover_low_ns"] < p["handover_high_ns"] for p in done.of("probe"))
    assert [noise["rank"] for noise in done.of("noise")] == [0, 1]


def test_ranks_that_share_a_cpu_are_not_probed(
    run_engine: RunEngine, engine: Engine, tmp_path: Path
) -> None:
    """Each line of the probe would cost them a turn on the CPU."""
    path = tmp_path / "on_one_cpu"
    cpu = min(os.sched_getaffinity(0))
    path.write_text(
        f"#!{sys.executable}\nimport os, sys\nos.sched_setaffinity(0, [{cpu}])\n"
        f"os.execv({str(engine.path)!r}, [{str(engine.path)!r}, *sys.argv[1:]])\n"
    )
    path.chmod(0o755)
    done = run_engine("pingpong", *QUICK, path=path)
    assert done.of("samples"), done.stderr
    assert not done.of("probe")


@pytest.mark.long
def test_cold_buffers_are_larger_than_the_last_cache(run_engine: RunEngine) -> None:
    launch = run_engine("pingpong", "--buffers=cold", *QUICK).of("launch")[0]
    last = max(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
    kib = int((last / "size").read_text().strip().rstrip("K"))
    assert launch["cold_bytes"] == 2 * kib * 1024


def test_what_arrives_whole_is_verified(run_engine: RunEngine) -> None:
    done = run_engine.ok("pingpong", "--verify", "--seconds", "0.2", "--sizes", "0,1,64,64KiB,1MiB")
    assert {s["bytes"] for s in done.of("samples")} == {0, 1, 64, 65536, 1048576}


def test_what_arrives_damaged_stops_the_run(run_engine: RunEngine, faulty_engine: Engine) -> None:
    done = run_engine(
        *("pingpong", "--verify", "--sizes", "8,64"),
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert re.search(r"data check: in a message of 64 bytes from peer \d to peer \d", done.stderr)
    assert "byte 17 is" in done.stderr
