"""The format of profiles: one JSON object per line. The first describes the program, then come its
ranks, their calls, and waiting times between ranks. Readers ignore unknown kinds and keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.base.printable import SUSPICIOUS, one_lines
from hockney.base.units import how_many
from hockney.plan.memories import Memory
from hockney.records.reading import first_line, lines_of

SCHEMA = 1
MOST_LINES = 5_000_000
"""Lines of a profile that are read; a line takes 1 KiB of memory."""

Whole = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=1e12)]
Rank = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
End = Literal["finalized", "aborted", "lost"]
Datatype = Literal["basic", "contiguous", "strided"]
"""Memory layout of a message: predefined; derived and contiguous; derived with gaps."""
Size = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]


class Program(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="profile"):
    """The program, its command and its exit."""

    schema: Annotated[int, msgspec.Meta(ge=1)]
    hockney: str
    command: tuple[str, ...] | None
    """Command as typed; None if arguments were omitted."""
    time_utc: str
    exit_status: int
    wall_s: Seconds
    """Time from the start of the launcher to its end."""
    mpicc: str | None = None
    library: str | None = None
    """First line of the library's version text."""
    source: str | None = None
    """Format of the schedule that it was made from, which holds no times in MPI and no places; None
    if it was recorded."""


class RankRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="rank"):
    """One process."""

    job: Whole
    """Number of the MPI_COMM_WORLD in the command, from 0."""
    rank: Rank
    ranks: Size
    host: str
    boot: str
    cpu: int | None
    """The CPU on which the process started."""
    cpus: str
    """CPUs that the process may use, as a list in Linux's form."""
    cache: str
    """CPUs that share the last cache of the first CPU."""
    program: str
    end: End
    wall_s: Seconds
    """Time from the end of MPI_Init to MPI_Finalize, or to the last known moment."""
    clock_error_s: Seconds | None = None
    """Error of its host's clock against the first rank's; None if unknown."""
    lost_calls: Whole = 0
    """Calls that were lost because the table was full."""
    lost_s: Seconds = 0.0
    lost_requests: Whole = 0
    recording_s: Seconds | None = None
    """Time of the recorder, estimated from its cost per call; None if unknown."""
    unfinished: Whole = 0
    """Receives that never completed, counted with the bytes that they were posted with."""
    cpu_wait_s: Seconds | None = None
    """Time ready to run while something else had its CPU; None if unknown."""


class Calls(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="calls"):
    """Calls of one rank that differ only in their times."""

    job: Whole
    rank: Rank
    call: str
    count: Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
    bytes: Whole
    """Bytes of each call; an upper limit if `is_coarse`."""
    bytes_sum: Whole
    time_s: Seconds
    """Time inside these calls."""
    most_s: Seconds
    completion_s: Seconds = 0.0
    """Time of the calls that completed their requests; it is the `time_s` of those calls, too."""
    wait_s: Seconds | None = None
    """Part of `time_s` and `completion_s` spent waiting for other ranks; None if unknown."""
    untimed: Whole = 0
    """Polls among these calls that were counted without a clock; each is assumed to last as long as
    the timed one before it (about one in sixteen is timed)."""
    buffers: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)] | None = None
    """For messages, the estimated number of addresses that they are sent from or received into;
    None if unknown."""
    seen: Whole = 0
    """Number of calls from which `wait_s` is estimated."""
    started: str | None = None
    """The call that made the persistent request which these calls started."""
    communicator_size: Size | None = None
    communicator: str = ""
    members: str | None = None
    """Digest of the ranks of the communicator."""
    peer: Rank | None = None
    """Rank of the peer in its MPI_COMM_WORLD; for a collective, of the root."""
    datatype: Datatype | None = None
    memory: Memory = "host"
    """Memory that the bytes are sent from, or received into, by the driver of an accelerator that
    the program loaded."""
    region: str = ""
    is_coarse: bool = False
    histogram: tuple[tuple[Seconds, Whole], ...] = ()
    """Number of calls by time: pairs of a limit in seconds, and the calls between half of it and
    it."""


class MessagesAlone(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="machine"):
    """Times of messages between two ranks of the host, measured separately."""

    messages: tuple[tuple[Whole, Seconds], ...]
    """Bytes and seconds of single messages."""
    scattered: tuple[tuple[Whole, Seconds], ...] = ()
    """Bytes and seconds of messages with a strided datatype whose bytes each lie in their own cache
    line; empty if they were not measured."""
    disturbed: bool = False
    """Whether other processes used the CPUs meanwhile, so that the times are upper limits."""


class Blame(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="waited"):
    """Time that one rank waited for another, in the calls where that is known."""

    job: Whole
    rank: Rank
    for_rank: Rank
    seconds: Seconds


MOST_ACTS = 1 << 12
"""Most acts of one line."""
Wholes = Annotated[tuple[Whole, ...], msgspec.Meta(max_length=MOST_ACTS)]
Signed = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]


