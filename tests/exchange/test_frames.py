"""Data frames as people keep them: printed, and as JSON."""

from __future__ import annotations

import pytest
from reading import log, numbers, tables

from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading

KNOWN = {(8, "mean"): pytest.approx(1.25e-6), (16, "mean"): pytest.approx(1.5e-6)}


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("   size  latency (us)\n0     8          1.25\n1    16          1.50\n", "aligned"),
        (
            "   net  size  latency_us\n0   ib     8        1.25\n1   ib    16        1.50\n",
            "aligned",
        ),
        (" size  latency_us\n    8        1.25\n   16        1.50\n", "aligned"),
        ("size  latency_us\n8     1.25\n16    1.50\n", "aligned"),
        ("size latency (us)\n8 1.25\n16 1.50\n", "aligned"),
        (
            "+-------+--------------+\n| size  | latency (us) |\n+-------+--------------+\n"
            "|     8 |         1.25 |\n|    16 |         1.50 |\n+-------+--------------+\n",
            "aligned",
        ),
        (
            "  size    time_us\n------  ---------\n     8       1.25\n    16        1.5\n",
            "aligned",
        ),
        (
            "shape: (2, 2)\n┌──────┬────────────┐\n│ size ┆ latency_us │\n│ ---  ┆ ---        │\n"
            "│ i64  ┆ f64        │\n╞══════╪════════════╡\n│ 8    ┆ 1.25       │\n"
            "│ 16   ┆ 1.5        │\n└──────┴────────────┘\n",
            "aligned",
        ),
        ("# round-trip times\n# size time_us\n8 2.50\n16 3.00\n", "aligned"),
        ('{"size": 8, "latency_us": 1.25}\n\n{"latency_us": 1.50, "size": 16}\n', "json-lines"),
        (
            '[\n {"size": 8, "latency_us": 1.25},\n {"size": 16, "latency_us": 1.5}\n]\n',
            "json-lines",
        ),
    ],
)
def test_names_belong_to_the_numbers_below_them(text: str, format: str) -> None:
    assert reading.recognise(log(text)) == format
    (table,) = tables(text)
    assert numbers(table) == KNOWN
    assert all("half" in note for note in table.notes)


def test_digits_of_json_are_kept() -> None:
    (table,) = tables('{"size": 8, "latency_us": 1.250}\n')
    assert table.rows[0].rounding == 0.0004


def test_rows_that_cannot_be_read_are_named() -> None:
    (table,) = tables(
        "    size  latency_us\n0      8        1.25\n..   ...         ...\n9     16        1.50\n"
        "10    32\n\n[11 rows x 2 columns]\n"
    )
    assert numbers(table) == KNOWN
    assert [note.partition(": ")[0] for note in table.notes] == [
        "some.log, line 5",
        "some.log, line 3",
    ]
    (table,) = tables(
        "│ size ┆ time_us │\n│ 8    ┆ 1.25    │\n│ …    ┆ …       │\n│ 16   ┆ 1.5     │\n"
    )
    assert [note.partition(": ")[0] for note in table.notes] == ["some.log, line 3"]
    (table,) = tables('{"size": 8, "latency_us": 1.25}\n{"size": 16, "laten\n{"size": 32}\n')
    assert table.dropped == [2, 3]


@pytest.mark.parametrize("text", ["[1, 2]\n", '{"size": 8}\n', "[1,0]<stdout>:\n", '{"a": 1\n'])
def test_other_json_is_no_table(text: str) -> None:
    with pytest.raises(UsageError):
        reading.recognise(log(text))


def test_rows_below_another_heading_are_not_of_the_first() -> None:
    first = "# size time_us\n8 1.25\n"
    (table,) = tables(first + first.replace("8 1.25", "16 1.50") + "# size MB/s\n32 9.5\n")
    assert numbers(table) == KNOWN
    assert [note.partition(": ")[0] for note in table.notes] == ["some.log, line 5"]


def test_a_table_of_a_program_that_is_refused_is_refused() -> None:
    text = "MIGRATED TCP STREAM TEST from 0.0.0.0\nsize time_secs Mbit/s\n16384 10.00 9415.94\n"
    with pytest.raises(UsageError, match="a log of netperf"):
        reading.recognise(log(text))
