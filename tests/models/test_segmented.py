from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from conftest import RunHockney, first_of
from hockney.base.errors import UsageError
from hockney.infer.estimate.interval import Interval
from hockney.infer.fitting.fit import Curve, Fit, curve_of_arrays
from hockney.infer.models import hockney
from hockney.infer.models.segmented import fit
from platforms import two_hosts

Array = NDArray[np.float64]

# SimGrid's SMPI defaults, a fit of a real machine: from which size on the wire each factor of the
# bandwidth and of the latency holds.
FACTORS = {
    0: (0.812084, 2.01467),
    257: (0.338112, 1.95341),
    732: (0.341987, 1.9503),
    1426: (0.608902, 1.61075),
    3484: (0.77493, 1.88101),
    5776: (1.08739, 2.18796),
    9376: (0.58729, 2.59299),
    15424: (0.697866, 3.48845),
    65472: (0.940694, 11.6436),
}
BOUNDARIES = list(FACTORS)
ENVELOPE_BYTES = 16


def sizes_per_octave(count: int, last: float = 2.0**22) -> Array:
    return np.unique(np.round(2.0 ** np.arange(0.0, np.log2(last) + 1e-9, 1.0 / count)))


def smpi_lines(latency_s: float, bandwidth_Bps: float) -> list[tuple[float, float]]:
    """alpha and beta of each segment, in bytes of the message."""
    lines = []
    for bandwidth, latency in FACTORS.values():
        beta = 1.0 / (bandwidth * bandwidth_Bps)
        lines.append((latency * latency_s + ENVELOPE_BYTES * beta, beta))
    return lines


def piecewise(sizes: Array, last: list[float], lines: list[tuple[float, float]]) -> Array:
    """A size equal to a boundary belongs to the segment below it."""
    segment = np.searchsorted(np.array(last), sizes, side="left")
    alpha, beta = np.array(lines).T
    return np.asarray(alpha[segment] + beta[segment] * sizes)


def noisy(times: Array, noise: float, launches: int = 1, seed: int = 0) -> Array:
    chance = np.random.default_rng(seed)
    return np.asarray(times * np.exp(noise * chance.standard_normal((launches, len(times)))))


def ends_of(fitted: Fit) -> list[float]:
    return [segment.to_bytes for segment in fitted.segments[:-1]]


def assert_is(
    fitted: Fit, sizes: Array, last: list[float], lines: list[tuple[float, float]]
) -> None:
    """Every breakpoint exact, every segment within 2 %."""
    bounds = [-np.inf, *last, np.inf]
    assert len(fitted.segments) == len(lines)
    for segment, low, high, (alpha, beta) in zip(
        fitted.segments, bounds[:-1], bounds[1:], lines, strict=True
    ):
        inside = sizes[(sizes > low) & (sizes <= high)]
        assert (segment.from_bytes, segment.to_bytes) == (inside[0], inside[-1])
        assert segment.alpha_s == pytest.approx(alpha, rel=0.02)
        assert segment.beta_s_per_B == pytest.approx(beta, rel=0.02)


@pytest.mark.parametrize(
    ("latency_s", "bandwidth_Bps"),
    first_of(product([1e-5, 1e-6, 5e-5], [1.25e9, 1.25e8, 1.25e10])),
)
@pytest.mark.parametrize("per_octave", first_of([8, 16]))
def test_every_segment_of_smpi_is_found(
    latency_s: float, bandwidth_Bps: float, per_octave: int
) -> None:
    sizes = sizes_per_octave(per_octave)
    last = [float(boundary - ENVELOPE_BYTES) for boundary in BOUNDARIES[1:]]
    lines = smpi_lines(latency_s, bandwidth_Bps)
    assert_is(fit(curve_of_arrays(sizes, piecewise(sizes, last, lines))), sizes, last, lines)


