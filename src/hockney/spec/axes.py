"""The axes of a point, which identify what was measured.

Each axis is declared once, as a field of `Axes`, with its name, type and default. `Axis` has its
unit, whether points along it form a curve, and its text for people. Records, estimates, JSON,
CSV, data frames, comparisons, figures and the page take them from here.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec

from hockney.units import format_size

LARGEST_WHOLE = 2**62
"""A record with a larger size or count is damaged."""
Whole = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_WHOLE)]

STANDARD = "standard"
"""The mode of MPI_Send."""
MODES = (STANDARD, "synchronous", "nonblocking", "persistent")
RETURNED, SEPARATE, COLD = "returned", "separate", "cold"
MOST_PEERS = 4
"""Beyond this number only the first and last two ranks are shown."""


@dataclass(frozen=True)
class Axis:
    """Properties of an axis, beside the name, type and default of the field that it annotates."""

    text: Callable[[Any], str | None] = str
    """Text of a value (never null); None if it is not shown."""
    unit: str | None = None
    is_curve: bool = False
    """Points along it form a curve: one model may be fitted through all of them."""
    is_method: bool = False
    """It describes how an operation is done, and is part of `method_text`."""
    is_circumstance: bool = False
    """Two runs of the same experiment may differ in it, as in the ranks that exchanged messages.
    Points are matched by it only if the other axes do not distinguish them."""


Delay = tuple[float, float]
"""Nanoseconds, and nanoseconds per byte."""


class Train(msgspec.Struct, frozen=True):
    """Messages in a row and one answer. The sender waits after each message, the receiver before
    each. A train without messages measures the send delay alone, on both ranks."""

    messages: Whole
    send_delay_ns: float = 0.0
    send_delay_ns_per_B: float = 0.0
    receive_delay_ns: float = 0.0
    receive_delay_ns_per_B: float = 0.0

    @property
    def send_delay(self) -> Delay:
        return self.send_delay_ns, self.send_delay_ns_per_B

    @property
    def receive_delay(self) -> Delay:
        return self.receive_delay_ns, self.receive_delay_ns_per_B

    def __str__(self) -> str:
        """The train as the engine's --trains takes it."""
        return f"{self.messages}:{_delay_text(self.send_delay)}:{_delay_text(self.receive_delay)}"


def delay_s(delay: Delay, bytes_: float) -> float:
    """The delay of messages of that size, in seconds."""
    return delay[0] * 1e-9 + delay[1] * 1e-9 * bytes_


def _delay_text(delay: Delay) -> str:
    return f"{delay[0]:.9g}+{delay[1]:.9g}"


def train_text(train: Train) -> str:
    send, receive = _delay_text(train.send_delay), _delay_text(train.receive_delay)
    return f"n {train.messages}, send delay {send} ns, receive delay {receive} ns"


def _peers_text(peers: Collection[int]) -> str | None:
    ranks = list(peers)
    few = ranks if len(ranks) <= MOST_PEERS else [*ranks[:2], "..", *ranks[-2:]]
    return f"between {' '.join(map(str, few))}" if ranks else None


class Axes(msgspec.Struct, frozen=True, kw_only=True):
    """The axes of a point; null (or empty) where an axis does not apply or is unknown."""

    operation: Annotated[str, Axis()]
    algorithm: Annotated[str | None, Axis(is_method=True)] = None
    """A bare name."""
    segment_bytes: Annotated[
        Whole | None,
        Axis(
            lambda size: f"{format_size(size)} segments" if size else "unsegmented",
            unit="bytes",
            is_method=True,
        ),
    ] = None
    """Segment size of an algorithm that cuts messages into segments; 0 for unsegmented."""
    mode: Annotated[
        str | None, Axis(lambda mode: None if mode == STANDARD else mode, is_method=True)
    ] = None
    """One of MODES; null unless it is a ping-pong."""
    window: Annotated[
        Whole | None, Axis(lambda messages: f"window {messages}", "messages", is_method=True)
    ] = None
    """Messages in flight; null unless it is a stream."""
    train: Annotated[Train | None, Axis(train_text, is_curve=True, is_method=True)] = None
    overlap: Annotated[
        bool, Axis(lambda overlap: "overlapped" if overlap else None, is_method=True)
    ] = False
    """True if the ranks computed during a nonblocking collective."""
    bytes: Annotated[Whole, Axis(format_size, unit="bytes", is_curve=True)]
    ranks: Annotated[Whole | None, Axis(lambda ranks: f"{ranks} ranks")] = None
    """Ranks that take part at once; null if an imported log does not show it."""
    pairs: Annotated[
        Whole | None,
        Axis(lambda pairs: f"{pairs} pair{'' if pairs == 1 else 's'} at once", is_curve=True),
    ] = None
    """Concurrent pairs; null unless the contention of pairs is measured."""
    peers: Annotated[tuple[Whole, ...], Axis(_peers_text, is_circumstance=True)] = ()
    """Ranks that exchanged messages; empty if all take part or if unknown."""
    variant: Annotated[str | None, Axis()] = None
    """One of the variants that a run compares (spec.variants); null where nothing is varied."""
    buffers: Annotated[
        str | None,
        Axis(
            lambda buffers: f"{buffers} buffers" if buffers != RETURNED else None,
            is_circumstance=True,
        ),
    ] = None
    """returned (a message is sent back from the buffer that received it), separate, or cold (out of
    all caches); null if unknown."""

    @property
    def known_ranks(self) -> int:
        """The number of ranks; 0 if an imported log does not show it."""
        return self.ranks or 0

    @property
    def is_one_pair(self) -> bool:
        """True for a point of two ranks, those in `peers`."""
        return len(self.peers) == 2

    @property
    def is_all_pairs(self) -> bool:
        """True for a point of all concurrent pairs together."""
        return self.pairs is not None and not self.is_one_pair


