"""LogGP: what a message costs the sender (o_s), the wire (L, G a byte), the receiver (o_r), and how
soon the next one may follow (g) (Alexandrov, Ionescu, Schauser & Scheiman 1995, SPAA).

T(b) = o_s + L + (b - 1) G + o_r; a train's messages follow each other every
max(o_s, o_r, g + (b - 1) G). From whole trains with their answer, PRTT(n, d_s, d_r, b) for n
messages with delay d_s after each send and d_r before each receive (after Hoefler, Lichei & Rehm
2007, IPDPS, who ask the same for the sender):

    o_s(b) = [PRTT(n, d, 0, b) - PRTT(1, d, 0, b)] / (n - 1) - d
    o_r(b) = [PRTT(n, 0, d, b) - PRTT(1, 0, d, b)] / (n - 1) - d
    gap(b) = [PRTT(n, 0, 0, b) - PRTT(1, 0, 0, b)] / (n - 1)
    L      = PRTT(1, 0, 0, b) / 2 - o_s(b) - o_r(b) - (b - 1) G

d is no shorter than PRTT(1, 0, 0, b), so that the rank that waits decides, and is itself measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.estimate.quantiles import carries_interval
from hockney.infer.fitting.fit import (
    RESAMPLES,
    Curve,
    Fit,
    Parameter,
    drawn,
    new_fit,
    parameter,
    require,
)
from hockney.infer.fitting.line import no_asymptote, weighted_line
from hockney.infer.models._loggp_notes import bends, notes_of
from hockney.infer.models._loggp_numbers import (
    FittedNumbers,
    MessageParts,
    are_hidden,
    at,
    shows,
)
from hockney.plan.trains import Delay, Train, delay_s

DATA = "times of trains of messages with and without delays, of at least two different sizes"
ADVICE = "measure them: hockney overheads"

LEAST_RELATIVE = 1e-4
"""Least relative difference from a line that is not clock noise."""
LEAST_FRACTION = 0.25
"""Least fraction of the median below which overheads get no more weight."""
_ROUNDS = 3
"""Rounds of weighting a line by itself."""


@dataclass(frozen=True)
class SizeOverheads:
    """Overheads of one size, before any line is fitted: seconds with intervals."""

    bytes: int
    one_way_s: Parameter
    o_send_s: Parameter
    o_receive_s: Parameter
    gap_s: Parameter


def lacks(curve: Curve) -> str | None:
    """Why the model cannot be fitted to the curve; None if it can."""
    if curve.trains is None:
        return "these times are of single messages"
    sizes = len(_parts(curve).bytes)
    return None if sizes >= 2 else f"there {'is' if sizes == 1 else 'are'} {sizes or 'none'}"


def fit(curve: Curve, resamples: int = RESAMPLES) -> Fit:
    """L, o_s, o_r, g and G with intervals from a bootstrap over launches; o_s and o_r as lines of
    the size where they grow with it. Residuals are those of every train's time."""
    require("loggp", DATA, lacks(curve), ADVICE)
    parts = _parts(curve)
    medians = parts.medians([np.arange(parts.launches)])
    grows = tuple(_grows(parts.bytes, part[0]) for part in (medians.send, medians.receive))
    best = _solved(medians, 0, grows)
    rows = resamples if carries_interval(parts.launches) else 0
    draws = parts.medians(list(drawn(parts.launches, curve.worth, rows)))
    sampled = [_solved(draws, row, grows) for row in range(rows)]
    delays = _measured_delays(curve)
    of_gap = 0 if bends(best, medians) else parts.launches
    why = _no_asymptote(best, parts.bytes)

    def rate(numbers: FittedNumbers) -> float:
        return 1.0 / numbers.G if numbers.G > 0.0 and why is None else np.nan

    return new_fit(
        "loggp",
        curve,
        _predict(best, delays),
        parameters=_parameters(best, sampled, grows, parts.launches, of_gap),
        derived={"r_inf_Bps": _known(rate(best), map(rate, sampled), of_gap)},
        free=5 + sum(grows),
        notes=[
            *notes_of(best, grows, medians, draws, delays),
            *([f"r_inf is not known: {why}"] if why else []),
        ],
    )


