from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from multi_mode_formulas import bandwidth_Bps, corrected_s, imb_repetitions, printed_s
from numpy.typing import NDArray

from conftest import first_of
from hockney.base.errors import UsageError
from hockney.infer.fitting.fit import Curve, curve_of_arrays
from hockney.infer.models._multi_mode_time import chunks, general_s, simulated_T_b_s
from hockney.infer.models.multi_mode import fit

Array = NDArray[np.float64]
B_r, T_l, C = 9.5e8, 4e-6, 2.0**19
OCTAVES = 2.0 ** np.arange(16, 25)
HALF_OCTAVES = np.round(2.0 ** np.arange(16, 24.1, 0.5))
QUARTER_OCTAVE = 2.0**0.25

TimeOf = Callable[[Array, Array, Array], Array]


def closed(chunk: Sequence[float], widths: Sequence[float], kappa: float = 1.0) -> TimeOf:
    return lambda x, n, p: general_s(x, n, p, B_r, T_l, chunk, widths, kappa)


def simulated(x: Array, n: Array, p: Array) -> Array:
    return np.array(
        [
            simulated_T_b_s(size, int(count), int(processes), B_r, T_l, C)
            for size, count, processes in zip(x, n, p, strict=True)
        ]
    )


def curve(
    time_of: TimeOf,
    *,
    processes: Sequence[int] = (1, 2, 3, 4),
    sizes: Array = HALF_OCTAVES,
    noise: float = 0.03,
    seed: int = 0,
    launches: int = 1,
    factor: float = 1.0,
) -> Curve:
    """One-way times with log-normal noise."""
    x, p = np.meshgrid(sizes, np.asarray(processes, dtype=float))
    x, p = x.ravel(), p.ravel()
    n = np.maximum(1.0, np.floor(factor * imb_repetitions(x)))
    chance = np.random.default_rng(seed)
    times = time_of(x, n, p) / (2.0 * n)
    return curve_of_arrays(
        x, times * np.exp(noise * chance.standard_normal((launches, len(x)))), p, n
    )


def test_repetitions_are_those_of_imb() -> None:
    sizes = np.array([0, 1, 40960, 65536, 2.0**20, 2.0**25, 2.0**27])
    assert imb_repetitions(sizes).tolist() == [1000, 1000, 1000, 640, 40, 1, 1]


def test_a_message_is_in_one_chunk_up_to_the_chunk_size() -> None:
    assert chunks(np.array([1.0, C, 2 * C, 3 * C]), C).tolist() == [1.0, 1.0, 2.0, 3.0]


def test_the_printed_equations_four_and_five_are_the_same() -> None:
    n, T_p = imb_repetitions(OCTAVES), OCTAVES / B_r
    four = 2 * n * (2 * T_p + T_l) - (2 * n - 1) * (T_p / chunks(OCTAVES, C) - T_l)
    np.testing.assert_allclose(printed_s(OCTAVES, n, B_r, T_l, C), four)


def test_the_corrected_equation_is_the_simulation_of_two_pairs() -> None:
    sizes = 2.0 ** np.arange(10, 25)
    n, two = imb_repetitions(sizes), np.full(len(sizes), 2.0)
    truth = simulated(sizes, n, two)
    np.testing.assert_allclose(corrected_s(sizes, n, B_r, T_l, C), truth, rtol=1e-9)
    # As printed it counts the latency twice: it matters where the latency does.
    off = printed_s(sizes, n, B_r, T_l, C) / truth
    assert off[0] == pytest.approx(1.78, abs=0.01)
    assert off[sizes == 65536] == pytest.approx(1.055, abs=0.005)


def test_below_the_chunk_size_two_pairs_move_exactly_twice_what_one_does() -> None:
    x, n = np.array([65536.0]), np.array([1e9])
    one_pair = bandwidth_Bps(x, n, np.array([1.0]), general_s(x, n, np.array([1.0]), B_r, T_l))
    two_pairs = bandwidth_Bps(x, n, np.array([2.0]), corrected_s(x, n, B_r, T_l, C))
    assert two_pairs == pytest.approx(2.0 * one_pair, rel=1e-6)


