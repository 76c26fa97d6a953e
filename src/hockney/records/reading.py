"""Reads result files within limits: they may be cut short, damaged, newer or hostile."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from hockney.base.allowed import allowed_count
from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.base.zstd_frames import ZstdFrames
from hockney.records.codec import decode, tame
from hockney.records.decoding import Decoded, Helper, decoded
from hockney.records.launch_records import RunRecord
from hockney.records.run import Run
from hockney.records.stand_alone import ANY_RECORD, StandAlone, WholeLines, check_schema, not_ours

LONGEST_LINE = 16 * 1024 * 1024
"""Longest line that is read, in bytes; hockney writes none longer, and decoded numbers take 16
times the memory."""
MOST_INPUT = 16 * 1024**3
"""Largest file in bytes that is read, unless allow() has been called."""
LONGEST_FILE = 256 * 1024 * 1024
"""Bytes to which a compressed file may expand, however small it is."""
MOST_RATIO, USUAL_RATIO = 200, 10
"""Largest, and usual, expansion of a larger compressed file: a few KiB of zstd can hold terabytes,
and real records take a tenth, at best a twentieth of their size. More is refused, unless allow()
has been called."""
BLOCK = 2 * 1024 * 1024
"""Bytes decoded at once: few enough that the values of a block, as objects, stay in the cache of a
core."""
WORTH_HELPERS, MOST_HELPERS = 32 * 1024 * 1024, 4
"""Size in bytes from which on other processes help to decode a file, and the most of them."""


_most_input: ContextVar[int | None] = ContextVar("most_input", default=None)


def allow(most_bytes: int) -> None:
    """Sets the size of the largest file that is read, after decompression."""
    _most_input.set(most_bytes)


@dataclass(frozen=True)
class Limit:
    """Bytes of a file that are read; a larger file is refused."""

    bytes: int
    refusal: UsageError


def _limit(path: Path) -> Limit:
    """The limit of a file; raises UsageError if its stored size exceeds it."""
    stored, allowed = path.stat().st_size, _most_input.get()
    most = MOST_INPUT if allowed is None else allowed
    expanded = max(LONGEST_FILE, MOST_RATIO * stored)
    if path.suffix == ".zst" and allowed is None and expanded < most:
        return Limit(expanded, _suspicious(path, expanded))
    largest = f"{format_size(most)}, the largest that is read"
    if stored > most:
        raise UsageError(
            f"{path}: {format_size(stored)} are more than {largest}",
            f"read it nevertheless: --most-input {-(-stored // 1024**3)}GiB",
        )
    words = "decompressed, it is" if path.suffix == ".zst" else "it is"
    return Limit(most, UsageError(f"{path}: {words} longer than {largest}", "see --most-input"))


def _suspicious(path: Path, expanded: int) -> UsageError:
    return UsageError(
        f"{path}: decompressed, it is longer than {format_size(expanded)}, which is suspicious for "
        "its size",
        f"if you trust it: --most-input {MOST_INPUT // 1024**3}GiB",
    )


def read(path: Path) -> Run:
    """The run in a file. A file that was cut short is read up to the cut, and `Run.cut` is set."""
    try:
        with _open(path) as stream:
            return _read(path, stream)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error


def header_of(path: Path) -> RunRecord | None:
    """The run record of a file; None if it is no result file."""
    try:
        with _open(path) as stream:
            return _begun(path, _Blocks(stream, _limit(path)))[0]
    except Exception:  # as in _read()
        return None


def first_line(path: Path) -> bytes | None:
    """The first nonempty line of any text file; None if it cannot be read."""
    try:
        with _open(path) as stream:
            return _Blocks(stream, _limit(path)).first_line()
    except Exception:  # as in _read()
        return None


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of any file, within the limits of result files. Raises UsageError if it exceeds
    them, and OSError if it cannot be read to its end."""
    try:
        with _open(path) as stream:
            blocks = _Blocks(stream, _limit(path))
            first = blocks.first_line()
            yield from () if first is None else (first,)
            for block in blocks:
                yield from block.splitlines()
            if blocks.failure is not None:
                raise blocks.failure
    except (UsageError, OSError):
        raise
    except Exception as error:  # as in _read()
        raise OSError(str(error)) from error


