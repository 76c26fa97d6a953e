"""Times of whole round trips are halved, those of one way are not, by one rule for all tables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reading import log, numbers, tables

from hockney.foreign.exchange import reading
from hockney.foreign.logs.table import LogTable
from hockney.foreign.programs._csv_heading import parse_columns
from hockney.foreign.programs._round_trips import is_round_trip

WHOLE = (
    "round-trip times",
    "roundtrip",
    "rtt_us",
    "Round trip (us)",
    "ping-pong RTT on 2 nodes",
    "not one-way: round trip",
    "half of the nodes; round-trip time",
    "RTT of pairs 1/2 and 3/4",
    "round-trip time (us), not halved",
    "round trips, not divided by 2",
    "0.5 us RTT",
)
HALVED = (
    "half round-trip latency",
    "half of the RTT",
    "1/2 RTT",
    "0.5 RTT",
    "½ RTT",
    "ping-pong (RTT/2)",
    "RTT * 0.5",
    "round-trip time / 2",
    "round trip time, halved",
    "round-trip time divided by two",
    "one-way, not round trip",
    "one-way time",
)
MATRIX = "rank n1 n2\nn1 0 1.5\nn2 1.25 0\n"


@pytest.mark.parametrize("text", WHOLE)
def test_whole_round_trips(text: str) -> None:
    assert is_round_trip(text) is True


@pytest.mark.parametrize("text", HALVED)
def test_times_that_are_one_way_already(text: str) -> None:
    assert is_round_trip(text) is False


def test_most_texts_say_nothing_of_trips() -> None:
    assert is_round_trip("latency in us, 8 bytes, 4 rounds") is None


@pytest.mark.parametrize(
    ("says", "factor"), [*((t, 0.5) for t in WHOLE), *((t, 1) for t in HALVED)]
)
def test_a_matrix_is_halved_by_what_its_comments_say(says: str, factor: float) -> None:
    [table] = tables(f"# {says}\n# times in us, message size 8 B\n{MATRIX}")
    assert table.rows[0].value_s == pytest.approx(1.5e-6 * factor)


def test_the_comment_nearest_to_a_matrix_counts() -> None:
    text = f"# RTTs, message size 8 B\n\n# in us\n{MATRIX}\n# one-way, in us\n{MATRIX}"
    whole, single = tables(text)
    assert whole.rows[0].value_s == pytest.approx(0.75e-6)
    assert single.rows[0].value_s == pytest.approx(1.5e-6)


def csv(text: str, columns: str = "") -> list[LogTable]:
    csv_log = replace(log(text), columns=parse_columns(columns) if columns else None)
    return reading.read(csv_log, "csv")


@pytest.mark.parametrize(
    ("says", "factor"), [*((t, 0.5) for t in WHOLE), *((t, 1) for t in HALVED)]
)
def test_a_table_in_csv_is_halved_by_the_comment_above(says: str, factor: float) -> None:
    [table] = csv(f"# {says}\nbytes,latency_us,bandwidth (MB/s)\n8,2.5,100\n")
    figures = numbers(table)
    assert figures[8, "mean"] == pytest.approx(2.5e-6 * factor)
    assert figures[8, "bandwidth"] == 100e6
    noted = ["some.log, line 2: 'latency_us': half of each round trip is read"]
    assert table.notes == (noted if factor == 0.5 else [])


@pytest.mark.parametrize("cell", ["2.5", "2500 ns", "0.0025 ms"])
@pytest.mark.parametrize("name", ["rtt_us", "Round trip (us)"])
def test_a_column_of_round_trips_that_is_named_is_halved(name: str, cell: str) -> None:
    [table] = csv(f"# one way\nbytes,{name}\n8,{cell}\n", f"bytes=bytes,time={name}")
    assert numbers(table)[8, "mean"] == pytest.approx(1.25e-6)
    assert table.rows[0].definition.startswith("half of the round trip, as the column is called")
    assert f"some.log, line 2: {name!r}: half of each round trip is read" in table.notes


def test_the_comment_nearest_to_a_table_in_csv_counts() -> None:
    rows = "bytes,latency_us\n8,2.5\n"
    other = rows.replace("latency_us", "time_us")
    log_tables = csv(f"# RTT\n{rows}# one-way\n{other}# of round trips\n{rows}")
    assert [row.value_s for table in log_tables for row in table.rows] == pytest.approx(
        [1.25e-6, 2.5e-6, 1.25e-6]
    )
