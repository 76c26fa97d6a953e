"""Coverage, false steps, power and bias of fits, predictions and the gain of tuning, by simulation.

Launches differ by a factor of their own and each point by another one, both log-normal: NOISE has
their standard deviations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from claim import Claim
from claims_estimate import correlated
from numpy.typing import NDArray

from hockney.infer.estimate.estimating import estimate_point
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.fit import Curve, Fit, Parameter, curve_of_arrays
from hockney.infer.models import hockney, loggp, max_rate, multi_mode, segmented
from hockney.infer.models._multi_mode_time import simulated_T_b_s
from hockney.infer.predict.fitted_channel import channel_of
from hockney.infer.predict.patterns import Pattern, predict
from hockney.plan.axes import Point
from hockney.plan.trains import Train, delay_s
from hockney.run.measure.studies.trains import delay_for

Array = NDArray[np.float64]
LAUNCHES = 5
NOISE = ((0.01, 0.002), (0.0, 0.005), (0.01, 0.01))
"""Standard deviations of logarithms, used in turn: common to a launch, and a point's own."""
RESAMPLES = 60
CORRELATION = 0.6
OCTAVES = 2.0 ** np.arange(23)


def _noisy(chance: np.random.Generator, times: Array, run: int, launches: int = LAUNCHES) -> Array:
    common, own = NOISE[run % len(NOISE)]
    off = common * chance.standard_normal((launches, 1))
    return np.asarray(times * np.exp(off + own * chance.standard_normal((launches, len(times)))))


def _is_held(parameter: Parameter | None, true: float) -> bool:
    """Whether an interval with two ends contains the truth."""
    interval = parameter and parameter.interval
    return bool(interval and interval.is_bounded and interval.holds(true))


def _held(fits: Iterator[Fit], truth: dict[str, float]) -> tuple[int, int]:
    """Numbers of intervals that contain the truth, and of all intervals."""
    held = [
        _is_held(p, true)
        for fit in fits
        for name, true in truth.items()
        if (p := fit.parameters.get(name)) is not None
    ]
    return sum(held), len(held)


def hockneys_line(n: int, seed: int) -> tuple[int, int]:
    """Counts intervals of alpha and beta that contain the truth."""
    chance, times = np.random.default_rng(seed), 1e-6 + 1e-10 * OCTAVES
    curves = (curve_of_arrays(OCTAVES, _noisy(chance, times, run)) for run in range(n))
    fits = (hockney.fit(curve, resamples=RESAMPLES) for curve in curves)
    return _held(fits, {"alpha_s": 1e-6, "beta_s_per_B": 1e-10})


def hockneys_line_of_correlated(launches: int, n: int, seed: int) -> tuple[int, int]:
    """As hockneys_line, of launches whose successive ones correlate by CORRELATION."""
    chance, times = np.random.default_rng(seed), 1e-6 + 1e-10 * OCTAVES

    def curves() -> Iterator[Curve]:
        for logs in correlated(chance, n, launches, CORRELATION):
            own = chance.standard_normal((launches, len(times)))
            yield curve_of_arrays(OCTAVES, times * np.exp(0.02 * logs[:, None] + 0.003 * own))

    fits = (hockney.fit(curve, resamples=RESAMPLES) for curve in curves())
    return _held(fits, {"alpha_s": 1e-6, "beta_s_per_B": 1e-10})


LINES = ((2048.0, 1e-6, 5e-10), (65536.0, 2e-6, 2e-10), (math.inf, 8e-6, 1e-10))
"""The last size, alpha and beta of each protocol."""


def _three_lines(sizes: Array) -> Array:
    of = np.searchsorted([last for last, _, _ in LINES[:-1]], sizes, side="left")
    _, alpha, beta = np.array(LINES).T
    return np.asarray(alpha[of] + beta[of] * sizes)


def _segmented(n: int, seed: int, resamples: int) -> Iterator[Fit]:
    sizes = np.unique(np.round(2.0 ** np.arange(0.0, 22.1, 0.5)))
    chance, times = np.random.default_rng(seed), _three_lines(sizes)
    for run in range(n):
        yield segmented.fit(curve_of_arrays(sizes, _noisy(chance, times, run)), resamples)


def segments(n: int, seed: int) -> tuple[int, int]:
    """Counts intervals of alpha, beta and the breaks of three protocols, where three were found."""
    truth = {f"break_{i}_bytes": last + 0.5 for i, (last, _, _) in enumerate(LINES[:-1], 1)}
    for i, (_, alpha, beta) in enumerate(LINES, start=1):
        truth |= {f"alpha_{i}_s": alpha, f"beta_{i}_s_per_B": beta}
    fits = (fit for fit in _segmented(n, seed, RESAMPLES) if len(fit.segments) == len(LINES))
    return _held(fits, truth)


