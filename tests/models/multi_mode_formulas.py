"""The multi-mode ping-pong of two processes, as Hager & Wellein printed it, and corrected."""

from __future__ import annotations

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.models._multi_mode_time import chunks

MESSAGES_PER_SAMPLE = 1000.0
OVERALL_VOLUME_B = 40.0 * 2**20
"""The defaults of the Intel MPI Benchmarks, IMB_settings.h."""


def imb_repetitions(
    x: Array, most: float = MESSAGES_PER_SAMPLE, volume_B: float = OVERALL_VOLUME_B
) -> Array:
    """n(x), equation (3)."""
    return np.minimum(most, np.maximum(1.0, volume_B // np.maximum(x, 1.0)))


def printed_s(x: Array, n: Array, B_r_Bps: float, T_l_s: float, C_bytes: float) -> Array:
    """T_b of two processes a node, equation (5), which is (4) sorted.

    It counts the latency twice: (4) takes phases of 2 T_p + T_l, of which successive ones overlap
    by T_p / beta, and shortens the overlap by T_l as well. What it calls T_1 comes out as half the
    one-way latency.
    """
    T_p = x / B_r_Bps
    return np.asarray(
        T_p * (4.0 * n - (2.0 * n - 1.0) / chunks(x, C_bytes)) + T_l_s * (4.0 * n - 1.0)
    )


def corrected_s(x: Array, n: Array, B_r_Bps: float, T_l_s: float, C_bytes: float) -> Array:
    """T_b of two processes a node, with the latency counted once: an answer may start as soon as
    its message is in, and the other direction is free, so that below C the two pairs together move
    exactly twice what one does."""
    T_p = x / B_r_Bps
    return np.asarray(T_p * (4.0 * n - (2.0 * n - 1.0) / chunks(x, C_bytes)) + 2.0 * n * T_l_s)


def bandwidth_Bps(x: Array, n: Array, p: Array, T_b_s: Array) -> Array:
    """Bandwidth of all processes of a node together, both ways, equation (6) for p = 2: b = 2 p x n
    / T_b."""
    return np.asarray(2.0 * p * x * n / T_b_s)
