"""Notes on LogGP's numbers: at bounds, not separable, not on a line."""

from __future__ import annotations

import numpy as np

from hockney.base.units import format_size, listed
from hockney.infer.arrays import Array
from hockney.infer.models._loggp_numbers import (
    SHOWS,
    FittedNumbers,
    MessageParts,
    are_hidden,
    at,
    shows,
)
from hockney.plan.trains import Delay

BENDS = 0.2
"""Fraction of the gap by which its line may miss it at a size."""
POOR = 0.10
CLEAR = 3.0
"""Standard errors by which the overheads of sizes are off their line where it is none: those of
noise alone are off by 0.7 in the median."""
MOST_SIZES = 3
"""Sizes that a note names."""
SEPARABLE = 0.05
"""Least fraction of the time left without both overheads from which L and o_r can be separated."""


def notes_of(
    best: FittedNumbers,
    grows: tuple[bool, ...],
    medians: MessageParts,
    draws: MessageParts,
    delays: dict[Delay, tuple[Array, Array]],
) -> list[str]:
    """draws: medians of bootstrap resamples; none of few launches, whose noise is not known."""
    return [
        *_of_terms(best, medians),
        *_no_lines(best, grows, medians, draws),
        *_hidden(draws),
        *_short_delays(delays, medians),
    ]


def bends(best: FittedNumbers, medians: MessageParts) -> bool:
    """Whether the gap is far from its line at a size, as where protocols differ."""
    gap, line = medians.gap[0], at(best.gap, np.maximum(medians.bytes - 1.0, 0.0))
    of_sizes = np.maximum(medians.send[0], medians.receive[0])
    own = shows(gap, of_sizes, of_sizes)
    return bool((np.abs(gap - line)[own] > BENDS * gap[own]).any())


def _short_delays(delays: dict[Delay, tuple[Array, Array]], medians: MessageParts) -> list[str]:
    """Notes on delays that are shorter than the gap and so do not decide the pace of a train."""
    shortest = np.min([np.interp(medians.bytes, *delay) for delay in delays.values()], axis=0)
    if (medians.gap[0] <= shortest).all():
        return []
    return [
        "delays are shorter than the gap at some sizes: o_send and o_receive include part of it"
    ]


def _of_terms(best: FittedNumbers, medians: MessageParts) -> list[str]:
    notes = []
    bounds = {"L": best.L, "o_send": best.send[0], "o_receive": best.receive[0]}
    for name, value in bounds.items():
        if value == 0.0:
            notes.append(f"{name} is at its bound 0: these times do not show it")
    rest = 1.0 - (medians.send[0] + medians.receive[0]) / medians.one_way[0]
    if float(np.median(rest)) < SEPARABLE:
        notes.append(
            "L and o_receive cannot be separated: a receive takes as long as the whole message, "
            "as it does where the transfer begins when the receive is posted; only their sum is "
            "known"
        )
    send, receive = at(best.send, medians.bytes), at(best.receive, medians.bytes)
    own = np.minimum(np.maximum(send, receive), np.maximum(medians.send[0], medians.receive[0]))
    if (SHOWS * medians.gap[0] < own).sum() >= 2:
        notes.append(
            "at some sizes messages in a row follow each other sooner than o_send or o_receive, "
            "which are of messages after a pause, would let them: g is of these sizes, too"
        )
    if best.G == 0.0:
        notes.append("G does not show: over these sizes it changes the time by less than rounding")
    if np.isnan(best.gap[0]):
        notes.append("g does not show: the overheads limit how fast messages follow each other")
    elif bends(best, medians):
        notes.append("the gap is not a line over the size: use sizes of one protocol (--sizes)")
    elif best.gap[0] == 0.0:
        notes.append("g is at its bound 0: the gap is (b - 1) G or o")
    return notes


def _no_lines(
    best: FittedNumbers, grows: tuple[bool, ...], medians: MessageParts, draws: MessageParts
) -> list[str]:
    """Notes on overheads that no line describes, and on those that noise hides at single sizes."""
    notes = []
    for name, of_sizes, drawn, line, does in (
        ("o_send", medians.send[0], draws.send, best.send, grows[0]),
        ("o_receive", medians.receive[0], draws.receive, best.receive, grows[1]),
    ):
        off = np.abs(of_sizes - at(line, medians.bytes))
        if float(np.median(off / np.maximum(np.abs(of_sizes), 1e-12))) <= POOR:
            continue
        kind = "not a line" if does else "not constant"
        if not len(drawn):
            notes.append(
                f"{name} is {kind} over the size: use sizes of one protocol (--sizes), or, if it "
                "is noise, more launches"
            )
        elif float(np.median(off / np.maximum(np.nanstd(drawn, axis=0), 1e-15))) > CLEAR:
            notes.append(f"{name} is {kind} over the size: use sizes of one protocol (--sizes)")
        else:
            notes.append(
                f"{name} of single sizes is lost in the noise of their trains: more launches or a "
                "quieter machine show it"
            )
    return notes


def _hidden(draws: MessageParts) -> list[str]:
    """Notes on overheads of single sizes that have no interval although there are launches
    enough."""
    if not len(draws.send):
        return []
    notes = []
    for name, drawn in (("o_send", draws.send), ("o_receive", draws.receive)):
        sizes = [format_size(int(size)) for size in draws.bytes[are_hidden(drawn)]]
        if sizes:
            notes.append(
                f"{name} at {listed(sizes, MOST_SIZES, 'size')} is above 0 in no resample of the "
                "launches: these trains do not show it, and it has no interval"
            )
    return notes
