"""The memory of a host: what each of its earlier runs measured, without the samples.

A run belongs to a comparison if it asked the same question: the same plan and label, under the same
MPI version, on the same hosts. Others are never pooled, only counted by how they differ.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.estimate import Estimates
from hockney.infer.memory.components import RunLevel, level_of
from hockney.infer.memory.question import NEAREST, Question, question_of, unlike
from hockney.plan.axes import AXES, Key, Point, key_without
from hockney.records import Run

VERSION = 1
"""Version of the file's form."""
START = b'{"hockney_memory":'
"""What each memory begins with, whatever its version: no other file is replaced by one."""
DIGEST_BYTES = 16
MOST_BYTES = 64 << 20
"""Largest memory that is read: 10,000 runs of 30 points have half as much."""
LARGEST_LOG = 1e3
"""Largest logarithm of a time or of its scatter; larger ones are damage."""


@dataclass(frozen=True)
class StateLevels:
    """One state of the machine during a run."""

    handover_s: float | None
    """Its core-to-core latency; None if that was not what was clustered."""
    levels: Mapping[Key, RunLevel]


@dataclass(frozen=True)
class EarlierRun:
    """One run of a host."""

    id: str
    started: str | None
    question: Question
    states: tuple[StateLevels, ...]
    """The state of most rounds first."""


def earlier_run(run: Run, estimates: Estimates) -> EarlierRun:
    """What a memory keeps of a run. estimates: of every launch."""
    is_probed = estimates.states.probe == "handover"
    states = [
        StateLevels(
            state.handover_s if is_probed else None,
            {
                key_without(point): level_of(np.log(point.medians_s))
                for point in estimates.own(state.id)
                if min(point.medians_s) > 0.0
            },
        )
        for state in estimates.states.states
    ]
    header = run.header
    return EarlierRun(header.id, header.started, question_of(run), tuple(states))


@dataclass(frozen=True)
class Sorted:
    """Earlier runs, by whether they belong to either side of a comparison."""

    sides: tuple[list[EarlierRun], ...]
    """Runs of each side's question; if both ask the same, all are the first side's."""
    left_out: Mapping[str, int]
    """How many others there are, by the reason: that of the most similar side."""


def sorted_by_question(
    questions: Sequence[Question], known: Iterable[EarlierRun], besides: Iterable[str]
) -> Sorted:
    """questions: those of each side. besides: ids of runs that are compared themselves."""
    sides: tuple[list[EarlierRun], ...] = tuple([] for _ in questions)
    left_out: Counter[str] = Counter()
    seen = set(besides)
    for run in known:
        if run.id in seen:
            continue
        seen.add(run.id)
        reasons = [unlike(question, run.question) for question in questions]
        if None in reasons:
            sides[reasons.index(None)].append(run)
        else:
            left_out[next(reason for reason in NEAREST if reason in reasons)] += 1
    return Sorted(sides, left_out)


class _KeptRun(msgspec.Struct, frozen=True):
    id: str
    started: str | None
    question: int
    states: list[_KeptState]


class _KeptState(msgspec.Struct, frozen=True):
    handover_s: float | None
    levels: list[_KeptLevel]


_Log = Annotated[float, msgspec.Meta(ge=-LARGEST_LOG, le=LARGEST_LOG)]


class _KeptLevel(msgspec.Struct, frozen=True, array_like=True):
    point: int
    centre: _Log
    scatter: Annotated[float, msgspec.Meta(ge=0.0, le=LARGEST_LOG)]
    launches: Annotated[int, msgspec.Meta(ge=1)]


class _KeptContent(msgspec.Struct, frozen=True):
    questions: list[Question]
    points: list[dict[str, Any]]
    """Axes of each point that are not the default."""
    runs: list[_KeptRun]


class _KeptFile(msgspec.Struct, frozen=True):
    hockney_memory: int
    digest: str
    content: msgspec.Raw


def encoded(runs: Sequence[EarlierRun]) -> bytes:
    """The content of a memory's file (docs/records.md)."""
    questions: list[Question] = []
    points: dict[Key, int] = {}
    kept = []
    for run in runs:
        if run.question not in questions:
            questions.append(run.question)
        states = [
            _KeptState(
                state.handover_s,
                [
                    _KeptLevel(points.setdefault(key, len(points)), *level)
                    for key, level in state.levels.items()
                ],
            )
            for state in run.states
        ]
        kept.append(_KeptRun(run.id, run.started, questions.index(run.question), states))
    axes = [_axes(key) for key in points]
    content = msgspec.json.encode(_KeptContent(questions, axes, kept))
    return msgspec.json.encode(_KeptFile(VERSION, _digest(content), msgspec.Raw(content))) + b"\n"


def _axes(key: Key) -> dict[str, Any]:
    return {
        name: msgspec.to_builtins(value)
        for name, value, default in zip(AXES, key, _DEFAULTS, strict=True)
        if value != default
    }


_DEFAULTS = key_without(Point(operation="", bytes=-1))


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


class DamagedError(Exception):
    """A memory that cannot be read, or is of a version that is not known."""


def read_memory(path: Path) -> list[EarlierRun]:
    """The runs of a file. Raises DamagedError with the reason; UsageError if it is no memory."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DamagedError(f"it has more than {MOST_BYTES >> 20} MiB")
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if not text.startswith(START):
        raise UsageError(f"{path} is no memory of hockney", "name a new file, or a directory")
    try:
        file = msgspec.json.decode(text, type=_KeptFile)
        if file.hockney_memory != VERSION:
            raise DamagedError(
                f"it is of version {file.hockney_memory}, and this hockney knows {VERSION}"
            )
        if file.digest != _digest(bytes(file.content)):
            raise DamagedError("its digest is that of another content")
        content = msgspec.json.decode(file.content, type=_KeptContent)
        keys = [key_without(msgspec.convert(axes, Point)) for axes in content.points]
        return [_run(run, content.questions, keys) for run in content.runs]
    except (ValueError, RecursionError, IndexError) as error:
        raise DamagedError(f"it is damaged ({error})") from error


def _run(run: _KeptRun, questions: Sequence[Question], keys: Sequence[Key]) -> EarlierRun:
    states = [
        StateLevels(
            state.handover_s,
            {
                keys[level.point]: RunLevel(level.centre, level.scatter, level.launches)
                for level in state.levels
            },
        )
        for state in run.states
    ]
    return EarlierRun(run.id, run.started, questions[run.question], tuple(states))
