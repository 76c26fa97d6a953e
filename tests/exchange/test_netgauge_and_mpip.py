"""Netgauge and mpiP: several runs in one log, sizes that come again, and reports that are cut."""

from __future__ import annotations

import pytest
from reading import log, numbers, runs, tables

from hockney.base.errors import UsageError
from hockney.foreign.logs.table import MOST_NOTES

NETGAUGE = "# Info:   (0): Netgauge v2.4.6 MPI enabled (P=2) (./netgauge -x {pattern} -o {file} )\n"
HEADING = NETGAUGE.format(pattern="loggp", file="a.out")


def fit(size: int, latency: float = 1.0, slope: float = 0.001) -> str:
    """A row of LogGP parameters; 1/G is as the program computes it."""
    rate = 1 / slope * 8 / 1024
    return (
        f" L={latency:f}  s={size}  o_s=0.125000  o_r=0.250000  g=0.500000  "
        f"G={slope:f} ({rate:f} GiB/s) lsqu(g,G)=0.062500\n"
    )


def latencies(text: str) -> list[dict[int, float]]:
    """L in microseconds by size, for each table."""
    return [
        {
            row.bytes: round(1e6 * (row.value_s or 0), 3)
            for row in table.rows
            if row.statistic == "L"
        }
        for table in tables(text)
    ]


def test_netgauge_runs_are_not_mixed_row_by_row() -> None:
    fast = fit(1) + fit(1025, slope=-0.002) + fit(2049)
    slow = fit(1, latency=9.0) + fit(1025, latency=9.0)
    expected = [{1: 1.0, 2049: 1.0}, {1: 9.0, 1025: 9.0}]
    assert latencies(HEADING + fast + HEADING + slow) == expected
    assert latencies(fast + slow) == expected
    assert latencies(fast + "$ srun -n 2 ./netgauge -x loggp\n" + slow) == expected


def test_a_netgauge_run_below_a_command_may_begin_larger() -> None:
    command = "$ srun -n 2 ./netgauge -x loggp -s 2049-4097\n"
    assert latencies(fit(1) + command + fit(2049)) == [{1: 1.0}, {2049: 1.0}]


def test_netgauge_runs_of_different_commands_are_experiments() -> None:
    command = "UCX_NET_DEVICES={} mpirun -n 2 ./netgauge -x loggp\n"
    over = [command.format(device) + HEADING + fit(1) + fit(1025) for device in ("ib0", "eth0")]
    assert [len(run.launches) for run in runs("".join(over))] == [1, 1]
    assert [len(run.launches) for run in runs(over[0] * 2)] == [2]


def test_netgauge_runs_of_different_arguments_are_experiments() -> None:
    headings = [NETGAUGE.format(pattern=p, file=f) for p, f in (("loggp", "a"), ("loggp", "b"))]
    first, again = (heading + fit(1) + fit(1025) for heading in headings)
    assert [len(run.launches) for run in runs(first + again)] == [2]
    other = again.replace("-x loggp", "-m tcp -x loggp")
    assert [len(run.launches) for run in runs(first + other)] == [1, 1]


def test_netgauge_sizes_and_outputs_are_no_settings() -> None:
    other = HEADING.replace("-o a.out", "-s 1-2048 --testcount=9 -o b.out")
    assert [len(run.launches) for run in runs(HEADING + fit(1) + other + fit(1))] == [2]


def test_a_second_netgauge_heading_keeps_the_arguments() -> None:
    second = "## Netgauge v2.4.6 - mode mpi - 2 processes\n"
    log_tables = tables(HEADING + second + fit(1) + second + fit(1))
    assert [table.parameters.get("arguments") for table in log_tables] == ["-x loggp", None]


def test_numbers_of_netgauge_tests_are_no_settings() -> None:
    first, again = (f"Testing 1 bytes {count} times:\n" + fit(1) for count in (100, 200))
    assert [len(run.launches) for run in runs(HEADING + first + HEADING + again)] == [2]
    under = ["## Over Ethernet\n\n" + first, "## Over InfiniBand\n\n" + again]
    assert [run.header.options for run in runs("".join(under))] == [
        {"heading": "Over Ethernet"},
        {"heading": "Over InfiniBand"},
    ]


