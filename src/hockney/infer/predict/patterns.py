"""Predicts the time of patterns of messages from the cost of one message.

A pattern is a function of the costs, `ranks` and `bytes`, listed in PATTERNS. In models without
overheads (hockney, segmented), the messages of a halo follow one another through its rank's port,
and those of an alltoall wait until the one before has arrived; in loggp the next one leaves after
max(o_s + o_r, g + (b - 1) G).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hockney.base.errors import UsageError
from hockney.base.units import format_size, parse_size
from hockney.infer.fitting.fit import Parameter, parameter
from hockney.infer.models import TERMS
from hockney.infer.predict.channel import Channel, Unchanged
from hockney.infer.predict.collectives import effort, schedule_for, schedule_of, time
from hockney.infer.predict.costs import Costs, CostsOf, without
from hockney.infer.predict.parameters import Parameters
from hockney.infer.predict.schedules import SCHEDULES
from hockney.plan.workloads.collective import NO_BYTES

OVERHEADS_UNKNOWN = (
    "what a message costs its ranks was not measured (hockney overheads does): messages that a "
    "rank sends one after another cost it nothing here"
)
MESSAGE = "message"
"""The pattern of one message."""
LARGEST_RANKS = 2**31 - 1
FARTHEST = 2
"""Factor over the largest measured size, and number of pairs, up to which a prediction has an
interval."""
MOST_MISFIT = 100.0
"""Largest |ln(measured / model)| with which a prediction has an interval."""


@dataclass(frozen=True)
class Pattern:
    """One message, many, or an operation of all ranks."""

    name: str
    bytes: int
    ranks: int = 2
    algorithm: str | None = None
    per_node: int | None = None
    """Ranks per node that send to other nodes at once; None if they share nothing."""

    @property
    def words(self) -> str:
        if self.name == MESSAGE:
            return format_size(self.bytes)
        name = f"{self.name} {self.algorithm}" if self.algorithm else self.name
        node = f", {self.per_node} a node" if self.per_node else ""
        size = "" if self.name in NO_BYTES else f", {format_size(self.bytes)}"
        return f"{name}, {self.ranks} ranks{node}{size}"


@dataclass(frozen=True)
class Prediction:
    pattern: Pattern
    seconds: Parameter
    dominant: str | None = None
    """The term whose removal shortens the time most; None without a model."""
    share: float | None = None
    """Fraction of the time that its removal saves."""
    note: str | None = None
    measured: bool = False
    """Whether `seconds` is the measured time of that size, not a prediction."""
    before: Parameter | None = None
    """The time without --what-if; None if nothing was changed."""

    @property
    def unchanged(self) -> Unchanged | None:
        return Unchanged.of(self.seconds, self.before)

    @property
    def confidence(self) -> float | None:
        """Confidence of the interval of `seconds`; None without one."""
        interval = self.seconds.interval
        return interval.confidence if interval and interval.is_bounded else None


def message(costs: Costs, ranks: int, bytes_: int) -> float:  # noqa: ARG001
    return costs.message_s(bytes_)


def ring(costs: Costs, ranks: int, bytes_: int) -> float:
    """Time until a message passed from rank to rank returns."""
    return ranks * costs.message_s(bytes_)


def halo2d(costs: Costs, ranks: int, bytes_: int) -> float:
    """Time of `bytes` to and from both neighbours in each dimension of a periodic grid."""
    return costs.at_once_s(_neighbours(ranks, 2), bytes_)


def halo3d(costs: Costs, ranks: int, bytes_: int) -> float:
    return costs.at_once_s(_neighbours(ranks, 3), bytes_)


def all_pairs(costs: Costs, ranks: int, bytes_: int) -> float:
    """Time in which every rank sends `bytes` to every other one, in ranks - 1 steps."""
    return costs.row_s(ranks - 1, bytes_)


PATTERNS: dict[str, Callable[[Costs, int, int], float]] = {
    MESSAGE: message,
    "ring": ring,
    "halo2d": halo2d,
    "halo3d": halo3d,
    "alltoall": all_pairs,
}
HALOS = ("halo2d", "halo3d")
AT_ONCE = (*HALOS, "alltoall")
"""Patterns in which all ranks of a node send at the same time."""
MOST_WALKED = 2**24
"""Limit of messages times resamples, as collectives are simulated message by message."""
LEAST_RESAMPLES = 8


def grid(ranks: int, dimensions: int) -> list[int]:
    """The grid of these ranks with the least surface."""
    if dimensions == 1:
        return [ranks]
    small = [side for side in range(1, math.isqrt(ranks) + 1) if ranks % side == 0]
    sides = {*small, *(ranks // side for side in small)}
    grids = [[side, *grid(ranks // side, dimensions - 1)] for side in sides]
    return min(grids, key=lambda lengths: (sum(1 / side for side in lengths), sorted(lengths)))


def _neighbours(ranks: int, dimensions: int) -> int:
    """Messages that a rank sends: two per dimension with neighbours."""
    return sum(2 for side in grid(ranks, dimensions) if side > 1)


def parse_pattern(text: str) -> Pattern:
    """Reads "halo3d:ranks=4096,bytes=64KiB" or "bcast:binomial,ranks=64,bytes=1MiB"."""
    name, _, rest = text.strip().partition(":")
    words = [word.strip() for word in rest.split(",") if word.strip()]
    algorithm = words.pop(0) if words and "=" not in words[0] else None
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in ("ranks", "bytes", "per-node") or key in given:
            raise UsageError(
                f"--pattern {text}: {word!r} is unknown",
                "give ranks=N and bytes=SIZE, and per-node=N where ranks share a node",
            )
        given[key] = value
    _check_name(name, algorithm, text)
    if name in NO_BYTES and parse_size(given.setdefault("bytes", "0")):
        raise UsageError(f"--pattern {text}: a {name} has no bytes", "leave them out")
    missing = " and ".join(key for key in ("ranks", "bytes") if key not in given)
    if missing:
        raise UsageError(
            f"--pattern {text}: {missing} missing", f"write {_example(name, algorithm)}"
        )
    word = given["ranks"]
    if not re.fullmatch(r"\d{1,10}", word) or not 2 <= int(word) <= LARGEST_RANKS:
        raise UsageError(f"--pattern {text}: {word!r} is not a number of ranks from 2 up")
    ranks = int(word)
    per_node = _per_node(given["per-node"], name, ranks, text) if "per-node" in given else None
    return Pattern(name, parse_size(given["bytes"]), ranks, algorithm, per_node)


def _check_name(name: str, algorithm: str | None, text: str) -> None:
    collectives = SCHEDULES.names()
    if name not in {*PATTERNS, *collectives}:
        raise UsageError(
            f"--pattern {text}: there is no pattern called {name!r}",
            f"there are {', '.join(sorted({*PATTERNS, *collectives}))}",
        )
    if algorithm is not None and name not in collectives:
        raise UsageError(f"--pattern {text}: {name} has no algorithms")
    if algorithm is not None:
        schedule_of(name, algorithm)
    elif name not in PATTERNS:
        known = list(SCHEDULES.find(name).ALGORITHMS)
        raise UsageError(
            f"--pattern {text}: which algorithm? There are {', '.join(known)}",
            f"write {_example(name, known[0])}",
        )


def _example(name: str, algorithm: str | None) -> str:
    first = [algorithm] if algorithm else []
    last = [] if name in NO_BYTES else ["bytes=8KiB"]
    return f"{name}:{','.join([*first, 'ranks=64', *last])}"


def _per_node(word: str, name: str, ranks: int, text: str) -> int:
    if name not in AT_ONCE:
        raise UsageError(
            f"--pattern {text}: the ranks of a node do not all send at once in {name}",
            f"per-node is for {', '.join(AT_ONCE)}",
        )
    if not re.fullmatch(r"\d{1,10}", word) or not 1 <= int(word) <= ranks:
        raise UsageError(f"--pattern {text}: per-node is from 1 to the {ranks} ranks")
    return int(word)


def _seconds(costs_of: CostsOf, pattern: Pattern) -> float:
    how = pattern.ranks, pattern.bytes
    if pattern.algorithm is not None:
        return time(Parameters(costs_of=costs_of), pattern.name, pattern.algorithm, *how)
    return PATTERNS[pattern.name](costs_of(pattern.bytes, pattern.per_node or 1), *how)


def predict(channel: Channel, pattern: Pattern) -> Prediction:
    """The predicted time. A message of a measured size takes the measured time, with the interval
    and confidence that `show` reports. Otherwise the interval is that of the bootstrap over
    launches, wider on both sides by the model's largest error at the sizes of its messages."""
    if pattern.per_node is not None and channel.model != "max-rate":
        raise UsageError(
            f"{pattern.words}: {channel.model} does not describe what ranks of a node share",
            "predict from a run of hockney pairs --pairs-active 1,2,4,...,all",
        )
    senders, sizes = pattern.per_node or 1, _message_sizes(pattern)
    whole = _seconds(channel.best, pattern)
    sampled = [_seconds(costs_of, pattern) for costs_of in _few(channel, pattern)]
    saved = {term: whole - _seconds(without(channel.best, term), pattern) for term in TERMS}
    dominant = max(saved, key=lambda term: saved[term])
    notes = [*(_where(channel, size, senders) for size in sizes), _of_overheads(channel, pattern)]
    shown = channel.shown.get((pattern.bytes, senders)) if pattern.name == MESSAGE else None
    is_measured = shown is not None
    if shown is None:
        predicted = parameter(whole, np.array(sampled), channel.fit.launches)
        if sizes[-1] > FARTHEST * channel.largest_bytes or senders > FARTHEST * channel.most_pairs:
            predicted = Parameter(whole)
        lows, highs = zip(*(channel.gap_factors(size, senders) for size in sizes), strict=True)
        misfit = max(channel.misfit_at(size, senders) for size in sizes)
        shown = _wider(predicted, misfit, (min(lows), max(highs)))
    before = None if channel.before is None else predict(channel.before, pattern).seconds
    if before is not None:
        shown = channel.changed(before, shown)
    return Prediction(
        pattern,
        shown,
        dominant,
        saved[dominant] / whole if whole > 0.0 else 0.0,
        "; ".join(dict.fromkeys(filter(None, notes))) or None,
        is_measured,
        before,
    )


