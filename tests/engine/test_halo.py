"""Exchanges with the neighbours on a grid: who they are, what arrives, and what is refused."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

import pytest

from conftest import RunEngine, first_of
from hockney.infer.predict.halo_exchange import messages, offsets
from hockney.plan.workloads.halo import (
    BLOCKS,
    DIRECTIONS,
    EXCHANGES,
    NEIGHBORHOOD,
    PACKINGS,
    PARTITIONED,
)
from hockney.run.measure.toolchain.features import features_of
from hockney.run.mpis import Engine
from preloads import Watch

QUICK = ("--seconds=0.02", "--rounds=1:1", "--place=none")
TOPOLOGIES = [
    ("2", "faces", ("--open",)),
    ("3", "faces", ("--open",)),
    ("2x2", "faces", ()),
    ("3x2", "corners", ("--open",)),
    ("2x2x2", "corners", ()),
    ("3x1", "faces", ()),
    ("2x2x2", "edges", ("--open", "--reorder")),
    ("2x3", "faces", ("--reorder",)),
    ("3x3", "corners", ("--reorder",)),
]


def has_partitions(engine: Engine, packing: str) -> bool:
    """Whether the library sends partitioned messages, and from the right places."""
    features = features_of(engine, simulated=False)
    return features.partitioned and (packing != "datatype" or features.library != "Open MPI")


def ranks_of(grid: str) -> int:
    ranks = 1
    for side in grid.split("x"):
        ranks *= int(side)
    return ranks


# Two ranks with each packing, then the topologies with one each. The short test is by hand, whose
# copies come before and after the computation that is overlapped.
FIRST = "hand"
CASES = [
    *(
        (*TOPOLOGIES[0], packing)
        for packing in sorted(PACKINGS, key=lambda packing: packing != FIRST)
    ),
    *((*topology, PACKINGS[i % len(PACKINGS)]) for i, topology in enumerate(TOPOLOGIES[1:])),
]


@pytest.mark.parametrize(("grid", "neighbors", "more", "packing"), first_of(CASES))
def test_every_message_arrives_where_it_should(
    run_engine: RunEngine,
    engine: Engine,
    grid: str,
    neighbors: str,
    more: tuple[str, ...],
    packing: str,
) -> None:
    forms = ["blocking", "nonblocking"]
    features = features_of(engine, simulated=False)
    if features.persistent_collectives:
        forms.append("persistent")
    exchanges = [
        exchange
        for exchange in EXCHANGES
        if exchange != PARTITIONED or has_partitions(engine, packing)
    ]
    overlap = ranks_of(grid) == 2  # more ranks than cores would take their time
    sizes = [64, 4096] if overlap else [4096]
    done = run_engine.ok(
        *("halo", f"--grid={grid}", f"--exchange={','.join(exchanges)}"),
        *("--partitions=4", f"--form={','.join(forms)}", f"--neighbors={neighbors}"),
        *(f"--columns={packing}", f"--sizes={','.join(map(str, sizes))}", "--verify"),
        *["--overlap"] * overlap,
        *more,
        *QUICK,
        ranks=ranks_of(grid),
    )
    starts = done.of("start")  # of every visit, whether its repetitions began in time or not
    overlapped = len(
        [exchange for exchange in exchanges if exchange not in (*BLOCKS, *NEIGHBORHOOD)]
    )
    visits = len(BLOCKS) + len(NEIGHBORHOOD) * len(forms) + overlapped
    visits += overlap * (overlapped + len(NEIGHBORHOOD) * (len(forms) - 1))
    halos = [start for start in starts if start["operation"] == "halo" and start["round"] == 0]
    assert len(halos) == len(sizes) * visits
    moved = done.of("launch")[0].get("moved_ranks")
    assert 0 <= moved <= ranks_of(grid) if "--reorder" in more else moved is None
    for samples in done.of("samples"):
        if samples["operation"] != "halo":
            assert samples["operation"] == "message"
            assert samples["ranks"] == len(samples["peers"]) == 2
            continue
        assert samples["grid"] == [int(side) for side in grid.split("x")]
        assert samples["periodic"] == ("--open" not in more)
        assert samples.get("reordered", False) == ("--reorder" in more)
        assert (samples["neighbors"], samples.get("packing", "none")) == (neighbors, packing)
        assert samples["peers"] == []
        assert samples.get("partitions") == (4 if samples["exchange"] == PARTITIONED else None)
        assert "own_max_ns" in samples


DAMAGED = [
    *((EXCHANGES[0], packing) for packing in PACKINGS),
    *((exchange, PACKINGS[i % len(PACKINGS)]) for i, exchange in enumerate(EXCHANGES[1:])),
]
"""One exchange with each packing, then the others with one each: what checks is the same."""


@pytest.mark.parametrize(("exchange", "packing"), first_of(DAMAGED, len(PACKINGS)))
def test_a_damaged_byte_is_found(
    run_engine: RunEngine, faulty_engine: Engine, exchange: str, packing: str
) -> None:
    if exchange == PARTITIONED and not has_partitions(faulty_engine, packing):
        refused = run_engine(
            *("halo", "--grid=2", "--exchange=partitioned", f"--columns={packing}"),
            *("--sizes=64", *QUICK),
        )
        assert refused.status == 2
        assert re.search("came with MPI 4.0|from wrong places", refused.stderr)
        return
    done = run_engine(
        *("halo", "--grid=2", f"--exchange={exchange}", f"--columns={packing}", "--sizes=64"),
        "--verify",
        *QUICK,
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: in a message of 64 bytes" in done.stderr


@pytest.mark.parametrize(("dimensions", "neighbors"), DIRECTIONS)
def test_neighbours_are_as_many_as_the_grid_has(dimensions: int, neighbors: str) -> None:
    ways = offsets(dimensions, neighbors)
    assert len(ways) == len(set(ways)) == DIRECTIONS[dimensions, neighbors]  # type: ignore[index]
    reach = {"faces": 1, "edges": 2, "corners": 3}[neighbors]
    assert set(ways) == {
        way for way in product((-1, 0, 1), repeat=dimensions) if 0 < sum(map(abs, way)) <= reach
    }
    for way, other in zip(ways[::2], ways[1::2], strict=True):
        assert way == tuple(-each for each in other)


def test_open_ends_and_single_ranks_have_no_neighbours_beyond() -> None:
    assert [list(each) for each in messages((3,), (1,), True)] == [[0, 1, 2], [1, 2, 0]]
    assert [list(each) for each in messages((3,), (1,), False)] == [[0, 1], [1, 2]]
    assert [list(each) for each in messages((3, 1), (0, 1), True)] == [[], []]
    assert [list(each) for each in messages((2, 2), (-1, 1), True)] == [[0, 1, 2, 3], [3, 2, 1, 0]]


def test_cold_buffers_and_barriers_are_measured(run_engine: RunEngine) -> None:
    for more in ("--buffers=cold", "--sync=barrier"):
        done = run_engine.ok(
            *("halo", "--grid=2", "--exchange=waitall,sendrecv,neighbor", "--sizes=8,4KiB", more),
            *("--columns=none,hand,datatype", "--seconds=0.1"),
        )
        points = {
            (s["bytes"], s["exchange"], s.get("packing", "none"))
            for s in done.of("samples")
            if s["operation"] == "halo"
        }
        ways = set(product(("waitall", "sendrecv", "neighbor"), PACKINGS))
        # A visit whose ranks did not start in time leaves none.
        assert points
        assert points <= {(size, *way) for size in (8, 4096) for way in ways}
        visits = Counter(start["bytes"] for start in done.of("start"))
        assert visits.keys() == {8, 4096}
        assert min(visits.values()) >= len(ways)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "halo needs --grid"),
        (["--grid=2x2"], "has 4 ranks, --ranks asks for 2"),
        (["--grid=0x2"], "one to three sides"),
        (["--grid=2x"], "one to three sides"),
        (["--grid=1x1x1x2"], "one to three sides"),
        (["--grid=1000000x1000000"], "one to three sides"),
        (["--grid=2", "--exchange=telepathy"], "no such exchange"),
        (["--grid=2", "--exchange=waitall,"], "missing"),
        (["--grid=2", "--exchange=neighbor", "--form=sudden"], "no such exchange"),
        (["--grid=2", "--neighbors=all"], "unknown"),
        (["--grid=2", "--columns=heap"], "unknown"),
        (["--grid=2", "--exchange=sendrecv", "--overlap"], "none of the exchanges"),
        (["--grid=2", "--exchange=persistent", "--buffers=cold"], "takes no --buffers cold"),
        (["--grid=2", "--buffers=returned"], "takes no --buffers returned"),
        (["--grid=2", "--columns=hand", "--sizes=4"], "elements of 8 bytes"),
    ],
)
def test_bad_questions_are_refused(
    run_alone: RunEngine, arguments: list[str], complaint: str
) -> None:
    done = run_alone.refused("halo", "-n", "2", *arguments, because=complaint)
    assert done.of("samples") == []


def test_a_halo_larger_than_memory_is_refused(run_engine: RunEngine) -> None:
    done = run_engine.refused("halo", "-n", "2", "--grid=2", "--sizes=100GiB", because="need")
    assert done.of("samples") == []


@pytest.mark.parametrize("exchange", ["put-flush", "get-flush"])
def test_a_halo_by_flush_is_free_again_before_the_next(watch: Watch, exchange: str) -> None:
    """Between two flushes of a rank with two neighbours: a notice to each that the halo is there,
    and one that it may be overwritten."""
    _, calls = watch("halo", "--grid=2", f"--exchange={exchange}", "--sizes=64", *QUICK, message=0)
    for own in calls.values():
        names = [call.name for call in own if call.name in ("isend", "flush")]
        between = "".join("." if name == "flush" else "n" for name in names).split(".")[1:-1]
        assert set(between) == {"nnnn"}