def test_each_netgauge_run_has_its_own_version() -> None:
    older = HEADING.replace("2.4.6", "2.1")
    assert [t.version for t in tables(older + fit(1) + HEADING + fit(1))] == ["2.1", "2.4.6"]


def test_netgauge_prints_both_kinds_of_rows_in_one_run() -> None:
    quiet = "{} bytes \t -> 0.90 us \t == 8.00 Mbit/s\n"
    full = "{} - 1 1 1 1 (0 100) - 2 2 2 2 (0 100) - 4 4 4 4\n"
    text = "".join(kind.format(size) for size in (1, 2) for kind in (quiet, full))
    assert [(len(t.rows), {r.bytes for r in t.rows}) for t in tables(text)] == [
        (4, {1, 2}),
        (28, {1, 2}),
    ]


def test_netgauge_notes_a_size_again_after_a_protocol_change() -> None:
    change = "we detected a protocol change at 1025 bytes:\n"
    [table] = tables(fit(1) + fit(2049) + change + fit(4097) + fit(4097, slope=0.002))
    assert "some.log, line 5: 4097 bytes again; the last row counts" in table.notes
    assert numbers(table)[4097, "G"] == pytest.approx(2e-9)


def test_notes_of_ignored_rows_leave_room_for_repeated_sizes() -> None:
    ignored = "".join(fit(size, slope=-0.5) for size in range(2, 40))
    [table] = tables(fit(1) + ignored + 2 * fit(4097))
    assert table.notes[1] == "some.log, line 41: 4097 bytes again; the last row counts"
    assert len(table.notes) == MOST_NOTES


def test_the_rate_of_loggp_is_the_inverse_of_its_slope() -> None:
    [table] = tables(fit(1025, slope=0.0005))
    assert numbers(table)[1025, "1/G"] == pytest.approx(1 / 0.0005e-6, rel=1e-9)
    assert "what it calls GiB/s is 1.024 Gbit/s; rates are read so" in table.notes


RULE = "-" * 75 + "\n"
TIMES, SIZES, SITES = (
    f"{RULE}@--- {title} {'-' * 20}\n{RULE}"
    for title in (
        "Callsite Time statistics (all, milliseconds): 9",
        "Callsite Message Sent statistics (all, sent bytes)",
        "Callsites: 9",
    )
)
END = f"{RULE}@--- End of Report {'-' * 30}\n{RULE}"


def title(command: str = "./app", ranks: int = 2) -> str:
    tasks = "".join(f"@ MPI Task Assignment      : {rank} n1\n" for rank in range(ranks))
    return f"@ mpiP\n@ Command : {command}\n@ Version                  : 3.5.0\n{tasks}"


def time(call: str, site: int, mean: str, count: int = 4) -> str:
    return f"{call}   {site}    *   {count}   {mean}   {mean}   {mean}   1.00   2.00\n"


def sent(call: str, site: int, size: str = "8", count: int = 4) -> str:
    return f"{call}   {site}    *   {count}   {size}   {size}   {size}   64\n"


def means(text: str) -> list[tuple[str, dict[int, float]]]:
    """Mean times in ms by size, with the site, for each table."""
    return [
        (
            table.options.get("site", ""),
            {
                row.bytes: round(1e3 * (row.value_s or 0), 6)
                for row in table.rows
                if row.statistic == "mean"
            },
        )
        for table in tables(text)
    ]


def test_call_sites_of_equal_size_are_kept_apart() -> None:
    text = (
        title()
        + TIMES
        + time("Alltoall", 1, "226", 512)
        + time("Alltoall", 6, "898", 1)
        + SIZES
        + sent("Alltoall", 1, "1.311e+05")
        + sent("Alltoall", 6, "1.311e+05")
        + END
    )
    assert means(text) == [
        ("1", {131100: 226.0}),
        ("6", {131100: 898.0}),
    ]
    assert [run.header.options for run in runs(text)] == [{"site": "1"}, {"site": "6"}]
    assert "equal sizes: this one, 6, is an experiment" in tables(text)[1].notes[1]


def test_call_sites_of_different_sizes_are_one_curve() -> None:
    rows = TIMES + time("Send", 1, "1") + time("Send", 2, "2")
    text = title() + rows + SIZES + sent("Send", 1, "8") + sent("Send", 2, "16") + END
    assert means(text) == [("", {8: 1.0, 16: 2.0})]


WRAPPED = "  2   0 wrap.c   10 send  Send\n"