def overheads(curve: Curve) -> list[SizeOverheads]:
    """Overheads of each size, with bootstrap intervals over launches."""
    require("loggp", DATA, lacks(curve), ADVICE)
    parts = _parts(curve)
    medians = parts.medians([np.arange(parts.launches)])
    rows = RESAMPLES if carries_interval(parts.launches) else 0
    draws = parts.medians(list(drawn(parts.launches, curve.worth, rows)))

    def of(median: Array, sample: Array, i: int) -> Parameter:
        return parameter(float(median[0, i]), sample[~np.isnan(sample[:, i]), i], parts.launches)

    def overhead(median: Array, sample: Array, i: int) -> Parameter:
        # A difference of noisy times, but it takes no less than no time.
        clamped = np.maximum(sample[:0] if are_hidden(sample)[i] else sample, 0.0)
        return of(np.maximum(median, 0.0), clamped, i)

    return [
        SizeOverheads(
            int(size),
            of(medians.one_way, draws.one_way, i),
            overhead(medians.send, draws.send, i),
            overhead(medians.receive, draws.receive, i),
            of(medians.gap, draws.gap, i),
        )
        for i, size in enumerate(parts.bytes)
    ]


# What was measured


def _sizes(curve: Curve) -> dict[float, dict[Train, Array]]:
    """The times of all trains, each of shape (launches,), for each size that has them all."""
    assert curve.trains is not None
    by_size: dict[float, dict[Train, Array]] = {}
    for column, (size, train) in enumerate(zip(curve.bytes, curve.trains, strict=True)):
        by_size.setdefault(float(size), {})[train] = curve.seconds[:, column]
    return {size: trains for size, trains in by_size.items() if _roles(trains) is not None}


def trains_with(n: int, delay: Delay) -> tuple[Train, ...]:
    """All trains that the equations need: the delay alone, then 1 and n messages without a delay,
    with a send delay, and with a receive delay."""
    delays = ((), delay, (0.0, 0.0, *delay))
    return Train(0, *delay), *(Train(messages, *waits) for waits in delays for messages in (1, n))


def _roles(trains: dict[Train, Array]) -> tuple[int, Delay] | None:
    """The number of messages of the long trains, and the delay."""
    for train in trains:
        n, delay = train.messages, train.send_delay
        if n > 1 and any(delay) and all(needed in trains for needed in trains_with(n, delay)):
            return n, delay
    return None


def _parts(curve: Curve) -> MessageParts:
    columns = []
    sizes = _sizes(curve)
    for trains in sizes.values():
        roles = _roles(trains)
        assert roles is not None
        wait, single, many, one_sent, many_sent, one_received, many_received = (
            trains[train] for train in trains_with(*roles)
        )
        more = roles[0] - 1
        send, receive = (many_sent - one_sent) / more, (many_received - one_received) / more
        columns.append((single / 2.0, send - wait, receive - wait, (many - single) / more))
    times = np.array(columns).reshape(len(columns), 4, curve.launches).transpose(1, 2, 0)
    whole = ~np.isnan(times).any(axis=0)
    times = np.where(whole, times, np.nan)[:, whole.any(axis=1)][:, :, whole.any(axis=0)]
    return MessageParts(np.array(list(sizes))[whole.any(axis=0)], *times)


def _measured_delays(curve: Curve) -> dict[Delay, tuple[Array, Array]]:
    """The measured length of each delay, over sizes."""
    assert curve.trains is not None
    median = curve.median_s
    delays: dict[Delay, tuple[Array, Array]] = {}
    for delay in {train.send_delay for train in curve.trains if train.messages == 0}:
        of_it = np.array([train == Train(0, *delay) for train in curve.trains])
        delays[delay] = curve.bytes[of_it], median[of_it]
    return delays


# The fit


def _solved(medians: MessageParts, row: int, grows: tuple[bool, ...]) -> FittedNumbers:
    """The fitted numbers for one row of medians."""
    known = ~np.isnan(medians.one_way[row] + medians.send[row] + medians.gap[row])
    known &= ~np.isnan(medians.receive[row])
    bytes_, one_way = medians.bytes[known], medians.one_way[row, known]
    send = _line(bytes_, medians.send[row, known], grows[0])
    receive = _line(bytes_, medians.receive[row, known], grows[1])
    gap = medians.gap[row, known]
    lines = np.maximum(at(send, bytes_), at(receive, bytes_))
    own = shows(gap, lines, np.maximum(medians.send[row, known], medians.receive[row, known]))
    rest = np.maximum(one_way - at(send, bytes_) - at(receive, bytes_), 0.0)
    wire = np.maximum(bytes_ - 1.0, 0.0)
    g, G = np.nan, _line(wire, rest, True, one_way)[1]
    if len(np.unique(bytes_[own])) >= 2:
        g, G = _line(wire[own], gap[own], True)
    if (G * wire < LEAST_RELATIVE * one_way).all():
        G = 0.0
    latency = _line(wire, rest - G * wire, False, one_way)[0]
    return FittedNumbers(latency, send, receive, (g, G), G)