def why_no_result(path: Path) -> str | None:
    """Why a file cannot be read at all; None if it begins as a result file."""
    try:
        with _open(path) as stream:
            _begun(path, _Blocks(stream, _limit(path)))
    except UsageError as error:
        return error.message.removeprefix(f"{path}: ")
    except Exception as error:  # as in _read()
        return str(error)
    return None


def _read(path: Path, stream: BinaryIO) -> Run:
    try:
        header, blocks = _begun(path, _Blocks(stream, _limit(path)))
    except UsageError:
        raise
    except Exception as error:  # unreadable, or nested too deeply
        raise UsageError(f"{path}: {error}") from error
    run = Run(header, path=path)
    damaged, last_damaged, read = 0, 0, blocks.lines
    helpers = _helpers(path)
    try:
        for content in _decoded(blocks, helpers):
            _check_one_run(run, content)
            run.add_decoded(content)
            damaged += content.damaged
            last_damaged = read + content.last_damaged if content.damaged else last_damaged
            read += content.lines
    except UsageError:
        raise
    except Exception as error:  # a truncated frame of zstd ends the stream in many ways
        run.cut = f"the file could not be read beyond line {read}: {error}"
    finally:
        for helper in helpers:
            helper.end()
    if isinstance(blocks, StandAlone):
        run.notes = blocks.notes()
        damaged += blocks.damaged
        last_damaged = max(last_damaged, blocks.last_damaged)
    if run.cut is None and damaged:
        where = f"line {last_damaged} is" if damaged == 1 else f"{damaged} lines are"
        run.cut = f"{where} cut short or damaged, and ignored"
    if run.cut is None and not _is_complete(run):
        run.cut = "the last launch has no end: the run was killed or is still running"
    return run


def _check_one_run(run: Run, content: Decoded) -> None:
    """Raises UsageError where files of several runs were written one after the other: launches of
    one would be taken for those of the other."""
    for other in content.others:
        if isinstance(other, RunRecord):
            which = "the same run twice" if other.id == run.header.id else "several runs"
            raise UsageError(
                f"{run.path}: holds {which}, one after the other",
                'give each a file of its own, from its line with "kind":"run" on',
            )


def _helpers(path: Path) -> list[Helper]:
    """Other processes that decode the blocks of a large file: one for each CPU, up to MOST_HELPERS.
    With one CPU they would only take turns."""
    expands = USUAL_RATIO if path.suffix == ".zst" else 1
    cpus = min(allowed_count(), MOST_HELPERS)
    if cpus < 2 or path.stat().st_size * expands < WORTH_HELPERS:
        return []
    return [Helper() for _ in range(cpus)]


def _decoded(blocks: WholeLines, helpers: list[Helper]) -> Iterator[Decoded]:
    """What each block holds, in their order. Helpers take turns, and a helper gets its next block
    before the result of the last one is used."""
    turns = deque(helpers)
    for text in blocks:
        if not turns:
            yield decoded(text)
            continue
        content = turns[0].result()
        turns[0].begin(text)
        turns.rotate(-1)
        if content is not None:
            yield content
    yield from (content for helper in turns if (content := helper.result()) is not None)
    if blocks.failure is not None:
        raise blocks.failure


