"""Quantiles of any number of times from a histogram with logarithmic bins.

It takes little memory however many times it holds, those of parts add up to that of the whole, and
a quantile is within a stated fraction of the true one (DDSketch: Masson, Rim and Lee 2019, VLDB
12). The engine counts in the same bins (engine/sketch.h).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockney.infer.arrays import Array, Whole
from hockney.records import Tail

NS = 1e-9
UPPER_END = 0.025
"""Probability that the largest of enough values does not exceed a quantile. It then is the upper
end of the quantile's own 95 % interval, by order statistics."""


@dataclass(frozen=True)
class Sketch:
    """A histogram of times in seconds. Two with the same relative error can be merged."""

    relative_error: float
    counts: Whole
    """The values in each bin: those of bin k > 0 are above base^(k-1) ns up to base^k."""

    @classmethod
    def of(cls, seconds: Array, relative_error: float) -> Sketch:
        """Counts times; those of at most 1 ns share a bin."""
        ns = np.maximum(np.asarray(seconds, dtype=np.float64) / NS, 1.0)
        bins = np.ceil(np.log(ns) / math.log(base_of(relative_error))).astype(np.int64)
        return cls(relative_error, np.bincount(bins, minlength=1))

    @classmethod
    def of_record(cls, record: Tail) -> Sketch:
        """The histogram of a record; raises ValueError if that is damaged."""
        if len(record.bins) != len(record.counts):
            raise ValueError("a histogram with other numbers of bins and counts")
        counts = np.zeros(max(record.bins, default=0) + 1, np.int64)
        np.add.at(counts, record.bins, record.counts)
        return cls(record.relative_error, counts)

    def __len__(self) -> int:
        return int(self.counts.sum())

    def merged(self, other: Sketch) -> Sketch:
        """The histogram of all values of both; raises ValueError where their bins differ."""
        if self.relative_error != other.relative_error:
            raise ValueError("histograms with different bins cannot be merged")
        few, many = sorted((self.counts, other.counts), key=len)
        counts = many.copy()
        counts[: len(few)] += few
        return Sketch(self.relative_error, counts)

    def quantile(self, fraction: float) -> float:
        """The value of rank ceil(fraction n), within relative_error of it where it is above 1 ns.
        Raises ValueError where there are no values."""
        n = len(self)
        if n == 0:
            raise ValueError("no values")
        rank = min(max(math.ceil(fraction * n), 1), n)
        bin_ = int(np.searchsorted(np.cumsum(self.counts), rank))
        base = base_of(self.relative_error)
        return NS * (2.0 * base**bin_ / (base + 1.0) if bin_ else 1.0)


def base_of(relative_error: float) -> float:
    """The ratio of a bin's ends."""
    return (1.0 + relative_error) / (1.0 - relative_error)


def samples_needed(quantile: float) -> int:
    """How many values are enough for a quantile (UPPER_END): 6 for the median, 368 for 99 %, 3,688
    for 99.9 %; for 1 % as many as for 99 %."""
    return math.ceil(math.log(UPPER_END) / math.log(max(quantile, 1.0 - quantile)))


SAMPLES_FOR_P99 = samples_needed(0.99)


def quantile_of(values: Array, quantile: float) -> float | None:
    """The quantile of these values, linear between neighbours; None where they are too few."""
    return float(np.quantile(values, quantile)) if len(values) >= samples_needed(quantile) else None
