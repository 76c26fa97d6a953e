from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

import fuzz
from hockney import records
from hockney.records import LONGEST_FILE, LONGEST_LINE

SEEDS = [int(line.split()[0]) for line in (fuzz.HERE / "seeds.txt").read_text().splitlines()]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_found_stays_mended(seed: int) -> None:
    assert fuzz.find(seed, fuzz.sample()) is None


def test_some_more_hostile_files() -> None:
    found = {seed: fuzz.find(seed, fuzz.sample()) for seed in range(100_000, 100_100)}
    assert {seed: wrong for seed, wrong in found.items() if wrong} == {}


def zeros(path: Path, size: int) -> Path:
    """A header, then `size` bytes that zstd makes nothing of."""
    with zstandard.open(path, "wb") as stream:
        stream.write(fuzz.sample().splitlines(keepends=True)[0])
        for _ in range(size >> 20):
            stream.write(b" " * ((1 << 20) - 1) + b"\n")
    return path


def test_a_bomb_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = zeros(tmp_path / "bomb.jsonl.zst", LONGEST_FILE + (8 << 20))
    assert path.stat().st_size < 1 << 20
    assert "longer than 256 MiB" in (records.read(path).cut or "")


def test_a_line_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(fuzz.sample() + b"1," * LONGEST_LINE)
    run = records.read(path)
    assert "is longer than 16 MiB" in (run.cut or "")
    assert run.samples
