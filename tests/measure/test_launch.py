from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import pytest

from conftest import TEST_TIMEOUT_S, first_of
from hockney.base.errors import HockneyError
from hockney.run.measure.launches.launch import Interruption, Outcome, run_launch
from hockney.run.measure.machine import shared_memory


def run(
    script: str, timeout_s: float = TEST_TIMEOUT_S, interrupt: bool = False
) -> tuple[list[bytes], Outcome]:
    """Its lines and its end; interrupted, if asked, as soon as it has said something."""
    lines: list[bytes] = []
    interruption = Interruption()

    def hear(some: Iterable[bytes]) -> None:
        lines.extend(some)
        if interrupt and lines:
            interruption.signal = signal.SIGINT

    outcome = run_launch(["sh", "-c", script], os.environ, hear, timeout_s, interruption)
    return lines, outcome


def test_whole_lines_are_handed_on() -> None:
    lines, outcome = run("printf 'one\\ntw'; sleep 0.2; printf 'o\\nthree'")
    assert lines == [b"one\n", b"two\n"]
    assert outcome.exit_status == 0


def test_the_last_words_and_the_status_are_kept() -> None:
    _, outcome = run("for i in $(seq 99); do echo line $i >&2; done; exit 7")
    assert outcome.exit_status == 7
    assert outcome.last_lines[-1] == "line 99"
    assert len(outcome.last_lines) < 20


def alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def ends(pid: int) -> bool:
    """Whether it ends soon: a killed process needs a moment."""
    for _ in range(200):
        if not alive(pid):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("ignore", first_of(["trap '' TERM;", ""]))
def test_a_silent_launch_is_ended_with_all_its_children(ignore: str) -> None:
    lines, outcome = run(
        f"{ignore} (sleep 300 & echo $!; sleep 300 & echo $!; wait) ", timeout_s=1.0
    )
    assert outcome.silent_s is not None
    assert outcome.silent_s >= 1.0
    assert len(lines) == 2
    assert all(ends(int(line)) for line in lines)


def test_a_helper_in_a_session_of_its_own_is_ended_with_its_launch() -> None:
    """Hydra gives its proxies one; a launcher that dies leaves them asleep."""
    lines, _ = run("setsid sh -c 'echo $$; exec sleep 300 >&- 2>&-' & sleep 0.5; kill -HUP $$")
    assert len(lines) == 1
    assert ends(int(lines[0]))


def test_looking_for_strays_never_hides_how_a_launch_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may end between the listing of /proc and a look at its files."""

    def gone(path: Path, **_: bool) -> os.stat_result:
        raise ProcessLookupError(errno.ESRCH, "No such process", str(path))

    monkeypatch.setattr(Path, "stat", gone)
    _, outcome = run("echo last words >&2; exit 3")
    assert (outcome.exit_status, outcome.last_lines) == (3, ["last words"])


def test_strays_are_not_looked_for_without_a_descriptor() -> None:
    script = (
        "from resource import *; from hockney.run.measure.launches import launch; "
        "setrlimit(RLIMIT_NOFILE, (3, 3)); launch.end_strays('none')"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TEST_TIMEOUT_S)
    assert done.returncode == 0, done.stderr


def test_silence_is_heard_as_well() -> None:
    """A caller is called while it waits, and can report that."""
    heard: list[list[bytes]] = []
    command = ["sh", "-c", "sleep 1; echo done"]
    run_launch(command, os.environ, heard.append, TEST_TIMEOUT_S, Interruption())
    assert heard[0] == []
    assert [b"done\n"] in heard


@pytest.mark.long
def test_a_launch_that_speaks_is_not_ended() -> None:
    lines, outcome = run("for i in $(seq 12); do echo $i; sleep 0.5; done", timeout_s=5.0)
    assert outcome.silent_s is None
    assert len(lines) == 12


def test_an_interruption_ends_it_and_keeps_what_it_says_then() -> None:
    lines, outcome = run(
        "trap 'echo last round; exit 0' TERM; echo first; while :; do sleep 0.05; done",
        interrupt=True,
    )
    assert outcome.interrupted
    assert lines == [b"first\n", b"last round\n"]


def test_an_interruption_ends_a_launcher_that_closed_its_streams_and_stays() -> None:
    """It is interrupted, not silent."""
    interruption = Interruption()
    timer = threading.Timer(0.3, setattr, (interruption, "signal", signal.SIGINT))
    timer.start()
    command = ["sh", "-c", "exec >&- 2>&-; exec sleep 1000"]
    outcome = run_launch(command, os.environ, lambda _: None, 5.0, interruption)
    timer.join()
    assert outcome.interrupted
    assert outcome.silent_s is None


def test_signals_are_noted_not_died_of() -> None:
    with Interruption().watched() as interruption:
        assert not interruption
        os.kill(os.getpid(), signal.SIGTERM)
        assert interruption.signal == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    with pytest.raises(HockneyError, match="cannot be started"):
        run_launch([str(tmp_path)], os.environ, lambda _: None, 1.0, Interruption())


def test_shared_memory_of_killed_ranks_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that were there before, have another name, or are in use stay. The directory is one of
    the test: in /dev/shm, launches of other tests that fail would remove the one that was there
    before."""
    monkeypatch.setattr(shared_memory, "DIRECTORY", tmp_path)
    name = tmp_path / "mpich_shm_1"
    before, used, other = (name.with_name(f"{name.name}_{word}") for word in ("a", "b", "c"))
    other = other.with_name(f"own_{other.name}")
    before.touch()
    opened: list[IO[bytes]] = []

    def hear(lines: list[bytes]) -> None:
        if lines:
            opened.append(used.open("wb"))

    script = f"touch {name} {other}; echo made; sleep 0.5; exit 9"
    try:
        run_launch(["sh", "-c", script], os.environ, hear, TEST_TIMEOUT_S, Interruption())
        assert [path.exists() for path in (name, before, used, other)] == [False, True, True, True]
    finally:
        for file in opened:
            file.close()
