"""Files that are worked out of others: whole, or not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunHockney, kept_short
from hockney.base.endings import AtEnd
from hockney.base.errors import HockneyError, UsageError
from hockney.base.outputs import write_output, write_outputs
from report_runs import pingpong_run
from samples import write_run

ROWS = "bytes,time_us\n" + "".join(f"{8 + i},{1 + i / 100}\n" for i in range(3000))
WORKED_OUT = (
    "report run.jsonl -o OUT.html",
    "plot run.jsonl -o OUT.png",
    "export run.jsonl --to csv-samples -o OUT.csv",
    "import times.csv -o OUT.jsonl",
    "history run.jsonl --otava OUT",
)


@pytest.mark.parametrize("words", kept_short(WORKED_OUT, WORKED_OUT[2:4]))
def test_a_limit_of_files_leaves_no_part_of_one(tmp_path: Path, words: str) -> None:
    write_run(pingpong_run(), tmp_path / "run.jsonl")
    (tmp_path / "times.csv").write_text(ROWS)
    before = {path.name for path in tmp_path.iterdir()} | {"OUT"}
    limited = f'ulimit -f 0; exec "{sys.executable}" -m hockney {words}'
    env = {**os.environ, "HOCKNEY_NO_CACHE": "1", "MPLCONFIGDIR": "/nonexistent"}
    done = subprocess.run(
        ["sh", "-c", limited],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
    )
    assert done.returncode == 1, done.stderr
    assert "ulimit -f" in done.stderr
    assert "measured" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= before
    assert not any((tmp_path / "OUT").glob("*"))


def _failing() -> list[bytes]:
    raise OSError(28, os.strerror(28))


def test_what_was_there_stays_where_the_new_one_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(HockneyError, match=r"No space left on device\n  free some space") as raised:
        write_outputs([(tmp_path / "first", "new"), (path, (_failing() for _ in "x"))], force=True)
    assert raised.value.exit_status == 1
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_a_file_is_replaced_only_by_force_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(UsageError, match="exists"):
        write_output(path, "new", force=False)
    write_output(path, "new", force=True)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)


@pytest.mark.parametrize("force", [False, True])
def test_a_link_is_never_followed(tmp_path: Path, force: bool) -> None:
    victim, link = tmp_path / "victim", tmp_path / "out"
    victim.write_text("precious")
    link.symlink_to(victim)
    if force:
        write_output(link, "new", force=True)
        assert not link.is_symlink()
    else:
        with pytest.raises(UsageError, match="exists"):
            write_output(link, "new", force=False)
    assert victim.read_text() == "precious"


def test_a_wrong_place_is_an_error_of_usage(tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere" / "out", Path("/proc/out")):
        with pytest.raises(UsageError, match="cannot be written"):
            write_output(place, "new", force=False)


def test_devices_and_pipes_are_written_to() -> None:
    write_output(Path("/dev/null"), "new", force=True)
    assert Path("/dev/null").is_char_device()


def test_published_systems_are_named_beside_json(hockney: RunHockney, tmp_path: Path) -> None:
    write_run(pingpong_run(), tmp_path / "run.jsonl")
    done = hockney("history", "--json", "--publish", "run.jsonl")
    assert done.stdout.startswith("{")
    assert "published.json: " in done.stderr


def test_nothing_waits_for_the_end_after_a_write(tmp_path: Path) -> None:
    before = list(AtEnd._registered)
    write_output(tmp_path / "out", "new", force=False)
    assert list(AtEnd._registered) == before
