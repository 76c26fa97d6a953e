"""Slopes by the median of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from hockney.infer.estimate.slopes import MOST_POINTS, slope_of


@pytest.mark.parametrize("count", [2, 100, MOST_POINTS, 10 * MOST_POINTS])
def test_a_line_is_found_whatever_is_thinned(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of 20,000 points would take gigabytes."""
    taken = []
    theilslopes = scipy.stats.theilslopes

    def watched(values: np.ndarray, at: np.ndarray) -> object:
        taken.append(len(values))
        return theilslopes(values[:MOST_POINTS], at[:MOST_POINTS])

    monkeypatch.setattr(scipy.stats, "theilslopes", watched)
    at = np.linspace(0.0, 7.0, count)
    assert slope_of(3.0 * at + 2.0, at) == pytest.approx((3.0, 2.0))
    assert taken == [min(count, MOST_POINTS)]
