from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hockney.base.errors import UsageError
from hockney.infer.estimate.interval import Interval, low_of
from hockney.infer.fitting.fit import Curve, curve_of_arrays
from hockney.infer.models import hockney
from hockney.infer.models._max_rate_solver import best_curve, nonnegative, point_moments
from hockney.infer.models.max_rate import fit

Array = NDArray[np.float64]

SIZES = 2.0 ** np.arange(2, 19)
"""The shape of a published log: 17 sizes, 1 to 16 pairs, several placements."""
PAIRS = np.arange(1.0, 17.0)
SHORT = (2.3e-6, 1.4e9, np.inf)
EAGER = (6.8e-6, 6.9e8, np.inf)
RENDEZVOUS = (5.2e-6, 4.3e9, 6.8e9)
BREAKS = (500.0, 8000.0)


def seconds_of(
    bytes_: Array, pairs: Array, alpha_s: float, R_C_Bps: float, R_N_Bps: float = np.inf
) -> Array:
    """T of the model."""
    return alpha_s + pairs * bytes_ / np.minimum(R_N_Bps, pairs * R_C_Bps)


def grid(sizes: Array = SIZES, pairs: Array = PAIRS) -> tuple[Array, Array]:
    x, k = np.meshgrid(sizes, pairs)
    return x.ravel(), k.ravel()


def protocols(x: Array, k: Array) -> Array:
    return np.where(
        x <= BREAKS[0],
        seconds_of(x, k, *SHORT),
        np.where(x <= BREAKS[1], seconds_of(x, k, *EAGER), seconds_of(x, k, *RENDEZVOUS)),
    )


def curve(
    times: Array, x: Array, k: Array, noise: float = 0.0, launches: int = 1, seed: int = 0
) -> Curve:
    chance = np.random.default_rng(seed)
    return curve_of_arrays(x, times * np.exp(noise * chance.standard_normal((launches, len(x)))), k)


def test_every_protocol_is_found_without_noise() -> None:
    x, k = grid()
    fitted = fit(curve(protocols(x, k), x, k))
    assert fitted.error_max < 1e-6
    for number, (alpha, R_C, R_N) in enumerate((SHORT, EAGER, RENDEZVOUS), start=1):
        assert fitted.parameters[f"alpha_{number}_s"].value == pytest.approx(alpha, rel=1e-6)
        assert fitted.parameters[f"R_C_{number}_Bps"].value == pytest.approx(R_C, rel=1e-6)
        node = fitted.parameters[f"R_N_{number}_Bps"].value
        assert node == (pytest.approx(R_N, rel=1e-6) if np.isfinite(R_N) else None)
    assert fitted.parameters["break_1_bytes"].interval == Interval(256.0, 512.0)
    assert low_of(fitted.parameters["break_2_bytes"].interval) == 4096.0
    assert fitted.derived["pairs_to_fill_3"].value == pytest.approx(6.8 / 4.3)
    np.testing.assert_allclose(fitted.predict(x, k), protocols(x, k), rtol=1e-6)


def test_parameters_come_back_from_noise_with_intervals() -> None:
    x, k = grid()
    fitted = fit(curve(protocols(x, k), x, k, noise=0.03, launches=5))
    alpha, R_C, R_N = RENDEZVOUS
    for name, truth in (("alpha_3_s", alpha), ("R_C_3_Bps", R_C), ("R_N_3_Bps", R_N)):
        value = fitted.parameters[name]
        assert value.value == pytest.approx(truth, rel=0.03)
        assert value.interval is not None
        assert value.interval.low <= (value.value or 0.0) <= value.interval.high


def test_strong_noise_does_not_shift_the_rate() -> None:
    """A fit of relative residuals would shift it, by their variance: they forgive what is too
    small."""
    x, k = grid(np.round(2.0 ** np.arange(12, 20, 0.125)))
    fitted = fit(curve(seconds_of(x, k, *RENDEZVOUS), x, k, noise=0.25), breaks_bytes=())
    assert fitted.parameters["R_N_1_Bps"].value == pytest.approx(RENDEZVOUS[2], rel=0.03)


def test_given_protocols_are_taken() -> None:
    x, k = grid()
    fitted = fit(curve(protocols(x, k), x, k, noise=0.01), breaks_bytes=BREAKS)
    assert {name for name in fitted.parameters if name.startswith("alpha")} == {
        "alpha_1_s",
        "alpha_2_s",
        "alpha_3_s",
    }
    one_protocol = fit(curve(protocols(x, k), x, k, noise=0.01), breaks_bytes=())
    assert "alpha_2_s" not in one_protocol.parameters
    assert one_protocol.error_median > 3.0 * fitted.error_median