@pytest.mark.long
@pytest.mark.simgrid
def test_every_segment_of_a_simulated_machine_is_found(hockney: RunHockney, tmp_path: Path) -> None:
    """SimGrid's own network model, measured by the engine and fitted by the command."""
    (tmp_path / "platform.xml").write_text(two_hosts(1e-5, 1.25e9))
    settings = ("--cfg", "network/TCP-gamma:0", "--cfg", "network/crosstraffic:0")
    hockney.ok(
        *("pingpong", "--platform", "platform.xml"),
        *settings,
        *("--sizes", "1..1MiB/8", "-o", "run.jsonl", "-q"),
    )
    done = hockney.ok("fit", "run.jsonl", "--model", "segmented", "--json")
    segments = done.json["fits"][0]["segments"]
    assert len(segments) == len(BOUNDARIES)
    last = [boundary - ENVELOPE_BYTES for boundary in BOUNDARIES[1:]]
    for boundary, below, above in zip(last, segments[:-1], segments[1:], strict=True):
        assert below["to_bytes"] <= boundary < above["from_bytes"]
    for segment, (alpha, beta) in zip(segments, smpi_lines(1e-5, 1.25e9), strict=True):
        assert segment["alpha_s"] == pytest.approx(alpha, rel=0.02)
        assert segment["beta_s_per_B"] == pytest.approx(beta, rel=0.02)


