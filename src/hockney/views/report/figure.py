"""What a figure of the page is made of: plain data that figure.js draws and tables repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

DIGITS = 5
"""Significant, of numbers that are only drawn; those of points are exact."""


@dataclass(frozen=True)
class Series:
    """x, y: one number a point, None where it is not known; low, high: its bar. colour: a number
    from 0 up, which the page turns into a colour and a mark."""

    name: str
    colour: int
    x: Sequence[float]
    y: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    draw: str = "points"
    """points (joined by a line), line (dashed), dots (not joined) or steps."""
    hidden: bool = False
    """Until the reader asks for it."""


@dataclass(frozen=True)
class Cell:
    """Of a heat map or a map of algorithms."""

    column: int
    row: int
    value: float
    words: str
    colour: int | None = None
    sure: bool = True


@dataclass(frozen=True)
class Choice:
    """One of those that the reader selects from, such as a message size."""

    name: str
    series: Sequence[Series] = ()
    cells: Sequence[Cell] = ()
    columns: Sequence[str] = ()
    rows: Sequence[str] = ()


@dataclass(frozen=True)
class Figure:
    """Kinds of axes: size, time, rate, share, count."""

    id: str
    title: str
    x: str
    x_label: str
    y: str
    y_label: str
    choices: Sequence[Choice]
    choose: str = ""
    """What the choices are."""
    captions: Sequence[str] = ()
    logarithmic: bool = False
    """The y axis."""
    kind: str = "xy"
    """xy or cells."""
    sorts: Sequence[str] = field(default=())
    """Names of cells' colours, where these are not a scale."""


def rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]


def plain(value: Any) -> Any:
    """Dataclasses as what JSON has, without what is empty."""
    if hasattr(value, "__dataclass_fields__"):
        fields = {name: getattr(value, name) for name in value.__dataclass_fields__}
        return {name: plain(item) for name, item in fields.items() if item is not None}
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
