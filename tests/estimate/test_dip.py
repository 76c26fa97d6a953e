from __future__ import annotations

import numpy as np
import pytest

from hockney.infer.estimate.dip import dip, dip_p

PUBLISHED = {  # Hartigan & Hartigan 1985, table 1: the dip exceeded by 10 %, 5 % and 1 % of samples
    10: (0.1306, 0.1396, 0.1597),
    20: (0.0974, 0.1051, 0.1206),
    50: (0.0649, 0.0702, 0.0811),
    100: (0.0472, 0.0511, 0.0590),
    200: (0.0340, 0.0368, 0.0427),
}
FRACTIONS = (0.10, 0.05, 0.01)


def test_two_values_far_apart_have_a_dip_of_a_quarter() -> None:
    assert dip(np.array([0.0, 0.0, 1.0, 1.0])) == pytest.approx(0.25)


def test_evenly_spaced_values_have_the_least_dip() -> None:
    assert dip(np.arange(10.0)) == pytest.approx(1.0 / 20.0)


def test_a_dip_by_hand() -> None:
    """Three values at each end: a uniform distribution is half of the missing middle away."""
    values = np.array([0.0, 0.01, 0.02, 0.98, 0.99, 1.0])
    assert 0.2 < dip(values) < 0.25


def test_neither_scale_nor_direction_matters() -> None:
    values = np.random.default_rng(1).gamma(2.0, size=80)
    assert dip(3.0 + 7.0 * values) == pytest.approx(dip(values))
    assert dip(-values) == pytest.approx(dip(values))


@pytest.mark.parametrize("size", PUBLISHED)
def test_p_agrees_with_published_tables(size: int) -> None:
    p_values = [dip_p(quantile, size) for quantile in PUBLISHED[size]]
    assert p_values == pytest.approx(FRACTIONS, rel=0.08)


@pytest.mark.parametrize("size", [10, 35, 70])
def test_p_of_uniform_values_is_uniform(size: int) -> None:
    """p is right between the rows of the table too. 2,000 samples: 5 % are 100, give or take 10."""
    random = np.random.default_rng(size)
    chances = np.array([dip_p(dip(random.random(size)), size) for _ in range(2000)])
    assert 0.035 < np.mean(chances < 0.05) < 0.065
    assert np.mean(chances < 0.01) < 0.02


def test_p_falls_with_the_dip_and_with_the_number_of_values() -> None:
    dips = np.linspace(0.01, 0.25, 50)
    assert (np.diff([dip_p(depth, 40) for depth in dips]) <= 0.0).all()
    assert (np.diff([dip_p(0.08, size) for size in range(4, 400)]) <= 1e-9).all()
    assert dip_p(0.25, 3) == 1.0