@st.composite
def protocols(draw: st.DrawFn) -> tuple[Array, list[float], list[tuple[float, float]]]:
    """Two to five segments of at least four sizes, each a line of its own."""
    sizes = sizes_per_octave(draw(st.integers(1, 4)))
    count = draw(st.integers(2, min(5, len(sizes) // 4)))
    spare = len(sizes) - 4 * count
    extra = draw(st.lists(st.integers(0, spare), min_size=count - 1, max_size=count - 1))
    starts = [4 * (i + 1) + more for i, more in enumerate(sorted(extra))]
    lines = [(draw(st.floats(1e-7, 1e-4)), 1.0 / draw(st.floats(1e8, 1e11))) for _ in range(count)]
    return sizes, [float(sizes[start - 1]) for start in starts], lines


@pytest.mark.long
@given(protocols())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_protocols_without_noise_are_found(
    truth: tuple[Array, list[float], list[tuple[float, float]]],
) -> None:
    sizes, last, lines = truth
    times = piecewise(sizes, last, lines)
    # Neighbouring lines must differ at the two sizes beside each breakpoint, or it is not there.
    for boundary, below, above in zip(last, lines[:-1], lines[1:], strict=True):
        i = int(np.searchsorted(sizes, boundary))
        for size in sizes[i - 1 : i + 3]:
            times_of_both = below[0] + below[1] * size, above[0] + above[1] * size
            assume(abs(np.log(times_of_both[0] / times_of_both[1])) > 0.05)
    fitted = fit(curve_of_arrays(sizes, times))
    if fitted.segments[0].to_bytes == sizes[-1] and len(lines) > 1:
        pytest.fail("one segment")
    assert fitted.error_max < 1e-3
    assert ends_of(fitted) == last


@pytest.mark.parametrize("count", first_of([24, 1500]))
def test_breakpoints_are_exact_among_few_and_many_sizes(count: int) -> None:
    sizes = np.unique(np.round(np.geomspace(1.0, 2.0**22, count)))
    last, lines = [1000.0, 70000.0], [(1e-6, 5e-10), (2e-6, 2e-10), (8e-6, 1e-10)]
    expected = [sizes[sizes <= boundary][-1] for boundary in last]
    fits = [
        fit(curve_of_arrays(sizes, noisy(piecewise(sizes, last, lines), 0.005, seed=seed)))
        for seed in range(6)
    ]
    ends = [ends_of(fitted) for fitted in fits]
    assert ends.count(expected) >= 5


@pytest.mark.long
def test_ten_thousand_noisy_sizes_fall_into_no_more_segments_than_there_are() -> None:
    sizes = np.unique(np.round(np.geomspace(100.0, 4e6, 10000)))
    last = [float(boundary - ENVELOPE_BYTES) for boundary in BOUNDARIES[1:]]
    times = piecewise(sizes, last, smpi_lines(1e-5, 1.25e9))
    fitted = fit(curve_of_arrays(sizes, noisy(times, 0.02)))
    ends = ends_of(fitted)
    assert len(fitted.segments) <= len(BOUNDARIES)
    for boundary in (1426, 3484, 5776, 9376, 15424, 65472):  # those that 2 % does not hide
        assert min(abs(end + ENVELOPE_BYTES - boundary) for end in ends) < 0.01 * boundary


@pytest.mark.long
def test_a_noisy_line_is_one_segment() -> None:
    sizes = sizes_per_octave(1)
    counts = [
        len(fit(curve_of_arrays(sizes, noisy(1e-6 + sizes / 1e10, 0.03, seed=seed))).segments)
        for seed in range(30)
    ]
    assert counts.count(1) >= 27


@pytest.mark.long
@pytest.mark.parametrize(("per_octave", "least"), first_of([(1, 14), (4, 17)]))
def test_one_wrong_size_makes_no_segment(per_octave: int, least: int) -> None:
    """Beside a breakpoint with few sizes nobody can tell."""
    sizes = sizes_per_octave(per_octave)
    last, lines = [1024.0, 65536.0], [(1e-6, 5e-10), (2e-6, 2e-10), (8e-6, 1e-10)]
    truth = piecewise(sizes, last, lines)
    right = 0
    for seed in range(20):
        times = noisy(truth, 0.01, seed=seed)[0]
        times[np.random.default_rng(seed).integers(len(sizes))] *= 2.0
        fitted = fit(curve_of_arrays(sizes, times))
        right += ends_of(fitted) == last
    assert right >= least


def test_a_size_equal_to_the_boundary_belongs_below() -> None:
    sizes, last = sizes_per_octave(1), [8192.0]
    lines = [(1e-6, 5e-10), (9e-6, 2e-10)]
    fitted = fit(curve_of_arrays(sizes, piecewise(sizes, last, lines)))
    limit = fitted.parameters["break_1_bytes"]
    assert limit.interval == Interval(8192.0, 16384.0)
    assert limit.value is not None
    assert 8192.0 < limit.value < 16384.0
    sizes_around = np.array([8192.0, limit.value, limit.value + 1.0, 16384.0])
    below, above = (alpha + beta * sizes_around for alpha, beta in lines)
    expected = [below[0], below[1], above[2], above[3]]
    np.testing.assert_allclose(fitted.predict(sizes_around), expected, rtol=1e-6)


@pytest.mark.long
def test_intervals_hold_the_truth_and_breakpoints_that_noise_hides_are_wide() -> None:
    sizes = sizes_per_octave(2)
    last, lines = [2048.0, 65536.0], [(1e-6, 5e-10), (2e-6, 2e-10), (8e-6, 1e-10)]
    held, breaks, widths = [], [], []
    for seed in range(15):
        times = noisy(piecewise(sizes, last, lines), 0.01, launches=10, seed=seed)
        fitted = fit(curve_of_arrays(sizes, times))
        if len(fitted.segments) != len(lines):
            continue
        for number, (alpha, beta) in enumerate(lines, start=1):
            for name, truth in ((f"alpha_{number}_s", alpha), (f"beta_{number}_s_per_B", beta)):
                limits = fitted.parameters[name]
                assert limits.interval is not None
                held.append(limits.interval.holds(truth))
        for number, boundary in enumerate(last, start=1):
            limits = fitted.parameters[f"break_{number}_bytes"]
            assert limits.interval is not None
            breaks.append(limits.interval.low <= boundary < limits.interval.high)
            widths.append(limits.interval.high / limits.interval.low)
    assert np.mean(held) > 0.8
    assert all(breaks)
    assert min(widths) >= 2.0**0.5 * 0.99


@pytest.mark.parametrize(
    ("above", "widest"), [((0.6e-6, 2.4e-10), False), ((0.9e-6, 2.3e-10), True)]
)
def test_a_breakpoint_that_launches_do_not_agree_on_is_wide(
    above: tuple[float, float], widest: bool
) -> None:
    """Lines that cross just beside the breakpoint hide in noise where one becomes the other."""
    sizes = sizes_per_octave(4)
    times = piecewise(sizes, [4096.0], [(1e-6, 2e-10), above])
    limit = fit(curve_of_arrays(sizes, noisy(times, 0.03, launches=8))).parameters["break_1_bytes"]
    assert limit.interval is not None
    assert limit.interval.low <= 4096.0 < limit.interval.high
    assert (limit.interval.high / limit.interval.low > 2.0) == widest


def test_one_launch_has_no_intervals_but_gaps_between_segments() -> None:
    sizes = sizes_per_octave(1)
    fitted = fit(curve_of_arrays(sizes, piecewise(sizes, [64.0], [(1e-6, 0.0), (9e-6, 2e-10)])))
    assert fitted.parameters["alpha_1_s"].interval is None
    assert fitted.parameters["break_1_bytes"].interval == Interval(64.0, 128.0)


def test_a_table_with_protocols_is_fitted_where_one_line_is_not() -> None:
    """Times as a benchmark prints them over InfiniBand, rounded to 10 ns."""
    sizes = np.append(0.0, sizes_per_octave(1))
    last = [128.0, 8192.0, 131072.0]
    lines = [(1.13e-6, 1.8e-9), (1.73e-6, 3.6e-10), (5.4e-6, 1.13e-10), (10.8e-6, 8.45e-11)]
    curve = curve_of_arrays(sizes, np.round(noisy(piecewise(sizes, last, lines), 0.01), 8))
    assert hockney.fit(curve).error_median > 0.15
    assert fit(curve).error_median < 0.03


def test_no_latency_is_negative_and_a_bound_is_said() -> None:
    """Plain least squares puts alpha below 0 here: times bend upwards."""
    sizes = sizes_per_octave(1)
    bent = curve_of_arrays(sizes, 1e-9 * sizes * (1.0 + sizes / 2.0**20))
    flat = curve_of_arrays(sizes, np.full(len(sizes), 2e-6))
    assert all(segment.alpha_s >= 0.0 for segment in fit(bent).segments)
    assert any("alpha is at its bound 0" in note for note in fit(bent, as_lines=True).notes)
    assert fit(flat).segments[0].beta_s_per_B == pytest.approx(0.0, abs=1e-20)


@pytest.mark.long
@given(
    st.lists(st.tuples(st.integers(0, 2**22), st.floats(1e-8, 1.0)), min_size=3, max_size=30),
    st.integers(1, 4),
)
@settings(max_examples=60, deadline=None)
def test_any_times_are_fitted_within_physical_bounds(
    points: list[tuple[int, float]], launches: int
) -> None:
    sizes, times = zip(*points, strict=True)
    assume(len(set(sizes)) >= 3)
    times_s = noisy(np.array(times), 0.1, launches=launches)
    fitted = fit(curve_of_arrays(sizes, times_s), resamples=20)
    assert np.isfinite(fitted.residuals).all()
    for value in fitted.parameters.values():
        assert value.value is not None
        if value.interval is not None:
            assert value.interval.holds(value.value)
    for segment in fitted.segments:
        assert segment.alpha_s >= 0.0
        assert segment.beta_s_per_B >= 0.0
        inside = {size for size in sizes if segment.from_bytes <= size <= segment.to_bytes}
        assert len(inside) >= 3 or segment.to_bytes == 0


@pytest.mark.parametrize("slowdown", [0.9, 1.1])
def test_0_bytes_off_the_line_are_a_segment_of_their_own(slowdown: float) -> None:
    """This segment holds the measured latency, which the line of the next sizes does not."""
    sizes = np.append(0.0, sizes_per_octave(1))
    last, lines = [1024.0], [(1e-6, 5e-10), (4e-6, 2e-10)]
    times = noisy(piecewise(sizes, last, lines), 0.01, launches=8)
    times[:, 0] *= slowdown
    times *= np.random.default_rng(1).uniform(0.8, 1.2, (8, 1))  # a launch is slow as a whole
    curve = curve_of_arrays(sizes, times)
    fitted = fit(curve)
    empty, line = fitted.segments[0], fitted.segments[1]
    assert [segment.to_bytes for segment in fitted.segments] == [0, 1024, sizes[-1]]
    assert empty.alpha_s == curve.median_s[0] == fitted.predict(np.array([0.0]))[0]
    assert empty.alpha_interval is not None
    assert empty.alpha_interval.low < empty.alpha_s < empty.alpha_interval.high
    assert empty.beta_s_per_B == 0.0
    assert fitted.derived["r_inf_1_Bps"].value is None
    assert fitted.predict(np.array([1.0]))[0] == line.alpha_s + line.beta_s_per_B
    words = "less" if slowdown < 1.0 else "more"
    assert any(f"% {words} than the line of the next sizes" in note for note in fitted.notes)
    assert not any("is at its bound" in note for note in fitted.notes)


@pytest.mark.parametrize(("launches", "off"), [(1, 0.9), (8, 1.0005)])
def test_0_bytes_on_the_line_are_no_segment(launches: int, off: float) -> None:
    """0 bytes are no segment where one launch cannot show it, or it is less than anyone
    measures."""
    sizes = np.append(0.0, sizes_per_octave(1))
    times = noisy(1e-6 + sizes / 1e10, 0.0 if off > 1.0 else 0.01, launches=launches)
    times[:, 0] *= off
    assert fit(curve_of_arrays(sizes, times)).segments[0].to_bytes > 0


@pytest.mark.long
def test_0_bytes_are_no_segment_by_chance() -> None:
    sizes = np.append(0.0, sizes_per_octave(1))
    fits = [
        fit(curve_of_arrays(sizes, noisy(1e-6 + sizes / 1e10, 0.03, launches=8, seed=seed)))
        for seed in range(40)
    ]
    assert sum(fitted.segments[0].to_bytes == 0 for fitted in fits) <= 5


def test_a_launch_without_a_size_does_not_matter() -> None:
    sizes = sizes_per_octave(1)
    times = np.tile(1e-6 + sizes / 1e10, (3, 1))
    times[1, 4] = np.nan
    fitted = fit(curve_of_arrays(sizes, times))
    assert fitted.segments[0].alpha_s == pytest.approx(1e-6)


EIGHT = np.arange(1.0, 9.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([8, 16], [1e-6, 1e-6]), "3 different sizes; there are 2"),
        (([8] * 9, [1e-6] * 9), "3 different sizes; there is 1"),
        (([], []), "3 different sizes; there are none"),
        ((EIGHT, EIGHT, [1, 2] * 4), "these times are of 1 to 2 pairs"),
        (([8, 16], [0.0, 1e-6]), "zero or below at 8 bytes"),
        (([8, 16], [1e-6, -1e-6]), "zero or below at 16 bytes"),
        (([8, 16], [1e-6, float("nan")]), "16 bytes, or none"),
        (([8, 16], [1e-6]), "shape"),
        (([-8, 16], [1e-6, 1e-6]), "at least 0"),
        (([8, 16], [1e-6, 1e-6], [0, 1]), "pairs: 0 is invalid"),
    ],
)
def test_data_that_are_no_times_or_carry_no_segments_are_named(
    arguments: tuple[list[float]], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        fit(curve_of_arrays(*arguments))


def test_points_may_come_in_any_order() -> None:
    curve: Curve = curve_of_arrays([16, 8, 32], [2e-6, 1e-6, 3e-6], [1, 2, 3])
    assert curve.bytes.tolist() == [8, 16, 32]
    assert curve.median_s.tolist() == [1e-6, 2e-6, 3e-6]
    assert curve.pairs is not None
    assert curve.pairs.tolist() == [2, 1, 3]
