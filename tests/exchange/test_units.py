"""Units that a heading prints are read, and others are refused by name, for every program."""

from __future__ import annotations

import pytest
from reading import numbers, tables

import excerpts as logs
from hockney.base.errors import UsageError

NCCL_UNITS = "(us)  (GB/s)  (GB/s)"
NCCL_NUMBERS = {
    "mean": 1405.25,
    "algorithm bandwidth": 23.88,
    "bus bandwidth": 42.98,
}


def nccl(units: str) -> str:
    """The log of nccl-tests with other units of both ways."""
    assert logs.NCCL.count(NCCL_UNITS) == 2
    return logs.NCCL.replace(NCCL_UNITS, units)


@pytest.mark.parametrize(
    ("units", "time_s", "rate_Bps"),
    [
        (NCCL_UNITS, 1e-6, 1e9),
        ("(ms)  (GB/s)  (GB/s)", 1e-3, 1e9),
        ("(us)  (MB/s)  (MB/s)", 1e-6, 1e6),
        ("(s)  (GiB/s)  (GiB/s)", 1.0, 2.0**30),
    ],
)
def test_units_of_nccl_tests(units: str, time_s: float, rate_Bps: float) -> None:
    [table] = tables(nccl(units))
    figures = numbers(table)
    for name, printed in NCCL_NUMBERS.items():
        unit = time_s if name == "mean" else rate_Bps
        assert figures[1 << 25, f"{name}, out-of-place"] == pytest.approx(printed * unit)


def test_unknown_units_of_nccl_tests_are_left_out() -> None:
    [table] = tables(nccl("(ticks)  (GB/s)  (GB/s)"))
    assert {row.statistic for row in table.rows} == {"algorithm bandwidth", "bus bandwidth"}
    assert "unknown unit of time: ticks: ignored" in table.notes
    with pytest.raises(UsageError, match="unknown unit of busbw: flits/s: ignored"):
        tables(nccl("(ticks)  (flits/s)  (flits/s)"))


def test_units_of_each_iteration_of_nccl_tests() -> None:
    titles, more = "time   algbw   busbw  #wrong", "   i_min   i_max   i_p99   i_cv%"
    text = nccl(f"{NCCL_UNITS}    (ms)  (us)  (ns)  (%)").replace(titles, titles + more)
    text = text.replace("  N/A\n", "  0\n").replace("       2  ", "       0  ")
    row = "  1405.25   23.88   42.98       0  1.00  2.00  3.00  4.00"
    head = text.partition("    33554432")[0]
    [table] = tables(f"{head}    33554432       8388608     float     sum      -1{row}{row}\n")
    figures = numbers(table)
    each = [figures[1 << 25, f"{name}, in-place"] for name in ("min", "max", "p99")]
    assert each == pytest.approx([1e-3, 2e-6, 3e-9])
    assert figures[1 << 25, "coefficient of variation, in-place"] == pytest.approx(0.04)


@pytest.mark.parametrize(("unit", "factor"), [("microseconds", 1e-3), ("seconds", 1e3)])
def test_units_of_mpip(unit: str, factor: float) -> None:
    usual = {key: value for table in tables(logs.MPIP) for key, value in numbers(table).items()}
    text = logs.MPIP.replace("(all, milliseconds)", f"(all, {unit})")
    figures = {key: value for table in tables(text) for key, value in numbers(table).items()}
    assert figures == pytest.approx({key: value * factor for key, value in usual.items()})


def test_an_unknown_unit_of_mpip_is_refused() -> None:
    with pytest.raises(UsageError, match="'ticks' is no known unit"):
        tables(logs.MPIP.replace("(all, milliseconds)", "(all, ticks)"))


@pytest.mark.parametrize(
    ("printed", "other", "name"),
    [
        ("MsgRate[Mpps]", "MsgRate[Kpps]", "MsgRate: Kpps"),
        ("BW average[MB/sec]", "BW average[usec]", "BW average: usec"),
    ],
)
def test_units_of_perftest_that_do_not_fit_are_left_out(
    printed: str, other: str, name: str
) -> None:
    [usual] = tables(logs.PERFTEST_BANDWIDTH)
    [table] = tables(logs.PERFTEST_BANDWIDTH.replace(printed, other))
    assert len(table.rows) == len(usual.rows) - 1
    assert f"unknown unit of {name}: ignored" in table.notes


def imb(version: str, us: float, rate: float) -> str:
    """A log of IMB with one size of 64 KiB."""
    return (
        f"#    Intel (R) MPI Benchmarks {version}, MPI-1 part\n"
        "# Benchmarking PingPong\n# #processes = 2\n"
        "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
        f"        65536          640      {us:.2f}      {rate:.2f}\n"
        f"       131072          320      {2 * us:.2f}      {rate:.2f}\n\n"
    )


def test_each_version_of_imb_has_its_own_megabyte() -> None:
    old, new = tables(imb("4.1", 100.0, 625.0) + imb("2021.3", 10.0, 6553.6))
    assert numbers(old)[65536, "bandwidth"] == 625.0 * 2**20
    assert numbers(new)[65536, "bandwidth"] == 6553.6e6
    assert (len(old.notes), new.notes) == (1, [])


def test_a_table_of_imb_that_contradicts_its_version_is_noted() -> None:
    first, second, other = tables(2 * imb("4.1", 100.0, 625.0) + imb("4.1", 100.0, 655.36))
    assert numbers(other)[65536, "bandwidth"] == 655.36 * 2**20
    assert "show Mbytes of 10^6 bytes, but the other tables of this version 2^20" in other.notes[0]
    assert not any("10^6" in note for note in first.notes + second.notes)


@pytest.mark.parametrize(
    ("printed", "fraction"),
    [("0.14", 0.0357), ("0.15", 0.0333), ("1.50", 0.00333), ("12", 0.0417), ("2.5e-1", 0.02)],
)
def test_half_a_unit_of_the_last_digit_is_kept(printed: str, fraction: float) -> None:
    """The fraction is that of the printed number, whatever its unit and factor."""
    [table] = tables(f"bytes,time (us),bandwidth (MB/s)\n8,{printed},{printed}\n")
    assert [row.rounding for row in table.rows] == [fraction, fraction]


def test_numbers_without_a_rounding_have_none() -> None:
    [table] = tables("bytes,max (s),bandwidth (MB/s)\n8,1.2345678901234567,0.00\n")
    assert [row.rounding for row in table.rows] == [None, None]


def test_the_rounding_is_that_of_the_number_also_after_a_conversion() -> None:
    [table] = tables(imb("4.1", 100.0, 625.0))
    known = {(row.bytes, row.statistic): row.rounding for row in table.rows}
    assert known[65536, "mean"] == 5e-5
    assert known[65536, "bandwidth"] == 8e-6
