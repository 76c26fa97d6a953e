"""Times of the multi-mode ping-pong by Hager & Wellein, corrected and generalised.

G. Hager, G. Wellein: A performance model for the IMB multi-mode PingPong benchmark, 2007. p
processes of one node exchange messages of x bytes with p of another, n times, all in the same
direction at first. T_p = x / B_r is the transfer of one message, T_l the latency. Messages that
share a direction are interleaved in chunks of C bytes, so that when the first of them is in, and
its answer may start, what is left of the others is in their last chunks only.

x, n, p: arrays of one shape; times in seconds, sizes in bytes, bandwidths in bytes a second.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hockney.infer.arrays import Array


def chunks(x: Array, C_bytes: float) -> Array:
    """beta(x), equation (2): the number of chunks of a message."""
    return np.maximum(1.0, x / C_bytes)


def general_s(
    x: Array,
    n: Array,
    p: Array,
    B_r_Bps: float,
    T_l_s: float,
    C_bytes: Sequence[float] = (),
    widths: Sequence[float] = (),
    kappa: float = 1.0,
) -> Array:
    """T_b of p processes a node that are interleaved on several levels.

    C_bytes, widths: the chunk of each level, ascending, and the most processes that it interleaves
    (all for the last one). kappa = 2 B_r / B_bi, 1 to 2: how much slower each direction is while
    both are in use (B_bi is what the two can move together).

    In lock-step, all answers of a phase start as their messages come in. first is the time until
    the first one does, in which the other processes of a level have moved all but their last chunk;
    what is left then, p T_p - first, meets the answers and costs (kappa - 1) of itself more. No
    phase can be shorter than both directions take at B_bi, but for the ends, where only one is in
    use. With two processes and one chunk it is exact for all kappa.
    With three processes and more the first ones run ahead with every phase, lock-step is lost, and
    more overlaps than in this formula: it is an upper bound of T_b, as 2 B_r is of the bandwidth.
    """
    T_p = x / B_r_Bps
    ahead, narrower = np.ones_like(x), np.ones_like(x)
    for C, width in zip(C_bytes, widths, strict=True):
        wider = np.minimum(width, p)
        ahead = ahead + (wider - narrower) * (1.0 - 1.0 / chunks(x, C))
        narrower = wider
    first = T_l_s + T_p * ahead
    met = np.maximum(0.0, p * T_p - first)
    lock_step = (2.0 * n - 1.0) * (first + (kappa - 1.0) * met) + T_l_s + p * T_p
    both_full = kappa * n * p * T_p + (2.0 - kappa) * T_p * ahead + 2.0 * T_l_s
    return np.asarray(np.maximum(lock_step, both_full))
