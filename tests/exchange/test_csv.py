"""Tables in CSV as people have them: names, units, separators, and what repeated rows are."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import log, numbers, tables

import excerpts as logs
from conftest import RunHockney
from hockney import records
from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading, writing
from hockney.foreign.logs.runs import runs_of
from hockney.foreign.logs.table import Column
from hockney.foreign.programs._csv_heading import heading_of, meaning_of, parse_columns
from hockney.infer.analysis import Analysis
from hockney.infer.estimate import estimate
from hockney.records import Run
from recorded.answers import files, name_of

SIZE, TIME = "size,time (us)\n", {(8, "mean"): 1.07e-6}


def runs(text: str, **given: object) -> list[Run]:
    read = replace(log(text), **given)  # type: ignore[arg-type]
    return runs_of([(read, table) for table in reading.read(read, "csv")], "csv")


@pytest.mark.parametrize(
    ("name", "statistic", "unit"),
    [
        ("latency (us)", "mean", 1e-6),
        ("Latency [usec]", "mean", 1e-6),
        ("t[usec]", "mean", 1e-6),
        ("t_avg[usec]", "mean", 1e-6),
        ("t_min[usec]", "min", 1e-6),
        ("Avg_Latency(us)", "mean", 1e-6),
        ("usec", "mean", 1e-6),
        ("time (s)", "mean", 1.0),
        ("time_ns", "mean", 1e-9),
        ("latency µs", "mean", 1e-6),
        ("median ms", "median", 1e-3),
        ("p99_us", "p99", 1e-6),
        ("p99.9 (us)", "p99.9", 1e-6),
        ("p99.99_us", "p99.99", 1e-6),
        ("latency_p999_us", "p99.9", 1e-6),
        ("p9999 [ns]", "p99.99", 1e-9),
        ("Mbytes/sec", "bandwidth", 1e6),
        ("Bandwidth (MB/s)", "bandwidth", 1e6),
        ("bw [GiB/s]", "bandwidth", 2.0**30),
        ("Gbps", "bandwidth", 1.25e8),
        ("throughput (Mbit/s)", "bandwidth", 1.25e5),
        ("max bandwidth (MB/s)", "max bandwidth", 1e6),
    ],
)
def test_a_name_gives_statistic_and_unit(name: str, statistic: str, unit: float) -> None:
    meaning = meaning_of(name)
    assert isinstance(meaning, Column)
    assert (meaning.statistic, float(meaning.factor)) == (statistic, pytest.approx(unit))
    assert name in meaning.definition


@pytest.mark.parametrize(
    "name",
    [
        "bytes",
        "#bytes",
        "Size",
        "msg_size",
        "nbytes",
        "message size (bytes)",
        "Message Size [B]",
        "message_bytes",
    ],
)
def test_sizes_have_many_names(name: str) -> None:
    assert meaning_of(name) == "bytes"


@pytest.mark.parametrize(
    "name",
    [
        *("latency", "time", "bandwidth", "size (KB)", "size (furlongs)", "Zeit (us)", "", "s"),
        pytest.param("time (" + 5000 * " " + "s", id="a line of a damaged log"),
    ],
)
def test_what_is_not_known_is_not_guessed(name: str) -> None:
    assert not isinstance(meaning_of(name), Column)
    assert meaning_of(name) in (None, "")


@given(st.text(max_size=40))
def test_any_name_has_a_meaning_or_none(name: str) -> None:
    meaning_of(name)
    heading_of([name, "size", "time_us"])
    with suppress(UsageError):
        parse_columns(name)
    with suppress(UsageError):
        heading_of(["size", "lat"], {"bytes": "size", "time": name})


@pytest.mark.parametrize(
    "text",
    [
        "size,time (us)\n8,1.07\n",
        "\ufeffsize,time (us)\n8,1.07\n",
        "size;time (us)\r\n8;1.07\r\n",
        "size\ttime (us)\n8\t1.07\n",
        "# made by hand\n\nsize,time (us)\n# of node 1\n8,1.07\n",
        '"size","time (us)"\n"8","1.07"\n',
        "size (B),time (us)\n8,1.07\n",
        "Size in Bytes,Time in us\n8,1.07\n",
        "size (B),time (us) # by the operator\n8,1.07\n",
    ],
    ids=["commas", "mark", "semicolons", "tabs", "comments", "quotes", "unit", "in", "comment"],
)
def test_files_of_all_editors_are_read(text: str) -> None:
    [table] = tables(text, "csv")
    assert numbers(table) == TIME
    assert reading.recognise(log(text)) == "csv"


def test_columns_of_times_and_rates_that_are_not_read_are_said() -> None:
    [table] = tables("msize,time (us),note,99.9% (us),bus GB/s\n8,1.07,a,5.0,6.0\n")
    assert numbers(table) == TIME
    [note] = table.notes
    words = "line 1: times or rates of an unknown kind are not read: '99.9% (us)', 'bus GB/s'"
    assert note.endswith(words)


@pytest.mark.parametrize(("unit", "bytes"), [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)])
def test_sizes_in_powers_of_two_are_bytes(unit: str, bytes: int) -> None:
    for text in (f"size ({unit}),time (us)\n4,1\n", f"size,time (us)\n4{unit},1\n"):
        [table] = tables(text, "csv")
        assert [row.bytes for row in table.rows] == [4 * bytes]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# run 3, node a\nsize,hops\n8,1\n", 2),
        ("# run 3, node a\n\n# size,hops\n8,1\n", 3),
        ("# run 3, node a, by me\n# size,hops\n8,1\n", 2),
    ],
)
def test_a_comment_with_a_comma_is_no_heading(text: str, line: int) -> None:
    with pytest.raises(UsageError, match=rf"line {line}: the heading (# )?size, hops names no"):
        reading.recognise(log(text))


def test_columns_are_named_below_a_comment_with_a_comma() -> None:
    read = replace(log("# run 3, node a\nn,t\n8,2\n"), columns={"bytes": "n", "time": "t:us"})
    [table] = reading.read(read, "csv")
    assert numbers(table) == {(8, "mean"): 2e-6}


def test_names_of_imb_in_csv() -> None:
    text = "#bytes,#repetitions,t[usec],Mbytes/sec\n0,1000,1.07,0.00\n8,1000,1.10,7.27\n"
    [table] = tables(text)
    assert {row.repetitions for row in table.rows} == {1000}
    assert numbers(table)[8, "mean"] == 1.10e-6
    assert numbers(table)[8, "bandwidth"] == 7.27e6


def test_a_bandwidth_alone_is_enough() -> None:
    [run] = runs("nbytes,bandwidth (GB/s)\n1024,1.5\n")
    [point] = estimate(run).headline
    assert (point.statistic, point.bandwidth_Bps) == ("bytes / bandwidth", 1.5e9)


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("nr,lat,size,lat2 (us)", "bytes=size,time=lat:us"),
        ("n,t,s,u", "bytes=s,time=t:us"),
    ],
)
def test_named_columns_are_read(
    hockney: RunHockney, tmp_path: Path, heading: str, columns: str
) -> None:
    (tmp_path / "a.csv").write_text(f"{heading}\n1,480.82,8,7\n2,2.5,1024,9\n")
    words = ("--columns", columns, "--operation", "pingpong", "-o", "a.jsonl")
    done = hockney("import", "a.csv", *words)
    assert (done.status, done.stderr) == (0, "")
    run = records.read(tmp_path / "a.jsonl")
    assert [(s.operation, s.bytes, s.value_s) for s in run.summaries] == [
        ("pingpong", 8, 480.82e-6),
        ("pingpong", 1024, 2.5e-6),
    ]
    assert " 480.82\n" in hockney("show", "a.jsonl").stdout


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ("bytes=size,time=lat", "time=lat: the unit is not known\n  write time=lat:UNIT with one"),
        ("bytes=size,time=lat:hours", "'hours' is no unit"),
        ("bytes=size,bandwidth=lat:us", "'us' is no unit"),
        ("bytes=size:KB,time=lat:us", "'KB' is no unit"),
        (
            "bytes=length,time=lat:us",
            "no column is called 'length'\n  the header has nr, lat, size",
        ),
        ("byte=size,time=lat:us", "'byte' is no column that is read"),
        ("bytes=size,bytes=nr", "bytes is given twice"),
        ("bytes", "the name of the column is missing"),
        ("", "'' is no column that is read"),
    ],
)
def test_wrong_columns_are_refused(
    hockney: RunHockney, tmp_path: Path, columns: str, complaint: str
) -> None:
    (tmp_path / "a.csv").write_text("nr,lat,size\n1,480.82,8\n")
    done = hockney("import", "a.csv", "--columns", columns, "-o", "a.jsonl")
    assert done.status == 2
    assert complaint in done.stderr
    assert not (tmp_path / "a.jsonl").exists()


def test_columns_of_another_format_are_refused(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(logs.OSU_5)
    done = hockney("import", "a.log", "--as", "osu", "--columns", "bytes=size,time=lat:us")
    assert done.status == 2
    assert "--as osu is none" in done.stderr


@pytest.mark.parametrize("text", ["Size,Latency\n8,1\n", "Zeit (us),Lage\n1,2\n"])
def test_a_refusal_shows_the_heading_and_the_known_names(text: str) -> None:
    for name in (None, "csv"):
        with pytest.raises(UsageError) as refused:
            reading.read(log(text), name or reading.recognise(log(text)))
        heading = text.splitlines()[0].replace(",", ", ")
        assert f"line 1: the heading {heading} " in str(refused.value)
        assert "--columns bytes=NAME,time=NAME:us" in str(refused.value)


REPEATED = f"{SIZE}" + "".join(f"{size},{size + n}\n" for size in (8, 16) for n in range(5))


def test_repeated_rows_are_launches_when_told_so() -> None:
    [run] = runs(REPEATED, repeated="launches")
    assert len(run.launches) == 5
    assert run.header.source is not None
    assert run.header.source.notes == []
    assert all(point.interval for point in estimate(run).headline)


def test_repeated_rows_are_samples_when_told_so(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(REPEATED)
    assert hockney("import", "a.csv", "--repeated", "samples", "-o", "a.jsonl").status == 0
    run = records.read(tmp_path / "a.jsonl")
    assert [samples.ns for samples in run.samples[:2]] == [[8000.0], [16000.0]]
    assert (len(run.launches), run.summaries) == (1, [])
    points = json.loads(hockney("show", "a.jsonl", "--json").stdout)["points"]
    assert [(point["bytes"], point["samples"], point["median_s"]) for point in points] == [
        (8, 5, pytest.approx(10e-6)),
        (16, 5, pytest.approx(18e-6)),
    ]
    assert "10.000" in hockney("show", "a.jsonl").stdout


def test_samples_need_one_column_of_times() -> None:
    with pytest.raises(UsageError, match="one column of times"):
        runs("size,time (us),MB/s\n8,1,8\n8,2,4\n", repeated="samples")


def test_what_nobody_told_has_no_interval_and_says_so() -> None:
    [run] = runs(REPEATED)
    assert len(run.summaries) == 10, "every number is kept"
    assert run.header.source is not None
    [note] = run.header.source.notes
    assert "line 3: the same point again" in note
    for point in estimate(run).headline:
        assert (point.launches, point.interval) == (1, None)
    assert [point.typical_s for point in estimate(run).headline] == [10e-6, 18e-6]


@pytest.mark.parametrize(
    "name",
    ["osu_bibw_ib_compute003-bibandwidth", "pairs-four", "osu_latency_ib_compute001-pingpong"],
)
def test_our_own_table_comes_back_exactly(name: str) -> None:
    """Bandwidths alone, and pairs, included."""
    [file] = [file for file in files() if name_of(file) == name]
    before = estimate(records.read(file)).headline
    [run] = runs(writing.write(Analysis(records.read(file)), "csv").decode())
    after = estimate(run).headline
    kept = (
        "operation",
        "bytes",
        "ranks",
        "pairs",
        "peers",
        "mode",
        "statistic",
        "typical_s",
        "bandwidth_Bps",
        "min_s",
        "mean_s",
        "p99_s",
    )
    assert [[getattr(p, k) for k in kept] for p in after] == [
        [getattr(p, k) for k in kept] for p in before
    ]


def test_what_was_wrong_with_a_log_follows_its_numbers(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(logs.ITMO)
    assert "warning: " in hockney("import", "a.log", "-o", "a.jsonl").stderr
    source = records.read(tmp_path / "a.jsonl").header.source
    assert source is not None
    words = source.notes[0]
    assert f"warning: {words}" in hockney("fit", "a.jsonl").stderr
    [fit] = json.loads(hockney("fit", "a.jsonl", "--json").stdout)["fits"]
    assert words in fit["warnings"]
    assert words in json.loads(hockney("show", "a.jsonl", "--json").stdout)["warnings"]
    done = hockney("compare", "a.jsonl", "a.jsonl")
    assert words in done.stdout + done.stderr
    [comparison] = json.loads(hockney("compare", "a.jsonl", "a.jsonl", "--json").stdout)[
        "comparisons"
    ]
    assert f"a: {words}" in comparison["notes"]
    assert hockney("report", "a.jsonl", "-o", "a.html").status == 0
    assert words.partition("'")[0][:60] in (tmp_path / "a.html").read_text()


def test_predictions_repeat_what_was_wrong_with_a_log(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(logs.IMB_4)
    assert hockney("import", "a.log", "--only", "pingpong", "-o", "a.jsonl").status == 0
    words = "its Mbytes are 2^20 bytes; rates are read so"
    assert f"warning: {words}" in hockney("predict", "a.jsonl", "--bytes", "8").stderr
    answer = json.loads(hockney("predict", "a.jsonl", "--bytes", "8", "--json").stdout)
    assert words in answer["predictions"][0]["warnings"]
