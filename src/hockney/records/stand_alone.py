"""Reads the records of an engine that was started by hand.

    mpiexec -n 2 ./hockney-engine pingpong >> FILE

No run record is before them. Launchers put tags before lines, and within long ones. Other ranks and
programs write between them. Several launches with the same number follow each other. This module
turns that into what a result file has: a run record with what the engine itself reports, and blocks
of the records of launches 0, 1, .... A line without a record becomes an empty one, so that lines
keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from hockney.base.errors import UsageError
from hockney.base.printable import one_line
from hockney.plan.command_lines import COMMAND_LINE, command_difference, of_all_launches
from hockney.records.codec import tame, try_decode
from hockney.records.kinds import KINDS, SCHEMA, End
from hockney.records.launch_records import LaunchRecord, RunRecord

RECORD = b'{"kind":"'
"""How the engine begins each of its records."""
_START = re.compile(rb'\{"kind":"([a-z_]{1,20})","launch":(\d{1,9})(?=[,}])')
ANY_RECORD = re.compile(rb'\{"kind":"(?:' + "|".join(KINDS).encode() + rb')","launch":\d')
_PART = re.compile(
    rb'^\{(?:"(?:k(?:i(?:n(?:d(?:":?)?)?)?)?)?)?$'  # of its first bytes
    rb'|"(?:kind|launch|round|operation|repetitions|at_s|places|peers|wall_s)":'  # of any record
    rb'|"(?:own_mean_|own_max_|handover_|handover_low_|handover_high_)?ns":'
    rb"|^[\d.,e+-]*\]+\}$"  # the end of a list of numbers
)
"""What only a record has: a line with it, but without a record, is a part of one."""
_WORDS = re.compile(rb"[A-Za-z ]*")
LONGEST_TAG = 200
"""Most bytes before a record that are taken for the tag of a launcher."""
LONGEST_SHOWN = 60
"""Characters of a line that a note quotes."""


class WholeLines(Protocol):
    """Blocks of whole lines of a file."""

    @property
    def lines(self) -> int:
        """Number of lines up to the end of the last block."""

    @property
    def failure(self) -> Exception | None:
        """What kept the rest from being read."""

    def __iter__(self) -> Iterator[bytes]: ...


class _Question(msgspec.Struct):
    """What a launch record has for readers without a run record."""

    schema: int | None = None
    asked: list[str] = []
    """The words of its question, as the engine's records call them."""
    started: str | None = None