class Point(Axes, frozen=True, kw_only=True):
    """The axes alone, as a key."""


Key = tuple[Any, ...]
AXES: dict[str, Axis] = {
    name: next(part for part in hint.__metadata__ if isinstance(part, Axis))
    for name, hint in get_type_hints(Axes, include_extras=True).items()
}
"""Axes by name, in display order."""
CIRCUMSTANCES = tuple(name for name, axis in AXES.items() if axis.is_circumstance)
_METHODS = tuple(name for name, axis in AXES.items() if axis.is_method)
_CURVE = tuple(name for name, axis in AXES.items() if axis.is_curve)
_ALL_PAIRS = ("pairs", "ranks")
"""Axes along which points of all pairs form a curve. Points of single pairs do not vary along
them."""


def point_of(axes: Axes) -> Point:
    """The axes of a record or an estimate."""
    return Point(
        operation=axes.operation,
        algorithm=axes.algorithm,
        segment_bytes=axes.segment_bytes,
        mode=axes.mode,
        window=axes.window,
        train=axes.train,
        overlap=axes.overlap,
        bytes=axes.bytes,
        ranks=axes.ranks,
        pairs=axes.pairs,
        peers=tuple(axes.peers),
        variant=axes.variant,
        buffers=axes.buffers,
    )


def axes_of(axes: Axes) -> dict[str, Any]:
    """Values by name, as in JSON; null where an axis does not apply."""
    values = {name: getattr(axes, name) for name in AXES}
    return values | {
        "peers": list(axes.peers) or None,
        "train": None if axes.train is None else msgspec.structs.asdict(axes.train),
    }


@cache
def _getter(left_out: frozenset[str]) -> Callable[[Axes], Key]:
    unknown = left_out - AXES.keys()
    if unknown:
        raise ValueError(f"no axes: {', '.join(sorted(unknown))}")
    getter: Callable[[Axes], Key] = attrgetter(*(name for name in AXES if name not in left_out))
    return getter


def key_without(axes: Axes, *names: str) -> Key:
    """The key of points that differ at most in the named axes."""
    return _getter(frozenset(names))(axes)


A = TypeVar("A", bound=Axes)


def grouped(points: Iterable[A], *left_out: str) -> dict[Key, list[A]]:
    """Groups points that differ only in these axes."""
    found: dict[Key, list[A]] = {}
    for point in points:
        found.setdefault(key_without(point, *left_out), []).append(point)
    return found


def curve_key(axes: Axes, *left_out: str) -> Key:
    """The key of a curve: equal for its points. `left_out` axes are ignored as well."""
    pairs = _ALL_PAIRS if axes.is_all_pairs else ()
    return key_without(axes, *(n for n in _CURVE if n not in _ALL_PAIRS), *pairs, *left_out)


def sort_key(axes: Axes) -> Key:
    """Sorts points by operation, method, ranks, size and variant; values that do not apply come
    first."""
    train = axes.train
    return (
        axes.operation,
        *((getattr(axes, name) is not None, getattr(axes, name)) for name in _SORTED),
        () if train is None else msgspec.structs.astuple(train),
        *(axes.overlap, axes.pairs or 0, axes.ranks or 0, tuple(axes.peers), axes.bytes),
        axes.variant or "",
        axes.buffers or "",
    )


_SORTED = ("algorithm", "segment_bytes", "mode", "window")


def text_of(axes: Axes, name: str) -> str | None:
    """The text of one axis; None if it is not shown."""
    value = getattr(axes, name)
    return None if value is None else AXES[name].text(value)


def method_text(axes: Axes) -> str:
    """How the operation is done: "chain, 8 KiB segments", "window 64", "overlapped"; empty if
    there is only one way."""
    return ", ".join(filter(None, (text_of(axes, name) for name in _METHODS)))


def algorithm_text(algorithm: str, segment_bytes: int | None) -> str:
    """An algorithm for people: "binomial", "chain, 8 KiB segments", "pipeline, unsegmented"."""
    return method_text(
        Point(operation="", bytes=0, algorithm=algorithm, segment_bytes=segment_bytes)
    )


def texts_apart(groups: Collection[Sequence[Axes]]) -> list[str]:
    """For each group of points, the text of the axes in which groups differ; empty for a single
    group. Axes that vary within a group are ignored."""
    firsts = [points[0] for points in groups]
    # Computed once for all groups: a log of 256 cores has 32,640 curves.
    differ = [name for name in AXES if len({getattr(point, name) for point in firsts}) > 1]
    differ = [name for name in differ if not any(_varies(points, name) for points in groups)]
    if "pairs" in differ and "ranks" in differ:  # twice as many
        differ.remove("ranks")
    return [", ".join(filter(None, (text_of(p, name) for name in differ))) for p in firsts]


def _varies(points: Sequence[Axes], name: str) -> bool:
    return len({getattr(point, name) for point in points}) > 1
