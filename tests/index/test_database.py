"""The index of what was worked out of files: once a file, and nothing in it is trusted."""

from __future__ import annotations

import multiprocessing
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conftest import RunHockney, kept_short
from hockney import records
from hockney.base.errors import UsageError
from hockney.infer.analysis.findings import DecidingFinding
from hockney.infer.analysis.history.histories import histories
from hockney.infer.index import NAME, OFF, Index
from hockney.infer.index.database import SCHEMA, ResultKind
from hockney.infer.index.history_rows import Known, facts_from
from hockney.infer.index.report_rows import REDUCED, with_newest
from samples import night_run, past_run, write_run

QUERY = "SELECT file, started, label, bytes, time_s, low_s, high_s FROM measured ORDER BY 1, 4"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(OFF, raising=False)
    return tmp_path / "cache" / "hockney" / NAME


def old_run(path: Path, day: int = 1, factor: float = 1.0) -> Path:
    """A file that was not changed lately."""
    write_run(past_run(day, factor), path)
    os.utime(path, (1e9 + factor, 1e9 + factor))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return old_run(tmp_path / "run.jsonl")


def known(*files: Path) -> list[Known]:
    with closing(Index.in_cache()) as opened:
        return [facts_from(opened, file) for file in files]


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(_: Path) -> records.Run:
        raise AssertionError("read again")

    monkeypatch.setattr(records, "read", unreadable)


