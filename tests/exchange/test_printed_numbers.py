"""Numbers of tables in every format, as they were read by hand."""

from __future__ import annotations

import pytest
from reading import numbers, tables

import excerpts as logs

# Format, table, (bytes, statistic) -> value in s, B/s, 1/s or of no unit.
VALUES = {
    "osu 5": (0, {(0, "mean"): 1.07e-6, (1, "mean"): 1.14e-6, (1048576, "mean"): 103.43e-6}),
    "osu 7 full": (
        0,
        {
            (1, "mean"): 1.07e-6,
            (1, "median"): 1.05e-6,
            (1, "p99"): 2.5e-6,
            (2, "mean"): 1.09e-6,
            (2, "median"): 1.06e-6,
            (2, "p99"): 2.75e-6,
        },
    ),
    "osu 7.2": (0, {(1, "bandwidth"): 0.37e6, (4194304, "bandwidth"): 3698.27e6}),
    "osu bcast": (
        0,
        {
            (1, "mean"): 2.25e-6,
            (1, "least rank mean"): 1.5e-6,
            (1, "largest rank mean"): 3.75e-6,
            (2, "mean"): 2.5e-6,
            (2, "least rank mean"): 1.75e-6,
            (2, "largest rank mean"): 4e-6,
        },
    ),
    "osu rate": (
        0,
        {
            (1, "bandwidth"): 12.34e6,
            (1, "message rate"): 12340000.0,
            (2, "bandwidth"): 24.68e6,
            (2, "message rate"): 12340000.5,
        },
    ),
    "osu windows": (
        1,
        {
            (1, "message rate, window 1"): 1250000.0,
            (1, "message rate, window 2"): 2500000.0,
            (2, "message rate, window 1"): 1375000.0,
            (2, "message rate, window 2"): 2625000.0,
        },
    ),
    "osu nonblocking": (
        0,
        {
            (1, "mean overall"): 4.5e-6,
            (1, "mean computation"): 2.25e-6,
            (1, "mean"): 2e-6,
            (1, "overlap"): 0.125,
        },
    ),
    "osu barrier": (0, {(0, "mean"): 36468.21e-6}),
    "osu init": (0, {(0, "least rank"): 0.42, (0, "largest rank"): 0.453, (0, "mean"): 0.434}),
    "imb 4": (
        0,
        {
            (0, "mean"): 155.82e-6,
            (0, "bandwidth"): 0.0,
            (2048, "mean"): 156.8e-6,
            (2048, "bandwidth"): 12.46 * 2**20,
            (4194304, "mean"): 36946.39e-6,
            (4194304, "bandwidth"): 108.26 * 2**20,
        },
    ),
    "imb 2021": (
        0,
        {
            (1048576, "least rank mean"): 100e-6,
            (1048576, "largest rank mean"): 104.86e-6,
            (1048576, "mean"): 102e-6,
            (1048576, "bandwidth"): 20e9,
            (1048576, "defects"): 0.0,
        },
    ),
    "netpipe 3": (
        0,
        {
            (1, "best trial"): 1.67e-6,
            (1, "bandwidth"): 4.58 * 2**17,
            (8192, "best trial"): 20e-6,
            (8192, "bandwidth"): 3125.0 * 2**17,
        },
    ),
    "netpipe 5": (
        0,
        {
            (1, "mean"): 1.67e-6,
            (1, "bandwidth"): 0.6e6,
            (8192, "mean"): 20e-6,
            (8192, "bandwidth"): 409.6e6,
        },
    ),
    "nccl old": (
        0,
        {
            (1048576, "mean, out-of-place"): 20.5e-6,
            (1048576, "mean, in-place"): 20.7e-6,
            (1048576, "algorithm bandwidth, out-of-place"): 51.15e9,
            (1048576, "algorithm bandwidth, in-place"): 50.66e9,
            (1048576, "bus bandwidth, out-of-place"): 51.15e9,
            (1048576, "bus bandwidth, in-place"): 50.66e9,
        },
    ),
    "nccl json": (
        0,
        {
            (1024, "mean, out-of-place"): 12.5e-6,
            (1024, "mean, in-place"): 12.75e-6,
            (1024, "algorithm bandwidth, out-of-place"): 80e6,
            (1024, "algorithm bandwidth, in-place"): 80e6,
            (1024, "bus bandwidth, out-of-place"): 40e6,
            (1024, "bus bandwidth, in-place"): 40e6,
            (1024, "min, out-of-place"): 12.1e-6,
            (1024, "median, out-of-place"): 12.4e-6,
            (1024, "p99, out-of-place"): 15.25e-6,
            (1024, "std, out-of-place"): 0.5e-6,
        },
    ),
    "perftest bandwidth": (
        0,
        {
            (65536, "largest bandwidth"): 11000.5 * 2**20,
            (65536, "bandwidth"): 10900.25 * 2**20,
            (65536, "message rate"): 174404.0,
        },
    ),
    "netgauge quiet": (
        0,
        {
            (1, "min"): 0.9e-6,
            (1, "median bandwidth"): 1e6,
            (1025, "min"): 1.9e-6,
            (1025, "median bandwidth"): 512.5e6,
        },
    ),
    "loggp": (
        0,
        {
            (1, "L"): 0.6128e-6,
            (1, "o_s"): 0.266e-6,
            (1, "o_r"): 0.547e-6,
            (1025, "L"): 0.6128e-6,
            (1025, "o_s"): 0.458e-6,
            (1025, "o_r"): 1.163e-6,
            (1025, "g"): 0.448e-6,
            (1025, "G"): 0.000583e-6,
            (1025, "1/G"): 13.405 * 1.024e9 / 8,
        },
    ),
    "durham": (
        0,
        {(1, "mean"): 4.36e-7, (1024, "mean"): 1.25e-6, (1048576, "mean"): 0.000502},
    ),
    "durham statistics": (
        1,
        {
            (8, "mean"): 3.955667e-8 / 2,
            (8, "std"): 1.100599e-7 / 2,
            (8, "max"): 1.69e-4 / 2,
            (8, "min"): 0.0,
        },
    ),
    "tacc": (
        0,
        {
            (1024, "mean"): 0.0000555,
            (1024, "min"): 0.000029,
            (1024, "max"): 0.0001055,
            (1024, "least bandwidth"): 9.2565 * 2**20,
            (1024, "bandwidth"): 17.5355 * 2**20,
            (1024, "largest bandwidth"): 33.9213 * 2**20,
            (2048, "mean"): 0.0000425,
            (2048, "min"): 0.000033,
            (2048, "max"): 0.0000595,
            (2048, "least bandwidth"): 32.8337 * 2**20,
            (2048, "bandwidth"): 45.8507 * 2**20,
            (2048, "largest bandwidth"): 59.148 * 2**20,
        },
    ),
    "benchpress": (0, {(4, "mean"): 1.5e-6, (8, "mean"): 1.625e-6, (16, "mean"): 1.75e-6}),
    "calibration": (0, {(765921, "mean"): 4.25e-4, (26, "mean"): 2.632e-6}),
    "smpi factors": (
        0,
        {
            (0, "startup"): 3.75e-6,
            (0, "per byte"): 1.25e-10,
            (1420, "startup"): 4.5e-6,
            (1420, "per byte"): 8.5e-11,
        },
    ),
    "mpip": (
        1,
        {(6000, "max"): 0.0875e-3, (6000, "mean"): 0.0125e-3, (6000, "min"): 0.01e-3},
    ),
    "julia": (
        1,
        {
            (4, "least rank mean"): 6.125e-6,
            (4, "largest rank mean"): 6.375e-6,
            (4, "mean"): 6.25e-6,
        },
    ),
    "csv": (0, {(1, "mean, 0"): 38.41e-6, (2, "mean, 0"): 0.66e-6, (1, "mean, 3"): 12.17e-6}),
    "json lines": (0, {(8, "mean"): 1.25e-6, (1024, "mean"): 2.375e-6}),
    "data frame": (
        0,
        {
            (8, "mean"): 1.25e-6,
            (8, "bandwidth"): 6.4e6,
            (1024, "mean"): 40.5e-6,
            (1024, "bandwidth"): 25.28e6,
        },
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_the_numbers_of_a_table(name: str) -> None:
    which, expected = VALUES[name]
    assert numbers(tables(logs.EXCERPTS[name][1])[which]) == pytest.approx(expected, rel=1e-15)
