"""Knobs: what can be asked of an experiment, each declared by one row.

The row is the annotation of a workload's field, with its name, type and default:

any_source: Annotated[bool, Knob("Receive from MPI_ANY_SOURCE.", axis=Axis(...))] = False

The type is bool, a Literal of words, a number or a text. The row defines the option of each verb
whose workload has the field, the accepted values, the engine's option with its usage
(engine/options.def), and the axis of the points. For the engine, the default is no flag, the first
word, 0 or no text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

import msgspec

OPTIONS = {
    "arrivals": "arrival",
    **{"bursts": "burst", "aggressors": "aggressor", "most_factor": "gate"},
    "active": "pairs-active",
    "windows": "window",
    "segment_bytes": "segment-size",
    "stagger_ns": "stagger",
    **{"exchanges": "exchange", "forms": "form", "packings": "packing"},
    **{"visits": "rounds", "switch_numbers": "per-switch"},
    **{"synchronizations": "sync", "window_kinds": "window-kind"},
}
"""Options of fields that have another name."""


@dataclass(frozen=True)
class Axis:
    """Properties of an axis, beside the name, type and default of the field that it annotates."""

    text: Callable[[Any], str | None] = str
    """Text of a value (never null); None if it is not shown."""
    unit: str | None = None
    is_curve: bool = False
    """Whether points along it form a curve, so that one model may be fitted through all of them."""
    is_method: bool = False
    """Whether it describes how an operation is done, as part of `method_text`."""
    is_circumstance: bool = False
    """Whether two runs of one experiment may differ in it, as in the ranks that exchange messages.
    Points are matched by it only if the other axes do not distinguish them."""
    is_special: bool = False
    """Whether published figures and message costs are only for its default."""


@dataclass(frozen=True)
class Knob:
    """Options and axis of a field, besides its name, type and default."""

    help: str
    """Sentence of help, shown by the verb and the engine."""
    axis: Axis | None = None
    """Axis of points by the value; None if it does not distinguish points."""
    operations: frozenset[str] | None = None
    """Operations that take it; None for all of the experiments that have the field."""
    metavar: str = ""
    """Placeholder of the value in the help, if it is neither a flag nor a word."""
    several: bool = False
    """Whether the option takes all values up to the next option, which `read` gets with blanks
    between."""
    is_beside: bool = False
    """Whether it only adds what is done outside of timed regions: runs with and without it have
    measured alike."""
    read: Callable[[str], Any] | None = None
    """The value from the user's text, needed with `metavar`: a function of a module, as a lambda
    sees no names here. Raises UsageError."""


def option_of(field: str) -> str:
    """The option that sets a field: "--every-iteration"."""
    return "--" + OPTIONS.get(field, field).replace("_", "-")


@cache
def knobs_of(workload: type[msgspec.Struct]) -> dict[str, Knob]:
    """The knobs of a workload by the names of their fields, in order."""
    hints = get_type_hints(workload, include_extras=True)
    knobs = {name: knob_in(hints[name]) for name in workload.__struct_fields__}
    return {name: knob for name, knob in knobs.items() if knob is not None}


def words_of(hint: Any) -> tuple[str, ...]:
    """The words among which a knob of that annotated type chooses; empty for other types."""
    return get_args(get_args(hint)[0])


def knob_in(hint: Any) -> Knob | None:
    """The knob that annotates a type, if one does."""
    return next((row for row in getattr(hint, "__metadata__", ()) if isinstance(row, Knob)), None)


def axis_in(hint: Any) -> Axis | None:
    """The axis that annotates a type, itself or by a knob."""
    knob = knob_in(hint)
    axes = (axis for axis in getattr(hint, "__metadata__", ()) if isinstance(axis, Axis))
    return knob.axis if knob is not None else next(axes, None)


def knob_arguments(workload: msgspec.Struct) -> list[str]:
    """The engine's options of the knobs with values other than their default."""
    knobs, words = knobs_of(type(workload)), []
    for field in msgspec.structs.fields(workload):
        value = getattr(workload, field.name)
        if field.name in knobs and value != field.default:
            number = f"{value:g}" if isinstance(value, float) else value
            words.append(option_of(field.name) + ("" if value is True else f"={number}"))
    return words


def axes_of_knobs(workloads: Iterable[type[msgspec.Struct]]) -> list[tuple[str, Any, Any]]:
    """The axes that knobs declare: name, annotated type and default."""
    axes = {}
    for workload in workloads:
        hints = get_type_hints(workload, include_extras=True)
        for field in msgspec.structs.fields(workload):
            if axis_in(hints[field.name]) is not None:
                axes[field.name] = (field.name, hints[field.name], field.default)
    return list(axes.values())
