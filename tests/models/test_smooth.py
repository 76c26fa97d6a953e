"""Breaks are distinguished from smooth bends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from test_segmented import noisy, piecewise, sizes_per_octave

from conftest import first_of
from hockney.infer.fitting.fit import Fit, curve_of_arrays
from hockney.infer.models.segmented import fit

Array = NDArray[np.float64]
SMOOTH: dict[str, Callable[[Array], Array]] = {
    "square root": lambda b: 1e-6 + 1e-10 * b + 2e-9 * np.sqrt(b),
    "power": lambda b: 1e-6 + 3e-10 * b**0.9,
    "logarithm": lambda b: 1e-6 + 1e-10 * b + 1e-7 * np.log2(1.0 + b),
    "hyperbola": lambda b: np.hypot(1e-6, 1e-10 * b),
}


def fits(times: Array, sizes: Array, noise: float, count: int = 5) -> list[Fit]:
    return [
        fit(curve_of_arrays(sizes, noisy(times, noise, launches=5, seed=seed)), resamples=0)
        for seed in range(count)
    ]


@pytest.mark.parametrize("name", first_of(SMOOTH, 2))
@pytest.mark.parametrize("noise", first_of([0.02, 0.005]))
def test_a_smooth_curve_has_no_break(name: str, noise: float) -> None:
    sizes = sizes_per_octave(1)
    trials = fits(SMOOTH[name](sizes), sizes, noise)
    assert sum(len(fitted.segments) == 1 for fitted in trials) >= 4
    fitted = next(fitted for fitted in trials if len(fitted.segments) == 1)
    assert fitted.error_max is not None
    assert fitted.error_max < 4.0 * noise, "the curve itself, not a line"
    assert any("is a curve" in note for note in fitted.notes)


@pytest.mark.parametrize(
    ("above", "noise"),
    first_of(
        [((1.2e-6, 1e-10), 0.005), ((1e-6 - 32768 * 1e-10, 2e-10), 0.003), ((2e-6, 1e-10), 0.02)]
    ),
    ids=["jump of 5 per cent", "slope twice as steep", "jump of a quarter"],
)
def test_true_breaks_are_still_found(above: tuple[float, float], noise: float) -> None:
    sizes = sizes_per_octave(4)
    times = piecewise(sizes, [32768.0], [(1e-6, 1e-10), above])
    trials = fits(times, sizes, noise)
    ends = [[segment.to_bytes for segment in fitted.segments[:-1]] for fitted in trials]
    assert sum(len(end) == 1 and 16384 <= end[0] <= 65536 for end in ends) >= 4


@pytest.mark.long
def test_a_jump_between_curves_is_the_only_break() -> None:
    sizes = sizes_per_octave(2)
    times = SMOOTH["square root"](sizes) * np.where(sizes > 8192.0, 1.5, 1.0)
    for fitted in fits(times, sizes, 0.003, 3):
        assert [segment.to_bytes for segment in fitted.segments[:-1]] == [8192]


def test_a_curve_is_predicted_between_sizes_and_goes_on_as_a_line() -> None:
    sizes = sizes_per_octave(1)
    (fitted,) = fits(SMOOTH["square root"](sizes), sizes, 0.002, 1)
    between = np.array([3.0, 700.0, 3e5])
    np.testing.assert_allclose(fitted.predict(between), SMOOTH["square root"](between), rtol=0.01)
    beyond = fitted.predict(np.array([2.0**22, 2.0**23, 2.0**24]))
    assert beyond[2] - beyond[1] == pytest.approx(2.0 * (beyond[1] - beyond[0]))
