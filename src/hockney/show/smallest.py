"""Describes the smallest difference that a comparison could have shown."""

from __future__ import annotations

import math

from hockney.infer.estimate.differences import Judged


def smallest_words(difference: Judged) -> str:
    """The smallest difference that could have been shown, as "1.2 %"."""
    smallest = difference.smallest_difference
    if smallest is None or not math.isfinite(smallest):
        return "-"
    return f"{100.0 * smallest:.2g} %" if smallest < 0.1 else f"{100.0 * smallest:.0f} %"


def least_shown(judged: Judged) -> str:
    """The smallest difference that could have been shown, beside a verdict."""
    smallest = smallest_words(judged)
    if smallest == "-":
        return "no difference could have been shown"
    return f"a difference of less than {smallest} could not have been shown"
