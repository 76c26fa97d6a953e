"""A report of many files describes the first of each experiment, and has a row for every one."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records
from hockney.cli import _systems
from hockney.infer.index import NAME, OFF
from report_runs import pairs_run, pingpong_run
from samples import make_pairs_run, one_a_node, write_run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(OFF, raising=False)
    monkeypatch.setattr(_systems, "MOST_WHOLE", 2)
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(4):
        write_run(pingpong_run(f"system {number}", 1.0 + 0.1 * number), folder / f"{number}.jsonl")
    write_run(pairs_run(), folder / "pairs.jsonl")
    for path in folder.iterdir():
        os.utime(path, (1e9, 1e9))
    return folder


def rows_of(page: str) -> dict[str, list[str]]:
    """The cells of the table of systems, by label."""
    table = page.partition('data-name="systems"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    return {cell[0]: cell for cell in cells if cell}


def report(hockney: RunHockney, folder: Path, page: Path) -> str:
    hockney.ok("report", str(folder), "-o", str(page), "--force")
    return page.read_text()


@pytest.mark.parametrize("slow_node", [None, 3])
def test_the_verdict_is_about_the_files_too_that_are_rows_only(
    slow_node: int | None, hockney: RunHockney, folder: Path, tmp_path: Path
) -> None:
    for path in folder.iterdir():
        path.unlink()
    pairs = [[pair] for pair in combinations(range(8), 2)]
    for number in range(4):
        slow = {slow_node} if number == 3 else set()
        run = make_pairs_run(partial(_time_ns, slow), pairs, one_a_node(8))
        write_run(run, folder / f"{number}.jsonl")
    for _ in range(2):  # worked out, then read from the index
        verdict = report(hockney, folder, tmp_path / "page.html").partition('<main id="main">')[0]
        if slow_node is None:
            assert "verdict: ACCEPTED" in verdict
        else:
            assert "verdict: NOT ACCEPTED" in verdict
            assert "3: node n3 is slow" in verdict


def _time_ns(slow: set[int], _launch: int, pair: tuple[int, int], *_: object) -> list[float]:
    return [2000.0 if slow & set(pair) else 1000.0]


@pytest.mark.long
def test_reduced_runs_have_the_rows_of_whole_ones_and_are_worked_out_once(
    hockney: RunHockney, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = report(hockney, folder, tmp_path / "few.html")
    assert "2 of these 4 systems are described and drawn" in page
    with closing(sqlite3.connect(tmp_path / "cache" / "hockney" / NAME)) as database:
        assert database.execute("SELECT count(*) FROM estimates").fetchone() == (2,)

    read: list[str] = []
    usual = records.read

    def noted(path: Path) -> records.Run:
        read.append(path.name)
        return usual(path)

    with monkeypatch.context() as patch:
        patch.setattr(records, "read", noted)
        assert report(hockney, folder, tmp_path / "few.html") == page
    assert read == ["0.jsonl", "1.jsonl", "pairs.jsonl"]

    monkeypatch.setattr(_systems, "MOST_WHOLE", 4)
    whole = report(hockney, folder, tmp_path / "all.html")
    assert "are described and drawn" not in whole
    rows = rows_of(page)
    assert list(rows) == [f"system {number}" for number in range(4)]
    assert rows == rows_of(whole)
    assert len(page) < len(whole)
