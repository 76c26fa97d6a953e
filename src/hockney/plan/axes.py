"""The axes of a point, which identify what was measured.

Each axis is declared once, with its name, type and default: as a field of `FixedAxes`
(plan/fixed_axes.py), or by the row of a knob (plan/knobs.py). `Axis` has its unit, whether points
along it form a curve, and its text for people. Records, estimates, JSON, CSV, data frames,
comparisons, figures and the page take them from here.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import msgspec

from hockney.base.grouping import by_key
from hockney.plan.fixed_axes import AXES_OF_KNOBS, FixedAxes
from hockney.plan.knobs import Axis, axis_in

if TYPE_CHECKING:
    Axes = FixedAxes
else:
    Axes = msgspec.defstruct(
        "Axes", AXES_OF_KNOBS, bases=(FixedAxes,), module=__name__, frozen=True, kw_only=True
    )


class Point(Axes, frozen=True, kw_only=True):
    """The axes alone, used as a key."""


Key = tuple[Any, ...]
AXES: dict[str, Axis] = {
    name: axis
    for name, hint in get_type_hints(Axes, include_extras=True).items()
    if (axis := axis_in(hint)) is not None
}
"""Axes by name, in display order."""
CIRCUMSTANCES = tuple(name for name, axis in AXES.items() if axis.is_circumstance)
METHODS = tuple(name for name, axis in AXES.items() if axis.is_method)
"""Axes of how an operation is carried out, such as its algorithm."""
_CURVE = tuple(name for name, axis in AXES.items() if axis.is_curve)
_ALL_PAIRS = ("pairs", "ranks")
"""Axes along which points of all pairs form a curve. Points of single pairs do not vary along
them."""
_AT_ONCE = (*_ALL_PAIRS, "threads")
"""Axes along which only some points form a curve."""


_every = attrgetter(*AXES)


def point_of(axes: Axes) -> Point:
    """The axes of a record or an estimate."""
    return Point(**dict(zip(AXES, _every(axes), strict=True)))


def axes_of(axes: Axes) -> dict[str, Any]:
    """Values by name, as in JSON; null where an axis does not apply."""
    values = {name: getattr(axes, name) for name in AXES}
    return values | {
        "peers": list(axes.peers) or None,
        "grid": list(axes.grid) or None,
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
T = TypeVar("T")


def grouped(points: Iterable[A], *left_out: str) -> dict[Key, list[A]]:
    """Groups points that differ only in these axes."""
    return grouped_by(points, lambda point: point, *left_out)


def grouped_by(rows: Iterable[T], point: Callable[[T], Axes], *left_out: str) -> dict[Key, list[T]]:
    """Groups rows whose points differ only in these axes."""
    return by_key(rows, lambda row: key_without(point(row), *left_out))


def curve_key(axes: Axes, *left_out: str) -> Key:
    """The key of a curve: equal for its points. `left_out` axes are ignored as well."""
    several = ("threads",) if axes.is_over_threads else _ALL_PAIRS if axes.is_all_pairs else ()
    return key_without(axes, *(n for n in _CURVE if n not in _AT_ONCE), *several, *left_out)


_SORTED = (
    *("operation", "algorithm", "segment_bytes", "radix", "requests", "mode", "exchange", "form"),
    "window",
    *(
        "threads",
        "receiver_threads",
        "thread_comms",
        "datatype",
        "packing",
        "memory",
        "peer_memory",
        "staging",
        "partitions",
        "stagger_ns",
    ),
    *("groups", "synchronization", "window_kind", "direction", "element", "reduction"),
    *("occurrence", "train", "overlap", "pairs", "ranks", "peers", "bytes"),
)
_ordered = attrgetter(*_SORTED, *(name for name in AXES if name not in _SORTED))


def sort_key(axes: Axes) -> Key:
    """Sorts points by operation, method, ranks and size, then by all other axes; values that do not
    apply come first."""
    return tuple((value is not None, value) for value in _ordered(axes))


def text_of(axes: Axes, name: str) -> str | None:
    """The text of one axis; None if it is not shown."""
    value = getattr(axes, name)
    return None if value is None else AXES[name].text(value)


def method_text(axes: Axes) -> str:
    """How the operation is done: "chain, 8 KiB segments", "window 64", "overlapped"; empty if
    there is only one way."""
    return ", ".join(filter(None, (text_of(axes, name) for name in METHODS)))


def curve_text(axes: Axes, variants: Mapping[str, str] | None = None) -> str:
    """The curve of a point: "bcast, binomial, 4 ranks", whatever else its run holds. variants:
    their names for people."""
    names = [name for name in AXES if name not in ("bytes", *CIRCUMSTANCES)]
    return _joined((text_of(axes, name) for name in names), variants)


def algorithm_text(
    algorithm: str,
    segment_bytes: int | None,
    radix: int | None = None,
    requests: int | None = None,
) -> str:
    """An algorithm for people: "binomial", "chain, 8 KiB segments, radix 4", "pipeline,
    unsegmented", "linear_sync, 4 requests"."""
    point = Point(
        operation="",
        bytes=0,
        algorithm=algorithm,
        segment_bytes=segment_bytes,
        radix=radix,
        requests=requests,
    )
    return method_text(point)


def texts_apart(
    groups: Collection[Sequence[Axes]], variants: Mapping[str, str] | None = None
) -> list[str]:
    """For each group of points, the text of the axes in which groups differ; empty for a single
    group. Axes that vary within a group are ignored. variants: their names for people."""
    firsts = [points[0] for points in groups]
    # Computed once for all groups: a log of 256 cores has 32,640 curves.
    differ = [name for name in AXES if len({getattr(point, name) for point in firsts}) > 1]
    differ = [name for name in differ if not any(_varies(points, name) for points in groups)]
    if "pairs" in differ and "ranks" in differ:  # twice as many
        differ.remove("ranks")
    texts = [[text_of(point, name) for name in differ] for point in firsts]
    return [_joined(of_it, variants) for of_it in texts]


def _joined(texts: Iterable[str | None], variants: Mapping[str, str] | None) -> str:
    named = variants or {}
    return ", ".join(named.get(text, text) for text in texts if text)


def _varies(points: Sequence[Axes], name: str) -> bool:
    return len({getattr(point, name) for point in points}) > 1
