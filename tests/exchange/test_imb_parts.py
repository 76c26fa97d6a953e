"""The parts of Intel MPI Benchmarks that print other lines than IMB-MPI1."""

from __future__ import annotations

import pytest
from reading import numbers, tables

from excerpts import IMB_MULTI

P2P = """\
#    Intel(R) MPI Benchmarks 2021.3, IMB-P2P part
# Benchmarking {name}
# #processes = 4
       #bytes #repetitions      t[usec]   Mbytes/sec      Msg/sec
            8       100000         1.25        25.60      3200000
"""
MT = """\
#    Intel(R) MPI Benchmarks 2021.3, MT part
# Benchmarking PingPongMT
# #processes = 2 (threads: 1)
        #bytes #repetitions   t_max[usec]   t_avg[usec]    Mbytes/sec
            4l         1000          1.20          1.10          3.33
         1024l         1000          2.20          2.10        465.45
"""


@pytest.mark.parametrize(
    ("name", "over"),
    [
        ("PingPong", "2n"),
        ("PingPing", "n"),
        ("SendRecv_Replace", "n"),
        ("Stencil2D", "the number of its messages"),
    ],
)
def test_a_time_of_p2p_is_of_all_ranks(name: str, over: str) -> None:
    (table,) = tables(P2P.format(name=name))
    definition = f"mean over ranks of each rank's whole loop over {over}"
    assert table.rows[0].definition == definition


def test_sizes_of_mt_have_a_letter_that_is_no_unit() -> None:
    (table,) = tables(MT)
    assert numbers(table)[1024, "mean"] == pytest.approx(2.1e-6)
    assert not table.notes
    assert len(table.rows) == 6


def test_a_group_whose_ranks_are_not_shown_is_noted() -> None:
    text = IMB_MULTI.replace("# Group", "# group")
    (table,) = tables(text)
    assert {row.peers for row in table.rows} == {()}
    assert "no line above shows the ranks of group 0, 1" in table.notes[0]
    assert not tables(IMB_MULTI)[0].notes
