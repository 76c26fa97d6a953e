"""What one look alone shows to be slow, by its own verdict, which needs no look before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

SURE_AFTER = 3
"""Looks in a row that show an outlier before it raises an alarm, once. A sound machine shows any in
at most 1 % of looks, hence the same one among four or more three times in a row in at most one of
16 million: once in a thousand years of looks every half hour."""
MOST_KEPT = 16
"""Most slow parts that the line of a look keeps."""


class Outlying(msgspec.Struct, frozen=True, array_like=True):
    """A part that is an outlier within a look."""

    words: str
    """Such as "node n3 is slow"."""
    number: str
    """By how much, and how sure that is."""
    bytes: int
    ratio: float


def outlying_in(analysis: Analysis) -> tuple[Outlying, ...]:
    """Slow parts of a look between several pairs, those that explain most first."""
    from hockney.infer.analysis.findings import of_slow, slow_parts

    if not analysis.compares_pairs:
        return ()
    parts = slow_parts(analysis)[:MOST_KEPT]
    findings = [of_slow(part) for part in parts]
    return tuple(
        Outlying(finding.what, finding.number, part.bytes, part.ratio)
        for finding, part in zip(findings, parts, strict=True)
    )
