"""What a history keeps of files is worked out once, and nothing in the cache is trusted."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from hockney import records
from hockney.cli import _kept
from hockney.cli._facts import Facts, Known
from samples import past_run, write_run


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(_kept.OFF, raising=False)
    return tmp_path / "cache" / "hockney" / "facts"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = write_run(past_run(1), tmp_path / "run.jsonl")
    os.utime(path, (1e9, 1e9))
    return path


def unreadable(_: Path) -> records.Run:
    raise AssertionError("read again")


def test_a_file_is_read_once(entries: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Facts().of(file)
    assert first.facts is not None
    assert len(list(entries.iterdir())) == 1
    monkeypatch.setattr(records, "read", unreadable)
    assert Facts().of(file) == first


@pytest.mark.parametrize(
    "content",
    [b"", b"{", msgspec.msgpack.encode({"cut": 1, "facts": None}), b"\xff", b"\x91" * 9999],
)
def test_a_damaged_entry_is_worked_out_again(entries: Path, file: Path, content: bytes) -> None:
    first = Facts().of(file)
    (entry,) = entries.iterdir()
    entry.write_bytes(content)
    assert Facts().of(file) == first
    assert entry.read_bytes() != content


def test_a_changed_file_is_read_again(entries: Path, file: Path) -> None:
    first = Facts().of(file)
    write_run(past_run(1, factor=2.0), file)
    os.utime(file, (1e9 + 5, 1e9 + 5))
    assert Facts().of(file) != first
    assert len(list(entries.iterdir())) == 2


def test_a_file_that_may_still_change_is_not_kept(entries: Path, file: Path) -> None:
    os.utime(file)
    Facts().of(file)
    assert list(entries.iterdir()) == []


def test_the_cache_can_be_switched_off(
    entries: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(_kept.OFF, "1")
    assert isinstance(Facts().of(file), Known)
    assert not entries.exists()


def test_the_oldest_entries_go(entries: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Facts()
    for number in range(4):
        old = entries / f"{number}.json"
        old.write_bytes(b"")
        os.utime(old, (number, number))
    facts.of(file)
    monkeypatch.setattr(_kept, "MOST_ENTRIES", 2)
    facts.close()
    assert {entry.name for entry in entries.iterdir()} >= {"3.json"}
    assert len(list(entries.iterdir())) == 2