class _Blocks:
    """A file in blocks of whole lines, up to its end or to a `failure`."""

    def __init__(self, stream: BinaryIO, most: Limit) -> None:
        self._stream, self._most = stream, most
        self._size, self._rest, self._ended = 0, b"", False
        self.lines = 0
        """Number of lines up to the end of the last block."""
        self.failure: Exception | None = None

    def first_line(self) -> bytes | None:
        """The first nonempty line."""
        while line := self._stream.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise self._too_long(b"")
            self._size, self.lines = self._size + len(line), self.lines + 1
            if line.strip():
                return line
        return None

    def put_back(self, line: bytes) -> None:
        """Makes the first line that of the first block."""
        self._size, self.lines, self._rest = self._size - len(line), self.lines - 1, line

    def __iter__(self) -> Iterator[bytes]:
        while self.failure is None and not self._ended:
            text = self._rest + self._more()
            end = len(text) if self._ended else text.rfind(b"\n") + 1
            block, self._rest = self._allowed(text[:end]), text[end:]
            if len(self._rest) > LONGEST_LINE and self.failure is None:
                self.failure = self._too_long(block)
            self._size, self.lines = self._size + len(block), self.lines + block.count(b"\n")
            if block and not block.isspace():
                yield block

    def _more(self) -> bytes:
        parts, wanted = [], BLOCK
        try:
            while wanted > 0 and not self._ended:
                part = self._stream.read1(wanted)  # type: ignore[attr-defined]
                self._ended = not part
                wanted -= len(part)
                parts.append(part)
        except Exception as error:  # a truncated frame of zstd ends the stream in many ways
            self.failure = error
        return b"".join(parts)

    def _allowed(self, block: bytes) -> bytes:
        """The block up to the first line that is too long; empty if the file exceeds the size
        limit."""
        if len(block) > LONGEST_LINE:
            end = 0
            for line in block.splitlines(keepends=True):
                if len(line) > LONGEST_LINE:
                    block = block[:end]
                    self.failure = self._too_long(block)
                    break
                end += len(line)
        left = self._most.bytes - self._size
        if len(block) > left:
            block, self.failure = b"", self._most.refusal
        return block

    def _too_long(self, before: bytes) -> ValueError:
        number = self.lines + before.count(b"\n") + 1
        return ValueError(f"line {number} is longer than {LONGEST_LINE >> 20} MiB")


def _is_complete(run: Run) -> bool:
    if not run.launches:
        return True
    return run.launches[-1].launch in {end.launch for end in run.ends}


def has_records(text: str) -> bool:
    """Whether a text begins with our records, maybe after lines of other programs."""
    return ANY_RECORD.search(text[:BLOCK].encode(errors="replace")) is not None


def _begun(path: Path, blocks: _Blocks) -> tuple[RunRecord, WholeLines]:
    """The run record of a file and the blocks after it. Its first line shows whether it has one;
    records of an engine that was started by hand have none."""
    line = blocks.first_line()
    if line is None:
        raise UsageError(f"{path}: an empty file")
    header = _first(path, line)
    if header is not None:
        return header, blocks
    blocks.put_back(line)
    alone = StandAlone(path, blocks)
    header = alone.header()
    if header is None:
        raise not_ours(path)
    return header, alone


def _first(path: Path, line: bytes) -> RunRecord | None:
    """The run record in the first line of a file; None if it has none."""
    try:
        plain = msgspec.json.decode(line)
    except ValueError:
        return None
    if isinstance(plain, dict) and plain.get("kind") == "profile":
        raise UsageError(
            f"{path}: a profile of a program, not a result file",
            "profiles are for hockney show, replay, predict --profile and tune --profile",
        )
    if not isinstance(plain, dict) or plain.get("kind") != "run":
        return None
    schema = plain.get("schema")
    if isinstance(schema, int):
        check_schema(path, schema)
    try:
        header = decode(line)
    except ValueError as error:
        raise UsageError(f"{path}, line 1: {error}") from error
    assert header is not None
    header = tame(header, line)
    assert isinstance(header, RunRecord)
    return header


def _open(path: Path) -> BinaryIO:
    if path.suffix != ".zst":
        return path.open("rb")
    return io.BufferedReader(ZstdFrames(path.open("rb")))
