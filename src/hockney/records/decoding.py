"""Decodes blocks of lines into columns, in this process or, for a large file, in others.

Another process runs main(): it reads blocks from stdin, and writes what it made of them to stdout.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import pickle
import select
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

import msgspec

from hockney.records.carriers import PathRecord
from hockney.records.codec import decode, decode_all, is_harmless, tame
from hockney.records.kinds import (
    Completions,
    End,
    Finish,
    Noise,
    PairTimes,
    Probe,
    Record,
    Round,
    Samples,
    Start,
    Summary,
    Switch,
    Tail,
)
from hockney.records.launch_records import LaunchRecord, RunRecord
from hockney.records.tables import Columns, columns_of

if TYPE_CHECKING:
    from hockney.records.pair_times import PairBlock
    from hockney.records.visits import Block

TABLES: dict[str, Any] = {"starts": Start, "probes": Probe, "rounds": Round, "noises": Noise}
"""Record kinds with many records, by the field of the run that holds them."""
OTHERS: tuple[Any, ...] = (
    *(RunRecord, LaunchRecord, PathRecord, Tail, Completions, Summary),
    *(Switch, End, Finish),
)
SIZE_BYTES = 8
PIPE_BYTES = 1024 * 1024
"""Largest pipe that Linux allows without privileges."""
WAIT_MS, MOST_WAITS = 1000, 30
"""Time of a wait, and waits after which a helper that neither reads nor writes a byte is abandoned,
and this process decodes its block. Waits, not a time: if this process itself is stopped, one wait
ends as soon as it continues. A block takes 0.05 s."""
PROGRAM = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import main; main()"
"""Program of a helper. It imports from this process's paths, not from the current directory."""


@dataclass
class Decoded:
    """Content of a block of lines."""

    lines: int
    damaged: int = 0
    last_damaged: int = 0
    """Line of the last damaged record in the block, from 1."""
    visits: Block | None = None
    pair_times: list[PairBlock] = field(default_factory=list)
    tables: dict[str, Columns] = field(default_factory=dict)
    others: list[Record] = field(default_factory=list)
    """Records of OTHERS; those of one kind in the order of the block."""

    def __getstate__(self) -> dict[str, Any]:
        """Encodes records for pickle, which takes ten times as long for them as msgspec."""
        return {**self.__dict__, "others": msgspec.msgpack.encode(self.others)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self.others = msgspec.msgpack.decode(state["others"], type=list[Record])


def decoded(text: bytes) -> Decoded:
    """The content of a block of whole lines."""
    from hockney.records.pair_times import PairBlock
    from hockney.records.visits import Block

    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    content = Decoded(lines)
    records = decode_all(text, lines) if is_harmless(text) else None
    if records is None:
        records = _one_by_one(text, content)
    by_kind: defaultdict[type, list[Any]] = defaultdict(list)
    for record in records:
        by_kind[type(record)].append(record)
    if Samples in by_kind:
        content.visits = Block.of(by_kind[Samples])
    content.pair_times = [PairBlock.of(record) for record in by_kind.get(PairTimes, [])]
    for name, kind in TABLES.items():
        if kind in by_kind:
            content.tables[name] = columns_of(kind, by_kind[kind])
    content.others = [record for kind in OTHERS for record in by_kind[kind]]
    return content


def _one_by_one(text: bytes, content: Decoded) -> list[Record]:
    """The records of a block in which a line is damaged, unknown or needs escaping."""
    records = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = decode(line)
        except ValueError:
            content.damaged, content.last_damaged = content.damaged + 1, number
            continue
        if record is not None:
            records.append(tame(record, line))
    return records


class Helper:
    """Another process that decodes blocks; one that ended, or does nothing, is replaced by this
    process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._text: bytes | None = None
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *sys.path],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                os.set_blocking(pipe.fileno(), False)
                _widen(pipe.fileno())

    def begin(self, text: bytes) -> None:
        """Sends a block, after the result of the previous one was received."""
        self._text = text
        try:
            if self._process is not None and self._process.stdin is not None:
                pipe = self._process.stdin.fileno()
                _write_soon(pipe, len(text).to_bytes(SIZE_BYTES, "little"))
                _write_soon(pipe, text)
        except OSError:
            self.end()

    def result(self) -> Decoded | None:
        """The content of the block that was sent; None if there was none since the last result."""
        text, self._text = self._text, None
        if text is not None and self._process is not None and self._process.stdout is not None:
            try:
                pipe = self._process.stdout.fileno()
                size = int.from_bytes(_read_soon(pipe, SIZE_BYTES), "little")
                content: Decoded = pickle.loads(_read_soon(pipe, size))
                return content
            except (OSError, EOFError):
                self.end()
        return None if text is None else decoded(text)

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self._process = None


def _widen(pipe: int) -> None:
    """Enlarges a pipe beyond the usual 64 KiB where the system allows it, for fewer switches
    between writer and reader."""
    with contextlib.suppress(OSError, AttributeError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def _await(pipe: int, event: int) -> None:
    """Waits until the other end of a nonblocking pipe reads or writes."""
    poll = select.poll()
    poll.register(pipe, event)
    if not any(poll.poll(WAIT_MS) for _ in range(MOST_WAITS)):
        raise TimeoutError


def _write_soon(pipe: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        try:
            left = left[os.write(pipe, left) :]
        except BlockingIOError:
            _await(pipe, select.POLLOUT)


def _read_soon(pipe: int, size: int) -> bytearray:
    content = bytearray(size)
    left = memoryview(content)
    while left:
        try:
            count = os.readv(pipe, [left])
        except BlockingIOError:
            _await(pipe, select.POLLIN)
            continue
        if not count:
            raise EOFError
        left = left[count:]
    return content


def _send(stream: IO[bytes], content: bytes) -> None:
    stream.write(len(content).to_bytes(SIZE_BYTES, "little"))
    stream.write(content)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    size = stream.read(SIZE_BYTES)
    content = stream.read(int.from_bytes(size, "little"))
    if len(size) < SIZE_BYTES or len(content) < int.from_bytes(size, "little"):
        raise EOFError
    return content


def main() -> None:
    """Decodes blocks from stdin until it ends."""
    gc.disable()  # records hold no cycles
    # With PYTHONUNBUFFERED, sys.stdout.buffer is raw: a signal may cut a write short.
    with open(0, "rb", closefd=False) as blocks, open(1, "wb", closefd=False) as results:
        while True:
            try:
                text = _receive(blocks)
            except EOFError:
                return
            _send(results, pickle.dumps(decoded(text), pickle.HIGHEST_PROTOCOL))
