"""Temporary files of a killed process, and who removes them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from hockney.base.temporary import LONGEST_USE_S, temporary_directory, temporary_file

HOLDING = """
import sys
from pathlib import Path
from hockney.base.temporary import temporary_directory, temporary_file
place = Path(sys.argv[1])
with temporary_directory("some-", place) as inner, temporary_file("some-", ".part", place):
    (inner / "file").touch()
    print("ready", flush=True)
    sys.stdin.read()
"""


def holding(place: Path) -> subprocess.Popen[bytes]:
    """A process that has a temporary file and a directory there."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    killed = holding(tmp_path)
    killed.kill()
    killed.communicate()
    left = set(tmp_path.iterdir())
    assert len(left) == 2
    (tmp_path / "some-file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "some-file")
    first = next(path for path in left if path.is_file())
    (tmp_path / first.name.replace("some", "other")).touch()
    alive = holding(tmp_path)
    try:
        with temporary_file("some-", "", tmp_path), temporary_directory("some-", tmp_path):
            there = set(tmp_path.iterdir())
            assert not left & there
            assert len(there) == 3 + 2 + 2
    finally:
        alive.communicate(b"")
    assert len(list(tmp_path.iterdir())) == 3


def test_what_another_host_left_is_removed_when_nobody_can_use_it_any_more(tmp_path: Path) -> None:
    """A process of another host, or of before a reboot, cannot be asked whether it lives."""
    names = [f"some-0123abcd-1-{number:016x}" for number in range(2)]
    old, new = (tmp_path / name for name in names)
    for path in (old, new):
        path.touch()
    past = time.time() - 2.0 * LONGEST_USE_S
    os.utime(old, (past, past))
    with temporary_file("some-", "", tmp_path):
        assert not old.exists()
        assert new.exists()
