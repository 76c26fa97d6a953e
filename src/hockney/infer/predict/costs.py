"""What a message costs: by a model, and as it was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

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
        part = max(own + seconds, 0.0) / own
        return replace(
            self,
            latency_s=part * self.latency_s,
            s_per_B=part * self.s_per_B,
            overhead_s=part * self.overhead_s,
            gap_s=None if self.gap_s is None else part * self.gap_s,
        )

    def without(self, term: str) -> Costs:
        """Costs without one term."""
        return self.scaled({term: np.inf if term == "bandwidth" else 0.0})


CostsOf = Callable[[int, int], Costs]
"""Costs by size in bytes and number of ranks of a node that send at once (used by max-rate)."""


class Through:
    """Makes costs pass through the measured times: libraries change their protocol, and one line
    through all sizes is off."""

    def __init__(self, times: Mapping[Measured, float], model: Mapping[Measured, float]) -> None:
        """times, model: seconds of a message as measured and by the model."""
        self._sizes: dict[int, list[int]] = {}
        for size, pairs in sorted(times):
            self._sizes.setdefault(pairs, []).append(size)
        self._times, self._model = times, model

    def costs(self, costs_of: CostsOf) -> CostsOf:
        """The costs with what was measured beyond the model."""

        def costs(bytes_: int, senders: int) -> Costs:
            found = costs_of(bytes_, senders)
            return found.beyond(self._seconds(bytes_, senders, found.message_s(bytes_)), bytes_)

        return costs

    def _seconds(self, bytes_: int, senders: int, own_s: float) -> float:
        """Seconds beyond the model: between measured sizes along a line, above the largest as large
        a part of the model's time `own_s` as there."""
        if not self._sizes:
            return 0.0
        pairs = min(self._sizes, key=lambda one: abs(one - senders))
        sizes = self._sizes[pairs]
        more = [self._times[size, pairs] - self._model[size, pairs] for size in sizes]
        last = self._model[sizes[-1], pairs]
        if bytes_ > sizes[-1] and last > 0.0:
            return more[-1] * own_s / last
        return float(np.interp(bytes_, sizes, more))