def test_it_explains_pairs_that_one_line_cannot() -> None:
    """Rendezvous sizes of the published log's shape: Hockney's line through each pair's times is
    off by 40 %, the node's limit explains them."""
    x, k = grid(SIZES[BREAKS[1] < SIZES])
    times = curve(seconds_of(x, k, *RENDEZVOUS), x, k, noise=0.04)
    line = hockney.fit(Curve(times.bytes, times.seconds))
    assert line.error_median > 0.30
    assert fit(times, breaks_bytes=()).error_median < 0.05


def test_a_node_that_no_number_of_pairs_fills_is_not_known() -> None:
    x, k = grid(pairs=np.array([1.0, 2.0]))
    fitted = fit(curve(seconds_of(x, k, 2e-6, 1e9, 2.5e9), x, k, noise=0.01))
    assert fitted.parameters["R_N_1_Bps"].value is None
    assert fitted.derived["pairs_to_fill_1"].value is None
    assert fitted.parameters["R_C_1_Bps"].value == pytest.approx(1e9, rel=0.02)
    note, few = fitted.notes
    assert "no interval from fewer than 5 launches" in few
    assert "no number of pairs k up to 2 has k R_C > R_N" in note
    assert "at least 1.874 GiB/s" in note


def test_a_pair_that_never_runs_alone_is_not_known() -> None:
    x, k = grid(pairs=np.array([4.0, 8.0, 16.0]))
    fitted = fit(curve(seconds_of(x, k, 2e-6, 4e9, 5e9), x, k))
    assert fitted.parameters["R_C_1_Bps"].value is None
    assert fitted.parameters["R_N_1_Bps"].value == pytest.approx(5e9, rel=1e-3)
    assert any("R_C does not show" in note for note in fitted.notes)


def test_a_node_is_never_slower_than_a_pair() -> None:
    """Times that grow faster than the number of pairs: no node does that, R_N stays at R_C."""
    x, k = grid()
    fitted = fit(curve(2e-6 + x * k**1.5 / 1e9, x, k), breaks_bytes=())
    rates = fitted.parameters["R_C_1_Bps"].value, fitted.parameters["R_N_1_Bps"].value
    assert rates[0] is not None
    assert rates[1] == pytest.approx(rates[0])
    assert any("R_N is at its bound R_C" in note for note in fitted.notes)


@given(
    st.integers(0, 10**6),
    st.tuples(st.floats(0.0, 1e-5), st.floats(1e-11, 1e-8), st.floats(0.0, 1.0)),
)
@settings(max_examples=100, deadline=None)
def test_no_other_curve_has_smaller_squares(seed: int, other: tuple[float, float, float]) -> None:
    chance = np.random.default_rng(seed)
    x, k = np.round(2.0 ** chance.uniform(0, 22, 40)), np.sort(chance.integers(1, 9, 40) * 1.0)
    times = seconds_of(x, k, 3e-6, 2e9, 5e9) * np.exp(chance.uniform(-1, 1, 40))
    numbers, first = np.unique(k, return_index=True)
    each = point_moments(x, times[None, :], times[None, :] ** -2.0)
    solution, squares = best_curve(
        np.add.reduceat(each, first, axis=-1), numbers, np.arange(len(numbers))
    )

    def squares_of(alpha: float, a: float, b: float) -> float:
        return float((((times - alpha - x * np.maximum(a, k * b)) / times) ** 2).sum())

    alpha, a, b = solution[0]
    assert min(alpha, a, b) >= 0.0
    assert a >= b * (1.0 - 1e-9)
    assert squares[0] == pytest.approx(squares_of(alpha, a, b), rel=1e-6, abs=1e-9)
    assert squares_of(other[0], other[1], other[1] * other[2]) >= squares[0] * (1.0 - 1e-9)
    for factor in (0.9, 1.1):
        for changed in ((alpha * factor, a, b), (alpha, a * factor, b), (alpha, a, b * factor)):
            # Only curves whose node is not slower than a pair count.
            if changed[1] >= changed[2]:
                assert squares_of(*changed) >= squares[0] * (1.0 - 1e-9)


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(max_examples=50, deadline=None)
def test_nonnegative_least_squares_are_those_of_scipy(seed: int, columns: int) -> None:
    from scipy.optimize import nnls

    chance = np.random.default_rng(seed)
    matrix, target = chance.standard_normal((6, columns)), chance.standard_normal(6)
    solution, explained = nonnegative(matrix.T @ matrix, matrix.T @ target)
    expected, norm = nnls(matrix, target)
    np.testing.assert_allclose(solution, expected, atol=1e-6)
    assert target @ target - explained == pytest.approx(norm**2, abs=1e-8)


@pytest.mark.parametrize(
    ("x", "k", "words"),
    [
        (SIZES, None, "numbers of pairs at once.*these times are of one"),
        (SIZES, np.full(17, 4.0), "these times are of one"),
        (np.full(17, 8.0), np.arange(1.0, 18.0), "different sizes; there is 1"),
    ],
)
def test_what_is_missing_is_said_by_name(x: Array, k: Array | None, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        fit(curve_of_arrays(x, np.full(17, 1e-6), k))
