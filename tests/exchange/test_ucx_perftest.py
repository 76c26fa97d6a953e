"""Every layout that ucx_perftest prints: versions, options, batch files, threads."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import NAME, numbers, runs, tables

from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.logs.table import LogTable
from hockney.records import Run

STAGE = "|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |\n"
OLD_STAGE = "|    Stage     | # iterations | typical | average | overall |  average |  overall |\n"
TEST = STAGE.replace("Stage", " Test")
BOX = """\
| API:          {api} layer                                                             |
| Test:         {test}                                                        |
| Message size: {size}                                                                 |
"""
MIB = 2.0**20


def final(size: int, us: float, name: str = "Final:") -> str:
    """The last row of a test that sends a message of this size every `us`."""
    rate, messages = size / us * 1e6 / MIB, 1e6 / us
    pair = f"{rate:11.2f} {rate:10.2f} {messages:11.0f} {messages:11.0f}"
    return f"{name:10}{1000:18} {us:10.3f} {us:9.3f} {us:9.3f} {pair}\n"


def unhelped(text: str) -> list[LogTable]:
    """Tables of a log without a size and an operation of the user."""
    read = log_of(text, Path(NAME))
    return reading.read(read, reading.recognise(read))


@pytest.mark.parametrize(
    ("options", "size"),
    [("-s 512,512", 1024), ("-s 1024:16", 16384), ("-s 16,48", 64), ("", 8), ("-s4096", 4096)],
)
def test_the_size_of_a_command_is_the_sum_of_its_parts(options: str, size: int) -> None:
    [table] = unhelped(f"$ ucx_perftest n2 -t tag_lat {options}\n{STAGE}{final(size, 2.5)}")
    assert numbers(table)[size, "mean"] == 2.5e-6


def test_a_batch_file_shows_sizes_by_numbers_that_agree_with_the_rates() -> None:
    text = STAGE + "+8/tag_lat---+------+\n" + final(8, 1.25) + "+4096/tag_bw-----+---+\n"
    small, large = unhelped(text + final(4096, 0.5))
    assert (small.operation, large.operation) == ("tag-lat", "tag-bw")
    assert numbers(small)[8, "mean"] == 1.25e-6
    assert numbers(large)[4096, "mean overhead"] == 0.5e-6


def test_a_number_of_a_batch_file_that_is_no_size_is_not_taken_for_one() -> None:
    with pytest.raises(UsageError, match=r"does not show the message size: give it with --bytes"):
        unhelped(TEST + final(8, 1.25, "16/tag_lat"))
    with pytest.raises(UsageError, match="give it with --bytes"):
        unhelped("$ ucx_perftest n2 -b sizes -t tag_lat\n" + STAGE + final(8, 1.25))


def test_a_batch_file_keeps_transports_apart() -> None:
    rows = final(64, 1.0, "64/put_short_lat/rc") + final(64, 2.0, "64/put_short_lat/ud")
    first, second = runs(TEST + rows)
    assert [first.header.options["batch"], second.header.options["batch"]] == ["rc", "ud"]
    assert {s.value_s for s in first.summaries if s.statistic == "mean"} == {1e-6}


@pytest.mark.parametrize("mark", ["", "Final:    "])
def test_csv_of_batch_files_has_names_before_the_numbers(mark: str) -> None:
    heading = "msg_pow2,tests,iterations,typical_lat,avg_lat,overall_lat,avg_bw,overall_bw,"
    rows = (
        "64,tag_lat,[thread 0] 500,1.6,1.7,1.7,35.90,35.90,588235,588235\n"
        f"64,tag_lat,{mark}1000,1.625,1.750,1.600,38.15,38.15,625000,625000\n"
        f"128,tag_lat,{mark}1000,1.725,1.850,1.750,69.75,69.75,571429,571429\n"
    )
    first, second = unhelped(f"{heading}avg_mr,overall_mr\n{rows}")
    assert numbers(first)[64, "mean"] == 1.6e-6
    assert not any("last row" in note for note in first.notes + second.notes)
    assert numbers(second)[128, "median"] == 1.725e-6


def test_the_last_row_counts_where_version_1_9_marks_none() -> None:
    rows = (
        f"       500     1.1     1.1   1.1   55.49   55.49   909091   909091\n{final(64, 1.25, '')}"
    )
    [table] = tables(f"$ ucx_perftest n2 -t tag_lat -s 64\n{OLD_STAGE}{rows}")
    assert numbers(table)[64, "mean"] == 1.25e-6
    assert not any("last row" in note for note in table.notes)


def test_a_test_is_named_by_its_own_box_not_by_that_above() -> None:
    lat = BOX.format(api="protocol", test="tag match latency", size=8) + STAGE + final(8, 1.25)
    bw = BOX.format(api="transport", test="put bandwidth / message rate", size=64)
    upper = BOX.format(api="protocol", test="am bandwidth / message rate", size=64)
    log_tables = unhelped(lat + bw + STAGE + final(64, 0.25) + upper + STAGE + final(64, 0.5))
    assert [table.operation for table in log_tables] == ["tag-lat", "put-bw", "ucp-am-bw"]
    assert numbers(log_tables[1])[64, "mean overhead"] == 0.25e-6


def test_a_size_is_not_taken_from_the_test_before() -> None:
    """In a loop whose command is shown once, the sizes of the other tests are unknown."""
    text = f"$ ucx_perftest n2 -t tag_lat -s 64\n{STAGE}{final(64, 1.25)}{STAGE}{final(128, 1.5)}"
    first, second = unhelped(text)
    assert numbers(first)[64, "mean"] == 1.25e-6
    assert second.rows == []
    assert "line 5: the log does not show the message size: give it with --bytes" in second.notes[1]


@pytest.mark.parametrize(("window", "name"), [("1", "mean"), ("32", "mean overhead")])
def test_a_get_is_an_operation_unless_several_are_in_flight(window: str, name: str) -> None:
    text = f"$ ucx_perftest n2 -t ucp_get -s 64 -O {window}\n{STAGE}{final(64, 1.25)}"
    assert numbers(tables(text)[0])[64, name] == 1.25e-6


def test_extra_information_behind_a_row_is_no_number() -> None:
    row = final(64, 1.25).rstrip() + "  rndv/get/zcopy(mlx5_0:1/path0) 2 lanes\n"
    assert numbers(tables(f"$ ucx_perftest n2 -t tag_lat -s 64\n{STAGE}{row}")[0])[64, "mean"]


def test_a_last_row_that_may_be_cut_is_left_out() -> None:
    text = f"$ ucx_perftest n2 -t tag_lat -s 64\n{STAGE}{final(64, 1.25)}"
    assert numbers(unhelped(text.rstrip())[0])[64, "message rate"] == 800000
    with pytest.raises(UsageError, match="no table of ucx-perftest with a row"):
        unhelped(text.rstrip()[:-2])


def united(what: str = "overhead (usec)", rate: str = "MB/s", messages: str = "msg/s") -> Run:
    """The run of a test of 64 bytes whose heading has these units."""
    units = f"|     |     |   {what}   |   bandwidth ({rate})  |  message rate ({messages}) |\n"
    rule = "+-----+-----+----------+---------+---------+----------+\n"
    command = "$ ucx_perftest n2 -t tag_lat -s 64\n"
    [run] = runs(command + units + rule + STAGE + final(64, 1.25))
    return run


@pytest.mark.parametrize(
    ("units", "time_s", "rate_bytes"),
    [
        ({}, 1e-6, MIB),
        ({"what": "latency (nsec)"}, 1e-9, MIB),
        ({"what": "overhead (msec)"}, 1e-3, MIB),
        ({"rate": "MiB/s"}, 1e-6, MIB),
        ({"rate": "GiB/s"}, 1e-6, 1024 * MIB),
    ],
)
def test_the_units_above_a_heading_are_read(
    units: dict[str, str], time_s: float, rate_bytes: float
) -> None:
    known = {row.statistic: row.value_s or row.value_Bps for row in united(**units).summaries}
    assert known["mean"] == pytest.approx(1.25 * time_s)
    assert known["bandwidth"] == pytest.approx(48.83 * rate_bytes)


@pytest.mark.parametrize(
    "units", [{"what": "overhead (cycles)"}, {"rate": "GB/s"}, {"messages": "kmsg/s"}]
)
def test_units_that_are_not_known_are_refused_by_name(units: dict[str, str]) -> None:
    name = next(iter(units.values())).rpartition("(")[2].strip(")")
    with pytest.raises(UsageError, match=f"unknown units: {name}; the row is ignored"):
        united(**units)


LAST_ROW = "Final:     1000      0.240  1675.942  1671.351    476.84    476.84   1000   1000\n"


@pytest.mark.parametrize("name", ["tag_bw", "tag_sync_bw", "ucp_put_bw"])
def test_a_banner_of_a_script_names_the_test_below_it(name: str) -> None:
    first = f"====================== tag_lat ======================\n{BOX}{STAGE}{LAST_ROW}"
    text = f"{first}\n\n=================== {name} ==================\n{BOX}{STAGE}{LAST_ROW}"
    operations = [table.operation for table in tables(text) if table.rows]
    assert operations == ["tag-lat", name.replace("_", "-")]


def test_a_banner_that_names_no_test_changes_nothing() -> None:
    text = f"$ ucx_perftest -t tag_bw -s 500000 n1\n======= done =======\n{BOX}{STAGE}{LAST_ROW}"
    [table] = tables(text)
    assert (table.operation, {row.bytes for row in table.rows}) == ("tag-bw", {500000})
