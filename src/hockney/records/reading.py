"""Reads result files within limits: they may be cut short, damaged, newer or hostile."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from hockney.errors import AskedWronglyError
from hockney.lazy import lazy_imports
from hockney.records.kinds import SCHEMA, RunRecord, decode, tame
from hockney.records.run import Run

with lazy_imports():
    import zstandard

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes; hockney writes no longer lines, and decoded numbers take 16 times the memory."""
LONGEST_FILE = 256 * 1024 * 1024
"""Bytes, decompressed; the rest is ignored, as a few KiB of zstd can hold terabytes."""
COMPRESSED_CHUNK = 1024
"""Bytes of zstd decompressed at once: at the best compression, 128 KiB of text in 4 bytes, they
give 32 MiB."""


def read(path: Path) -> Run:
    """The run in a file. A file that was cut short is read up to the cut, and `Run.cut` is set."""
    try:
        with _open(path) as stream:
            return _read(path, stream)
    except FileNotFoundError as error:
        raise AskedWronglyError(f"{path}: no such file") from error
    except OSError as error:
        raise AskedWronglyError(f"{path}: {error.strerror or error}") from error


def header_of(path: Path) -> RunRecord | None:
    """The run record of a file alone; None where it is no result file."""
    try:
        with _open(path) as stream:
            return _first(path, next(line for _, line in _lines(stream)))
    except Exception:  # as in _read()
        return None


def why_no_result(path: Path) -> str | None:
    """What keeps a file from being read at all; None where it begins as a result file does."""
    try:
        with _open(path) as stream:
            _first(path, next(line for _, line in _lines(stream)))
    except StopIteration:
        return "an empty file"
    except AskedWronglyError as error:
        return error.message.removeprefix(f"{path}: ")
    except Exception as error:  # as in _read()
        return str(error)
    return None


def _read(path: Path, stream: BinaryIO) -> Run:
    run: Run | None = None
    number, damaged, last_damaged = 0, 0, 0
    try:
        for number, line in _lines(stream):
            if run is None:
                run = Run(_first(path, line), path=path)
                continue
            try:
                record = decode(line)
            except ValueError:
                damaged, last_damaged = damaged + 1, number
                continue
            if record is not None:
                run.add(tame(record, line))
    except AskedWronglyError:
        raise
    except Exception as error:  # a truncated frame of zstd ends the stream in many ways
        if run is None:
            raise AskedWronglyError(f"{path}: {error}") from error
        run.cut = f"the file could not be read beyond line {number}: {error}"
    if run is None:
        raise AskedWronglyError(f"{path}: an empty file")
    if run.cut is None and damaged:
        where = f"line {last_damaged} is" if damaged == 1 else f"{damaged} lines are"
        run.cut = f"{where} cut short or damaged, and ignored"
    if run.cut is None and not _is_complete(run):
        run.cut = "the last launch has no end: the run was killed or is still running"
    return run


def _is_complete(run: Run) -> bool:
    if not run.launches:
        return True
    return run.launches[-1].launch in {end.launch for end in run.ends}


def _first(path: Path, line: bytes) -> RunRecord:
    not_ours = AskedWronglyError(
        f"{path}: not a result file of hockney",
        "import logs of other benchmarks with `hockney import`",
    )
    try:
        plain = msgspec.json.decode(line)
    except ValueError as error:
        raise not_ours from error
    if not isinstance(plain, dict) or plain.get("kind") != "run":
        raise not_ours
    schema = plain.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        raise AskedWronglyError(
            f"{path}: has version {schema} of the record format, this hockney reads up to version "
            f"{SCHEMA}",
            "install a newer hockney: pip install --upgrade hockney",
        )
    try:
        header = decode(line)
    except ValueError as error:
        raise AskedWronglyError(f"{path}, line 1: {error}") from error
    assert header is not None
    header = tame(header, line)
    assert isinstance(header, RunRecord)
    return header


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = size = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        size += len(line)
        if len(line) > LONGEST_LINE:
            raise ValueError(f"line {number} is longer than {LONGEST_LINE >> 20} MiB")
        if size > LONGEST_FILE:
            raise ValueError(f"the file is longer than {LONGEST_FILE >> 20} MiB")
        if line.strip():
            yield number, line


def _open(path: Path) -> BinaryIO:
    if path.suffix != ".zst":
        return path.open("rb")
    return io.BufferedReader(_Frames(path))


class _Frames(io.RawIOBase):
    """Decompresses zstd frames one after the other. A file that ends inside a frame was cut, even
    after a whole line, which the library's own reader does not report."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._compressed, self._plain = b"", memoryview(b"")
        self._frame: Any = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            self._compressed = self._compressed or self._file.read(COMPRESSED_CHUNK)
            if not self._compressed:
                if self._frame is not None:
                    raise EOFError("the file ends inside a zstd frame")
                return 0
            self._decompress()
        part = self._plain[: len(buffer)]
        self._plain = self._plain[len(part) :]
        buffer[: len(part)] = part
        return len(part)

    def _decompress(self) -> None:
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._plain = memoryview(self._frame.decompress(self._compressed))
        self._compressed = b""
        if self._frame.eof:
            self._compressed, self._frame = self._frame.unused_data, None

    def close(self) -> None:
        self._file.close()
        super().close()
