"""What is written is read, whatever it is, and damage is noticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from conftest import TEST_TIMEOUT_S
from hockney import records
from hockney.base.errors import UsageError
from hockney.records import (
    LONGEST_LINE,
    Completions,
    End,
    LaunchRecord,
    PairTimes,
    Progress,
    Record,
    Run,
    RunRecord,
)
from hockney.records.reading import lines_of
from samples import HEADER, make_run, write_run

words = st.text(max_size=20)
seconds = st.floats(0.0, 1e6)
ANYTHING = st.none() | st.booleans() | st.integers(0, 2**40) | seconds | words
CONSISTENT: dict[type, dict[str, st.SearchStrategy[Any]]] = {
    PairTimes: {
        "bytes": st.just([8]),
        "peers": st.just([0, 1, 5, 2]),
        "ns": st.lists(st.lists(seconds, min_size=2, max_size=2), min_size=1, max_size=1),
    },
    Completions: {
        "numbers": st.just([1, 0]),
        "ns": st.lists(seconds, min_size=2, max_size=2),
    },
    LaunchRecord: {"axes": st.sampled_from([{}, {"groups": 2}])},
}
"""Fields that must fit to one another, or to what is known elsewhere."""


def values_of(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Values that a field of a record may have."""
    match kind:
        case inspect.UnionType():
            return st.one_of(map(values_of, kind.types))
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType():
            most = [limit for limit in (kind.le, kind.lt and kind.lt - 1) if limit is not None]
            return st.integers(kind.ge or 0, min([*most, 2**40]))
        case inspect.FloatType():
            most = min(kind.le or 1e6, kind.lt or 1e6, 1e6)
            return st.floats(0.0, most, exclude_min=kind.gt == 0.0, exclude_max=kind.lt == most)
        case inspect.StrType():
            return words
        case inspect.ListType():
            return st.lists(values_of(kind.item_type), max_size=3)
        case inspect.VarTupleType():
            return st.lists(values_of(kind.item_type), max_size=3).map(tuple)
        case inspect.TupleType():
            return st.tuples(*map(values_of, kind.item_types))
        case inspect.DictType():
            return st.dictionaries(words, values_of(kind.value_type), max_size=3)
        case inspect.StructType():
            return structs_of(kind.cls)
    assert isinstance(kind, inspect.AnyType), kind
    return ANYTHING


def structs_of(cls: type[Any]) -> st.SearchStrategy[Any]:
    """Its instances, some with hardly any field that may be missing."""
    kind = inspect.type_info(cls)
    assert isinstance(kind, inspect.StructType)
    values = {each.name: values_of(each.type) for each in kind.fields} | CONSISTENT.get(cls, {})
    needed = {each.name for each in kind.fields if each.required}
    return st.fixed_dictionaries(
        {name: value for name, value in values.items() if name in needed},
        optional={name: value for name, value in values.items() if name not in needed},
    ).map(lambda fields: cls(**fields))


ANY_RECORD = st.one_of(map(structs_of, Record.__args__))


@given(ANY_RECORD)
def test_every_record_survives_being_written(record: Record) -> None:
    line = records.encode(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert records.decode(line) == record


@given(ANY_RECORD)
def test_a_run_has_each_record_that_was_added(record: Record) -> None:
    run = Run(HEADER)
    run.add(record)
    header, *others = run.records()
    assert header == HEADER
    kept = [] if isinstance(record, RunRecord | Progress) else [type(record)]
    assert [type(other) for other in others] == kept


def test_unknown_kinds_and_keys_are_ignored() -> None:
    assert records.decode(b'{"kind":"weather","rain":true}') is None
    end = records.decode(b'{"kind":"end","launch":1,"reason":"budget","mood":"good"}')
    assert end == End(launch=1, reason="budget")


@pytest.mark.parametrize("time", ['"wall_s":1e10', '"wall_s":-1e10', '"wall_s":"now"'])
def test_a_time_that_no_clock_tells_is_damage(time: str) -> None:
    with pytest.raises(ValueError, match="wall_s"):
        records.decode(f'{{"kind":"end","launch":1,"reason":"budget",{time}}}'.encode())


def test_a_file_of_a_newer_hockney_is_read_without_what_is_new(tmp_path: Path) -> None:
    path = write_run(make_run(lambda *_: [1.0]), tmp_path / "run.jsonl")
    header, *rest = path.read_bytes().splitlines(keepends=True)
    new = [b'{"kind":"weather","rain":true}\n', header.replace(b'"schema"', b'"mood":1,"schema"')]
    path.write_bytes(new[1] + new[0] + b"".join(rest))
    run = records.read(path)
    assert len(run.samples) == 50
    assert run.cut is None


def test_a_file_is_read_back(tmp_path: Path) -> None:
    run = make_run(lambda *_: [1.0, 2.0], handover_ns=lambda *_: 53.0)
    copy = records.read(write_run(run, tmp_path / "run.jsonl"))
    assert copy.cut is None
    assert copy.samples == run.samples
    assert copy.probes == run.probes


def test_a_file_that_was_cut_is_read_up_to_the_cut(tmp_path: Path) -> None:
    path = write_run(make_run(lambda *_: [1.0]), tmp_path / "run.jsonl")
    content = path.read_bytes()
    path.write_bytes(content[: content.rindex(b"samples") + 20])
    run = records.read(path)
    assert len(run.samples) == 49
    assert run.cut is not None
    assert "ignored" in run.cut


def test_a_run_without_its_end_says_so(tmp_path: Path) -> None:
    run = make_run(lambda *_: [1.0])
    run.ends.pop()
    copy = records.read(write_run(run, tmp_path / "run.jsonl"))
    assert copy.cut is not None
    assert "no end" in copy.cut


def test_a_damaged_line_is_left_out_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = write_run(make_run(lambda *_: [1.0]), tmp_path / "run.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    lines[20] = b'{"kind":"samples","launch":\xff\xfe\n'
    path.write_bytes(b"".join(lines))
    run = records.read(path)
    assert len(run.samples) == 49
    assert run.cut is not None
    assert "line 21" in run.cut


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "an empty file"),
        (b"# OSU MPI Latency Test v7.4\n1 1.07\n", "not a result file"),
        (b'{"kind":"samples"}\n', "not a result file"),
        (b"[1,2]\n", "not a result file"),
        (b'{"kind":"run","schema":3}\n', "version 3 of the record format"),
        (b'{"kind":"run","schema":1}\n', "version 1 of the record format"),
        (b'{"kind":"run","schema":2}\n', "line 1"),
        (b"\x00\xff\n", "not a result file"),
    ],
)
def test_what_is_no_result_file_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=complaint):
        records.read(path)