def true_breaks(n: int, seed: int) -> tuple[int, int]:
    """Counts fits that find three protocols as three, with breaks where they are."""
    ends = [last for last, _, _ in LINES[:-1]]
    fits = _segmented(n, seed, 0)
    return sum([segment.to_bytes for segment in fit.segments[:-1]] == ends for fit in fits), n


SMOOTH: tuple[Callable[[Array], Array], ...] = (
    lambda b: 1e-6 + 1e-10 * b + 2e-9 * np.sqrt(b),
    lambda b: 1e-6 + 3e-10 * b**0.9,
    lambda b: 1e-6 + 1e-10 * b + 1e-7 * np.log2(1.0 + b),
    lambda b: np.hypot(1e-6, 1e-10 * b),
    lambda b: 1e-6 + b * (1e-10 + 1e-10 / (1.0 + 65536.0 / np.maximum(b, 1.0))),
)
"""Curves without any step."""


def false_steps(n: int, seed: int) -> tuple[int, int]:
    """Counts smooth curves, taken in turn, in which a break is reported."""
    chance, broken = np.random.default_rng(seed), 0
    for run in range(n):
        times = _noisy(chance, SMOOTH[run % len(SMOOTH)](OCTAVES), run // len(SMOOTH))
        broken += len(segmented.fit(curve_of_arrays(OCTAVES, times), 0).segments) > 1
    return broken, n


NETWORK = {"alpha_1_s": 2e-6, "R_C_1_Bps": 5e9, "R_N_1_Bps": 1.25e10}


def max_rates(n: int, seed: int) -> tuple[int, int]:
    """Counts intervals of alpha, R_C and R_N that contain the truth."""
    sizes, pairs = np.meshgrid(2.0 ** np.arange(10, 23, 2), 2.0 ** np.arange(4), indexing="ij")
    sizes, pairs = sizes.ravel(), pairs.ravel()
    alpha, pair, node = NETWORK.values()
    times, chance = (
        alpha + pairs * sizes / np.minimum(node, pairs * pair),
        np.random.default_rng(seed),
    )
    curves = (curve_of_arrays(sizes, _noisy(chance, times, run), pairs) for run in range(n))
    return _held((max_rate.fit(curve, resamples=RESAMPLES) for curve in curves), NETWORK)


COSTS = {"L_s": 8e-7, "o_send_s": 1.5e-7, "o_receive_s": 2.5e-7, "g_s": 6e-7, "G_s_per_B": 1e-10}


def _train_s(train: Train, size: float) -> float:
    L, send, receive, g, G = COSTS.values()
    after, before = delay_s(train.send_delay, size), delay_s(train.receive_delay, size)
    if not train.messages:
        return after
    rest = (train.messages - 1) * max(send + after, receive + before, g + G * (size - 1.0))
    waits = send + receive + max(after, before)
    return (waits if after or before else 2.0 * (send + L + (size - 1.0) * G + receive)) + rest


def loggps(n: int, seed: int) -> tuple[int, int]:
    """Counts intervals of L, o_s, o_r, g and G that contain the truth."""
    sizes = np.array([1.0, 8.0, 64.0, 512.0, 4096.0, 16384.0])
    L, send, receive, _, G = COSTS.values()
    trains = loggp.trains_with(16, delay_for(sizes, 2.0 * (L + send + receive + (sizes - 1.0) * G)))
    both = [(float(size), train) for size in sizes for train in trains]
    times, chance = np.array([_train_s(t, s) for s, t in both]), np.random.default_rng(seed)
    bytes_ = np.array([size for size, _ in both])
    curves = (
        Curve(bytes_, _noisy(chance, times, run), trains=tuple(train for _, train in both))
        for run in range(n)
    )
    return _held((loggp.fit(curve, resamples=RESAMPLES) for curve in curves), COSTS)


CHUNK, RATE_BPS, LATENCY_S = 2.0**19, 9.5e8, 4e-6


def chunks(n: int, seed: int) -> tuple[int, int]:
    """Counts intervals that contain the only chunk of 1 to 4 pairs, timed by the event simulation
    in 8 launches; a second chunk counts as a miss."""
    sizes = np.repeat(2.0 ** np.arange(16, 25), 4)
    pairs = np.tile([1.0, 2.0, 3.0, 4.0], len(sizes) // 4)
    counts = np.clip(10.0 * 2**20 // sizes, 2.0, 20.0)
    each = zip(sizes, counts, pairs, strict=True)
    whole = [simulated_T_b_s(b, int(c), int(p), RATE_BPS, LATENCY_S, CHUNK) for b, c, p in each]
    times, chance, held = np.array(whole) / (2.0 * counts), np.random.default_rng(seed), 0
    for _ in range(n):
        curve = curve_of_arrays(sizes, _noisy(chance, times, 2, 8), pairs, counts)
        parameters = multi_mode.fit(curve, resamples=40).parameters
        held += _is_held(parameters.get("C_1_bytes"), CHUNK) and "C_2_bytes" not in parameters
    return held, n


def _points(chance: np.random.Generator, times: Array, run: int) -> list[PointEstimate]:
    drawn = _noisy(chance, times, run)
    return [
        estimate_point(
            Point(operation="pingpong", bytes=int(size), ranks=2, peers=(0, 1), mode="standard"),
            0,
            {launch: drawn[launch, i : i + 1] for launch in range(len(drawn))},
        )
        for i, size in enumerate(OCTAVES)
    ]


def predictions(few: bool, n: int, seed: int) -> tuple[int, int]:
    """Counts intervals of predictions between the measured sizes that contain the truth; few: from
    8 resamples."""
    from dataclasses import replace

    chance, held = np.random.default_rng(seed), []
    times = 1e-6 + 1e-10 * OCTAVES
    for run in range(n):
        channel = channel_of(_points(chance, times, run), "segmented")
        if few:
            channel = replace(channel, resampled=channel.resampled[:8])
        for size in (6, 700, 24000, 3000000):
            seconds = predict(channel, Pattern("message", size)).seconds
            held.append(_is_held(seconds, 1e-6 + 1e-10 * size))
    return sum(held), len(held)


METHOD = "docs/method.md"
CLAIMS: list[Claim] = [
    Claim(
        "hockney-interval",
        f"{METHOD} Hockney's line",
        "five launches: alpha and beta within their 95 % intervals in 93 % or more",
        None,
        0.93,
        hockneys_line,
        600,
    ),
    *(
        Claim(
            f"hockney-interval-of-{launches}-launches-lag-1-{CORRELATION}",
            f"{METHOD} Hockney's line",
            f"{launches} launches that correlate: alpha and beta within their 95 % intervals in "
            f"{100.0 * least:g} % or more",
            None,
            least,
            partial(hockneys_line_of_correlated, launches),
            600,
        )
        for launches, least in ((8, 0.80), (18, 0.85), (40, 0.90))
    ),
    Claim(
        "segmented-interval",
        f"{METHOD} Protocol regimes",
        "five launches: alpha, beta and breaks within their 95 % intervals in 93 % or more",
        None,
        0.93,
        segments,
        90,
    ),
    Claim(
        "segmented-breaks",
        f"{METHOD} Protocol regimes",
        "two protocol switches are found where they are in 90 % or more",
        None,
        0.90,
        true_breaks,
        90,
    ),
    Claim(
        "segmented-false-steps",
        f"{METHOD} Protocol regimes",
        "a break is reported in at most 5 % of smooth curves",
        0.05,
        None,
        false_steps,
        150,
    ),
    Claim(
        "loggp-interval",
        f"{METHOD} Overheads",
        "five launches: L, o_s, o_r, g and G within their 95 % intervals in 93 % or more",
        None,
        0.93,
        loggps,
        150,
    ),
    Claim(
        "max-rate-interval",
        f"{METHOD} Pairs at once",
        "five launches: alpha, R_C and R_N within their 95 % intervals in 93 % or more",
        None,
        0.93,
        max_rates,
        300,
    ),
    Claim(
        "multi-mode-chunk",
        f"{METHOD} Pairs at once",
        "eight launches: the chunk of simulated pairs within its 95 % interval in 90 % or more",
        None,
        0.90,
        chunks,
        20,
    ),
    Claim(
        "predict-interval",
        "docs/models.md Predictions",
        "five launches: a message between measured sizes within its 95 % interval in 93 % or more",
        None,
        0.93,
        partial(predictions, False),
        60,
    ),
    Claim(
        "predict-few-resamples",
        "docs/models.md Predictions",
        "eight resamples, as of large collectives: within the 95 % interval in 93 % or more",
        None,
        0.93,
        partial(predictions, True),
        60,
    ),
]
