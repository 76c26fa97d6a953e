"""Files that are larger than a block are read whole, whichever process decodes their blocks."""

from __future__ import annotations

import fcntl
import os
import signal
import termios
from array import array
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from hockney import records
from hockney.base.errors import UsageError
from hockney.infer.estimate import estimate
from hockney.records import Run, columns, decoding, reading
from hockney.records.columns import Packed, Ragged, factorised
from samples import make_run, write_run

TIMES = st.one_of(
    st.integers(0, 10**7).map(lambda n: n / 2.0),
    st.integers(0, 10**10).map(lambda n: n / 1000.0),
    st.floats(-1e18, 1e18).filter(lambda x: x != 0.0),
    st.just(0.0),
)

PIPE_BYTES = 60_000
"""A pipe that holds so much is full."""


def some_run(launches: int = 12) -> Run:
    chance = np.random.default_rng(7)
    return make_run(
        lambda launch, *_: chance.integers(2000, 9000, 3) / 2.0 + launch,
        launches=launches,
        sizes=(8, 1024),
        handover_ns=lambda *_: 60.0,
    )


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few lines, and two helpers for any file."""
    monkeypatch.setattr(reading, "BLOCK", 2000)
    monkeypatch.setattr(reading, "WORTH_HELPERS", 0)
    monkeypatch.setattr(reading, "allowed_count", lambda: 3)


def test_blocks_and_helpers_change_nothing(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    run = some_run()
    path = write_run(run, tmp_path / "run.jsonl")
    before = records.read(path)
    request.getfixturevalue("small_blocks")
    for file in (path, path.with_suffix(".jsonl.zst")):
        if file.suffix == ".zst":
            file.write_bytes(zstandard.compress(path.read_bytes()))
        after = records.read(file)
        assert after.samples == before.samples == run.samples
        assert (after.probes, after.ends, after.launches) == (run.probes, run.ends, run.launches)
        assert estimate(after).points == estimate(before).points


@pytest.mark.usefixtures("small_blocks")
def test_a_helper_that_ends_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "PROGRAM", "raise SystemExit(1)")
    run = some_run()
    assert records.read(write_run(run, tmp_path / "run.jsonl")).samples == run.samples


@pytest.mark.long
def test_a_helper_that_was_stopped_gives_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopping it cuts short its write, which waits for a reader."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setattr(decoding, "PIPE_BYTES", PIPE_BYTES)
    text = write_run(some_run(100), tmp_path / "run.jsonl").read_bytes()
    helper = decoding.Helper()
    helper.begin(text)
    assert helper._process is not None
    assert helper._process.stdout is not None
    held = array("i", [0])
    while held[0] < PIPE_BYTES:
        fcntl.ioctl(helper._process.stdout, termios.FIONREAD, held)
    os.kill(helper._process.pid, signal.SIGSTOP)
    os.waitpid(helper._process.pid, os.WUNTRACED)
    os.kill(helper._process.pid, signal.SIGCONT)
    monkeypatch.setattr(decoding, "decoded", None)
    decoded = helper.result()
    helper.end()
    assert decoded is not None
    assert decoded.lines == text.count(b"\n")


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    "does",
    ["pass", "sys.stdin.buffer.read(8)", "os.write(1, b'\\1' + bytes(10))"],
)
def test_a_helper_that_comes_to_a_stand_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str
) -> None:
    """It takes no block, or nothing comes back, or a part of it."""
    monkeypatch.setattr(decoding, "PIPE_BYTES", PIPE_BYTES)
    monkeypatch.setattr(reading, "BLOCK", 3 * PIPE_BYTES)
    monkeypatch.setattr(decoding, "PROGRAM", f"import os, sys, time; {does}; time.sleep(1000)")
    monkeypatch.setattr(decoding, "WAIT_MS", 10)
    run = some_run(100)
    assert records.read(write_run(run, tmp_path / "run.jsonl")).samples == run.samples


@pytest.mark.long
@pytest.mark.usefixtures("small_blocks")
def test_the_line_of_a_damage_is_named(tmp_path: Path) -> None:
    path = write_run(some_run(), tmp_path / "run.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    whole = records.read(path).samples
    number = next(n for n, line in enumerate(lines) if n > 150 and b'"samples"' in line)
    lines[number] = lines[number][:40] + b"\n"
    path.write_bytes(b"".join(lines))
    run = records.read(path)
    assert run.cut == f"line {number + 1} is cut short or damaged, and ignored"
    assert len(run.samples) == len(whole) - 1


def test_two_records_on_a_line_are_damage(tmp_path: Path) -> None:
    """One record on two lines is damage too, though a parser of many records sees the same
    number."""
    path = write_run(some_run(1), tmp_path / "run.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    samples = [n for n, line in enumerate(lines) if b'"samples"' in line]
    lines[samples[0]] = lines[samples[0]].rstrip() + lines[samples[0]]
    path.write_bytes(b"".join(lines))
    assert "is cut short or damaged" in (records.read(path).cut or "")


def test_more_than_256_mib_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that is smaller here, so that the test is quick."""
    monkeypatch.setattr(reading, "LONGEST_FILE", 5000)
    run = some_run()
    read = records.read(write_run(run, tmp_path / "run.jsonl"))
    assert (read.cut, read.samples == run.samples) == (None, True)