@pytest.mark.parametrize(
    ("second", "names"),
    [
        (WRAPPED + "  2   1 b.c   7 b\n", ["wrap.c:10 < a.c:5", "wrap.c:10 < b.c:7"]),
        (WRAPPED + "  2   1 a.c   5 a\n", ["1", "2"]),
        ("  2   0 0x405893    [unknown]   Send\n", ["1", "2"]),
    ],
)
def test_a_call_site_is_named_by_its_place(second: str, names: list[str]) -> None:
    frames = "  1   0 wrap.c   10 send  Send\n  1   1 a.c   5 a\n" + second
    rows = TIMES + time("Send", 1, "1") + time("Send", 2, "2")
    text = title() + SITES + frames + rows + SIZES + sent("Send", 1) + sent("Send", 2) + END
    assert [name for name, _ in means(text)] == names


def report(mean: str, command: str = "./app", ranks: int = 2) -> str:
    return title(command, ranks) + TIMES + time("Bcast", 1, mean) + SIZES + sent("Bcast", 1) + END


def test_each_mpip_report_has_its_own_tables() -> None:
    text = report("1", ranks=8) + report("3", ranks=4)
    assert [table.ranks for table in tables(text)] == [8, 4]
    assert means(text) == [("", {8: 1.0}), ("", {8: 3.0})]


def test_reports_are_launches_unless_their_commands_differ() -> None:
    same = runs(report("1") + report("1.25"))
    assert [len(run.launches) for run in same] == [2]
    headed = runs("## Over Ethernet\n\n" + report("1") + "## Over InfiniBand\n\n" + report("1.25"))
    assert [run.header.options for run in headed] == [
        {"heading": "Over Ethernet"},
        {"heading": "Over InfiniBand"},
    ]
    different = runs(report("1") + report("1.25", command="./app -n 1000"))
    assert [run.header.options for run in different] == [
        {"application": "./app"},
        {"application": "./app -n 1000"},
    ]


def test_a_report_cut_amid_its_sizes_is_noted() -> None:
    rows = TIMES + time("Bcast", 1, "1") + time("Send", 2, "2")
    text = title() + rows + SIZES + sent("Bcast", 1) + "Send    2   *   4   8"
    [table] = tables(text)
    assert table.cut == "the table ends in the middle of line 15, read up to there"
    assert any(
        "line 15: the report is cut here, in the section 'Callsite Message Sent" in note
        for note in table.notes
    )
    whole = title() + rows + SIZES + sent("Bcast", 1) + sent("Send", 2) + END
    assert not any("cut" in note for table in tables(whole) for note in table.notes)
    assert not any(table.cut for table in tables(whole))


def test_a_report_cut_above_another_is_noted() -> None:
    text = title() + TIMES + time("Bcast", 1, "1") + SIZES + sent("Bcast", 1)
    first, second = tables(text + report("1"))
    assert "line 13: the report is cut here" in first.notes[-1]
    assert not any("cut" in note for note in second.notes)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (title() + TIMES + time("Send", 1, "1"), "no section 'Callsite Message Sent statistics'"),
        (title() + TIMES + time("Send", 1, "1"), "line 9: the report is cut here, in the section"),
        (title() + TIMES + time("Wait", 1, "1") + SIZES + sent("Send", 2) + END, "without a size"),
        (title() + SIZES + sent("Send", 2) + END, "without call sites of all ranks"),
    ],
)
def test_a_refused_mpip_report_says_why(text: str, reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        tables(text)
    assert reason in str(refused.value)


def test_mpip_reads_a_log_that_begins_below_the_title() -> None:
    text = "@ Version                  : 3.5.0\n" + report("1").partition("\n")[2]
    assert len(tables(text, "mpip")) == 1
    assert log(text).lines[0].startswith("@ Version")


@pytest.mark.parametrize("mean", ["nan", "12x"])
def test_a_call_site_without_numbers_is_not_lost_without_a_word(mean: str) -> None:
    rows = TIMES + time("Bcast", 1, "1") + time("Send", 2, mean)
    text = title() + rows + SIZES + sent("Bcast", 1) + sent("Send", 2) + END
    [table] = tables(text)
    assert table.operation == "MPI_Bcast"
    assert any("line 10: it has no numbers that can be read" in note for note in table.notes)
