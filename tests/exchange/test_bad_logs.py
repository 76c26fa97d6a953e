"""Logs that are cut, wrong, ambiguous or hostile: an error with file and line, never a
traceback."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import log, numbers, runs, tables

import excerpts as logs
import excerpts_of_networks as networks
from hockney import records
from hockney.base.errors import HockneyError, UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs import content
from hockney.foreign.logs import runs as runs_module
from hockney.foreign.logs import table as table_module
from hockney.foreign.logs.log import LONGEST_LINE, log_of, read_log
from hockney.foreign.logs.runs import store
from hockney.infer.estimate import estimate
from hockney.records import Run

READERS = sorted({format for format, _ in logs.EXCERPTS.values()})


def test_a_log_without_a_known_table_is_refused() -> None:
    with pytest.raises(UsageError, match=r"some\.log: no table of a known .* in 2 lines"):
        reading.recognise(log("hello\n1 2\n"))


def test_two_formats_that_both_match_are_named_with_their_lines() -> None:
    with pytest.raises(UsageError, match=r"imb \(line 11\), osu \(line 2\)") as error:
        reading.recognise(log(logs.OSU_5 + logs.IMB_4))
    assert "--as" in str(error.value)


def test_columns_of_numbers_do_not_rival_a_heading() -> None:
    assert reading.recognise(log(logs.DURHAM + logs.OSU_5)) == "osu"


def test_forced_to_a_format_that_it_has_not() -> None:
    with pytest.raises(UsageError, match="no table of imb with a row"):
        reading.read(log(logs.OSU_5), "imb")


def test_statistics_without_a_size_ask_for_it() -> None:
    with pytest.raises(UsageError, match=r"some\.log, line 1: .*do not show the message"):
        reading.read(log_of(logs.DURHAM_STATISTICS, Path("some.log")), "durham")


@pytest.mark.parametrize(
    "text",
    [
        logs.OSU_INIT.replace("nprocs: 16", f"nprocs: {'9' * 30}"),
        logs.OSU_INIT.replace("min: ", f"min: {'9' * 400}"),
    ],
)
def test_numbers_that_no_record_can_hold(text: str) -> None:
    with pytest.raises(UsageError, match="no table of osu with a row that can be read"):
        runs(text)


# A log, cut in its last row, with the line of that row.
CUTS = {
    "osu": (logs.OSU_7_2.replace("4194304              3698.27\n", "4194304"), 5),
    "osu number": (logs.OSU_7_2[:-2], 5),
    "imb": (logs.IMB_4[: logs.IMB_4.index("       155.25")], 17),
    "nccl": (logs.NCCL[: logs.NCCL.index("2812.70") + 4], 10),
    "perftest": (logs.PERFTEST_LATENCY[: logs.PERFTEST_LATENCY.rindex("3.12")], 7),
    "durham": (logs.DURHAM[: logs.DURHAM.index(" 0.000502")], 3),
    "tacc": (logs.TACC[: logs.TACC.index(" -- 0.000066")], 4),
    "itmo": (logs.ITMO[: logs.ITMO.index(" s[latency](us)=0.585")], 3),
    "netpipe": (logs.NETPIPE_3[: logs.NETPIPE_3.index(" in      20.00")], 5),
    "loggp": (logs.LOGGP[: logs.LOGGP.index("  g=0.448")], 5),
    "nodecomm": (logs.NODECOMM[: logs.NODECOMM.index("5.33e-06")], 10),
    "csv": (logs.CSV[: logs.CSV.rindex(",0.55")], 5),
    "benchpress": (logs.BENCHPRESS[: logs.BENCHPRESS.index("625000e-06")], 3),
    "julia": (logs.JULIA[: logs.JULIA.index("4285714285")], 7),
    "fabtests": (networks.FABTESTS[: networks.FABTESTS.rindex("0.67")], 7),
    "ucx": (networks.UCX[: networks.UCX.rindex("   2469184")], 16),
    "gpcnet": (networks.GPCNET[: networks.GPCNET.rindex(" |   MiB/s/rank")], 13),
    "mpigraph": (networks.MPIGRAPH[: networks.MPIGRAPH.rindex("\t0.000")], 18),
    "matrix": (networks.MATRIX[: networks.MATRIX.rindex("865.0")], 6),
    "mpibench": (networks.MPIBENCH[: networks.MPIBENCH.rindex("\tComm")], 6),
    "calibration": (logs.CALIBRATION[: logs.CALIBRATION.rindex(",29.895888")], 6),
}


@pytest.mark.parametrize("name", CUTS)
def test_a_table_cut_in_the_middle_is_read_up_to_there(name: str) -> None:
    text, line = CUTS[name]
    log_tables = tables(text)
    assert log_tables[-1].cut == f"the table ends in the middle of line {line}, read up to there"
    assert all(row.line != line for table in log_tables for row in table.rows)
    assert sum(len(table.rows) for table in log_tables) > 0


def test_the_cut_is_in_the_run() -> None:
    [run] = runs(CUTS["osu"][0])
    assert [(end.reason, end.message) for end in run.ends] == [
        ("interrupted", "the table ends in the middle of line 5, read up to there")
    ]


def test_a_last_line_without_an_end_is_whole_when_its_digits_are() -> None:
    log_tables = tables(logs.OSU_7_2.rstrip("\n"))
    assert (len(log_tables[0].rows), log_tables[0].cut) == (2, None)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("-8 1.0", "line 7: '-8' is out of range"),
        ("8 -1.0", "line 7: -1.0 is out of range"),
        ("99999999999999999999 1.0", "line 7: '99999999999999999999' is out of range"),
        ("8 1e999", "line 7: 1E+999 is out of range"),
        ("8 1e120", "line 7: 1E+120 is out of range"),
        ("8 1.2.3", "line 7: '1.2.3' is not a number"),
        ("2 1.0", "line 7: out of order: 2 bytes after 1048576"),
        ("1048576 2.0", "line 7: 1048576 bytes again"),
        ("8 1.0 3", "line 7: not 2 columns: 8 1.0 3; the row is ignored"),
    ],
)
def test_numbers_out_of_range_or_order_are_told_with_their_line(row: str, words: str) -> None:
    text = logs.OSU_5.replace("103.43\n", f"103.43\n{row}\n")
    [table] = tables(text)
    assert any(words in note for note in table.notes), table.notes
    known = numbers(tables(logs.OSU_5)[0])
    assert {key: numbers(table)[key] for key in known if key[0] != 1048576} == {
        key: value for key, value in known.items() if key[0] != 1048576
    }


# A log whose numbers no record of ours can hold, and the message about it.
TOO_LARGE = {
    "bytes": (logs.NETGAUGE_QUIET.replace("1025", str(2**62 + 1)), "is out of range"),
    "words": (logs.NODECOMM.replace("\n2\t", f"\n{2**61}\t"), "bytes is out of range"),
    "rates": (logs.IMB_4.replace("12.46", "1e98"), "line 9: a rate is out of range"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_no_record_can_hold_is_left_out_and_told(name: str, tmp_path: Path) -> None:
    text, words = TOO_LARGE[name]
    for run in runs(text):
        store(run, tmp_path / "run.jsonl", force=True)
        back = records.read(tmp_path / "run.jsonl")
        assert (back.summaries, back.cut) == (run.summaries, None)
    assert any(words in note for table in tables(text) for note in table.notes)


@pytest.mark.parametrize("name", logs.EXCERPTS)
def test_any_whole_number_may_be_too_large(name: str, tmp_path: Path) -> None:
    """An imported log can be read again, whichever kind of number has 30 digits."""
    format, text = logs.EXCERPTS[name]
    kinds: dict[str, re.Match[str]] = {}
    for number in re.finditer(r"(?<![\w.])\d+(?![\w.])", text):
        before = text[text.rfind("\n", 0, number.start()) + 1 : number.start()]
        kinds.setdefault(re.sub(r"\d+", "N", before), number)
    for number in kinds.values():
        changed = text[: number.start()] + "9" * 30 + text[number.end() :]
        imported: list[Run] = []
        with suppress(HockneyError):
            imported = runs(changed, format)
        for run in imported:
            store(run, tmp_path / "run.jsonl", force=True)
            assert records.read(tmp_path / "run.jsonl").cut is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("12.5,", "1e999999999999999999999,", "'1e999999999999999999999' is not a number"),
        ("12.5,", "1e999999,", "'1e999999' is not a number"),
        ("1024,", "true,", "size True"),
        ("1024,", f"{2**62 + 1},", "bytes is out of range"),
    ],
)
def test_numbers_that_only_json_knows(old: str, new: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        tables(logs.NCCL_JSON.replace(old, new))


def test_half_a_character_in_json_is_stored_as_a_mark(tmp_path: Path) -> None:
    [run] = runs(logs.NCCL_JSON.replace("node-001", r"node-\ud800"))
    store(run, tmp_path / "run.jsonl", force=False)
    assert records.read(tmp_path / "run.jsonl").launches[0].places[0].host == "node-?"


def test_a_group_that_is_no_whole_number_is_none_of_those_named() -> None:
    [multi] = tables(logs.IMB_MULTI.replace("            0      1048576", "0.5 1048576"))
    assert {tuple(row.peers or ()) for row in multi.rows if row.bytes == 1048576} == {(), (2, 3)}


# A format, and lines of it that a pattern might divide in endless ways, or that are read again and
# again.
ENDLESS = [
    ("tacc", logs.TACC + "1 1 " + "-" * 4000 + "\n"),
    ("osu", logs.OSU_7_FULL + "# Size  Avg Latency(us)  Validation\n" * 60_000),
    ("imb", logs.IMB_4 + ("# Benchmarking a" + " " * 4000 + ",\n") * 4000),
    ("imb", logs.IMB_4 + ("# Group 0:" + " " * 4000 + ",\n") * 4000),
    ("pair-matrix", "# Rate (MiB/s)" + "ate (MiB/s)" * 20_000 + "\n" + logs.EXCERPTS["matrix"][1]),
    ("nodecomm", logs.NODECOMM + ("master:" + " " * 4000 + "x\n") * 4000),
    ("osu", logs.OSU_7_FULL + "Using " + "a/1" * 40 + " !\n" + logs.OSU_7_FULL),
    ("osu", logs.OSU_7_FULL + (" " * 4000 + "x\n") * 100 + logs.OSU_7_FULL),
    ("perftest", logs.PERFTEST_LATENCY + (" #bytes #iterations " + "1" * 4000 + "\n") * 2000),
]


@pytest.mark.long
@pytest.mark.parametrize(("format", "text"), ENDLESS, ids=[str(n) for n in range(len(ENDLESS))])
def test_no_line_takes_for_ever(format: str, text: str) -> None:
    assert any(table.rows for table in tables(text, format))


def test_a_minimum_above_its_mean_is_told() -> None:
    [_, bcast] = tables(logs.IMB_4.replace("155.25       155.49", "155.49       155.25"))
    assert any("line 17: out of order: least rank mean, mean, largest" in n for n in bcast.notes)


def test_unknown_numbers_stay_unknown() -> None:
    [table] = tables(logs.LOGGP)
    assert (1, "g") not in numbers(table)
    assert all(math.isfinite(value) for value in numbers(table).values())


def test_a_heading_without_rows_is_told() -> None:
    log_tables = tables(
        logs.OSU_BCAST_FULL + "# OSU MPI Latency Test v5.3.2\n# Size  Latency (us)\n"
    )
    assert log_tables[1].notes == ["some.log, line 9: a heading without rows"]


def test_warnings_without_end_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_module, "MOST_NOTES", 2)
    heading = "# OSU MPI Latency Test v5.3.2\n# Size  Latency (us)\n"
    [run] = runs(logs.OSU_5 + 5 * heading)
    assert run.header.source is not None
    first, second, more = run.header.source.notes
    assert "a heading without rows" in first
    assert "a heading without rows" in second
    assert more == "and 3 more warnings about this log"


def test_text_that_strangers_wrote_stays_text() -> None:
    text = logs.NCCL.replace("node-001", "<script>alert(1)</script>")
    [table] = tables(text.replace("2.17.6", "\x1b[31m2\x07"))
    assert table.places[0].host == "<script>alert(1)</script>"
    assert table.version == "2\N{REPLACEMENT CHARACTER}"


def test_a_log_that_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.log"
    path.write_text(logs.OSU_5)
    monkeypatch.setattr(content, "LARGEST_LOG", 20)
    with pytest.raises(UsageError, match="larger than"):
        read_log(path)
    monkeypatch.undo()
    monkeypatch.setattr(content, "MOST_LINES", 3)
    with pytest.raises(UsageError, match="3 lines"):
        read_log(path)


def test_a_log_of_more_than_a_result_file_holds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "osu.log"
    path.write_text(logs.OSU_5)
    log = read_log(path)
    [run] = runs_module.runs_of([(log, table) for table in reading.read(log, "osu")], "osu")
    result = tmp_path / "osu.jsonl"
    monkeypatch.setattr(runs_module, "LONGEST_FILE", 300)
    with pytest.raises(UsageError, match=r"osu\.log: 3 numbers of pingpong exceed"):
        runs_module.store(run, result, force=False)
    assert not result.exists()


@pytest.mark.parametrize("format", ["osu", "netgauge"])
def test_a_table_of_too_many_numbers_is_refused(
    format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = {"osu": logs.OSU_5, "netgauge": logs.NETGAUGE}[format]
    monkeypatch.setattr(table_module, "MOST_NUMBERS", 2)
    with pytest.raises(UsageError, match=r"some\.log: more than 2 numbers of pingpong"):
        reading.read(log(text), format)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(UsageError, match=str(path)):
            read_log(path)


def test_an_overlong_line_is_passed_over() -> None:
    log_tables = tables(logs.OSU_5.replace("mpirun", "x" * (LONGEST_LINE + 1)))
    assert len(log_tables[0].rows) == 3


OF_SAMPLES = ("reprompi", "simgrid-calibration")
"""Formats whose lines are, or may be, samples."""


def check(text: str, format: str) -> None:
    """Reads a log or gets an error of ours; runs that are read can be worked with."""
    try:
        experiments = runs(text, format)
    except HockneyError:
        return
    for run in experiments:
        for point in estimate(run).points:
            assert point.samples == 0 or format in OF_SAMPLES
            assert math.isfinite(point.typical_s)
            assert point.typical_s >= 0.0


@pytest.mark.long
@settings(deadline=None, max_examples=50)
@given(st.sampled_from(READERS), st.text(max_size=300))
def test_garbage_is_read_or_refused(format: str, text: str) -> None:
    check(text, format)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, str]:
    """An excerpt with parts cut out, doubled or replaced."""
    format, text = draw(st.sampled_from(list(logs.EXCERPTS.values())))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        put = draw(
            st.sampled_from(["", "\n", "-", "nan", "1e999", "9" * 30, "#", '"', "{", "\x00", "<b>"])
            | st.just(text[start:end] * 2)
            | st.text(max_size=5)
        )
        text = text[:start] + put + text[end:]
    return format, text


@pytest.mark.long
@settings(deadline=None, max_examples=100)
@given(mutated())
def test_a_mutated_log_is_read_or_refused(case: tuple[str, str]) -> None:
    format, text = case
    check(text, format)
    with suppress(HockneyError):
        reading.recognise(log(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n1  1.50\n8  0.00\n", "0.00"),
        ("bytes,time (us)\n1,1.5\n8,0\n", "0"),
        ("bytes,median (us)\n1,1.5\n8,0.0\n", "0.0"),
    ],
)
def test_a_time_of_0_is_no_time_and_is_left_out(text: str, words: str) -> None:
    [table] = tables(text)
    assert [row.bytes for row in table.rows] == [1]
    assert f" is {words}, a time shorter than the program prints; the " in table.notes[0]
    assert len(table.dropped) == 1


def test_other_numbers_of_0_are_kept() -> None:
    """The least time is noted; spreads and rates may be 0, and so may samples."""
    [table, _] = tables(logs.DURHAM_STATISTICS.replace("2.419003e-08", "0.000000e+00"))
    assert {numbers(table)[8, name] for name in ("std", "min")} == {0.0}
    assert "line 1: min is 0.000000e+00, a time shorter than the program prints" in table.notes


def test_samples_of_0_are_kept_and_noted() -> None:
    read = replace(log("bytes,time (us)\n8,0\n8,1\n8,0\n"), repeated="samples")
    [run] = runs_module.runs_of([(read, table) for table in reading.read(read, "csv")], "csv")
    assert [visit.ns for visit in run.samples] == [[0.0], [1000.0], [0.0]]
    assert run.header.source is not None
    assert "times of 0 are shorter than the clock shows" in run.header.source.notes[0]