class Acts(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="acts"):
    """Acts of one rank in order: a column for each property, in blocks of up to MOST_ACTS."""

    job: Whole
    rank: Rank
    what: Annotated[tuple[Annotated[int, msgspec.Meta(ge=1, le=8)], ...],
                    msgspec.Meta(max_length=MOST_ACTS)]  # fmt: skip
    """1 send, 2 receive, 3 start of a send, 4 start of a receive, 5 completion of what was started,
    6 collective, 7 start of a collective, 8 other time in MPI."""
    before_ns: Wholes
    """Time outside MPI since the previous act."""
    inside_ns: Wholes
    bytes: Wholes
    peer: Annotated[tuple[Signed, ...], msgspec.Meta(max_length=MOST_ACTS)]
    """Rank of the peer in MPI_COMM_WORLD; below 0 for none."""
    tag: Annotated[tuple[Signed, ...], msgspec.Meta(max_length=MOST_ACTS)]
    request: Wholes
    """Number of a request, the same at its start and its completion."""
    call: Wholes
    """Index into `calls`."""
    group: Wholes
    """Index into `groups`."""
    calls: tuple[str, ...] = ()
    groups: tuple[tuple[str, int], ...] = ()
    """Digest and number of the ranks of each communicator."""
    left_out: Whole = 0
    """Acts after these that were not stored."""


Line = Program | RankRecord | Calls | Blame | Acts | MessagesAlone
KINDS = {"profile", "rank", "calls", "waited", "acts", "machine"}


class _ProfileKind(msgspec.Struct):
    kind: str


@dataclass
class Profile:
    """A profile that was read or just made."""

    program: Program
    ranks: list[RankRecord] = field(default_factory=list)
    calls: list[Calls] = field(default_factory=list)
    blames: list[Blame] = field(default_factory=list)
    acts: list[Acts] = field(default_factory=list)
    machine: MessagesAlone | None = None
    """Times of messages on the machine; None if they were not measured."""
    path: Path | None = None
    cut: str | None = None
    """What is missing in the file; None if it is complete."""

    @property
    def name(self) -> str:
        return Path(self.ranks[0].program).name if self.ranks else "a program"

    @cached_property
    def by_rank(self) -> dict[tuple[int, int], RankRecord]:
        return {(rank.job, rank.rank): rank for rank in self.ranks}

    @property
    def first_alone(self) -> str | None:
        """What an answer about the first MPI_COMM_WORLD leaves out; None where there is one."""
        worlds = {rank.job: rank.ranks for rank in self.ranks}
        if len(worlds) < 2:
            return None
        return (
            f"the profile has {len(worlds)} MPI_COMM_WORLDs: this is the first alone, of "
            f"{how_many(worlds.get(0, 0), 'rank')}"
        )

    def add(self, line: Line) -> None:
        if isinstance(line, MessagesAlone):
            self.machine = line
        elif not isinstance(line, Program):
            lists = {RankRecord: self.ranks, Calls: self.calls, Blame: self.blames, Acts: self.acts}
            lists[type(line)].append(line)  # type: ignore[attr-defined]

    def lines(self) -> list[Line]:
        machine = [] if self.machine is None else [self.machine]
        return [self.program, *machine, *self.ranks, *self.calls, *self.blames, *self.acts]


def encode(profile: Profile) -> bytes:
    """The content of a profile's file."""
    encoder = msgspec.json.Encoder()
    return b"".join(encoder.encode(line) + b"\n" for line in profile.lines())


_any_kind = msgspec.json.Decoder(_ProfileKind)
_lines: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)


def is_profile(path: Path) -> bool:
    """Whether a file begins as a profile; False if it cannot be read."""
    line = first_line(path)
    try:
        return line is not None and _any_kind.decode(line).kind == "profile"
    except (ValueError, RecursionError):
        return False


def read(path: Path) -> Profile:
    """The profile in a file; damaged lines are ignored, and `cut` counts them. Raises UsageError if
    it is no profile."""
    if not path.exists():
        raise UsageError(f"{path}: no such file")
    if not is_profile(path):
        raise UsageError(
            f"{path}: not a profile", "make one: hockney profile -o p.jsonl -- mpiexec -n 2 ./app"
        )
    lines = lines_of(path)
    profile = Profile(_program(path, next(lines)), path=path)
    damaged, cut = 0, []
    try:
        for number, line in enumerate(lines, 2):
            if number > MOST_LINES:
                raise UsageError(f"{path}: more than {MOST_LINES} lines")
            try:
                if line.strip() and _any_kind.decode(line).kind in KINDS:
                    profile.add(_tame(line))
            except (ValueError, RecursionError):
                damaged += 1
    except OSError as error:
        cut.append(f"the file could not be read to its end: {error}")
    if damaged:
        cut.append(f"{damaged} damaged line{'s are' if damaged > 1 else ' is'} ignored")
    profile.cut = "; ".join(cut) or None
    known = profile.by_rank
    profile.calls = [call for call in profile.calls if (call.job, call.rank) in known]
    return profile


def _tame(line: bytes) -> Line:
    """A line whose text cannot imitate hockney's output: the file may come from a stranger."""
    decoded = _lines.decode(line)
    if not SUSPICIOUS.search(line):
        return decoded
    if isinstance(decoded, Program) and decoded.library is not None:
        decoded = replace(decoded, library=decoded.library.partition("\n")[0])
    tame: Line = msgspec.convert(one_lines(msgspec.to_builtins(decoded)), type=Line)
    return tame


def _program(path: Path, line: bytes) -> Program:
    try:
        program = _tame(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}, line 1: {error}") from error
    assert isinstance(program, Program)
    if program.schema > SCHEMA:
        raise UsageError(
            f"{path}: has version {program.schema} of the format of profiles, this hockney reads "
            f"up to version {SCHEMA}",
            "install a newer hockney: pip install --upgrade hockney",
        )
    return program
