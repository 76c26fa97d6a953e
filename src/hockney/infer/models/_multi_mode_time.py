"""Times of the multi-mode ping-pong by Hager & Wellein, corrected and generalised, and simulated.

G. Hager, G. Wellein: A performance model for the IMB multi-mode PingPong benchmark, 2007. p
processes of one node exchange messages of x bytes with p of another, n times, all in the same
direction at first. T_p = x / B_r is the transfer of one message, T_l the latency. Messages that
share a direction are interleaved in chunks of C bytes, so that when the first of them is in, and
its answer may start, what is left of the others is in their last chunks only. That takes all pairs
to stay in lock-step. From three pairs on the first ones run ahead with every phase, and their times
are those of a discrete-event simulation.

x, n, p: arrays of one shape; times in seconds, sizes in bytes, bandwidths in bytes a second.
"""

from __future__ import annotations

import heapq
from collections import deque
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


def simulated_T_b_s(
    x: float, n: int, p: int, B_r_Bps: float, T_l_s: float, C_bytes: float, kappa: float = 1.0
) -> float:
    """Time until all of p pairs have done n ping-pongs of x bytes each.

    Each direction serves the messages in it in turn, C_bytes of each; a direction moves B_r_Bps,
    and 1/kappa of it while both are in use. A message has arrived T_l_s after its last chunk left,
    and its answer sets out at once. A message that sets out precedes one that has just been served
    a chunk: the other way round even two pairs lose lock-step.
    """
    queues: tuple[deque[list[float]], ...] = (deque(), deque())
    left = [0.0, 0.0]  # seconds at B_r of the chunk that is served
    setting_out = [(0.0, number, 0, pair) for number, pair in enumerate(range(p))]
    delivered, serial, now, end = [0] * p, p, 0.0, 0.0

    def chunk_s(message: list[float]) -> float:
        return min(C_bytes, message[1]) / B_r_Bps

    while setting_out or queues[0] or queues[1]:
        busy = [direction for direction in (0, 1) if queues[direction]]
        slower = kappa if len(busy) == 2 else 1.0
        events = [now + left[direction] * slower for direction in busy]
        events += [setting_out[0][0]] if setting_out else []
        later = min(events)
        for direction in busy:
            left[direction] -= (later - now) / slower
        now = later
        while setting_out and setting_out[0][0] <= now * (1.0 + 1e-12):
            _, _, direction, pair = heapq.heappop(setting_out)
            queues[direction].append([float(pair), x])
            if len(queues[direction]) == 1:
                left[direction] = chunk_s(queues[direction][0])
        for direction in busy:
            if left[direction] > 1e-12:
                continue
            message = queues[direction].popleft()
            message[1] -= min(C_bytes, message[1])
            if message[1] > 0.0:
                queues[direction].append(message)
            else:
                pair = int(message[0])
                delivered[pair] += 1
                end = max(end, now + T_l_s)
                if delivered[pair] < 2 * n:
                    heapq.heappush(setting_out, (now + T_l_s, serial, 1 - direction, pair))
                    serial += 1
            if queues[direction]:
                left[direction] = chunk_s(queues[direction][0])
    return end
