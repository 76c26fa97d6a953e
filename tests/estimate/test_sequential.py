"""Levels of looks: against published boundaries, and against simulated sums."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from hockney.infer.estimate.sequential import level_of_counts, level_of_look, spent

PUBLISHED = (4.8769, 3.3569, 2.6803, 2.2898, 2.0310)
"""Boundaries of five equal looks that spend 5 % as O'Brien's and Fleming's do (Jennison
& Turnbull, Group Sequential Methods, 2000)."""


def test_boundaries_are_the_published_ones() -> None:
    looks = [number / 5.0 for number in range(1, 6)]
    boundaries = [
        -NormalDist().inv_cdf(level_of_look(0.05, looks[:number]) / 2.0) for number in range(1, 6)
    ]
    assert boundaries == pytest.approx(PUBLISHED, abs=0.005)


def test_one_look_has_the_whole_level() -> None:
    assert level_of_look(0.05, [1.0]) == pytest.approx(0.05, rel=0.01)
    assert spent(0.05, 1.0) == pytest.approx(0.05)
    assert spent(0.05, 0.0) == 0.0


@pytest.mark.parametrize("alpha", [0.05, 0.025 / 24.0])
@pytest.mark.parametrize("looks", [(0.3, 0.5, 1.0), tuple(n / 8.0 for n in range(1, 9))])
def test_all_looks_together_err_as_often_as_asked(alpha: float, looks: tuple[float, ...]) -> None:
    levels = [level_of_look(alpha, looks[: number + 1]) for number in range(len(looks))]
    limits = [-NormalDist().inv_cdf(level / 2.0) if level > 1e-15 else math.inf for level in levels]
    rng = np.random.default_rng(1)
    steps = np.sqrt(np.diff((0.0, *looks)))
    sums = np.cumsum(rng.normal(size=(400_000, len(looks))) * steps, axis=1) / np.sqrt(looks)
    wrong = float((np.abs(sums) > limits).any(axis=1).mean())
    scatter = 4.0 * math.sqrt(alpha / 400_000)
    assert abs(wrong - alpha) < scatter + 0.03 * alpha


def test_a_look_too_early_may_not_end_anything() -> None:
    assert level_of_look(0.05, [0.01]) == 0.0


def test_looks_by_counts_together_err_as_often_as_asked() -> None:
    """Half of the observations at the first look, and few more between the others."""
    alpha, looks, counts = 0.01, (0.5, 0.75, 1.0), (12, 18, 20)
    levels = [level_of_counts(alpha, looks[: n + 1], counts[: n + 1]) for n in range(3)]
    assert levels[0] == pytest.approx(alpha / 2.0, rel=0.02)
    limits = [-NormalDist().inv_cdf(level / 2.0) for level in levels]
    rng = np.random.default_rng(2)
    steps = np.sqrt(np.diff((0, *counts)))
    sums = np.cumsum(rng.normal(size=(400_000, 3)) * steps, axis=1) / np.sqrt(counts)
    wrong = float((np.abs(sums) > limits).any(axis=1).mean())
    assert wrong == pytest.approx(alpha, abs=4.0 * math.sqrt(alpha / 400_000) + 0.03 * alpha)
