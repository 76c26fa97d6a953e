"""A command does its work whether or not anybody reads its output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, first_of
from excerpts import OSU_BCAST_FULL

HOCKNEY = [sys.executable, "-m", "hockney"]


def without_reader(*words: str, cwd: Path, stdout: str = "") -> subprocess.CompletedProcess[str]:
    """Its stdout is a pipe whose reader has gone, or what the shell makes of `stdout`."""
    reader, writer = os.pipe()
    os.close(reader)
    command = ["sh", "-c", f'exec "$@" {stdout}', "sh", *HOCKNEY, *words]
    try:
        return subprocess.run(
            command,
            cwd=cwd,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TEST_TIMEOUT_S,
        )
    finally:
        os.close(writer)


@pytest.mark.long
def test_a_gate_answers_without_a_reader(tmp_path: Path) -> None:
    words = ("doctor", "--mpicc", "no-such-wrapper")
    assert subprocess.run([*HOCKNEY, *words], capture_output=True).returncode == 1
    assert without_reader(*words, cwd=tmp_path).returncode == 1


def test_all_files_are_written_without_a_reader(tmp_path: Path) -> None:
    logs = [f"{number}.log" for number in range(5)]
    for log in logs:
        (tmp_path / log).write_text(OSU_BCAST_FULL)
    done = without_reader("import", *logs, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("*.jsonl"))) >= len(logs)


def test_a_table_without_a_reader(measured: Path, tmp_path: Path) -> None:
    done = without_reader("export", str(measured), "--to", "csv", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("stdout", first_of([">/dev/full", ">&-"]))
@pytest.mark.parametrize(
    "words", [("export", "--to", "csv"), pytest.param(("show",), marks=pytest.mark.long)]
)
def test_what_cannot_be_written_is_told(
    measured: Path, tmp_path: Path, words: tuple[str, ...], stdout: str
) -> None:
    done = without_reader(*words, str(measured), cwd=tmp_path, stdout=stdout)
    assert done.returncode == 1
    assert "hockney: stdout cannot be written: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("streams", first_of([">&- 2>&- <&-", "2>&-", "2>/dev/full"]))
def test_nothing_that_is_closed_is_written_into(
    measured: Path, tmp_path: Path, streams: str
) -> None:
    """The first file that is opened would get the number of a closed stream."""
    words = ("export", str(measured), "--to", "csv", "-o", "out.csv")
    done = without_reader(*words, cwd=tmp_path, stdout=streams)
    assert done.returncode == 0
    assert (tmp_path / "out.csv").read_text().splitlines()[0].startswith("operation,")
    assert "wrote" not in (tmp_path / "out.csv").read_text()
