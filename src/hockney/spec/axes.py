"""The axes of a point: what one number was measured for.

Every axis is declared once, as a field of `Axes`: its name, type and default, and in `Axis` its
unit, whether points along it form a curve, and how a person reads it. Records, estimates, JSON,
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
"""A record with a larger size or count is a damaged one."""
Whole = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_WHOLE)]

STANDARD = "standard"
"""The mode of MPI_Send."""
MODES = (STANDARD, "synchronous", "nonblocking", "persistent")
RETURNED, SEPARATE, COLD = "returned", "separate", "cold"
MOST_PEERS = 4
"""More ranks are named by the first and the last two."""


@dataclass(frozen=True)
class Axis:
    """How an axis is read. Its name, type and default are those of the field that it annotates."""

    text: Callable[[Any], str | None] = str
    """A value in words; None where nothing needs to be said. It is not asked of null."""
    unit: str | None = None
    is_curve: bool = False
    """Points along it form a curve: one model may be fitted through all of them."""
    is_variant: bool = False
    """It says how an operation is done: `variant_text` names it."""
    is_circumstance: bool = False
    """Two runs of one thing may differ in it, as in which ranks exchanged messages: points are
    matched by it only where they cannot be told apart otherwise."""


class Train(msgspec.Struct, frozen=True, kw_only=True):
    """So many messages, the sender waiting after each and the receiver before each, and an answer.
    Without messages: send delays alone, on both ranks."""

    messages: Whole
    send_delay_ns: float = 0.0
    send_delay_ns_per_B: float = 0.0
    receive_delay_ns: float = 0.0
    receive_delay_ns_per_B: float = 0.0


def train_text(train: Train) -> str:
    send = f"{train.send_delay_ns:.9g}+{train.send_delay_ns_per_B:.9g} ns"
    receive = f"{train.receive_delay_ns:.9g}+{train.receive_delay_ns_per_B:.9g} ns"
    return f"n {train.messages}, send delay {send}, receive delay {receive}"


def _peers_text(peers: Collection[int]) -> str | None:
    ranks = list(peers)
    few = ranks if len(ranks) <= MOST_PEERS else [*ranks[:2], "..", *ranks[-2:]]
    return f"between {' '.join(map(str, few))}" if ranks else None


class Axes(msgspec.Struct, frozen=True, kw_only=True):
    """The axes of a point, null (or empty) where one does not apply or is not known."""

    operation: Annotated[str, Axis()]
    algorithm: Annotated[str | None, Axis(is_variant=True)] = None
    """A bare name."""
    segment_bytes: Annotated[
        Whole | None,
        Axis(
            lambda size: f"{format_size(size)} segments" if size else "unsegmented",
            unit="bytes",
            is_variant=True,
        ),
    ] = None
    """Of an algorithm that cuts messages into segments; 0: into one."""
    mode: Annotated[
        str | None, Axis(lambda mode: None if mode == STANDARD else mode, is_variant=True)
    ] = None
    """One of MODES; null where it is not a ping-pong."""
    window: Annotated[
        Whole | None, Axis(lambda messages: f"window {messages}", "messages", is_variant=True)
    ] = None
    """Messages in flight; null where it is not a stream."""
    train: Annotated[Train | None, Axis(train_text, is_curve=True, is_variant=True)] = None
    overlap: Annotated[
        bool, Axis(lambda overlap: "overlapped" if overlap else None, is_variant=True)
    ] = False
    """Whether the ranks computed during a nonblocking collective."""
    bytes: Annotated[Whole, Axis(format_size, unit="bytes", is_curve=True)]
    ranks: Annotated[Whole | None, Axis(lambda ranks: f"{ranks} ranks")] = None
    """That take part at once; null where a log does not tell."""
    pairs: Annotated[
        Whole | None,
        Axis(lambda pairs: f"{pairs} pair{'' if pairs == 1 else 's'} at once", is_curve=True),
    ] = None
    """That communicate at once; null where it was not asked how pairs disturb each other."""
    peers: Annotated[tuple[Whole, ...], Axis(_peers_text, is_circumstance=True)] = ()
    """Ranks that exchanged messages; empty where all take part or where that is not known."""
    buffers: Annotated[
        str | None,
        Axis(
            lambda buffers: f"{buffers} buffers" if buffers != RETURNED else None,
            is_circumstance=True,
        ),
    ] = None
    """returned (a message comes back from the buffer that it was received into), separate, or cold
    (out of all caches); null where that is not known."""

    @property
    def known_ranks(self) -> int:
        """0 where an imported log does not tell."""
        return self.ranks or 0

    @property
    def is_one_pair(self) -> bool:
        """Whether `peers` names the two ranks that the number is of."""
        return len(self.peers) == 2

    @property
    def is_all_pairs(self) -> bool:
        """Whether the number is of all pairs that communicate at once, not of one of them."""
        return self.pairs is not None and not self.is_one_pair


class Point(Axes, frozen=True, kw_only=True):
    """The axes alone, as a key."""


Key = tuple[Any, ...]
AXES: dict[str, Axis] = {
    name: next(part for part in hint.__metadata__ if isinstance(part, Axis))
    for name, hint in get_type_hints(Axes, include_extras=True).items()
}
"""By name, in the order in which they are shown."""
CIRCUMSTANCES = tuple(name for name, axis in AXES.items() if axis.is_circumstance)
_VARIANTS = tuple(name for name, axis in AXES.items() if axis.is_variant)
_CURVE = tuple(name for name, axis in AXES.items() if axis.is_curve)
_ALL_PAIRS = ("pairs", "ranks")
"""The axes along which numbers of all pairs form a curve; those of one pair are of a curve each."""


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
        buffers=axes.buffers,
    )


def axes_of(axes: Axes) -> dict[str, Any]:
    """By name, as JSON has them: null where an axis does not apply."""
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
    """What points have in common that differ in these axes at most."""
    return _getter(frozenset(names))(axes)


A = TypeVar("A", bound=Axes)


def grouped(points: Iterable[A], *left_out: str) -> dict[Key, list[A]]:
    """Groups points that differ only in these axes."""
    found: dict[Key, list[A]] = {}
    for point in points:
        found.setdefault(key_without(point, *left_out), []).append(point)
    return found


def curve_key(axes: Axes, *left_out: str) -> Key:
    """What the points of one curve have in common, whatever the left out axes are."""
    pairs = _ALL_PAIRS if axes.is_all_pairs else ()
    return key_without(axes, *(n for n in _CURVE if n not in _ALL_PAIRS), *pairs, *left_out)


def sort_key(axes: Axes) -> Key:
    """Orders points by operation, by how it is done, by ranks and by size: numbers as numbers, and
    what does not apply first."""
    train = axes.train
    return (
        axes.operation,
        *((getattr(axes, name) is not None, getattr(axes, name)) for name in _SORTED),
        () if train is None else msgspec.structs.astuple(train),
        *(axes.overlap, axes.pairs or 0, axes.ranks or 0, tuple(axes.peers), axes.bytes),
        axes.buffers or "",
    )


_SORTED = ("algorithm", "segment_bytes", "mode", "window")


def text_of(axes: Axes, name: str) -> str | None:
    """One axis in words; None where nothing needs to be said."""
    value = getattr(axes, name)
    return None if value is None else AXES[name].text(value)


def variant_text(axes: Axes) -> str:
    """How the operation is done, in words: "chain, 8 KiB segments", "window 64", "overlapped";
    empty where there is one way to do it."""
    return ", ".join(filter(None, (text_of(axes, name) for name in _VARIANTS)))


def texts_apart(groups: Collection[Sequence[Axes]]) -> list[str]:
    """Of each group of points, in words, the axes in which it differs from the others; empty where
    there are no others. Axes along which the points of a group differ say nothing of it."""
    firsts = [points[0] for points in groups]
    # Looked at once for all: a log of 256 cores has 32,640 curves.
    differ = [name for name in AXES if len({getattr(point, name) for point in firsts}) > 1]
    differ = [name for name in differ if not any(_varies(points, name) for points in groups)]
    if "pairs" in differ and "ranks" in differ:  # twice as many
        differ.remove("ranks")
    return [", ".join(filter(None, (text_of(p, name) for name in differ))) for p in firsts]


def _varies(points: Sequence[Axes], name: str) -> bool:
    return len({getattr(point, name) for point in points}) > 1
