"""Faults of disks, pipes, clocks and other people's signals, made to real runs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunHockney, first_of
from hockney import records
from hockney.records import End
from hockney.run.measure.launches.launch import Outcome
from hockney.run.measure.sessions.failures import failure_of
from hockney.run.measure.sessions.resume import whole_launches
from long_runs import LONG, engines_alive, measuring_into, nothing_left

ROUNDS = int(os.environ.get("HOCKNEY_TEST_ROUNDS", "1"))
"""Number of times that each fault is made."""
AGAIN = ["--sizes", "8,1KiB", "--budget", "0.5s", "--resume"]
rounds = pytest.mark.parametrize("attempt", range(ROUNDS))


def assert_rounds_are_whole(path: Path) -> None:
    seen = {samples.round for samples in records.read(path).samples}
    assert seen
    assert seen == set(range(max(seen) + 1))


def goes_on(hockney: RunHockney, path: Path) -> bool:
    before = path.read_bytes()
    one_more = len(whole_launches(records.read(path))) + 1
    done = hockney("pingpong", *AGAIN, "--launches", str(one_more), "-o", str(path))
    run = records.read(path)
    after = path.read_bytes()
    whole = before[: before.rfind(b"\n") + 1]
    assert after.startswith(whole)
    return done.status == 0 and run.cut is None and run.ends[-1].reason in ("budget", "precision")


@rounds
@pytest.mark.parametrize("number", first_of([signal.SIGKILL, signal.SIGSTOP]))
def test_a_rank_that_is_killed_or_stopped(
    hockney: RunHockney, tmp_path: Path, number: int, attempt: int
) -> None:
    path = tmp_path / "run.jsonl"
    process = measuring_into(path, "--timeout", "10s")
    time.sleep(0.1 * (attempt % 7))
    os.kill(engines_alive()[0], number)
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 1
    assert "launch 0" in stderr
    assert "Traceback" not in stderr
    assert nothing_left()
    assert records.read(path).ends[-1].reason == "failed"
    assert_rounds_are_whole(path)
    assert goes_on(hockney, path)


@pytest.mark.long
def test_a_launch_that_somebody_else_ends(hockney: RunHockney, tmp_path: Path) -> None:
    """Its ranks end well when they are asked to, but it is no whole launch."""
    path = tmp_path / "run.jsonl"
    process = measuring_into(path)
    os.kill(engines_alive()[0], signal.SIGTERM)
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 1
    assert "launch 0 was cut short by a signal that another process sent" in stderr
    assert records.read(path).ends[-1].reason == "interrupted"
    assert whole_launches(records.read(path)) == []
    assert goes_on(hockney, path)


@pytest.mark.parametrize("can_resume", [True, False])
def test_advice_after_a_cut_is_what_the_verb_can_do(can_resume: bool) -> None:
    cut = End(launch=0, reason="interrupted")
    problem = failure_of(0, Outcome(exit_status=0, wall_s=1.0), [], [cut], can_resume)
    assert problem is not None
    assert ("--resume" in problem.sentence) == can_resume


@pytest.mark.long
@rounds
def test_hockney_itself_is_killed(hockney: RunHockney, tmp_path: Path, attempt: int) -> None:
    """It can say nothing, but its ranks must not go on for ever."""
    path = tmp_path / "run.jsonl"
    process = measuring_into(path)
    time.sleep(0.1 * (attempt % 7))
    process.kill()
    process.communicate(timeout=TEST_TIMEOUT_S)
    assert nothing_left()
    assert "no end" in (records.read(path).cut or "")
    assert goes_on(hockney, path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a file system needs root")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@rounds
def test_a_disk_that_gets_full(hockney: RunHockney, small_disk: Path, attempt: int) -> None:  # noqa: ARG001
    path = small_disk / "run.jsonl"
    done = hockney("pingpong", *LONG, "-o", str(path))
    assert done.status == 1
    assert "No space left on device; what was measured before is in the file" in done.stderr
    assert "1024" in done.stdout
    assert nothing_left()
    assert_rounds_are_whole(path)
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    assert goes_on(hockney, path)


@pytest.mark.long
@rounds
def test_a_file_that_another_process_cuts(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attempt: int
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.jsonl"
    process = measuring_into(path)
    time.sleep(0.1 * (attempt % 7))
    before = {sample.round for sample in records.read(path).samples}
    os.truncate(path, 0)
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 1
    assert f"{path} was cut by another process" in stderr
    (saved,) = tmp_path.glob("run-saved-*.jsonl")
    assert f"all that was measured is in {saved}" in stderr
    assert before <= {sample.round for sample in records.read(saved).samples}
    assert_rounds_are_whole(saved)
    assert nothing_left()
    assert goes_on(hockney, saved)


@pytest.mark.long
@rounds
def test_a_directory_that_vanishes(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attempt: int
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "results" / "run.jsonl"
    path.parent.mkdir()
    process = measuring_into(path)
    time.sleep(0.1 * (attempt % 7))
    before = path.read_bytes()
    shutil.rmtree(path.parent)
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 1
    assert f"{path} was removed or replaced" in stderr
    (saved,) = tmp_path.glob("run-saved-*.jsonl")
    assert saved.name in stderr
    assert saved.read_bytes().startswith(before)
    assert_rounds_are_whole(saved)
    assert nothing_left()
    assert goes_on(hockney, saved)


@pytest.mark.long
def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    """`| head -1` is such a reader."""
    command = [sys.executable, "-m", "hockney", "pingpong", "-o", "run.jsonl", "--launches", "1"]
    process = subprocess.Popen(
        [*command, "--budget", "0.5s"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    stderr = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=TEST_TIMEOUT_S) == 0
    assert "Traceback" not in stderr
    assert "Exception" not in stderr
    assert records.read(tmp_path / "run.jsonl").cut is None


@pytest.mark.long
@rounds
def test_a_second_run_into_the_same_file(hockney: RunHockney, tmp_path: Path, attempt: int) -> None:
    path = tmp_path / "run.jsonl"
    process = measuring_into(path)
    time.sleep(0.1 * (attempt % 7))
    for option in ("--force", "--resume"):
        hockney.refused(
            "pingpong", *LONG, "-o", str(path), option, because="is being written by another run"
        )
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TEST_TIMEOUT_S)
    assert_rounds_are_whole(path)
    assert goes_on(hockney, path)


@pytest.mark.long
@rounds
def test_a_clock_of_the_day_that_is_set(tmp_path: Path, attempt: int) -> None:
    library = tmp_path / "stepped_clock.so"
    source = Path(__file__).parent / "stepped_clock.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    stepped = tmp_path / "stepped"
    env = {"LD_PRELOAD": str(library), "HOCKNEY_TEST_STEP": str(stepped)}
    path = tmp_path / "run.jsonl"
    begun = time.monotonic()
    process = measuring_into(path, "--launches", "2", "--budget", "1.5s", env=env)
    time.sleep(0.1 * (attempt % 7))
    stepped.touch()
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    took_s = time.monotonic() - begun
    assert process.returncode == 0, stderr
    run = records.read(path)
    assert [end.reason for end in run.ends] == ["budget", "budget"]
    assert all(0.0 < end.wall_s < took_s for end in run.ends if end.wall_s is not None)
    assert all(0.0 < ns < took_s * 1e9 for samples in run.samples for ns in samples.ns)
