"""What a message costs: by a model, and as it was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Measured = tuple[int, int]
"""A measured size in bytes and number of pairs."""


@dataclass(frozen=True)
class Costs:
    """Costs of a message of one size: T(b) = overhead + latency + b / bandwidth, and the gap to a
    rank's next message."""

    latency_s: float
    s_per_B: float
    overhead_s: float = 0.0
    """Overhead of sender and receiver together."""
    gap_s: float | None = None
    """Gap in addition to b / bandwidth; None if the next message waits until this one arrives."""

    def message_s(self, bytes_: int) -> float:
        return self.overhead_s + self.latency_s + bytes_ * self.s_per_B

    def row_s(self, messages: int, bytes_: int) -> float:
        """Time until the last of a rank's messages has arrived, while it receives as many."""
        if not messages:
            return 0.0
        one = self.message_s(bytes_)
        if self.gap_s is None:
            return messages * one
        period = max(self.overhead_s, self.gap_s + bytes_ * self.s_per_B)
        return one + (messages - 1) * period

    def scaled(self, factors: dict[str, float]) -> Costs:
        """Costs with terms multiplied by these factors; a bandwidth factor divides the time."""
        return Costs(
            self.latency_s * factors.get("latency", 1.0),
            self.s_per_B / factors.get("bandwidth", 1.0),
            self.overhead_s * factors.get("overhead", 1.0),
            None if self.gap_s is None else self.gap_s * factors.get("gap", 1.0),
        )

    def beyond(self, seconds: float, bytes_: int) -> Costs:
        """Costs of a message of this size that takes so many seconds more: of latency, as a
        handshake is. One that takes less takes as large a part less of everything."""
        own = self.message_s(bytes_)
        if seconds >= 0.0 or own <= 0.0:
            return replace(self, latency_s=self.latency_s + max(seconds, 0.0))
        return self.times(max(own + seconds, 0.0) / own)

    def times(self, factor: float) -> Costs:
        """Costs with every term so many times as large."""
        gap_s = None if self.gap_s is None else factor * self.gap_s
        return Costs(
            factor * self.latency_s, factor * self.s_per_B, factor * self.overhead_s, gap_s
        )

    def without(self, term: str) -> Costs:
        """Costs without one term."""
        return self.scaled({term: np.inf if term == "bandwidth" else 0.0})


CostsOf = Callable[[int, int], Costs]
"""Costs by size in bytes and number of ranks of a node that send at once (used by max-rate)."""


class _Beyond(NamedTuple):
    """What was measured beyond a model, with an entry for each size."""

    bytes: NDArray[np.int64]
    more_s: NDArray[np.float64]
    """Between these sizes it lies along a line."""
    factor: float | None
    """Of the times of larger messages; None where the model has none."""


class Through:
    """Makes costs pass through the measured times: libraries change their protocol, and one line
    through all sizes is off."""

    def __init__(self, times: Mapping[Measured, float], model: Mapping[Measured, float]) -> None:
        """times, model: seconds of a message as measured and by the model."""
        self._curves: dict[int, _Beyond] = {}
        for pairs in {pairs for _, pairs in times}:
            points = sorted(point for point in times if point[1] == pairs)
            more = np.array([times[point] - model[point] for point in points])
            last = model[points[-1]]
            factor = times[points[-1]] / last if last > 0.0 else None
            self._curves[pairs] = _Beyond(np.array([size for size, _ in points]), more, factor)

    def costs(self, costs_of: CostsOf) -> CostsOf:
        """The costs with what was measured beyond the model."""

        @cache
        def costs(bytes_: int, senders: int) -> Costs:
            found = costs_of(bytes_, senders)
            if not self._curves:
                return found
            curve = self._curves[min(self._curves, key=lambda pairs: abs(pairs - senders))]
            if bytes_ > curve.bytes[-1] and curve.factor is not None:
                return found.times(curve.factor)
            return found.beyond(float(np.interp(bytes_, curve.bytes, curve.more_s)), bytes_)

        return costs