def test_a_file_beyond_the_stated_limit_is_refused(tmp_path: Path) -> None:
    path = write_run(some_run(), tmp_path / "run.jsonl")
    token = reading._most_input.set(5000)
    try:
        with pytest.raises(UsageError, match="are more than 5000 B") as refused:
            records.read(path)
        assert "--most-input 1GiB" in str(refused.value)
    finally:
        reading._most_input.reset(token)


@pytest.mark.parametrize("most", [None, 100_000])
def test_a_compressed_file_is_read_whole_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int | None
) -> None:
    """The default limit is on the ratio of the sizes after and before; --most-input replaces it."""
    run = some_run()
    plain = write_run(run, tmp_path / "run.jsonl").read_bytes()
    assert 5000 < len(plain) < 100_000
    path = tmp_path / "run.jsonl.zst"
    path.write_bytes(zstandard.compress(plain))
    assert records.read(path).samples == run.samples
    monkeypatch.setattr(reading, "LONGEST_FILE", 5000)
    monkeypatch.setattr(reading, "MOST_RATIO", 1)
    token = reading._most_input.set(most)
    try:
        if most is None:
            with pytest.raises(UsageError, match="suspicious") as refused:
                records.read(path)
            assert "--most-input 16GiB" in str(refused.value)
        else:
            assert records.read(path).samples == run.samples
            reading.allow(len(plain) - 1)
            with pytest.raises(UsageError, match="the largest that is read"):
                records.read(path)
    finally:
        reading._most_input.reset(token)


def test_samples_beyond_the_memory_are_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(some_run(), tmp_path / "run.jsonl")
    before = records.read(path)
    monkeypatch.setattr(columns, "IN_MEMORY", 100)
    after = records.read(path)
    stored = after.samples._times["ns"][-1].packed.codes  # type: ignore[union-attr]
    assert isinstance(stored, columns.Stored)
    assert after.samples == before.samples
    assert estimate(after).points == estimate(before).points


def test_the_memory_for_samples_is_that_of_all_runs_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(some_run(), tmp_path / "run.jsonl")

    def are_stored(run: Run) -> list[bool]:
        times = run.samples._times["ns"]
        return [
            isinstance(block.packed.codes, columns.Stored) for block in times if block is not None
        ]

    held = columns.Spill._held_by_all
    first = records.read(path)
    monkeypatch.setattr(columns, "IN_MEMORY", columns.Spill._held_by_all)
    assert not any(are_stored(first))
    assert all(are_stored(records.read(path)))
    del first
    assert columns.Spill._held_by_all == held
    assert not any(are_stored(records.read(path)))


@given(st.lists(TIMES, max_size=60))
def test_packed_values_are_as_they_were(values: list[float]) -> None:
    packed = Packed.of(np.array(values))
    assert packed.at(slice(0, len(values))).tolist() == values
    places = np.arange(len(values))[::-2]
    assert packed.at(places).tolist() == values[::-2]


@given(st.lists(st.lists(TIMES, max_size=5), min_size=1, max_size=20), st.data())
def test_ragged_lists_are_as_they_were(lists: list[list[float]], data: st.DataObject) -> None:
    rows = sorted(data.draw(st.sets(st.integers(0, len(lists) - 1))))
    ragged = Ragged.of(lists).of_rows(np.array(rows, dtype=np.int64))
    assert ragged.tolist() == [value for row in rows for value in lists[row]]


@given(st.lists(st.integers(0, 2**62) | st.integers(0, 9), max_size=30))
def test_numbers_are_factorised_as_by_unique(values: list[int]) -> None:
    distinct, places = factorised(np.array(values, dtype=np.int64))
    if values:
        assert distinct.tolist() == sorted(set(values))
        assert distinct[places].tolist() == values
