"""perftest's other layouts: two ports, service levels, CPU use, cycles, JSON."""

from __future__ import annotations

import pytest
from reading import numbers, runs, tables

import excerpts as logs
from hockney.base.errors import UsageError

MIB = 2.0**20
TITLE = """\
                    {test} Test
 Dual-port       : {dual}          Device         : mlx5_0
"""


def test_each_port_has_its_own_bandwidth() -> None:
    text = TITLE.format(test="RDMA_Write BW", dual="ON") + (
        " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]   "
        "BW Port1[MiB/sec]   MsgRate Port1[Mpps]   BW Port2[MiB/sec]   MsgRate Port2[Mpps]\n"
        " 65536      5000     11000.50   10900.25  0.174404  5500.25  0.088004  5400.00  0.0864\n"
    )
    [table] = tables(text)
    figures = numbers(table)
    assert figures[65536, "bandwidth"] == 10900.25 * MIB
    assert figures[65536, "bandwidth of port 1"] == 5500.25 * MIB
    assert figures[65536, "bandwidth of port 2"] == 5400.0 * MIB
    assert figures[65536, "message rate of port 2"] == 86400.0


def test_service_levels_are_experiments() -> None:
    text = TITLE.format(test="Send BW", dual="OFF") + (
        " #bytes    #sl      #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
        " 1024    0           1000           90.50              90.25         11.016846\n"
        " 1024    3           1000           45.50              45.00         5.493164\n"
    )
    first, second = runs(text)
    assert [run.header.options["service level"] for run in (first, second)] == ["0", "3"]
    assert {s.value_Bps for s in second.summaries if s.statistic == "bandwidth"} == {45e9 / 8}


@pytest.mark.parametrize("percent", ["%", "%%"])
def test_the_use_of_the_cpu_is_no_rate(percent: str) -> None:
    text = logs.PERFTEST_BANDWIDTH.replace("[Mpps]", f"[Mpps]    CPU_Util[{percent}]")
    lines = [line + "  12.50" * line.lstrip().startswith("65536") for line in text.splitlines()]
    [table] = tables("\n".join(lines) + "\n")
    assert numbers(table) == numbers(tables(logs.PERFTEST_BANDWIDTH)[0])


def test_lists_of_all_times_are_not_the_table() -> None:
    """With -U the heading comes twice, and the times of all iterations are between."""
    heading, rows = logs.PERFTEST_LATENCY.splitlines()[4:5], logs.PERFTEST_LATENCY.splitlines()
    text = "\n".join([*rows[:4], *heading, "#, usec", "1, 1.25", "2, 0.97", *rows[3:], ""])
    filled_tables = [table for table in tables(text) if table.rows]
    assert [numbers(table) for table in filled_tables] == [
        numbers(tables(logs.PERFTEST_LATENCY)[0])
    ]


@pytest.mark.parametrize("command", ["$ ib_send_lat -C n2\n", "$ ib_send_lat -H --report-cycles\n"])
def test_cycles_are_no_microseconds(command: str) -> None:
    with pytest.raises(UsageError, match=r"its times are in cycles \(-C\)"):
        tables(command + logs.PERFTEST_LATENCY)
    with pytest.raises(UsageError, match=r"its times are in cycles \(-C\)"):
        tables(logs.PERFTEST_LATENCY.replace(" #bytes", "#, cycles\n1, 2250\n #bytes"))
    second = command + logs.PERFTEST_LATENCY + "$ ib_send_lat n2\n" + logs.PERFTEST_LATENCY
    assert [bool(table.rows) for table in tables(second)] == [False, True]


def test_steering_rules_are_no_messages() -> None:
    heading = (
        " #flows\tfs_min_time[usec]\tfs_max_time[usec]\tfs_typical_time[usec]\tfs_avg_time[usec]"
    )
    with pytest.raises(UsageError, match="rates of flow steering rules are no messages"):
        tables(f"{heading}\tfps[flow per sec]\n100   1.0   2.0   1.5   1000.00\n")


def json(rate: str, messages: str, size: int = 65536) -> str:
    return f"""\
{{
"test_info": {{
"test": "RDMA_Write_BW_Test",
"Dual_port": "OFF",
"Device": "mlx5_0",
"Number_of_qps": 1,
"Data_ex_method": "Ethernet"
}},
"results": {{
"MsgSize": {size},
"n_iterations": 5000,
"BW_peak": {rate},
"BW_average": {rate},
"MsgRate": {messages}
}}
}}
"""


@pytest.mark.parametrize(
    ("rate", "messages", "value"),
    [("10900.25", "0.174404", 10900.25 * MIB), ("91.44", "0.174404", 91.44e9 / 8)],
)
def test_json_shows_its_unit_by_the_message_rate(rate: str, messages: str, value: float) -> None:
    for text in (json(rate, messages), json(rate, messages).replace("\n", " ") + "\n"):
        [table] = tables(text)
        assert table.operation == "rdma-write-bw"
        assert numbers(table)[65536, "bandwidth"] == value
        assert table.rows[0].repetitions == 5000


def test_json_of_two_sizes_and_of_latencies() -> None:
    text = json("10900.25", "0.174404") + json("7.00", "3.670016", 2)
    lat = text.replace("RDMA_Write_BW", "Send_Latency").replace("BW_peak", "t_min")
    lat = lat.replace("BW_average", "t_typical").replace("MsgRate", "percentile_99.9")
    assert [row.bytes for row in runs(text)[0].summaries if row.statistic == "bandwidth"] == [
        65536,
        2,
    ]
    [run] = runs(lat)
    assert {(s.bytes, s.statistic, s.value_s) for s in run.summaries} >= {
        (2, "median", 7e-6),
        (2, "p99.9", 3.670016e-6),
    }


def test_json_whose_unit_is_unclear_is_refused() -> None:
    with pytest.raises(UsageError, match="the message rate does not show the unit"):
        tables(json("500.00", "0.174404"))
