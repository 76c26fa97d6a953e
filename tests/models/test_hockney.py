from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.infer.estimate import estimate
from hockney.infer.fitting.fit import Curve, curve_of, curve_of_arrays
from hockney.infer.fitting.line import line
from hockney.infer.models.hockney import NO_ASYMPTOTE, fit
from hockney.run.mpis import Engine
from hockney.show.one_run.fits import fit_lines, fit_sentence
from samples import make_run

SIZES = np.array([0.0] + [2.0**power for power in range(23)])
alphas = st.floats(1e-8, 1e-3)
betas = st.floats(1e-12, 1e-7)


def curve(*rows: np.ndarray) -> Curve:
    return Curve(SIZES, np.array(rows))


@given(alphas, betas, st.booleans())
def test_a_line_is_given_back(alpha: float, beta: float, ordinary: bool) -> None:
    fitted = fit(curve(alpha + beta * SIZES), ordinary)
    assert fitted.parameters["beta_s_per_B"].value == pytest.approx(beta, rel=1e-6)
    scale = alpha if not ordinary else alpha + beta * SIZES.max()
    assert fitted.parameters["alpha_s"].value == pytest.approx(alpha, abs=1e-6 * scale)


noisy = st.lists(st.floats(1e-8, 1e-2), min_size=2, max_size=len(SIZES))


@given(noisy)
def test_no_parameter_is_ever_below_zero(times: list[float]) -> None:
    seconds = np.array(times)
    alpha, beta = line(SIZES[: len(times)], seconds[None, :])
    assert alpha[0] >= 0.0
    assert beta[0] >= 0.0


@given(noisy)
def test_no_other_line_has_smaller_relative_residuals(times: list[float]) -> None:
    sizes, seconds = SIZES[: len(times)], np.array(times)
    alpha, beta = (value[0] for value in line(sizes, seconds[None, :]))

    def cost(a: float, b: float) -> float:
        return float((((seconds - a - b * sizes) / seconds) ** 2).sum())

    best = cost(alpha, beta)
    for factor in (0.99, 1.01):
        assert best <= cost(alpha * factor, beta) + 1e-9
        assert best <= cost(alpha, beta * factor) + 1e-9
    assert best <= cost(alpha + 1e-9, beta) + 1e-9


def test_an_ordinary_line_may_be_below_zero_and_says_so() -> None:
    fitted = fit(curve(1e-6 + 1e-10 * SIZES + 1e-17 * SIZES**2), ordinary=True)
    assert (fitted.parameters["alpha_s"].value or 0.0) < 0.0
    assert any("below 0" in note for note in fitted.notes)


@pytest.mark.parametrize(("ordinary", "said"), [(False, "relative residuals"), (True, "residuals")])
def test_a_fit_says_which_residuals_it_minimises(ordinary: bool, said: str) -> None:
    first, *_ = fit_lines(fit(curve(1e-6 + 1e-10 * SIZES), ordinary))
    assert f"least squares of {said}" in first


def test_the_weighted_alpha_is_the_latency_where_the_ordinary_one_is_not() -> None:
    """One line through a protocol switch, as in the published fits."""
    seconds = np.where(SIZES < 8192, 0.2e-6 + 1e-10 * SIZES, 4e-6 + 0.6e-10 * SIZES)
    weighted = fit(curve(seconds)).parameters["alpha_s"].value or 0.0
    ordinary = fit(curve(seconds), ordinary=True).parameters["alpha_s"].value or 0.0
    assert abs(weighted - 0.2e-6) < 0.1e-6
    assert ordinary > 1e-6


def test_derived_values_and_errors() -> None:
    fitted = fit(curve(1e-6 + 1e-9 * SIZES))
    assert fitted.derived["r_inf_Bps"].value == pytest.approx(1e9)
    assert fitted.derived["n_half_B"].value == pytest.approx(1000.0)
    assert fitted.error_max == pytest.approx(0.0, abs=1e-9)
    assert fitted.predict(np.array([500.0])) == pytest.approx(1.5e-6)


def test_a_bound_is_told() -> None:
    steep = Curve(np.array([1.0, 2.0, 4.0]), np.array([[1e-9, 3e-9, 9e-9]]))
    assert any("alpha is at" in note for note in fit(steep).notes)
    assert any("beta is at" in note for note in fit(curve(1e-6 / (1.0 + SIZES))).notes)


