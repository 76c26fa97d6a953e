"""What a log shows of other systems, figures, units and settings is kept apart, or said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reading import NAME, numbers, runs

import excerpts_of_networks as networks
from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.logs.runs import runs_of
from hockney.foreign.logs.table import LogTable
from hockney.records import Run


def unhelped(text: str) -> list[LogTable]:
    read = log_of(text, Path(NAME))
    return reading.read(read, reading.recognise(read))


def unhelped_runs(text: str) -> list[Run]:
    read = log_of(text, Path(NAME))
    format = reading.recognise(read)
    return runs_of([(read, table) for table in reading.read(read, format)], format)


def notes(run: Run) -> str:
    assert run.header.source is not None
    return "\n".join(run.header.source.notes)


# ReFrame

CUSTOM = """\
result,job_completion_time,system:partition,environ,lat_8B_value,lat_8B_unit
pass,2025-02-10T03:00:12,lynx:compute,gnu,1.25,us
pass,2025-02-11T03:00:12,lynx:compute,gnu,1.5,us
pass,2025-02-12T03:00:12,lynx:login,gnu,9.25,us
pass,2025-02-13T03:00:12,hill:compute,gnu,5.25,us
"""


def test_systems_in_a_joined_column_of_reframe_are_apart() -> None:
    where = ("system", "partition", "environ")
    by_setting = {tuple(run.header.options[name] for name in where): run for run in runs(CUSTOM)}
    assert {setting: len(run.launches) for setting, run in by_setting.items()} == {
        ("lynx", "compute", "gnu"): 2,
        ("lynx", "login", "gnu"): 1,
        ("hill", "compute", "gnu"): 1,
    }


def test_a_joined_column_that_does_not_split_separates_whole() -> None:
    text = CUSTOM.replace("lynx:login", "lynx").replace("hill:compute", "hill")
    assert [run.header.options.get("system:partition") for run in runs(text)] == [
        None,
        "lynx",
        "hill",
    ]


def test_info_of_reframe_separates_tests_and_systems() -> None:
    text = """\