def _line(
    bytes_: Array, seconds: Array, grows: bool, scale: Array | None = None
) -> tuple[float, float]:
    """Value at 0 bytes and slope, not below 0, by least squares relative to the scale; None for the
    line itself: relative to the times, those that noise made short would count more, and the line
    would lie too low."""
    if scale is not None:
        return _weighted(bytes_, seconds, grows, scale)
    least = LEAST_FRACTION * max(float(np.median(seconds)), 1e-12)
    scale = np.maximum(seconds, least)
    for _ in range(_ROUNDS):
        line = _weighted(bytes_, seconds, grows, scale)
        scale = np.maximum(at(line, bytes_), least)
    return line


def _weighted(bytes_: Array, seconds: Array, grows: bool, scale: Array) -> tuple[float, float]:
    weight = scale**-2.0
    if not grows:
        return max(float((weight * seconds).sum() / weight.sum()), 0.0), 0.0
    at_zero, slope = weighted_line(bytes_, seconds[None, :], weight[None, :])
    return max(float(at_zero[0]), 0.0), max(float(slope[0]), 0.0)


def _grows(bytes_: Array, seconds: Array) -> bool:
    """True if a line fits better than a constant by Schwarz's criterion."""
    scale = np.maximum(seconds, LEAST_FRACTION * max(float(np.median(seconds)), 1e-12))
    criteria = []
    for grows, free in ((False, 1), (True, 2)):
        off = (seconds - at(_line(bytes_, seconds, grows), bytes_)) / scale
        mean = max(float((off**2).mean()), LEAST_RELATIVE**2)
        criteria.append(len(bytes_) * np.log(mean) + free * np.log(len(bytes_)))
    return bool(criteria[1] < criteria[0])


def _predict(
    numbers: FittedNumbers, delays: dict[Delay, tuple[Array, Array]]
) -> Callable[..., Array]:
    def really(delay: Delay, size: float) -> float:
        return float(np.interp(size, *delays[delay])) if delay in delays else delay_s(delay, size)

    def train_s(size: float, train: Train) -> float:
        """PRTT of the train."""
        after, before = really(train.send_delay, size), really(train.receive_delay, size)
        if train.messages == 0:
            return after
        send, receive, wire, gap = _terms(numbers, size)
        answer = max(2.0 * (send + wire + receive), send + receive + max(after, before))
        period = max(send + after, receive + before, gap)
        return answer + (train.messages - 1) * period

    def predict(bytes_: Array, trains: tuple[Train, ...] | None = None) -> Array:
        if trains is None:
            return np.array([sum(_terms(numbers, float(size))[:3]) for size in bytes_])
        return np.array([train_s(float(b), train) for b, train in zip(bytes_, trains, strict=True)])

    return predict


def _terms(numbers: FittedNumbers, size: float) -> tuple[float, float, float, float]:
    """o_s, o_r, L + (b - 1) G and the gap of that size, seconds."""
    before_last = max(size - 1.0, 0.0)
    g, G = (0.0, numbers.G) if np.isnan(numbers.gap[0]) else numbers.gap
    send = numbers.send[0] + numbers.send[1] * size
    receive = numbers.receive[0] + numbers.receive[1] * size
    return send, receive, numbers.L + numbers.G * before_last, g + G * before_last


# Results


def _parameters(
    best: FittedNumbers,
    sampled: list[FittedNumbers],
    grows: tuple[bool, ...],
    launches: int,
    of_gap: int,
) -> dict[str, Parameter]:
    """of_gap: the launches for g and G; 0 where the gap is no line, which has no interval."""
    reads: dict[str, Callable[[FittedNumbers], float]] = {
        "L_s": lambda numbers: numbers.L,
        "o_send_s": lambda numbers: numbers.send[0],
        **({"o_send_s_per_B": lambda numbers: numbers.send[1]} if grows[0] else {}),
        "o_receive_s": lambda numbers: numbers.receive[0],
        **({"o_receive_s_per_B": lambda numbers: numbers.receive[1]} if grows[1] else {}),
        "g_s": lambda numbers: numbers.gap[0],
        "G_s_per_B": lambda numbers: numbers.G or np.nan,
    }
    return {
        name: _known(read(best), map(read, sampled), of_gap if name[0] in "gG" else launches)
        for name, read in reads.items()
    }


def _no_asymptote(best: FittedNumbers, bytes_: Array) -> str | None:
    """Why these sizes do not show 1/G as the bandwidth of large messages; None where they do, or
    where G is unknown itself. A size shows it where its bytes take as long as what it takes in any
    case: g in a train, L and the overheads of a message alone."""
    alone = best.L + best.send[0] + best.receive[0]
    start = alone if np.isnan(best.gap[0]) else best.gap[0]
    return no_asymptote(bytes_, start, best.G) if best.G > 0.0 else None


def _known(value: float, sample: map[float], launches: int) -> Parameter:
    values = np.array([sampled for sampled in sample if not np.isnan(sampled)])
    return parameter(None if np.isnan(value) else value, values, launches)
