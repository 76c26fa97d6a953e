"""The kinds of record, and each one's line of JSON."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

import msgspec

from hockney.printable import one_line
from hockney.spec.axes import LARGEST_WHOLE as LARGEST_WHOLE
from hockney.spec.axes import Axes, Whole

SCHEMA = 2
"""Rises only for what would mislead an older reader."""
LARGEST_NUMBER = 1e100
"""Of any unit: sums, squares and ratios of such numbers still are doubles."""
Nanoseconds = Annotated[float, msgspec.Meta(ge=0.0, le=1e18)]
"""Up to 30 years: a number that is none of a measurement makes its line a damaged one."""


class Source(msgspec.Struct, kw_only=True):
    """The log of another program that a run was read from."""

    file: str
    format: str
    program: str | None = None
    version: str | None = None
    notes: list[str] = []
    """What was wrong with the log, and known faults of the program."""


class RunRecord(msgspec.Struct, tag_field="kind", tag="run", kw_only=True):
    """The question, and where it was asked. The first line of a file."""

    schema: int
    hockney: str
    id: str
    experiment: str
    started: str | None = None
    options: dict[str, Any] = {}
    label: str | None = None
    environment: dict[str, Any] = {}
    source: Source | None = None
    """None where hockney measured."""


class Mpi(msgspec.Struct, kw_only=True):
    library: str | None = None
    version: str | None = None
    abi: str | None = None
    standard: str | None = None
    description: str | None = None


class Clock(msgspec.Struct, kw_only=True):
    name: str | None = None
    resolution_s: float | None = None
    cost_s: float | None = None
    wtick_s: float | None = None


class Place(msgspec.Struct, kw_only=True):
    """Where a rank really was; None where the kernel does not show it."""

    rank: int
    host: str | None = None
    package: int | None = None
    numa: int | None = None
    l3: int | None = None
    l2: int | None = None
    core: int | None = None
    pu: int | None = None
    pinned: bool | None = None
    allowed: int | None = None
    refused: str | None = None
    topology: str | None = None
    """Switches down to the node, as Slurm names them: s0.s4.node17."""


class LaunchRecord(msgspec.Struct, tag_field="kind", tag="launch", kw_only=True):
    """One start of the MPI program."""

    launch: int
    command: list[str] = []
    env: dict[str, str] = {}
    launcher: str | None = None
    mpi: Mpi = msgspec.field(default_factory=Mpi)
    engine: str | None = None
    clock: Clock = msgspec.field(default_factory=Clock)
    seed: int | None = None
    batch_s: float | None = None
    cold_bytes: int | None = None
    probe: str | None = None
    buffers: str | None = None
    """The axis of that name, of all its samples that are of messages; None where it is unknown."""
    definition: str | None = None
    simulated: bool = False
    controls: dict[str, str | None] = {}
    """Control variables of the library (MPI_T), read on every rank after MPI_Init: the proof that
    what was forced was taken. None where the library does not have the variable."""
    places: list[Place] = []


class Samples(Axes, tag_field="kind", tag="samples", frozen=True, kw_only=True, omit_defaults=True):
    """Batches of one visit of a point: nanoseconds per one-way message or operation, one entry a
    batch."""

    launch: Whole
    round: Whole
    repetitions: Whole
    ns: list[Nanoseconds]
    at_s: float | None = None
    """When the visit began, since the launch began to measure."""
    compute_ns: float | None = None
    """What a nonblocking collective computed between its start and its end."""
    own_mean_ns: list[Nanoseconds] | None = None
    """Of a collective, for each entry of ns the mean over ranks of each one's own duration."""
    own_max_ns: list[Nanoseconds] | None = None


class Summary(Axes, tag_field="kind", tag="summary", frozen=True, kw_only=True, omit_defaults=True):
    """A statistic of a point where only that is known; never treated as samples. One of the values
    is given: which one shows its unit."""

    launch: Whole
    statistic: str
    definition: str
    value_s: float | None = None
    value_Bps: float | None = None
    value_per_s: float | None = None
    """Messages a second."""
    value_s_per_B: float | None = None
    value: float | None = None
    """Of no unit."""
    repetitions: int | None = None
    line: int | None = None
    """Of the log that it was read from."""


class Start(msgspec.Struct, tag_field="kind", tag="start", kw_only=True):
    """How the ranks of one visit began together."""

    launch: Whole
    round: Whole
    operation: str
    bytes: Whole
    ranks: Whole
    skew_s: float
    """From the first to begin to the last, on the common clock."""
    begin: str | None = None
    """By the common "clock", or behind a "barrier", which is taken where ranks begin later than the
    collectives last (those that share a CPU)."""
    tolerance_s: float | None = None
    """A repetition that a rank began later than this was repeated; None where all count."""
    error_s: float | None = None
    """Standard error of that clock, as far as messages show; 0 where all share the kernel's."""
    bound_s: float | None = None
    """What paths that differ there and back may add: half the shortest round trip."""
    known_error_s: float | None = None
    """What it really was wrong by: where messages were used though all share the kernel's clock."""
    missed: int = 0
    """Repetitions that a rank began too late: they were repeated and are not in the file."""


