"""The list of looks of `hockney watch`."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hockney.base.errors import HockneyError, UsageError
from hockney.infer.analysis.history.readings import Reading, WatchedSeries
from hockney.infer.analysis.history.watch import Look
from hockney.run.measure.looks import LIST, append_look, read_looks
from hockney.run.measure.parts_file import PartsFile


def test_a_damaged_line_is_counted_and_nothing_else_is_mentioned(tmp_path: Path) -> None:
    (tmp_path / LIST).write_text("{ damaged\n")
    _, repaired = read_looks(tmp_path, lambda *_: None, PartsFile(tmp_path))
    assert repaired == [f"{tmp_path / LIST}: 1 line was damaged"]


NODES = tuple(WatchedSeries(8, "node", (f"n{number}",)) for number in range(6))
TIME = Reading(WatchedSeries(8), 1e-6)


def look_of(number: int, nodes: Sequence[WatchedSeries]) -> Look:
    parts = (Reading(node, number + 0.1 * int(node.names[0][1:])) for node in nodes)
    file = f"look-{number:06d}.jsonl"
    return Look(number, "2026-01-05T00:00:00+00:00", file, "here", readings=(TIME, *parts))


def parts_of(parts: PartsFile, look: Look) -> dict[WatchedSeries, float]:
    known = parts.of(look)
    pairs = zip(known.order, known.values.tolist(), strict=True)
    return {series: value for series, value in pairs if not np.isnan(value)}


def written(directory: Path, *nodes: Sequence[WatchedSeries]) -> list[Look]:
    """Looks with these nodes, each added by another process."""
    looks = [look_of(number, each) for number, each in enumerate(nodes, 1)]
    for look in looks:
        parts = PartsFile(directory)
        for line in read_looks(directory, lambda *_: None, parts)[0]:
            parts.of(line)
        append_look(directory, look, parts)
    return looks


def test_parts_of_networks_are_kept_beside_the_list(tmp_path: Path) -> None:
    looks = written(tmp_path, NODES[:4], NODES[1:3], NODES[2:5], NODES[:4])
    parts = PartsFile(tmp_path)
    lines, repaired = read_looks(tmp_path, lambda *_: None, parts)
    assert repaired == []
    assert [line.readings for line in lines] == [(TIME,)] * 4
    for line, look in zip(lines, looks, strict=True):
        values = {reading.series: reading.value for reading in look.readings[1:]}
        assert parts_of(parts, line) == pytest.approx(values)
    orders = [line.parts[0] for line in lines if line.parts]
    assert orders[0] == orders[1], "names are written once"
    assert orders[2] == orders[3], "a new name goes behind the others"
    assert len(parts.of(lines[3]).order) == 5


def test_other_nodes_begin_an_order_of_their_own(tmp_path: Path) -> None:
    written(tmp_path, NODES[:5], NODES[5:])
    parts = PartsFile(tmp_path)
    lines, _ = read_looks(tmp_path, lambda *_: None, parts)
    assert [len(parts.of(line).order) for line in lines] == [5, 1]


def test_parts_that_are_lost_are_read_from_result_files_again(tmp_path: Path) -> None:
    looks = written(tmp_path, NODES, NODES)
    (tmp_path / "parts.bin").unlink()
    (tmp_path / looks[1].file).touch()
    parts = PartsFile(tmp_path)
    lines, repaired = read_looks(tmp_path, lambda number, _: looks[number - 1], parts)
    assert repaired == [
        f"{tmp_path / LIST}: parts.bin lacked 2 looks; 1 look read from result files again"
    ]
    assert [len(parts_of(parts, line)) for line in lines] == [0, 6]
    assert read_looks(tmp_path, lambda *_: None, parts) == (lines, [])


def test_a_damaged_file_of_parts_is_refused_with_the_way_out(tmp_path: Path) -> None:
    written(tmp_path, NODES)
    path = tmp_path / "parts.bin"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    parts = PartsFile(tmp_path)
    (line,), _ = read_looks(tmp_path, lambda *_: None, parts)
    with pytest.raises(UsageError, match=r"parts\.bin is damaged at look 1") as refused:
        parts.of(line)
    assert "remove it" in (refused.value.advice or "")


def test_a_full_disk_leaves_the_file_of_parts_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, NODES)
    before, write = (tmp_path / "parts.bin").read_bytes(), os.write

    def full(file: int, content: bytes) -> int:
        write(file, content[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(HockneyError, match=r"parts\.bin cannot be .* is added later"):
        append_look(tmp_path, look_of(2, NODES), PartsFile(tmp_path))
    assert (tmp_path / "parts.bin").read_bytes() == before
