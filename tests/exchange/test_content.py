"""Logs as they are kept: compressed, in UTF-16, piped in, with what loggers put before lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from reading import numbers, tables

import excerpts as logs
from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs import content
from hockney.foreign.logs.log import Log, log_of, read_log

CONTENT = logs.OSU_5.encode()


def known(log: Log) -> bool:
    [table] = reading.read(log, reading.recognise(log))
    return numbers(table) == numbers(tables(logs.OSU_5)[0])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.log.gz", gzip.compress(CONTENT[:60]) + gzip.compress(CONTENT[60:])),
        ("a.zst", zstandard.compress(CONTENT[:60]) + zstandard.compress(CONTENT[60:])),
        ("a.xz", lzma.compress(CONTENT)),
        ("a.bz2", bz2.compress(CONTENT)),
        ("a.lzma", lzma.compress(CONTENT, format=lzma.FORMAT_ALONE)),
        ("wide.log", logs.OSU_5.encode("utf-32")),
        ("a.log", logs.OSU_5.encode("utf-16")),
        ("be.log", f"\ufeff{logs.OSU_5}".encode("utf-16-be")),
        ("bare-le.log", logs.OSU_5.encode("utf-16-le")),
        ("bare-be.log", logs.OSU_5.encode("utf-16-be")),
        ("crlf.log", CONTENT.replace(b"\n", b"\r\n")),
        ("cr.log", CONTENT.replace(b"\n", b"\r")),
        ("na me.log", CONTENT),
    ],
)
def test_a_log_is_read_however_it_is_kept(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert known(read_log(path))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_a_file_is_read_line_by_line_however_it_is_compressed(
    compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "a.goal"
    path.write_bytes(compress(CONTENT))
    assert "".join(content.opened(path)) == logs.OSU_5


@pytest.mark.parametrize(
    "start", [b"%PDF-1.4\n", b"{\\rtf1\\ansi ", b"\x1f\x9d\x90", b'\x04"M\x18']
)
def test_documents_and_files_of_other_compressors_are_refused_by_what_they_are(
    start: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(start + CONTENT)
    with pytest.raises(UsageError, match="is no text\n  decompress it, or save it as plain text"):
        read_log(path)


def test_names_lose_the_suffix_of_the_compression() -> None:
    assert [content.stem_of(Path(name)) for name in ("a.log.gz", "b.zst", "c.1.log")] == [
        "a",
        "b",
        "c.1",
    ]


def test_a_log_is_read_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CONTENT)))
    log = read_log(Path("-"))
    assert (known(log), log.path) == (True, Path("stdin"))


def _zip() -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("a.log", logs.OSU_5)
    return whole.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (_zip(), "is an archive or a spreadsheet\n  unpack it"),
        (gzip.compress(bytes(257) + b"ustar" + bytes(250)), "is an archive"),
        (gzip.compress(CONTENT)[:-9], "cannot be decompressed"),
        (b"\x28\xb5\x2f\xfd" + bytes(20), "cannot be decompressed"),
        (
            zstandard.compress(CONTENT)[:-9],
            "cannot be decompressed: the file ends inside a zstd frame",
        ),
    ],
    ids=["zip", "tar", "gzip cut", "no zstd", "zstd cut"],
)
def test_what_cannot_be_unpacked_says_what_to_do(data: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(UsageError) as refused:
        read_log(tmp_path / "a")
    assert words in str(refused.value)


def test_the_limit_is_of_what_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"x" * 100_000))
    monkeypatch.setattr(content, "LARGEST_LOG", 5000)
    with pytest.raises(UsageError, match="larger than"):
        read_log(tmp_path / "a.gz")


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_schedule_is_read_however_large_it_is(
    compress: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "LARGEST_LOG", 5000)
    path, lines = tmp_path / "schedule.goal", [f"l{n}: calc 1\n" for n in range(2000)]
    path.write_bytes(compress("".join(lines).encode()))
    assert list(content.opened(path)) == lines


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_small_file_of_one_endless_line_is_refused(
    compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(compress(bytes(3 << 20)))
    with pytest.raises(UsageError, match="a line is longer than 1024 KiB"):
        list(content.opened(tmp_path / "a"))


def test_a_directory_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a directory\n  name the files in it"):
        read_log(tmp_path)


@pytest.mark.parametrize(
    "prefix",
    [
        "2024-05-01T10:00:00.123Z ",
        "[2024-05-01 10:00:00] ",
        "2024/05/01 10:00:00 ",
        "2024-05-01 10:00:00,123 INFO: ",
        "[10:00:00.123] ",
        "10:00:00 ",
        "May  1 10:00:00 node001 osu[123]: ",
        "[Wed May  1 10:00:00 2024]<stdout>:",
        "[prterun-node-1@1,0]<stdout>: ",
        "[1,0]<stdout>:",
        "0: ",
        "\x1b[32m",
    ],
)
def test_what_loggers_put_before_lines_is_taken_off(prefix: str) -> None:
    text = "".join(f"{prefix}{line}\n" for line in logs.OSU_5.splitlines())
    assert known(log_of(text, Path("some.log")))


def test_a_log_of_too_many_lines_says_what_most_of_them_are(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    message = "n1:4711:4711 [0] NCCL INFO Channel 00 : 0 1\n"
    path.write_text("# OSU\n" + message * (content.MOST_LINES + 1))
    with pytest.raises(UsageError, match="or 200000 lines") as raised:
        read_log(path)
    assert "grep -v 'NCCL INFO' a.log | hockney import -" in str(raised.value)


def test_titles_of_many_tables_are_not_taken_for_most_lines(tmp_path: Path) -> None:
    table = "# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n" + "8  1.00\n" * 19
    (tmp_path / "a.log").write_text(table * (210_000 // 21))
    with pytest.raises(UsageError) as raised:
        content.text_of(tmp_path / "a.log")
    assert "grep" not in str(raised.value)