job_completion_time|version|info|num_tasks|latency_value|latency_unit
2025-02-10T03:00:12|reframe 4.3.2|osu %size=8 /0a1b2c3d @lynx:compute+gnu|num_tasks=2|1.25|us
2025-02-11T03:00:12|reframe 4.3.2|osu %size=8 /0a1b2c3d @hill:compute+gnu|num_tasks=2|1.5|us
""".replace("|num_tasks|", "|num_tasks=num_tasks|")
    lynx, hill = runs(text)
    assert lynx.header.options == {"system": "lynx:compute", "environ": "gnu"}
    assert [s.ranks for s in (*lynx.summaries, *hill.summaries)] == [2, 2]
    assert lynx.header.source is not None
    assert (lynx.header.source.program, lynx.header.source.version) == (
        "ReFrame: osu %size=8",
        "4.3.2",
    )


@pytest.mark.parametrize(
    ("line", "version", "system"),
    [
        (
            "T|reframe 3.1-dev0 (rev: 9d92d0ec)|osu on lynx:gpu using gnu|jobid=1|"
            "latency=1.25|ref=1.2 (l=-0.05, u=0.05)|us",
            "3.1-dev0",
            "lynx:gpu",
        ),
        (
            "T|reframe 4.4.0|osu /1b24ab8e @lynx:gpu+gnu|jobid=None|latency=1.25|"
            "ref=0 (l=None, u=None)|us",
            "4.4.0",
            "lynx:gpu",
        ),
        (
            "T|reframe 4.1.0|osu /cc391b86 @lynx:gpu+gnu|jobid=1|num_tasks=2|latency=1.25|ref=1.2|"
            "lower=-0.2|upper=None|units=us|env_vars={}",
            "4.1.0",
            "lynx:gpu",
        ),
        ("T|reframe 4.6.0|osu|latency=1.25|ref=100 (l=-0.05, u=0.05)|us|pass", "4.6.0", None),
    ],
    ids=["revision", "hash", "limits apart", "name alone"],
)
def test_lines_of_reframe_with_one_variable_are_read(
    line: str, version: str, system: str | None
) -> None:
    heading = "job_completion_time|reframe version|name|perf_var=perf_value|ref=perf_ref|perf_unit"
    [run] = runs(f"{heading}\n{line}\n{line}\n")
    assert [(s.bytes, s.value_s) for s in run.summaries] == [(8, 1.25e-6)] * 2
    assert run.header.options.get("system") == system
    assert run.header.source is not None
    assert (run.header.source.program, run.header.source.version) == ("ReFrame: osu", version)
    assert run.header.source.notes == []


def test_infos_of_reframe_in_other_words_are_apart() -> None:
    line = "T|reframe 4.6.0|osu at lynx|latency=1.25|ref=100|us\n"
    experiments = runs(line + line.replace("lynx", "hill"))
    assert [run.header.options for run in experiments] == [
        {"test": "osu at lynx"},
        {"test": "osu at hill"},
    ]


def test_rows_of_reframe_are_refused_with_the_true_reason() -> None:
    line = "T|reframe 4.4.0|osu /1b24ab8e @lynx:gpu+gnu|latency|ref=0|us\n"
    with pytest.raises(UsageError, match=r"line 1: there is no NAME=NUMBER before ref="):
        runs(line)
    with pytest.raises(UsageError, match=r"line 2: 5 cells below a heading of 6"):
        runs("".join(CUSTOM.splitlines(keepends=True)[:2]).replace(",gnu", ""))


SEVERAL = """\
display_name|jobid|lat_8_B_value|lat_8_B_unit|total_value|total_unit
osu|1|1.25|us|64.5|s
osu|2|1.5|us|65.5|s
"""


def test_variables_of_reframe_without_a_size_are_noted_once() -> None:
    [run] = unhelped_runs(SEVERAL)
    assert [(s.bytes, s.value_s) for s in run.summaries] == [(8, 1.25e-6), (8, 1.5e-6)]
    assert notes(run) == (
        "some.log, line 2: this test does not show its message size: total of osu is not read; "
        "give it with --bytes"
    )


def test_cases_of_a_report_without_a_size_are_noted() -> None:
    text = networks.REFRAME_REPORT.replace('"msg_size": 1024,', "", 1)
    text = text.replace("osu %msg_size=1024", "osu", 2)
    experiments = unhelped_runs(text)
    assert [len(run.summaries) for run in experiments] == [1, 1]
    assert "latency of osu is not read" in notes(experiments[0])


def test_a_log_of_reframe_without_any_size_is_refused() -> None:
    with pytest.raises(UsageError, match="latency of OsuLatency is not read; give it with --bytes"):
        unhelped(networks.REFRAME_3)


# Ramble

FIGURES = """\
Experiment gpcnet.network_test.a figures of merit:
  Status = SUCCESS
  default (null) context figures of merit:
    Avg RR Lat = 1.25 us
    99% RR Lat = 2.5 us
    Avg Get Lat = 3.25 us
    Avg Allreduce = 4.5 us
"""


def figures_of(text: str) -> dict[str, set[tuple[str, float | None]]]:
    return {
        run.header.options.get("figure", ""): {
            (s.statistic, s.value_s or s.value_Bps) for s in run.summaries
        }
        for run in runs(text, "ramble")
    }


def test_figures_of_ramble_with_other_names_are_apart() -> None:
    assert figures_of(FIGURES) == {
        "RR Lat": {("mean", 1.25e-6), ("p99", 2.5e-6)},
        "Get Lat": {("mean", 3.25e-6)},
        "Allreduce": {("mean", 4.5e-6)},
    }


def test_figures_of_ramble_in_other_contexts_are_apart() -> None:
    text = """\
