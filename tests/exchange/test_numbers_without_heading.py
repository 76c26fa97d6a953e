"""Tables of numbers that name their columns, or whose numbers are no seconds, are no ping-pongs of
a program that prints no heading."""

from __future__ import annotations

import pytest
from reading import log, tables

from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading

ROWS = "1 16 {}\n2 32 {}\n4 64 {}\n"


@pytest.mark.parametrize(
    "text",
    [
        "nodes ranks time\n" + ROWS.format(0.009, 0.005, 0.002),
        "# x y yerr\n" + ROWS.format(0.009, 0.005, 0.002),
        ROWS.format(1.25, 1.5, 2.75),
    ],
)
def test_other_tables_of_three_columns_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        reading.recognise(log(text))


@pytest.mark.parametrize("above", ["", "$ mpirun -n 2 ./pingpong\n", "bytes reps seconds\n"])
def test_seconds_of_small_messages_are(above: str) -> None:
    (table,) = tables(above + ROWS.format("4e-7", "5e-7", "6e-7"))
    assert [row.repetitions for row in table.rows] == [16, 32, 64]
