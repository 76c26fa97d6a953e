"""A lock between processes that leaves no file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from hockney.base import endings
from hockney.base.file_lock import locked


def _add(path: Path, times: int) -> None:
    for _ in range(times):
        with locked(path.with_suffix(".lock")):
            number = int(path.read_text())
            time.sleep(0.0005)
            path.write_text(str(number + 1))


def test_one_process_at_a_time_holds_it_and_no_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "number"
    path.write_text("0")
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=_add, args=(path, 25)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert path.read_text() == "100"
    assert [file.name for file in tmp_path.iterdir()] == ["number"]


def test_patience_ends(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "lock"),
        pytest.raises(TimeoutError, match="held by another process"),
        locked(tmp_path / "lock", patience_s=0.05),
    ):
        raise AssertionError
    assert not list(tmp_path.iterdir())


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="symbolic links"), locked(tmp_path / "lock"):
        raise AssertionError
    assert not (tmp_path / "victim").exists()


def _hold(path: Path) -> None:
    endings._owner = os.getpid()
    endings.install()
    with locked(path):
        path.with_name("held").touch()
        time.sleep(60)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR2])
def test_a_signal_releases_it(tmp_path: Path, number: int) -> None:
    path = tmp_path / "lock"
    process = multiprocessing.get_context("fork").Process(target=_hold, args=(path,))
    process.start()
    while not (tmp_path / "held").exists():
        time.sleep(0.01)
    assert process.pid is not None
    os.kill(process.pid, number)
    process.join()
    assert process.exitcode == endings.INTERRUPTED
    assert [file.name for file in tmp_path.iterdir()] == ["held"]
