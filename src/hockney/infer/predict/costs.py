"""What a message costs: by a model, and as it was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from hockney.infer.arrays import Array, Whole

Measured = tuple[int, int]
"""A measured size in bytes and number of pairs."""
Times = dict[Measured, float]
"""Seconds of one message by measured point."""


@dataclass(frozen=True)
class Costs:
    """Costs of a message of one size: T(b) = overhead + latency + b / bandwidth, and the gap to a
    rank's next message."""

    latency_s: float
    s_per_B: float
    overhead_s: float = 0.0
    """Overhead of sender and receiver together."""
    gap_s: float | None = None
    """Gap in addition to b / bandwidth; None if it is not known."""
    shared_s_per_B: float | None = None
    """Time per byte for which a message occupies the links of its ranks, which is that of the
    largest messages: smaller ones pass beside each other. None if it is s_per_B."""

    @property
    def wire_s_per_B(self) -> float:
        return self.s_per_B if self.shared_s_per_B is None else self.shared_s_per_B

    @classmethod
    def of_line(cls, alpha_s: float, s_per_B: float, bytes_: int) -> Costs:
        """Costs of a message of this size by a line. No term is below 0, as half of it would be
        more: the other term has the whole time then."""
        seconds = max(alpha_s + bytes_ * s_per_B, 0.0)
        if s_per_B < 0.0 or not bytes_:
            return cls(seconds, max(s_per_B, 0.0))
        return cls(alpha_s, s_per_B) if alpha_s >= 0.0 else cls(0.0, seconds / bytes_)

    def message_s(self, bytes_: int) -> float:
        return self.overhead_s + self.latency_s + bytes_ * self.s_per_B

    def row_s(self, messages: int, bytes_: int) -> float:
        """Time until the last of a rank's messages has arrived, while it receives as many; without
        a known gap each waits until the one before it has arrived."""
        if self.gap_s is None:
            return messages * self.message_s(bytes_)
        return self.at_once_s(messages, bytes_)

    def at_once_s(self, messages: int, bytes_: int) -> float:
        """The same of messages that are all posted at once, as those of a halo exchange are: they
        follow one another through the rank's port (halo_exchange.py)."""
        if not messages:
            return 0.0
        return self.message_s(bytes_) + (messages - 1) * self.period_s(bytes_)

    def period_s(self, bytes_: int) -> float:
        """Time from one message of a rank to the next one, while it receives as many."""
        return max(self.overhead_s, self.port_s(bytes_))

    def port_s(self, bytes_: int) -> float:
        """Time for which a message occupies the port of its sender, and that of its receiver."""
        return (self.gap_s or 0.0) + bytes_ * self.wire_s_per_B

    def scaled(self, factors: Mapping[str, float]) -> Costs:
        """Costs with terms multiplied by these factors; a bandwidth factor divides the time."""
        bandwidth, gap = factors.get("bandwidth", 1.0), factors.get("gap", 1.0)
        return Costs(
            self.latency_s * factors.get("latency", 1.0),
            self.s_per_B / bandwidth,
            self.overhead_s * factors.get("overhead", 1.0),
            None if self.gap_s is None else self.gap_s * gap,
            None if self.shared_s_per_B is None else self.shared_s_per_B / bandwidth,
        )

    def beyond(self, seconds: float, bytes_: int) -> Costs:
        """Costs of a message of this size that takes so many seconds more: of latency, as a
        handshake is. If it takes less, every term shrinks by the same factor."""
        own = self.message_s(bytes_)
        if seconds >= 0.0 or own <= 0.0:
            return replace(self, latency_s=self.latency_s + max(seconds, 0.0))
        return self.times(max(own + seconds, 0.0) / own)

    def times(self, factor: float) -> Costs:
        """Costs with every term so many times as large."""
        terms = (self.latency_s, self.s_per_B, self.overhead_s, self.gap_s, self.shared_s_per_B)
        return Costs(*(None if term is None else factor * term for term in terms))  # type: ignore[arg-type]


CostsOf = Callable[[int, int], Costs]
"""Costs by size in bytes and number of ranks of a node that send at once (used by max-rate)."""


def scaled(costs_of: CostsOf, factors: Mapping[str, float]) -> CostsOf:
    """The costs with terms multiplied by these factors, as Costs.scaled does."""
    return lambda bytes_, senders: costs_of(bytes_, senders).scaled(factors)


def slower(costs_of: CostsOf, added_s: float) -> CostsOf:
    """The costs with so much more latency."""

    def costs(bytes_: int, senders: int) -> Costs:
        usual = costs_of(bytes_, senders)
        return replace(usual, latency_s=usual.latency_s + added_s)

    return costs


def without(costs_of: CostsOf, term: str) -> CostsOf:
    """The costs without one term."""
    return scaled(costs_of, {term: np.inf if term == "bandwidth" else 0.0})


class _Beyond(NamedTuple):
    """What was measured beyond a model, with an entry for each size."""

    bytes: Whole
    more_s: Array
    """Between these sizes it lies along a line."""
    factor: float | None
    """For the times of larger messages; None where the model's time is 0."""


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
            modelled = costs_of(bytes_, senders)
            if not self._curves:
                return modelled
            curve = self._curves[min(self._curves, key=lambda pairs: abs(pairs - senders))]
            largest = costs_of(max(bytes_, int(curve.bytes[-1])), senders).s_per_B
            if largest < modelled.s_per_B:
                modelled = replace(modelled, shared_s_per_B=largest)
            if bytes_ > curve.bytes[-1] and curve.factor is not None:
                return modelled.times(curve.factor)
            return modelled.beyond(float(np.interp(bytes_, curve.bytes, curve.more_s)), bytes_)

        return costs