def test_a_file_is_read_once(index: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = known(file)
    assert first[0].facts is not None
    assert index.exists()
    forbid_reading(monkeypatch)
    assert known(file) == first


def test_a_file_without_a_result_is_known_as_such(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert index
    empty = write_run(records.Run(past_run(1).header), tmp_path / "empty.jsonl")
    os.utime(empty, (1e9, 1e9))
    assert known(empty) == [Known(None, None)]
    forbid_reading(monkeypatch)
    assert known(empty) == [Known(None, None)]


def result_of(file: Path, kind: ResultKind[Any]) -> object:
    """The result of a file, from an index that is not damaged."""
    with closing(Index.in_cache()) as opened:
        result = opened.of(file, kind)
        assert not opened.notes
    return result


def test_a_result_that_is_too_long_is_worked_out_again_and_damages_nothing(
    index: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = known(file)
    whole = result_of(file, REDUCED)
    for table in ("estimates", "digests WHERE kind = 'report'"):
        with closing(sqlite3.connect(index, isolation_level=None)) as database:
            database.execute(f"DELETE FROM {table}")
    monkeypatch.setattr("hockney.infer.index.report_rows.LONGEST_ENTRY", 9)
    for _ in range(3):
        assert result_of(file, REDUCED) == whole
    forbid_reading(monkeypatch)
    assert known(file) == first


def test_a_history_keeps_the_findings_of_its_newest_run_however_many_pairs_it_has(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert index
    file = write_run(night_run(1, 3), tmp_path / "night.jsonl")
    os.utime(file, (1e9, 1e9))
    monkeypatch.setattr("hockney.infer.index.report_rows.LONGEST_ENTRY", 2000)
    assert len(msgspec.msgpack.encode(result_of(file, REDUCED))) > 2000

    def failed() -> tuple[DecidingFinding, ...]:
        with closing(Index.in_cache()) as opened:
            return with_newest(opened, histories([facts_from(opened, file).facts], 0.05))[0].failed

    findings = failed()
    assert [finding.run for finding in findings] == [str(file)]
    forbid_reading(monkeypatch)
    assert failed() == findings


@pytest.mark.parametrize(
    "content", [b"", b"{", b"SQLite format 3\0" + b"\0" * 9999, b"\xff" * 5000], ids=range(4)
)
def test_a_damaged_index_is_built_again(
    index: Path, file: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = known(file)
    index.write_bytes(content)
    assert known(file) == first
    forbid_reading(monkeypatch)
    assert known(file) == first


def test_a_page_that_is_damaged_costs_one_reading(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [old_run(tmp_path / f"{day}.jsonl", day) for day in range(9)]
    first = known(*files)
    content = bytearray(index.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    index.write_bytes(content)
    assert known(*files) == first
    assert known(*files) == first
    forbid_reading(monkeypatch)
    assert known(*files) == first


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET started = 'yesterday'",
        "UPDATE runs SET facts = '{'",
        "UPDATE points SET time_s = 'long'",
        "UPDATE points SET time_s = 0",
        "UPDATE points SET time_s = 2 * time_s",
        "UPDATE runs SET label = 'other'",
        "DELETE FROM points WHERE bytes = 0",
        "UPDATE digests SET digest = ''",
        "CREATE TABLE more (x)",
        "DROP VIEW measured",
        "UPDATE files SET hockney = '0.0.1'",
    ],
)
def test_what_is_no_entry_of_ours_is_worked_out_again(
    index: Path, file: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = known(file)
    with closing(sqlite3.connect(index)) as database:
        database.execute(change)
        database.commit()
    assert known(file) == first
    with closing(sqlite3.connect(index)) as database:
        rows = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    assert [row[0] for row in rows] == list(SCHEMA)
    forbid_reading(monkeypatch)
    assert known(file) == first


def test_a_changed_file_is_read_again(index: Path, file: Path) -> None:
    first = known(file)
    old_run(file, factor=2.0)
    assert known(file) != first
    with closing(sqlite3.connect(index)) as database:
        assert database.execute("SELECT count(*) FROM files").fetchone() == (1,)


def test_a_file_that_may_still_change_is_worked_out_again(
    index: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(file)
    known(file)
    assert index.exists()
    forbid_reading(monkeypatch)
    with pytest.raises(AssertionError, match="read again"):
        known(file)


def test_it_can_be_switched_off(index: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OFF, "1")
    assert known(file)[0].facts is not None
    assert not index.exists()


def test_an_index_that_cannot_be_written_is_none(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache" / "hockney" / NAME).mkdir(mode=0o700, parents=True)
    assert known(file)[0].facts is not None


def test_the_oldest_entries_go_and_those_of_files_that_are_gone(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [old_run(tmp_path / f"{day}.jsonl", day) for day in range(5)]
    known(*files)
    files[4].unlink()
    known(files[0])
    assert entries(index) == ["0", "1", "2", "3"]
    monkeypatch.setattr("hockney.infer.index.database.MOST_FILES", 2)
    known(files[0])
    assert entries(index) == ["2", "3"]


def entries(index: Path) -> list[str]:
    with closing(sqlite3.connect(index)) as database:
        stems = [Path(row[0]).stem for row in database.execute("SELECT file FROM files")]
        (points,) = database.execute(
            "SELECT count(DISTINCT file_id) FROM points WHERE file_id IN (SELECT id FROM files)"
        ).fetchone()
        assert (points,) == database.execute(
            "SELECT count(DISTINCT file_id) FROM points"
        ).fetchone()
    return sorted(stems)


def _work(start: str, files: list[Path]) -> int:
    """Another process, at the same time."""
    while not Path(start).exists():
        pass
    return sum(entry.facts is not None for entry in known(*files))


def test_several_processes_share_an_index(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hockney.infer.index.database.AT_ONCE", 3)
    files = [old_run(tmp_path / f"{day}.jsonl", day) for day in range(20)]
    start = tmp_path / "start"
    with multiprocessing.get_context("fork").Pool(4) as pool:
        shares = [files[:12], files[8:], files[::-1], files]
        waiting = pool.starmap_async(_work, [(str(start), share) for share in shares])
        start.touch()
        assert waiting.get(120) == [12, 12, 20, 20]
    assert len(entries(index)) == 20
    with closing(sqlite3.connect(index)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    forbid_reading(monkeypatch)
    known(*files)


def test_what_a_user_names_is_not_replaced_unless_it_is_an_index(
    file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE mine (x)")
    for path in (other, file):
        before = path.read_bytes()
        with pytest.raises(UsageError, match="is no index of hockney"):
            Index(path)
        assert path.read_bytes() == before
    named = tmp_path / "named.sqlite"
    for _ in range(2):
        with closing(Index(named)) as opened:
            facts_from(opened, file)
    assert entries(named) == ["run"]


def test_queries_are_over_the_files_that_were_named(
    hockney: RunHockney, index: Path, tmp_path: Path
) -> None:
    assert index
    for day in range(4):
        old_run(tmp_path / f"{day}.jsonl", day, 1.0 + day)
    write_run(past_run(9), tmp_path / "fresh.jsonl")
    hockney("history", str(tmp_path))
    query = "SELECT started, bytes, time_s FROM measured WHERE bytes = 0 ORDER BY started"
    named = [str(tmp_path / name) for name in ("1.jsonl", "3.jsonl", "fresh.jsonl")]
    table = hockney("history", *named, "--sql", query, "--json").json
    assert table["columns"] == ["started", "bytes", "time_s"]
    assert [row[0][:10] for row in table["rows"]] == ["2026-01-02", "2026-01-04", "2026-01-10"]
    assert table["rows"][1][2] == pytest.approx(4 * 1002e-9, rel=0.01)
    lines = hockney("history", *named, "--sql", "SELECT count(*), NULL AS n FROM files").stdout
    assert lines.splitlines() == ["count(*)\tn", "3\t"]


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("SELEKT", "near"),
        ("SELECT * FROM absent", "no such table"),
        ("DELETE FROM main.files", "readonly"),
        ("SELECT 1; SELECT 2", "one statement"),
    ],
)
def test_a_query_that_is_none_is_refused(
    hockney: RunHockney, index: Path, file: Path, query: str, complaint: str
) -> None:
    hockney.refused("history", str(file), "--sql", query, because=complaint)
    assert entries(index) == ["run"]


def test_an_index_of_strangers_with_other_times_changes_no_answer(
    hockney: RunHockney, file: Path, index: Path
) -> None:
    words = ("history", str(file), "--index", str(index.parent / "own.sqlite"))
    index.parent.mkdir(mode=0o700, parents=True)
    first = hockney(*words)
    with closing(sqlite3.connect(index.parent / "own.sqlite")) as database:
        database.execute("UPDATE points SET time_s = -5")
        database.commit()
    second = hockney(*words, "--sql", "SELECT min(time_s) > 0 FROM measured")
    assert second.stdout.splitlines()[1:] == ["1"]
    assert "was damaged, and was worked out again" in second.stderr
    assert (hockney(*words).stdout, hockney(*words).stderr) == (first.stdout, "")


@pytest.mark.parametrize("seed", kept_short(range(6), [1]))
def test_damage_anywhere_changes_no_answer(hockney: RunHockney, tmp_path: Path, seed: int) -> None:
    """Bytes of one place, of the tables or of their description."""
    named = tmp_path / "named.sqlite"
    for day in range(12):
        old_run(tmp_path / f"{day}.jsonl", day, 1.0 + day)
    words = ("history", str(tmp_path), "--index", str(named), "--sql", QUERY)
    first = hockney(*words)
    whole = named.read_bytes()
    draw = random.Random(seed)
    for _ in range(8):
        content = bytearray(whole)
        start = draw.choice((draw.randrange(100, 4096), draw.randrange(len(content))))
        for place in range(start, min(start + draw.choice((1, 4, 300)), len(content))):
            content[place] = draw.randrange(256)
        named.write_bytes(content)
        answer = hockney(*words)
        assert (answer.status, answer.stdout) == (0, first.stdout), start
        again = hockney(*words)
        assert (again.status, again.stdout) == (0, first.stdout), start