class Probe(msgspec.Struct, tag_field="kind", tag="probe", kw_only=True):
    """One-way core-to-core latency: a cache line goes from one rank to another, before a round."""

    launch: Whole
    round: Whole
    peers: list[Whole]
    handover_ns: Nanoseconds


class Round(msgspec.Struct, tag_field="kind", tag="round", kw_only=True):
    """What disturbed the ranks since the round before; None where the kernel does not show it."""

    launch: Whole
    round: Whole
    wall_s: float | None = None
    """Since then, on the first rank."""
    waited_s: float | None = None
    """The longest that a rank was ready to run while something else had its CPU."""
    waited_rank: int | None = None
    probe_s: float | None = None
    """The slowest rank's fixed amount of arithmetic."""
    probe_rank: int | None = None
    switches: float | None = None
    """Involuntary context switches of all ranks."""
    migrations: float | None = None
    """Ranks seen on another CPU than in the round before."""
    steal_s: float | None = None
    """What the hypervisor took from all ranks' CPUs."""


class Noise(msgspec.Struct, tag_field="kind", tag="noise", kw_only=True):
    """What disturbed one rank over the whole launch; None where the kernel gives no number.
    Version 1 of the format has one such record a round, of the time since the round before."""

    launch: int
    rank: int
    round: int | None = None
    """None: of the whole launch."""
    wall_s: float | None = None
    cpu_s: float | None = None
    """Of wall_s, on a CPU; a rank that spins should have all of it."""
    waited_s: float | None = None
    """Of wall_s, ready to run while something else had its CPU."""
    steal_s: float | None = None
    switches: float | None = None
    migrations: float | None = None
    probe_s: float | None = None
    """A fixed amount of arithmetic; of a launch, the median of its rounds."""
    probe_low_s: float | None = None
    """The 10 % quantile of the launch's rounds."""
    probe_high_s: float | None = None
    """The 90 % quantile."""


class Switch(msgspec.Struct, tag_field="kind", tag="switch", kw_only=True):
    """Between two sizes the curve goes from one regime to another (`--refine`)."""

    low_bytes: int
    """The last size that is known to belong below."""
    high_bytes: int
    """The first that is known to belong above; low_bytes + 1 where it is known to the byte."""
    below: str
    """eager, rendezvous, cache or unnamed."""
    above: str
    evidence: str
    jump: float | None = None
    """Of the time, relative."""


class End(msgspec.Struct, tag_field="kind", tag="end", kw_only=True):
    """How a launch ended: precision, budget, complete, interrupted or failed."""

    launch: int
    reason: str
    wall_s: float | None = None
    message: str | None = None


class Finish(msgspec.Struct, tag_field="kind", tag="finish", kw_only=True):
    """How a run ended: precision, budget, launches, interrupted or failed."""

    reason: str
    spent_s: float
    """Wall time that counts against the budget, with that of earlier runs into the file."""
    sampling: dict[str, Any]
    """What was asked when it ended."""


class Progress(msgspec.Struct, tag_field="kind", tag="progress", kw_only=True):
    """What the engine reports while it measures; never stored."""

    launch: int
    round: int
    bytes: int
    points: int
    reached: int
    samples: int
    worst: float | None = None
    left_s: float | None = None


Record = (
    RunRecord
    | LaunchRecord
    | Samples
    | Summary
    | Start
    | Probe
    | Round
    | Noise
    | Switch
    | End
    | Finish
    | Progress
)
KINDS = frozenset(kind.__struct_config__.tag for kind in Record.__args__)

_decoder = msgspec.json.Decoder(Record)
_encoder = msgspec.json.Encoder()


class _Kind(msgspec.Struct):
    kind: str


_kind_decoder = msgspec.json.Decoder(_Kind)


def decode(line: bytes) -> Record | None:
    """One record; None for a kind that this version does not know.

    Raises ValueError where the line is not a record.
    """
    try:
        record: Record = _decoder.decode(line)
        return record
    except msgspec.ValidationError:
        if _kind_decoder.decode(line).kind in KINDS:
            raise
        return None


def encode(record: Record) -> bytes:
    """One line, with its newline."""
    try:
        return _encoder.encode(record) + b"\n"
    except UnicodeEncodeError:  # the environment may hold any bytes
        text = json.dumps(msgspec.to_builtins(record), ensure_ascii=False)
        return text.encode(errors="replace") + b"\n"


_SUSPICIOUS = re.compile(rb'\\[^"\\/]|\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2[\x80\x81]')
"""JSON's escapes, and the UTF-8 of characters that a terminal may obey."""


def tame(record: Record, line: bytes) -> Record:
    """A record whose words are safe to show: a file may come from anybody."""
    if not _SUSPICIOUS.search(line):
        return record
    safe: Record = msgspec.convert(_one_lines(msgspec.to_builtins(record)), type=Record)
    return safe


def _one_lines(value: Any) -> Any:
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, list):
        return [_one_lines(item) for item in value]
    if isinstance(value, dict):
        return {_one_lines(key): _one_lines(item) for key, item in value.items()}
    return value