@pytest.mark.parametrize("kappa", [1.0, 1.2, 1.6, 2.0])
@pytest.mark.parametrize("p", [1, 2])
def test_the_general_form_is_the_simulation_up_to_two_pairs(p: int, kappa: float) -> None:
    """Few repetitions too: at 16 MiB there are two."""
    for x in 2.0 ** np.arange(14, 26):
        n = int(imb_repetitions(np.array([x]))[0])
        truth = simulated_T_b_s(x, n, p, B_r, T_l, C, kappa)
        general = closed([C], [p], kappa)(np.array([x]), np.array([n]), np.array([float(p)]))
        assert general[0] == pytest.approx(truth, rel=2e-3), x


@pytest.mark.parametrize("kappa", [1.0, 1.2, 1.6, 2.0])
@pytest.mark.parametrize("p", [3, 4])
def test_more_pairs_run_between_the_general_form_and_both_directions_full(
    p: int, kappa: float
) -> None:
    for x in OCTAVES:
        n = int(imb_repetitions(np.array([x]))[0])
        truth = simulated_T_b_s(x, n, p, B_r, T_l, C, kappa)
        general = closed([C], [p], kappa)(np.array([x]), np.array([n]), np.array([float(p)]))[0]
        assert truth <= general * 1.01
        assert 2 * p * x * n / truth <= 2.0 * B_r / kappa * (1.0 + 1.0 / n)


@pytest.mark.long
@pytest.mark.parametrize(
    ("chunk", "widths", "kappa"),
    first_of(
        [
            ((2.0**19, 2.0**21), (2, 4), 1.0),
            ((), (), 1.3),
            ((2.0**19,), (4,), 1.0),
            ((2.0**19,), (4,), 1.2),
            ((2.0**18, 2.0**21), (3, 4), 1.2),
        ]
    ),
)
def test_chunks_come_back_from_times_with_noise_of_three_per_cent(
    chunk: Sequence[float], widths: Sequence[float], kappa: float
) -> None:
    right = 0
    for seed in range(4):
        parameters = fit(curve(closed(chunk, widths, kappa), seed=seed), resamples=0).parameters
        names = [name for name in ("C_1_bytes", "C_2_bytes") if name in parameters]
        if len(names) != len(chunk):
            continue
        close = [
            1.0 / QUARTER_OCTAVE < (parameters[name].value or 0.0) / size < QUARTER_OCTAVE
            for name, size in zip(names, chunk, strict=True)
        ]
        rate = abs((parameters["B_r_Bps"].value or 0.0) / B_r - 1.0) < 0.02
        width = len(chunk) < 2 or parameters["w_1_processes"].value == widths[0]
        right += all(close) and rate and width
    assert right >= 3


def test_many_sizes_are_no_hindrance() -> None:
    """More points than the search takes."""
    sizes = np.round(2.0 ** np.linspace(16, 24, 400))
    parameters = fit(curve(closed([C, 4 * C], (3, 4)), sizes=sizes, launches=2)).parameters
    assert parameters["C_1_bytes"].value == pytest.approx(C, rel=0.05)
    assert parameters["C_2_bytes"].value == pytest.approx(4 * C, rel=0.05)
    assert parameters["w_1_processes"].value == 3.0


def test_the_chunk_of_simulated_pairs_comes_back() -> None:
    parameters = fit(curve(simulated, processes=(1, 2), sizes=OCTAVES)).parameters
    assert parameters["C_1_bytes"].value == pytest.approx(C, rel=0.19)
    assert parameters["B_r_Bps"].value == pytest.approx(B_r, rel=0.02)
    assert "C_2_bytes" not in parameters


def test_two_processes_alone_are_enough_for_one_chunk() -> None:
    """The paper's own data, of two processes a node."""
    fitted = fit(curve(closed([C], [2]), processes=(2,)))
    assert fitted.parameters["C_1_bytes"].value == pytest.approx(C, rel=0.19)
    assert any("from 1 on" in note for note in fitted.notes)