class StandAlone:
    """The records of a file without a run record, in blocks."""

    def __init__(self, path: Path, blocks: WholeLines) -> None:
        self._path, self._blocks, self.lines = path, blocks, blocks.lines
        self._read: list[bytes] = []
        """Blocks that were read for the header."""
        self._shape = b""
        self._tag: re.Pattern[bytes] | None = None
        self._launches: list[LaunchRecord] = []
        self._question = _Question()
        self._first, self._first_samples = b"", b""
        """The records that no other run has: the identifier is made of them."""
        self._open: dict[bytes, int] = {}
        """Our number of the latest launch, by the engine's number in its records."""
        self._ends: dict[int, End] = {}
        self._failed_starts: list[str] = []
        self._passed_over, self._first_passed = 0, ""
        self.damaged, self.last_damaged = 0, 0
        """Lines with parts of records that are left out, and the last of them."""

    @property
    def failure(self) -> Exception | None:
        return self._blocks.failure

    def header(self) -> RunRecord | None:
        """A run record of what the engine reports; None if the file does not begin with its
        records. It is read from the lines up to the first samples."""
        for number, text in enumerate(self._blocks):
            if number == 0 and not ANY_RECORD.search(text):
                return None
            self._read.append(self._records_of(text))
            if self._first_samples:
                break
        if not self._read and self._blocks.failure is not None:
            raise self._blocks.failure
        if not self._launches:
            raise UsageError(f"{self._path}: {self._why_none()}")
        launch, words = self._launches[0], of_all_launches(self._question.asked)
        header = RunRecord(
            schema=SCHEMA,
            hockney=launch.engine or "unknown",
            id=_id_of(self._first, self._first_samples),
            experiment=words[0],
            started=self._question.started,
            options={COMMAND_LINE: words},
        )
        tamed = tame(header, self._first)
        assert isinstance(tamed, RunRecord)
        return tamed

    def _why_none(self) -> str:
        if self._failed_starts:
            return f"no launch measured anything: {one_line(self._failed_starts[0])}"
        return "records of an engine without the first one of a launch, which is lost or damaged"

    def __iter__(self) -> Iterator[bytes]:
        yield from self._read
        self._read = []
        for text in self._blocks:
            yield self._records_of(text)

    def notes(self) -> list[str]:
        """What a reader must know about the file, after its last block."""
        notes = []
        if self._passed_over == 1:
            notes.append(f"{self._first_passed} is no record and was passed over")
        elif self._passed_over:
            first = f"the first is {self._first_passed}"
            notes.append(f"{self._passed_over} lines are no records and were passed over; {first}")
        if self._failed_starts:
            notes.append(f"a start failed before it measured: {one_line(self._failed_starts[0])}")
        for number in range(len(self._launches)):
            end = self._ends.get(number)
            if end is None and number + 1 < len(self._launches):
                notes.append(f"launch {number} has no end: it was killed")
            elif end is not None and end.reason == "failed":
                notes.append(f"launch {number} failed: {one_line(end.message or 'unknown why')}")
        return notes

    def _records_of(self, text: bytes) -> bytes:
        """A block with its records alone, in their lines."""
        lines = text.split(b"\n")
        number = self._blocks.lines - text.count(b"\n")
        for at, line in enumerate(lines):
            lines[at] = self._record_of(line, number + at + 1) if line else line
        return b"\n".join(lines)

    def _record_of(self, line: bytes, number: int) -> bytes:
        """The record in a line, or an empty line."""
        before, record = self._without_tags(line)
        if before and (not record or _PART.search(before)):
            self._pass_over(before, number)
        return self._numbered(record, number) if record else b""

    def _without_tags(self, line: bytes) -> tuple[bytes, bytes]:
        """What is before the last record of a line, if it is no tag, and that record."""
        at = line.rfind(RECORD)
        if at < 0 and self._tag is not None:  # a tag may be in these bytes, too
            line = self._tag.sub(b"", line)
            at = line.rfind(RECORD)
            return (line[:at], line[at:].rstrip()) if at >= 0 else (line, b"")
        if at < 0:
            return line, b""
        before, record = line[:at], line[at:]
        if before:
            self._learn(before)
            record = self._in_one(record)
        return before, record.rstrip()

    def _in_one(self, record: bytes) -> bytes:
        """A record without the tags within it: Open MPI 4 puts one before every 4 KiB that it
        forwards. Letters alone may be a word of the record."""
        if self._tag is None or not self._tag.search(record):
            return record
        if _WORDS.fullmatch(self._shape) and _is_whole(record):
            return record
        return self._tag.sub(b"", record)

    def _learn(self, before: bytes) -> None:
        """Takes what is before a record for the launcher's tag, whose numbers may differ."""
        if len(before) > LONGEST_TAG or not before.strip() or RECORD in before:
            return
        shape = re.sub(rb"\d", b"0", before)
        if shape != self._shape:
            # As many digits each: a tag within a line may follow digits of the record.
            pattern = re.sub(rb"\d", rb"\\d", re.escape(before))
            self._shape, self._tag = shape, re.compile(pattern)

    def _pass_over(self, line: bytes, number: int) -> None:
        if _PART.search(line.rstrip()):
            self._leave_out(number)
        elif line.strip():
            if not self._passed_over:
                text = line.strip().decode(errors="replace")
                more = " ..." if len(text) > LONGEST_SHOWN else ""
                self._first_passed = f"line {number} ('{one_line(text[:LONGEST_SHOWN])}{more}')"
            self._passed_over += 1

    def _leave_out(self, number: int) -> bytes:
        self.damaged, self.last_damaged = self.damaged + 1, number
        return b""

    def _numbered(self, record: bytes, number: int) -> bytes:
        """The record with our number of its launch; empty without the beginning of that launch."""
        start = _START.match(record)
        if start is None:
            if record.startswith(b'{"kind":"run"'):
                raise UsageError(
                    f"{self._path}: line {number} begins another result file, after records of an "
                    "engine that was started by hand",
                    "give each a file of its own",
                )
            return self._leave_out(number)
        kind, theirs = start.groups()
        if kind == b"launch":
            ours = self._begun(record, theirs, number)
        elif kind == b"end":
            ours = self._ended(record, theirs, number)
        else:
            ours = self._open.get(theirs)
            if not self._first_samples and kind in (b"samples", b"pair_times"):
                self._first_samples = record
        if ours is None:
            return b"" if kind == b"end" else self._leave_out(number)
        if ours == int(theirs):
            return record
        return record[: start.start(2)] + str(ours).encode() + record[start.end(2) :]

    def _begun(self, record: bytes, theirs: bytes, number: int) -> int | None:
        """The number of a launch that begins; None if its record is damaged."""
        launch = try_decode(record)
        if not isinstance(launch, LaunchRecord):
            self._open.clear()  # what follows is not of the launches before
            return None
        launch = tame(launch, record)
        assert isinstance(launch, LaunchRecord)
        question = self._question_of(record, launch)
        if not self._launches:
            self._question, self._first = question, record
        else:
            self._refuse_another(question.asked, launch, number)
        self._open[theirs] = len(self._launches)
        self._launches.append(launch)
        return self._open[theirs]

    def _question_of(self, record: bytes, launch: LaunchRecord) -> _Question:
        """What the launch was to measure; raises UsageError if its records cannot be read."""
        try:
            question = msgspec.json.decode(record, type=_Question)
        except msgspec.ValidationError:
            question = _Question()
        if launch.engine is None:
            raise not_ours(self._path)
        if question.schema is not None:
            check_schema(self._path, question.schema)
        if not question.asked or question.asked[0].startswith("--"):
            raise UsageError(
                f"{self._path}: records of an engine (of hockney {one_line(launch.engine)}) that "
                "does not record what it was asked",
                "build the engine that came with this hockney, and measure again",
            )
        return question

    def _refuse_another(self, arguments: list[str], launch: LaunchRecord, number: int) -> None:
        """Raises UsageError if a launch asks another question than the first one."""
        first = self._launches[0]
        facts = (
            ("the number of ranks", len(first.places), len(launch.places)),
            ("the MPI library", _library(first), _library(launch)),
            ("the engine", first.engine, launch.engine),
        )
        others = (f"{name} was {was}, and is {now}" for name, was, now in facts if was != now)
        words = command_difference(self._question.asked, arguments) or next(others, None)
        if words is not None:
            raise UsageError(
                f"{self._path}: the launch in line {number} asks another question than the first: "
                f"{one_line(words)}",
                f"give each question a file of its own: head -n {number - 1} {self._path.name} has "
                f"the first, tail -n +{number} {self._path.name} the rest",
            )

    def _ended(self, record: bytes, theirs: bytes, number: int) -> int | None:
        """The number of a launch that ends; None if it never began."""
        end, ours = try_decode(record), self._open.get(theirs)
        if not isinstance(end, End):
            return ours
        before = self._ends.get(ours) if ours is not None else None
        if ours is None or (before is not None and before.reason != "failed"):
            if end.reason == "failed":  # before its launch record, maybe on several ranks
                self._failed_starts.append(end.message or "unknown why")
            elif before is not None:
                raise UsageError(
                    f"{self._path}: launch {ours} ends once more in line {number}: records of "
                    "launches that ran at the same time are mixed",
                    "give launches that run at the same time a file each",
                )
            else:
                self._leave_out(number)
            return None
        self._ends.setdefault(ours, end)
        return ours


def check_schema(path: Path, schema: int) -> None:
    """Raises UsageError if this hockney does not read that version of the format."""
    if schema != SCHEMA:
        raise UsageError(
            f"{path}: has version {schema} of the record format, this hockney reads version "
            f"{SCHEMA}",
            "install a newer hockney: pip install --upgrade hockney"
            if schema > SCHEMA
            else "measure it again: that version was never published",
        )


def not_ours(path: Path) -> UsageError:
    return UsageError(
        f"{path}: not a result file of hockney",
        "import logs of other benchmarks with `hockney import`",
    )


def _is_whole(record: bytes) -> bool:
    try:
        msgspec.json.decode(record)
    except ValueError:
        return False
    return True


def _library(launch: LaunchRecord) -> str:
    return f"{launch.mpi.library} {launch.mpi.version}"


def _id_of(*parts: bytes) -> str:
    """The same identifier whenever the file is read, also when it has grown since."""
    import hashlib
    import uuid

    return str(uuid.UUID(hashlib.sha256(b"\n".join(parts)).hexdigest()[:32], version=5))