Experiment a.b.c figures of merit:
  Message Size: 8 (host) figures of merit:
    Latency = 1.25 us
  Message Size: 8 (device) figures of merit:
    Latency = 2.5 us
"""
    assert figures_of(text) == {
        "host, Latency": {("mean", 1.25e-6)},
        "device, Latency": {("mean", 2.5e-6)},
    }


def test_figures_of_ramble_without_a_rival_stay_together() -> None:
    text = FIGURES.replace("    Avg Get Lat = 3.25 us\n    Avg Allreduce = 4.5 us\n", "")
    assert figures_of(text) == {"": {("mean", 1.25e-6), ("p99", 2.5e-6)}}


def test_repeats_of_ramble_have_the_same_figures() -> None:
    repeats = [FIGURES.replace("network_test.a", f"network_test.a.{n}") for n in (1, 2)]
    repeats[1] = repeats[1].replace("    Avg Get Lat = 3.25 us\n", "")
    base = FIGURES.partition("  default")[0]
    by_figure = {
        run.header.options["figure"]: run for run in runs(base + "".join(repeats), "ramble")
    }
    assert {name: len(run.launches) for name, run in by_figure.items()} == {
        "RR Lat": 2,
        "Get Lat": 1,
        "Allreduce": 2,
    }


def test_summaries_of_rates_of_ramble_keep_their_statistic() -> None:
    text = """\
Experiment a.b.c figures of merit:
  Message Size: 8 figures of merit:
    P99 Bandwidth:
      summary::min = 90.5 MB/s
      summary::mean = 95.5 MB/s
"""
    assert figures_of(text) == {
        "": {("p99 bandwidth", 95.5e6), ("p99 bandwidth, min over repeats", 90.5e6)}
    }


@pytest.mark.parametrize("end", [" = 2.", " = 2.5 u", "", " ="])
def test_a_log_of_ramble_that_ends_in_a_figure_is_cut(end: str) -> None:
    text = networks.RAMBLE.removesuffix(" = 2.375 us\n") + end
    [run] = runs(text, "ramble")
    line = len(text.splitlines())
    assert run.ends[0].reason == "interrupted"
    assert run.ends[0].message == f"the table ends in the middle of line {line}, read up to there"


@pytest.mark.parametrize(
    "end",
    [
        "",
        "\n  Software definitions:\n    spack packages:\n      openmpi @4.1.7",
        "\n    Rate:\n      summary::mean = 2.5 MB/s\n      summary::n_total_repeats = 3",
    ],
    ids=["figure", "section", "summary"],
)
def test_a_log_of_ramble_without_its_last_newline_is_whole(end: str) -> None:
    [run] = runs(networks.RAMBLE.removesuffix("\n") + end, "ramble")
    assert run.ends[0].reason == "imported"


def test_results_of_ramble_in_cut_json_are_refused_with_reason() -> None:
    document = {"experiments": [{"name": "a.b.c", "RAMBLE_STATUS": "SUCCESS", "CONTEXTS": []}]}
    with pytest.raises(UsageError, match="the results are not whole, or no JSON: nothing is read"):
        runs(json.dumps(document)[:-9], "ramble")


# mpiGraph and mpiBench


def of_fork(text: str) -> str:
    """A log of LLNL's mpiGraph as its fork prints it."""
    for old, new in (
        ("MsgSize\t4096", "Msg Size: 4096 Bytes"),
        ("Times\t10", "Iterations: 10"),
        ("Window\t8", "Window Size: 8"),
        ("Procs\t3", "Procs: 3"),
        ("Send max\t910.500000", "Send max:  910.500 MB/s"),
    ):
        assert old in text
        text = text.replace(old, new)
    return text


def test_rates_of_the_fork_of_mpigraph_are_in_its_units() -> None:
    [table] = unhelped(of_fork(networks.MPIGRAPH))
    assert table.notes[0] == "its MB are 10^6 bytes; rates are read so"
    first = table.rows[0]
    assert (first.bytes, first.window, first.ranks) == (4096, 8, 3)
    assert (first.statistic, first.value_Bps) == ("bandwidth", 900.125e6)
    assert {row.value_Bps for row in table.rows if row.statistic != "bandwidth"} >= {909.125e6}


