"""Every layout that libfabric's programs print: names of rows, sizes, sides, -m, ubertest."""

from __future__ import annotations

import pytest
from reading import numbers, runs, tables

from hockney.base.errors import UsageError

HEADING = "bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec\n"
NAMED = f"{'name':50}{HEADING}"


def test_names_before_rows_keep_tests_apart() -> None:
    """fi_rdm_atomic prints a row for each data type and operation, often of the same size."""
    rows = (
        f"{'FI_INT32_FI_MIN_lat':50}4     1k      3.9k     0.00s      2.00       2.00       0.50\n"
        f"{'FI_FLOAT_FI_SUM_lat':50}4     1k      3.9k     0.00s      1.00       4.00       0.25\n"
    )
    first, second = runs(f"$ fi_rdm_atomic -o all n2\n{NAMED}{rows}")
    assert [run.header.options["test"] for run in (first, second)] == [
        "FI_INT32_FI_MIN_lat",
        "FI_FLOAT_FI_SUM_lat",
    ]
    assert {(s.statistic, s.value_s) for s in second.summaries if s.value_s} == {("mean", 4e-6)}


def test_ubertest_prints_latencies_and_bandwidths_below_one_heading() -> None:
    text = f"""\
Starting test 1 / 2:
[tcp, FT_TEST_LATENCY, FT_FUNC_SEND--, FI_EP_RDM, FI_AV_MAP, eq_, cq_, cntr_]
{NAMED}{"lat":50}64      1k      125k        0.00s     32.00       2.00       0.50
Ending test 1 / 2, result: Success
Starting test 2 / 2:
[tcp, FT_TEST_BANDWIDTH, FT_FUNC_SEND--, FI_EP_RDM, FI_AV_MAP, eq_, cq_, cntr_]
{"bw":50}64      1k      62k         0.00s    128.00       0.50       2.00
"""
    lat, bw = tables(f"$ fi_ubertest -u quick n2\n{text}")
    assert numbers(lat)[64, "mean"] == 2e-6
    assert numbers(bw)[64, "mean time in a stream"] == 0.5e-6
    assert len(runs(f"$ fi_ubertest -u quick n2\n{text}")) == 2


def test_both_sides_in_a_report_are_no_launches() -> None:
    table = HEADING + "64      1k      125k        0.00s     32.00       2.00       0.50\n"
    indented = "".join(f"    {line}\n" for line in table.splitlines())
    text = f"""\
- name:   fi_rdm_pingpong -p tcp
  timestamp: 20250101-101112+0000
  result: Pass
  time:   3
  server_cmd: ssh n1 /opt/bin/fi_rdm_pingpong -p tcp -s n1
  server_stdout: |
{indented}  client_cmd: ssh n2 /opt/bin/fi_rdm_pingpong -p tcp -s n2 n1
  client_stdout: |
{indented.replace("2.00 ", "2.01 ").replace("32.00", "31.84")}"""
    server, client = runs(text)
    assert [run.header.options["side"] for run in (server, client)] == ["server", "client"]
    assert {s.value_s for s in client.summaries if s.statistic == "mean"} == {2.01e-6}


@pytest.mark.parametrize(
    ("options", "row", "size"),
    [
        ("-S 100000", "97k     1k      95m         0.01s  10000.00      10.00       0.10", 100000),
        ("-S 1500", "1.4k    1k      1.4m        0.00s    750.00       2.00       0.50", 1500),
        ("", "96k     1k      93m         0.01s   9830.40      10.00       0.10", 98304),
        ("", "1.5k    1k      1.5m        0.00s    768.00       2.00       0.50", 1536),
        ("-S all", "3k      1k      3m          0.00s   1536.00       2.00       0.50", 3072),
    ],
)
def test_a_scaled_size_is_exact(options: str, row: str, size: int) -> None:
    [table] = tables(f"$ fi_rdm_pingpong {options} n2\n{HEADING}{row}\n")
    assert {table_row.bytes for table_row in table.rows} == {size}


def test_a_size_that_rates_contradict_is_refused() -> None:
    """97k of 100000 bytes would be 99328 without a look at the rate."""
    row = "97k     1k      95m         0.01s  10000.00      10.00       0.10\n"
    with pytest.raises(UsageError, match=r"the size 97k is rounded: its bytes are unknown"):
        tables(f"$ fi_rdm_pingpong n2\n{HEADING}{row}")


def test_messages_of_the_library_are_no_commands() -> None:
    text = f"""\
$ fi_rma_bw -o read n2
{HEADING}64      1k      62k         0.00s    128.00       0.50       2.00
libfabric:4711:1700000000::verbs:fabric:vrb_getinfo():12<warn> fi_getinfo
4k      1k      3.9k        0.00s   8192.00       0.50       2.00
"""
    [table] = tables(text)
    assert table.operation == "rma-read-bw"
    assert {row.bytes for row in table.rows} == {64, 4096}


def test_a_rate_of_zero_is_below_what_is_printed() -> None:
    row = "64      10      640      0.02s      0.06    1130.70       {rate}\n"
    [table] = tables(HEADING + row.format(rate="0.00"))
    assert {row.statistic for row in table.rows} == {"bandwidth", "mean time in a stream"}
    [table] = tables(HEADING + row.format(rate="0.01"))
    assert "message rate" in {row.statistic for row in table.rows}