def _where(channel: Channel, size: int, senders: int) -> str | None:
    """A note on what is not known at a size; None if nothing is."""
    if size > channel.largest_bytes:
        return f"{format_size(channel.largest_bytes)} is the largest size that was measured"
    if senders > channel.most_pairs:
        return f"{channel.most_pairs} pairs at once are the most that were measured"
    if switch := channel.switch_at(size):
        ends = format_size(switch[0].to_bytes), format_size(switch[1].from_bytes)
        return f"where between {ends[0]} and {ends[1]} the protocol switches is not known"
    below, above = channel.neighbours(size, senders)
    if channel.is_far_apart(below, above):
        ends = format_size(below[0]), format_size(above[0])
        return f"between {ends[0]} and {ends[1]} nothing was measured: a protocol may switch there"
    return None


def _of_overheads(channel: Channel, pattern: Pattern) -> str | None:
    """A note if a rank's own cost of a message is unknown, and it may send several in a row."""
    in_a_row = pattern.algorithm is not None or pattern.name in HALOS
    return OVERHEADS_UNKNOWN if in_a_row and channel.model != "loggp" else None


def _wider(predicted: Parameter, misfit: float, factors: tuple[float, float]) -> Parameter:
    """The prediction with a wider interval. misfit: |ln(measured / model)|; factors: of the value,
    which the interval holds as well."""
    value, interval = predicted.value, predicted.interval
    if value is None or interval is None or not interval.is_bounded:
        return predicted
    if misfit > MOST_MISFIT:
        return Parameter(value)
    factor = math.exp(misfit)
    wider = replace(interval, low=interval.low / factor, high=interval.high * factor)
    return Parameter(value, wider.including(*(value * each for each in factors)))


def _message_sizes(pattern: Pattern) -> list[int]:
    """The sizes of the messages of a pattern, ascending."""
    if pattern.algorithm is None:
        return [pattern.bytes]
    steps = schedule_for(pattern.name, pattern.algorithm, pattern.ranks, pattern.bytes)
    sizes = {round(size) for step in steps for size in np.unique(step.bytes).tolist()}
    return sorted(sizes) or [pattern.bytes]


def _few(channel: Channel, pattern: Pattern) -> tuple[CostsOf, ...]:
    if pattern.algorithm is None:
        return channel.resampled
    messages = effort(pattern.name, pattern.algorithm, pattern.ranks, pattern.bytes)
    return channel.resampled[: max(MOST_WALKED // messages, LEAST_RESAMPLES)]
