"""LogGP's parts as they were measured, and its numbers as they were fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hockney.infer.arrays import Array, Flags

SHOWS = 1.1
"""A gap that exceeds o by this factor counts as g, and so does one that is shorter by it: a send
after a pause may take longer than one in a row, and does not limit these then."""


@dataclass(frozen=True)
class MessageParts:
    """Times of shape (launches, sizes), NaN where a launch lacks trains of the size; rows of
    medians after `medians`."""

    bytes: Array
    one_way: Array
    send: Array
    receive: Array
    gap: Array

    @property
    def launches(self) -> int:
        return len(self.gap)

    def medians(self, draws: list[NDArray[np.intp]]) -> MessageParts:
        """Medians over each draw of launches."""
        return MessageParts(
            self.bytes,
            *(
                np.array([median_over(part[draw]) for draw in draws]).reshape(-1, len(self.bytes))
                for part in (self.one_way, self.send, self.receive, self.gap)
            ),
        )


def are_hidden(drawn: Array) -> Flags:
    """For each size, whether no resample has an overhead above 0: how large it may be is not
    known. Shape of drawn: (resamples, sizes)."""
    return np.asarray(~(drawn > 0.0).any(axis=0))


@dataclass(frozen=True)
class FittedNumbers:
    """The fitted numbers; a constant has slope 0, an unknown g is NaN, an unknown G 0."""

    L: float
    send: tuple[float, float]
    receive: tuple[float, float]
    gap: tuple[float, float]
    G: float


def shows(gap: Array, lines: Array, of_sizes: Array) -> Flags:
    """The sizes whose gap is g + (b - 1) G, and not o, which either is on a line or was measured at
    the size."""
    return (gap > SHOWS * lines) | (SHOWS * gap < np.minimum(lines, of_sizes))


def median_over(rows: Array) -> Array:
    """Medians over launches that have the size."""
    known = ~np.isnan(rows).all(axis=0)
    median = np.full(rows.shape[1], np.nan)
    median[known] = np.nanmedian(rows[:, known], axis=0)
    return median


def at(line: tuple[float, float], bytes_: Array) -> Array:
    return line[0] + line[1] * bytes_