@pytest.mark.long
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(11)
    held = 0
    for _ in range(200):
        level = random.lognormal(sigma=0.05, size=(15, 1))
        scatter = random.lognormal(sigma=0.01, size=(15, len(SIZES)))
        alpha = fit(curve(*(level * scatter * (1e-6 + 1e-10 * SIZES)))).parameters["alpha_s"]
        held += alpha.interval is not None and alpha.interval.holds(1e-6)
    assert held / 200 > 0.85


@given(st.lists(st.lists(st.floats(1e-8, 1e-2), min_size=4, max_size=4), min_size=2, max_size=6))
@settings(deadline=None)
def test_an_interval_holds_its_value(times: list[list[float]]) -> None:
    fitted = fit(Curve(SIZES[:4], np.array(times)), resamples=50)
    for parameter in (*fitted.parameters.values(), *fitted.derived.values()):
        if parameter.value is not None and parameter.interval is not None:
            assert parameter.interval.holds(parameter.value)


def test_one_launch_has_no_intervals() -> None:
    alpha = fit(curve(1e-6 + 1e-9 * SIZES)).parameters["alpha_s"]
    assert alpha.interval is None


def test_one_size_carries_no_line() -> None:
    with pytest.raises(UsageError, match="at least two different sizes"):
        fit(Curve(np.array([8.0]), np.array([[1e-6]])))


def test_a_time_of_zero_carries_no_fit() -> None:
    run = make_run(lambda *_: [0.0], sizes=(8, 16))
    with pytest.raises(UsageError, match="zero or below"):
        curve_of(estimate(run).headline)


def test_a_launch_without_a_size_is_no_hindrance() -> None:
    run = make_run(
        lambda launch, _, size: [] if (launch, size) == (2, 8) else [100.0 + size],
        sizes=(8, 16, 32),
    )
    fitted = fit(curve_of(estimate(run).headline))
    assert fitted.parameters["beta_s_per_B"].value == pytest.approx(1e-9)


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(times=noisy, ordinary=st.booleans())
def test_the_engine_fits_the_same_in_c(
    engine: Engine, tmp_path: Path, times: list[float], ordinary: bool
) -> None:
    sizes, seconds = SIZES[: len(times)], np.array(times)
    points = tmp_path / "points.txt"
    rows = zip(sizes.tolist(), times, strict=False)
    points.write_text("# bytes n seconds\n" + "".join(f"{b!r} 100 {t!r}\n" for b, t in rows))
    option = ["--ordinary"] if ordinary else []
    done = subprocess.run(
        [engine.path, "fit", *option, points], capture_output=True, text=True, check=True
    )
    words = done.stdout.split()
    alpha, beta = (value[0] for value in line(sizes, seconds[None, :], ordinary))
    assert float(words[1]) == pytest.approx(alpha, rel=1e-9, abs=1e-9 * max(times))
    # Where the times say nothing of beta, it is rounding error: of times, over a byte or more.
    assert float(words[3]) == pytest.approx(beta, rel=1e-9, abs=1e-14 * max(times))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("1 0\n2 1\n", "above 0"), ("8 1e-6\n", "two points"), ("", "two points")],
)
def test_the_engine_tells_what_it_cannot_fit(
    engine: Engine, tmp_path: Path, text: str, complaint: str
) -> None:
    points = tmp_path / "points.txt"
    points.write_text(text)
    done = subprocess.run([engine.path, "fit", points], capture_output=True, text=True)
    assert done.returncode == 2
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ([8.0, 2.0**20], "any two sizes"),
        ([1.0, 8.0, 64.0, 512.0], "is below the n_half of"),
    ],
)
def test_what_the_sizes_do_not_show_is_not_extrapolated(sizes: list[float], why: str) -> None:
    bytes_ = np.array(sizes)
    fitted = fit(curve_of_arrays(bytes_, 1e-6 + 1e-10 * bytes_))
    assert fitted.parameters["alpha_s"].value == pytest.approx(1e-6)
    assert (fitted.derived["r_inf_Bps"].value, fitted.derived["n_half_B"].value) == (None, None)
    assert any(note.startswith(NO_ASYMPTOTE) and why in note for note in fitted.notes)
    assert (fitted.error_max is None) == (len(sizes) == 2)
    assert any("not known" in line for line in fit_lines(fitted))
    assert fit_sentence(fitted).startswith("fit: T(b) = 1 us + b / (not known)")
    assert why in fit_sentence(fitted)