def test_the_fork_of_mpigraph_is_known_without_its_header() -> None:
    text = of_fork(networks.MPIGRAPH)
    [run] = runs(text[text.index("Send max") :])
    assert run.summaries[0].value_Bps == 900.125e6


def test_matrices_of_mpigraph_in_other_units_are_apart() -> None:
    llnl, fork = unhelped_runs(networks.MPIGRAPH + of_fork(networks.MPIGRAPH))
    assert llnl.summaries[0].value_Bps == 900.125 * 2**20
    assert fork.summaries[0].value_Bps == 900.125e6


def test_iterations_of_mpigraph_separate_experiments() -> None:
    more = networks.MPIGRAPH.replace("Times\t10", "Times\t100")
    experiments = runs(networks.MPIGRAPH * 2 + more)
    assert {run.header.options["iterations"]: len(run.launches) for run in experiments} == {
        "10": 2,
        "100": 1,
    }


def mpibench(*repetitions: int) -> str:
    """A start in which sizes repeat this often."""
    rows = (
        f"Bcast\tBytes:\t{8 << size}\tIters:\t{count}\tAvg:\t2.5\tMin:\t1.5\tMax:\t3.5"
        "\tComm: MPI_COMM_WORLD\tRanks: 4\n"
        for size, count in enumerate(repetitions)
    )
    return f"START mpiBench v1.5\n{''.join(rows)}END mpiBench\n"


def test_repetitions_of_mpibench_that_the_user_chose_are_apart() -> None:
    experiments = runs(
        mpibench(1000, 1000, 700) + mpibench(1000, 1000, 1000) + mpibench(100, 100, 100)
    )
    assert {run.header.options["repetitions"]: len(run.launches) for run in experiments} == {
        "1000": 2,
        "100": 1,
    }


@pytest.mark.parametrize(
    "starts",
    [
        [(1000, 1000, 700), (1000, 1000, 400)],
        [(900, 700, 500), (800, 650, 450)],
        [(1000, 1000, 1000), (999, 998, 400)],
        [(1000, 1000, 1000), (5, 5, 5)],
    ],
    ids=["limited", "all limited", "one limited", "least"],
)
def test_repetitions_that_mpibench_varies_separate_nothing(starts: list[tuple[int, ...]]) -> None:
    [run] = runs("".join(mpibench(*counts) for counts in starts))
    assert len(run.launches) == 2


# GPCNeT


def box(program: str, nodes: str, latency: float) -> str:
    return f"""\
{program} Tests v1.3
  Test with 128 MPI ranks (32 nodes)
{nodes}
|                            Isolated Network Tests                            |
|                            Name |          Avg |          99% |        Units |
|          RR Two-sided Lat (8 B) | {latency:>12} |          4.5 |         usec |
"""


@pytest.mark.parametrize(
    ("nodes", "shown"), [("  13 nodes running Network Tests", 13), ("", "a part")]
)
def test_isolated_parts_of_two_programs_of_gpcnet_are_apart(nodes: str, shown: object) -> None:
    text = box("Network", "", 2.5) + box("NetworkLoad", nodes, 2.75)
    alone, part = runs(text)
    assert [run.header.options for run in (alone, part)] == [{}, {"network nodes": shown}]
    assert [run.summaries[0].value_s for run in (alone, part)] == [2.5e-6, 2.75e-6]


def test_the_same_part_of_gpcnet_again_is_a_launch() -> None:
    text = box("NetworkLoad", "  13 nodes running Network Tests", 2.5)
    [run] = runs(text + text)
    assert len(run.launches) == 2
    [table, _] = unhelped(text + text)
    assert numbers(table) == {(8, "mean"): 2.5e-6, (8, "p99"): 4.5e-6}
