"""hockney congestion on real ranks, and what it refuses before it starts."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunHockney, first_of
from hockney import records
from hockney.run.measure.sessions.resume import whole_launches
from long_runs import engines_alive, nothing_left, written_into
from platforms import fat_tree

QUICK = ("--budget", "1s", "--launches", "1", "--place", "none", "-q")
LISTED = "victims 0,3\naggressors 2,1\n"


def test_real_ranks_are_loaded_and_recorded(hockney: RunHockney, tmp_path: Path) -> None:
    """Every kind of aggressor; what they exchange is measured, and victims alone as well."""
    roles, result = tmp_path / "roles", tmp_path / "run.jsonl"
    roles.write_text(LISTED)
    points = hockney.ok(
        *("congestion", "-n", "4", "--victim", "pingpong", "--sizes", "8,1KiB"),
        *("--aggressor", "incast,outcast,all-to-all,ring,permutation", "--load-sizes", "8KiB"),
        *("--load-windows", "2", "--burst", "steady,200us/200us", "--roles", str(roles)),
        *(*QUICK, "--json", "-o", str(result)),
    ).json["points"]
    assert len(points) == 2 * 5 * 2
    for point in points:
        assert point["isolated_s"] > 0.0
        assert point["loaded_s"] > 0.0
        assert point["load_Bps"] > 0.0
        assert point["low"] is None  # of one launch
    run = records.read(result)
    assert [(launch.victims, launch.aggressors) for launch in run.launches] == [([0, 3], [2, 1])]
    alone = [visit for visit in run.samples if visit.aggressor is None]
    assert {visit.bytes for visit in alone} == {8, 1024}
    assert all(visit.load_Bps is None for visit in alone)

    for words in (("show",), ("plot", "--what", "congestion", "-o", str(tmp_path / "f.svg"))):
        hockney.ok(words[0], str(result), *words[1:])
    again = hockney("congestion", "-n", "4", *QUICK, "--resume", "-o", str(result))
    assert again.status == 2
    assert "--sizes" in again.stderr or "other" in again.stderr, again.stderr


@pytest.mark.long
def test_a_killed_rank_loses_no_round_that_was_finished(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """--resume makes the launches that are missing."""
    path = tmp_path / "run.jsonl"
    words = ("congestion", "-n", "4", "--place", "none", "--aggressor", "ring", "--tails")
    words += ("--load-sizes", "1KiB", "--launches", "2")
    process = written_into(path, *words, "--budget", "120s")
    assert process.poll() is None, process.communicate()
    os.kill(engines_alive()[-1], signal.SIGKILL)
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 1
    assert "launch 0" in stderr
    assert "Traceback" not in stderr
    assert nothing_left()
    killed, before = records.read(path), path.read_bytes()
    assert killed.ends[-1].reason == "failed"
    rounds = [{v.round for v in killed.samples if v.aggressor == name} for name in (None, "ring")]
    assert rounds[0] == rounds[1] == set(range(max(rounds[0]) + 1))

    spent_s = killed.finish.spent_s if killed.finish else 0.0
    again = ("--budget", f"{spent_s + 2.0:.1f}s", "--resume", "-q", "-o", str(path))
    done = hockney(*words, *again)
    assert path.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert done.status == 0, done.stderr
    assert len(whole_launches(records.read(path))) == 2


@pytest.mark.long
@pytest.mark.parametrize("victim", first_of(["stream", "allreduce"]))
def test_other_victims(hockney: RunHockney, tmp_path: Path, victim: str) -> None:
    (point,) = hockney.ok(
        *("congestion", "-n", "4", "--victim", victim, "--aggressor", "ring", *QUICK),
        *("--load-sizes", "1KiB", "--sizes", "64", "--json", "-o", str(tmp_path / "run.jsonl")),
    ).json["points"]
    assert (point["victim"], point["aggressor"]) == (victim, "ring")


@pytest.mark.simgrid
def test_roles_are_drawn_anew_for_each_launch(hockney: RunHockney, tmp_path: Path) -> None:
    result = tmp_path / "run.jsonl"
    hockney.ok(
        *("congestion", "-n", "8", "--platform", "cluster:8", "--launches", "4", "-q"),
        *("-o", str(result)),
    )
    casts = {(*launch.victims, *launch.aggressors) for launch in records.read(result).launches}
    assert len(casts) > 1
    assert all(sorted(cast) == list(range(8)) for cast in casts)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-n 3", "need 2"),
        ("-n 4 --victim allreduce --victims 3", "leave 1 of 4 ranks"),
        ("-n 8 --victims 3", "pingpong takes two victims, not 3"),
        ("-n 8 --victims 1", "--victims"),
        ("-n 8 --victim telepathy", "telepathy"),
        ("-n 8 --aggressor none", "none"),
        ("-n 8 --load-sizes 0", "no load"),
        ("-n 8 --load-sizes 4GiB", "no load"),
        ("-n 8 --load-windows 0", "--load-windows"),
        ("-n 8 --load-windows 5000", "nobody reaches that"),
        ("-n 8 --burst 1ms", "no burst and its gap"),
        ("-n 8 --burst 1ns/1ms", "is not between"),
        ("-n 8 --burst 8s/9s", "--timeout"),
        ("-n 8 --window 4", "pingpong does not take --window"),
        ("-n 8 --victim allreduce --sizes 6", "integers of 4 bytes"),
        ("-n 8 --victim stream --buffers returned", "--buffers"),
        ("-n 8 --gate 0.5x", "factor"),
        ("-n 8 --gate 3", "fraction"),
        ("-n 8 --roles nobody", "cannot be read"),
        ("-n 8 --roles {far}", "no rank 9 among 8"),
        ("-n 8 --roles {twice}", "rank 1 is given twice"),
        ("-n 8 --roles {odd}", "is not the one line"),
        ("-n 8 --roles {words}", "no list of ranks"),
        ("-n 8 --roles {few}", "need 2"),
        ("-n 8 --roles {few} --victims 2", "lists them"),
    ],
)
def test_it_is_refused_before_anything_starts(
    hockney: RunHockney, tmp_path: Path, words: str, said: str
) -> None:
    files = {
        "far": "victims 0,9\naggressors 1,2\n",
        "twice": "victims 0,1\naggressors 1,2\n",
        "odd": "victims 0,1\nvictims 2,3\n",
        "words": "victims a,b\naggressors 2,3\n",
        "few": "victims 0,1\naggressors 2\n",
    }
    paths = {name: tmp_path / name for name in files}
    for name, text in files.items():
        paths[name].write_text(text)
    result = tmp_path / "run.jsonl"
    hockney.refused("congestion", *words.format(**paths).split(), "-o", str(result), because=said)
    assert not result.exists()


@pytest.mark.simgrid
@pytest.mark.parametrize(("gate", "status"), [("1.5x", 1), ("2.5x", 0)])
def test_a_gate_fails_a_run_that_is_surely_above(
    hockney: RunHockney, tmp_path: Path, gate: str, status: int
) -> None:
    """A simulated link that four streams share with the victims' four."""
    platform, roles = tmp_path / "wire.xml", tmp_path / "roles"
    platform.write_text(fat_tree(2, 2, 1e9, 1e9, 1e-7))
    roles.write_text("victims 0,2\naggressors 1,3\n")
    words = ("--platform", str(platform), "--roles", str(roles), "--sizes", "1MiB", "-q")
    loads = ("--aggressor", "ring", "--load-sizes", "1MiB", "--load-windows", "4")
    done = hockney(
        *("congestion", "-n", "4", "--victim", "stream", "--window", "4", *words, *loads),
        *("--gate", gate, "-o", str(tmp_path / "run.jsonl")),
    )
    assert done.status == status, done.stderr
    assert ("above the gate" in done.stdout) == bool(status)
    assert hockney("show", str(tmp_path / "run.jsonl"), "--gate").status == status


