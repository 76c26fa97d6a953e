"""The list of looks of `hockney watch`."""

from __future__ import annotations

from pathlib import Path

from hockney.run.measure.looks import LIST, read_looks


def test_a_damaged_line_is_counted_and_nothing_else_is_mentioned(tmp_path: Path) -> None:
    (tmp_path / LIST).write_text("{ damaged\n")
    _, repaired = read_looks(tmp_path, lambda *_: None)
    assert repaired == [f"{tmp_path / LIST}: 1 line was damaged"]
