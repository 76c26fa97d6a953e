"""Whom a call of a collective waits for, by the times at which ranks come and leave."""

from __future__ import annotations

import numpy as np
import pytest

from hockney.profiling.layout import CELL, CELLS, EVENT, GROUP, HEADER, RankFile
from hockney.profiling.waits import Waits, waits_of

MEMBERS = 7
Spans = list[tuple[int, int]]
"""When each rank enters and leaves, in ns."""


def rank_file(rank: int, ranks: int, call: str, enter: int, leave: int, root: int) -> RankFile:
    header = np.zeros(1, HEADER)[0]
    header["rank"], header["ranks"], header["boot"] = rank, ranks, b"here"
    group = np.zeros(1, GROUP)
    group["members"], group["size"], group["rank"] = MEMBERS, ranks, rank
    cells = np.zeros(CELLS, CELL)
    cells[0]["call"], cells[0]["count"], cells[0]["peer"], cells[0]["bytes"] = 1, 1, root, 8
    events = np.zeros(1, EVENT)
    events["enter"], events["exit"], events["members"] = enter, leave, MEMBERS
    return RankFile(header, [call], [], group, cells, np.zeros(0, EVENT), events)


def waits(call: str, spans: Spans, root: int = -1) -> tuple[list[Waits], list[list[float]]]:
    """The waits of each rank, and the ns that each waited for each other one."""
    files = [rank_file(rank, len(spans), call, *span, root=root) for rank, span in enumerate(spans)]
    of_ranks, blamed, _ = waits_of(files)
    return of_ranks, (blamed * 1e9).round().tolist()


@pytest.mark.parametrize(
    ("call", "root", "blamed"),
    [
        ("MPI_Barrier", -1, [[0, 0, 90], [0, 0, 60], [0, 0, 0]]),
        ("MPI_Bcast", 1, [[0, 30, 0], [0, 0, 0], [0, 0, 0]]),
        ("MPI_Reduce", 1, [[0, 0, 0], [0, 0, 60], [0, 0, 0]]),
    ],
)
def test_all_wait_for_the_last_for_the_root_or_as_the_root(
    call: str, root: int, blamed: list[list[float]]
) -> None:
    assert waits(call, [(10, 110), (40, 110), (100, 110)], root)[1] == blamed


@pytest.mark.parametrize("call", ["MPI_Scan", "MPI_Exscan"])
def test_a_scan_waits_for_the_ranks_before(call: str) -> None:
    """Rank 0 left before the others came, and its whole call counted as waiting for the last."""
    _, blamed = waits(call, [(10, 20), (40, 110), (100, 110), (30, 111)])
    assert blamed[0] == [0, 0, 0, 0]
    assert blamed[1] == [0, 0, 0, 0]
    assert blamed[3] == [0, 0, 70, 0]


def test_who_left_before_the_last_came_did_not_wait_for_it() -> None:
    """Without data for each other, ranks need not wait."""
    _, blamed = waits("MPI_Alltoallv", [(10, 50), (40, 50), (100, 110)])
    assert blamed == [[0, 30, 0], [0, 0, 0], [0, 0, 0]]


def test_for_which_neighbour_a_call_waits_is_not_known() -> None:
    of_ranks, blamed = waits("MPI_Neighbor_alltoall", [(10, 20), (40, 110), (100, 110)])
    assert not np.any(blamed)
    assert not any(rank.seen.any() for rank in of_ranks), "which makes its waiting unknown"