@pytest.mark.long
@pytest.mark.simgrid
def test_variants_of_a_load_are_compared_under_load(hockney: RunHockney, tmp_path: Path) -> None:
    """The axis that is varied does not apply to victims alone."""
    ratios = hockney.ok(
        *("congestion", "-n", "8", "--platform", "cluster:8", "--launches", "6", "-q", "--json"),
        *("--vary", "load-windows=1,8", "-o", str(tmp_path / "run.jsonl")),
    ).json["variants"]["ratios"]
    points = [ratio["point"] for ratio in ratios if ratio["point"] is not None]
    assert {point["aggressor"] for point in points} == {None, "incast"}


@pytest.mark.simgrid
@pytest.mark.parametrize("aggressor", ["incast", "outcast"])
def test_small_loads_end_in_simgrid(hockney: RunHockney, tmp_path: Path, aggressor: str) -> None:
    """It loses persistent sends of less than smpi/send-is-detached-thresh that start again."""
    where = ("-n", "8", "--platform", "cluster:8", "--aggressor", aggressor)
    hockney.ok("congestion", *where, "--load-sizes", "1KiB", "-q", "-o", "run.jsonl")
    assert records.read(tmp_path / "run.jsonl").samples


def test_a_factor_is_no_gate_of_others(hockney: RunHockney) -> None:
    hockney.refused("pingpong", "--gate", "3x", because="hockney congestion")
