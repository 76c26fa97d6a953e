from __future__ import annotations

import errno
import os
import pwd
import shutil
import tempfile
from pathlib import Path

import pytest

from hockney.base.errors import HockneyError, UsageError
from hockney.base.result_file import ResultFile, TakenError, opened_first
from hockney.run.measure.execution import Target


def test_a_result_file_is_never_overwritten_unasked(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("precious")
    with pytest.raises(UsageError, match="exists"):
        ResultFile(path)
    assert path.read_text() == "precious"
    file = ResultFile(path, force=True)
    file.write(b"new\n")
    file.close()
    assert path.read_text() == "new\n"


def test_a_full_disk_is_told_with_what_is_kept() -> None:
    file = ResultFile(Path("/dev/full"), force=True)
    with pytest.raises(HockneyError, match="measured before is in the file"):
        file.write(b"line\n")
    file.close()


def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        ResultFile(tmp_path / "nowhere" / "run.jsonl")


def test_a_file_has_one_writer(tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "run.jsonl")
    for options in ({"force": True}, {"resume": True}):
        with pytest.raises(UsageError, match="being written by another run"):
            ResultFile(tmp_path / "run.jsonl", **options)
    file.close()
    ResultFile(tmp_path / "run.jsonl", resume=True).close()


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"", b""), (b"whole\n", b"whole\n"), (b"whole\nhal", b"whole\n"), (b"half", b"")],
)
def test_half_a_line_is_cut_off_before_going_on(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(before)
    file = ResultFile(path, resume=True)
    assert file.has_content == bool(after)
    file.write(b"new\n")
    file.close()
    assert path.read_bytes() == after + b"new\n"


@pytest.mark.parametrize("rival", [None, b"another file"])
def test_a_file_whose_name_is_taken_away_is_saved_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rival: bytes | None
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = tmp_path / "results" / "run.jsonl"
    path.parent.mkdir()
    file = ResultFile(path)
    file.write(b"measured\n")
    shutil.rmtree(path.parent)
    if rival is not None:
        path.parent.mkdir()
        path.write_bytes(rival)
    with pytest.raises(HockneyError, match="was removed or replaced") as error:
        file.write(b"more\n")
    file.close()
    (saved,) = (tmp_path / "here").iterdir()
    assert saved.read_bytes() == b"measured\n"
    assert saved.name in str(error.value)
    assert saved.stat().st_mode & 0o077 == 0
    assert rival is None or path.read_bytes() == rival


def test_nothing_is_checked_of_what_is_no_plain_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    file = ResultFile(tmp_path / "pipe", force=True)
    file.write(b"line\n")
    assert os.read(reader, 100) == b"line\n"
    file.close()


def test_a_file_that_another_process_cuts_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    file = ResultFile(path, resume=False)
    file.write(b"header\nsamples\n")
    os.truncate(path, 7)
    for _ in range(2):
        with pytest.raises(HockneyError, match="cut by another process: 8 bytes"):
            file.write(b"more\n")
    file.close()
    assert path.read_bytes() == b"header\n"


def test_a_name_that_nobody_chose_gets_the_next_number(tmp_path: Path) -> None:
    names = list(Target(tmp_path / "run.jsonl", is_chosen=False).names())[:3]
    files = [opened_first(names, force=False, resume=False) for _ in range(3)]
    assert [file.path.name for file in files] == ["run.jsonl", "run-2.jsonl", "run-3.jsonl"]
    with pytest.raises(TakenError):
        opened_first(names, force=False, resume=False)
    with pytest.raises(TakenError):
        opened_first(Target(names[0]).names(), force=False, resume=False)
    for file in files:
        file.close()


def test_a_limit_of_files_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ResultFile(tmp_path / "run.jsonl", resume=False)

    def refuse(_file: int, _lines: bytes) -> int:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))

    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(HockneyError, match=r"ulimit -f"):
        file.write(b"line\n")
    file.close()


def test_half_a_line_of_a_full_disk_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.jsonl"
    file = ResultFile(path, resume=False)
    write, room = os.write, len(b"header\nsamples\nhal")

    def until_full(number: int, lines: bytes) -> int:
        left = room - path.stat().st_size
        if left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(number, lines[:left])

    monkeypatch.setattr(os, "write", until_full)
    with pytest.raises(HockneyError, match="measured before is in the file"):
        file.write(b"header\nsamples\nhalf a line\n")
    assert path.read_bytes() == b"header\nsamples\n"
    monkeypatch.undo()
    file.write(b"more\n")
    file.close()
    assert path.read_bytes() == b"header\nsamples\nmore\n"


def test_data_are_saved_where_no_home_is_known_and_no_place_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container that runs as a number: each place that is unknown leaves the others."""

    def unknown(*_: object) -> str:
        raise KeyError

    def nowhere() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    file = ResultFile(tmp_path / "run.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert file.save_elsewhere(lambda: [b"measured"])
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    saved = file.save_elsewhere(lambda: [b"measured"])
    assert saved is not None
    assert saved.read_bytes() == b"measured"
    file.close()