def test_missing_files_and_directories_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        records.read(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="directory"):
        records.read(tmp_path)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_run_or_refused(content: bytes) -> None:
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        file.write(records.encode(HEADER) + content)
        file.flush()
        assert records.read(Path(file.name)).header == HEADER


@pytest.mark.parametrize("content", [b"x" * (LONGEST_LINE + 1), b"{}\n" + b"x" * LONGEST_LINE])
def test_lines_of_any_file_end_where_one_is_too_long(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.jsonl").write_bytes(content + b"\n")
    with pytest.raises(OSError, match="is longer than 16 MiB"):
        list(lines_of(tmp_path / "p.jsonl"))


def test_lines_of_a_damaged_archive_are_no_other_error(tmp_path: Path) -> None:
    (tmp_path / "p.zst").write_bytes(zstandard.ZstdCompressor().compress(b"{}")[:-1])
    with pytest.raises(OSError, match="ends inside"):
        list(lines_of(tmp_path / "p.zst"))


def test_compressed_files_are_read_and_cut_ones_up_to_the_cut(tmp_path: Path) -> None:
    run = make_run(lambda launch, round_, _: [launch * 1000.0 + round_], launches=60)
    plain = write_run(run, tmp_path / "run.jsonl").read_bytes()
    path = tmp_path / "run.jsonl.zst"
    path.write_bytes(zstandard.compress(plain))
    assert records.read(path).samples == run.samples
    # Blocks of their own, as a writer that flushes makes them: what is before the cut can be read.
    writer = zstandard.ZstdCompressor().compressobj()
    blocks = [
        writer.compress(part) + writer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for part in (plain[: len(plain) // 2], plain[len(plain) // 2 :])
    ]
    path.write_bytes(blocks[0] + blocks[1][:-40])
    cut = records.read(path)
    assert cut.cut is not None
    assert 100 < len(cut.samples) < len(run.samples)
    assert cut.samples == run.samples[: len(cut.samples)]


@given(st.integers(1, 5), st.data())
def test_a_file_that_ends_inside_a_frame_says_so(frames: int, data: st.DataObject) -> None:
    """The file is cut even where the text up to there ends with a line, and every launch has its
    end."""
    import tempfile

    run = make_run(lambda *_: [1.0], launches=2, rounds=2)
    lines = write_run(run, Path(tempfile.mkdtemp()) / "run.jsonl").read_bytes().splitlines(True)
    step = len(lines) // frames + 1
    parts = [b"".join(lines[at : at + step]) for at in range(0, len(lines), step)]
    whole = b"".join(zstandard.compress(part) for part in parts)
    # A frame that holds whole lines and was never ended.
    writer = zstandard.ZstdCompressor().compressobj()
    open_end = writer.compress(b"".join(lines[1:])) + writer.flush(
        zstandard.COMPRESSOBJ_FLUSH_BLOCK
    )
    with tempfile.NamedTemporaryFile(suffix=".zst") as file:
        path = Path(file.name)
        path.write_bytes(whole)
        assert (records.read(path).samples, records.read(path).cut) == (run.samples, None)
        path.write_bytes(whole + open_end)
        cut = records.read(path).cut
        assert cut is not None
        assert "ends inside a zstd frame" in cut
        last = len(zstandard.compress(parts[-1]))
        path.write_bytes(whole[: len(whole) - data.draw(st.integers(1, last - 1))])
        if len(parts) > 1:
            assert "ends inside a zstd frame" in (records.read(path).cut or "")


def test_the_tightest_frame_does_not_fill_the_memory(tmp_path: Path) -> None:
    """256 MiB of spaces in a few KiB."""
    path = tmp_path / "bomb.jsonl.zst"
    writer = zstandard.ZstdCompressor().compressobj()
    with path.open("wb") as file:
        for _ in range(256):
            file.write(writer.compress(b" " * 2**20))
        file.write(writer.flush())
    program = (
        "import resource, sys; from pathlib import Path; from hockney import records\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        f"try: records.read(Path({str(path)!r}))\n"
        "except Exception as error: print(type(error).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
        check=True,
    )
    assert done.stdout == "UsageError\n"