def test_intervals_hold_the_truth_and_the_value() -> None:
    fitted = fit(curve(closed([C], [4], 1.2), launches=8))
    for name, truth in (("C_1_bytes", C), ("B_r_Bps", B_r), ("kappa", 1.2)):
        value = fitted.parameters[name]
        assert value.interval is not None
        assert value.value is not None
        assert value.interval.holds(value.value)
        assert value.interval.low * 0.98 < truth < value.interval.high * 1.02
    profile = fitted.derived["C_1_profile_bytes"]
    assert profile.interval is not None
    assert profile.interval.low < C < profile.interval.high


def test_eager_sizes_are_left_out_and_said() -> None:
    fitted = fit(curve(closed([C], [4]), sizes=np.append([1024.0, 32768.0], OCTAVES)))
    assert len(fitted.residuals) == 4 * len(OCTAVES)
    assert fitted.notes[0].startswith("excluded: 8 points of sizes up to 32768 bytes")


def test_a_bound_is_said() -> None:
    fitted = fit(curve(closed([C], [4]), noise=0.0))
    assert fitted.parameters["kappa"].value == pytest.approx(1.0, abs=1e-3)
    assert any("kappa is at its bound 1" in note for note in fitted.notes)


def test_where_no_chunk_shows_none_is_named() -> None:
    fitted = fit(curve(closed([], []), sizes=OCTAVES))
    assert "C_1_bytes" not in fitted.parameters
    assert any("no chunk shows" in note for note in fitted.notes)


def with_repetitions(time_of: TimeOf, seed: int) -> dict[float, Curve]:
    return {
        factor: curve(time_of, sizes=OCTAVES, factor=factor, seed=seed) for factor in (0.125, 1, 8)
    }


def second_chunks(time_of: TimeOf, seed: int) -> list[float]:
    """C_2 with an eighth of the repetitions and with 8 times as many."""
    curves = with_repetitions(time_of, seed)
    chunk_sizes = [fit(curves[factor]).parameters["C_2_bytes"].value for factor in (0.125, 8)]
    return [value for value in chunk_sizes if value is not None]


@pytest.mark.long
def test_pairs_that_run_ahead_have_no_second_chunk() -> None:
    """Four simulated pairs with one chunk: by the closed form alone they look like two."""
    for factor in (0.125, 1.0):
        fitted = fit(curve(simulated, sizes=OCTAVES, factor=factor))
        assert "C_2_bytes" not in fitted.parameters
        assert fitted.parameters["C_1_bytes"].value == pytest.approx(C, rel=0.1)
        assert any("lock-step" in note for note in fitted.notes)


@pytest.mark.long
def test_the_interval_of_the_chunk_of_simulated_pairs_holds_it() -> None:
    held = []
    for seed in range(3):
        times = curve(simulated, sizes=OCTAVES, noise=0.01, launches=8, seed=seed, factor=0.125)
        chunk = fit(times, resamples=40).parameters["C_1_bytes"]
        assert chunk.interval is not None
        held.append(chunk.interval.holds(C))
    assert sum(held) >= 2


@pytest.mark.parametrize("widths", first_of([[2, 4], [3, 4]]))
@pytest.mark.parametrize("seed", first_of(range(3)))
def test_a_knee_that_stays_is_a_second_chunk(seed: int, widths: Sequence[float]) -> None:
    few, many = second_chunks(closed([C, 4 * C], widths), seed)
    assert abs(np.log2(many / few)) < 0.75
    assert 0.5 < few / (4 * C) < 2.0


def test_below_five_launches_no_chunk_has_an_interval() -> None:
    profile = fit(curve(closed([C], [4]), launches=4)).derived["C_1_profile_bytes"]
    assert profile.interval is None
    assert profile.value == pytest.approx(C, rel=0.2)


def test_what_is_missing_is_said_by_name() -> None:
    x = np.repeat(OCTAVES, 2)
    pairs = np.tile([1.0, 2.0], len(OCTAVES))
    for given, words in (
        (curve_of_arrays(x, x / B_r), "one pair"),
        (curve_of_arrays(x, x / B_r, pairs), "repetitions are not known"),
        (curve_of_arrays(x / 2**16, x / B_r, pairs, pairs), "there are 0 above 32768 bytes"),
    ):
        with pytest.raises(UsageError, match=words):
            fit(given)
