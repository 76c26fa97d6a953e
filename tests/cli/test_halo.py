"""hockney halo and hockney overlap, as a user types them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records
from hockney.plan import plan_of, sizes_of
from hockney.plan.workloads.halo import Halo
from hockney.run.measure.toolchain.features import features_of
from hockney.run.mpis import Engine

SHORT = ("--launches", "2", "--budget", "0.8s", "-q")


def test_exchanges_are_measured_and_predicted_side_by_side(
    hockney: RunHockney, tmp_path: Path
) -> None:
    answer = hockney.ok(
        *("halo", "-n", "4", "--grid", "2d", "--exchange", "waitall,neighbor", "--sizes", "1KiB"),
        *("--json", "-o", "run.jsonl"),
        *SHORT,
    ).json
    halos = [point for point in answer["points"] if point["operation"] == "halo"]
    assert {point["exchange"] for point in halos} <= {"waitall", "neighbor"}
    for point in halos:
        assert (point["grid"], point["neighbors"], point["periodic"]) == ([2, 2], "faces", True)
        assert (point["packing"], point["form"], point["reordered"]) == (None, None, False)
        assert (point["bytes"], point["ranks"]) == (1024, 4)
    run = records.read(tmp_path / "run.jsonl")
    messages = {(p.bytes, p.peers) for p in run.samples.visited if p.operation == "message"}
    assert messages == {(0, (0, 1)), (0, (0, 2)), (1024, (0, 1)), (1024, (0, 2))}
    assert {prediction["exchange"] for prediction in answer["predicted"]} <= {"waitall", "neighbor"}
    shown = hockney("show", "run.jsonl").stdout
    assert "2x2 periodic grid, neighbours at faces, 1 KiB to each" in shown
    assert hockney("plot", "run.jsonl", "-o", "run.png").status == 0
    assert hockney("report", "run.jsonl", "-o", "run.html").status == 0


@pytest.mark.long
def test_every_kind_of_exchange_and_packing_is_a_curve(hockney: RunHockney, tmp_path: Path) -> None:
    hockney.ok(
        *("halo", "-n", "2", "--grid", "1d", "--exchange", "waitany,neighborw", "--overlap"),
        *("--form", "blocking,nonblocking", "--packing", "none,hand,datatype", "--verify"),
        *("--sizes", "8,64", "-o", "run.jsonl"),
        *SHORT,
    )
    points = records.read(tmp_path / "run.jsonl").samples.visited
    curves = {(p.exchange, p.form, p.packing, p.overlap) for p in points if p.operation == "halo"}
    ways = [
        ("waitany", None, False),
        ("waitany", None, True),
        ("neighborw", None, False),
        ("neighborw", "nonblocking", False),
        ("neighborw", "nonblocking", True),
    ]
    assert curves <= {
        (exchange, form, packing, overlap)
        for exchange, form, overlap in ways
        for packing in (None, "hand", "datatype")
    }
    shown = hockney("show", "run.jsonl")
    assert "host overhead" in shown.stdout
    hockney.ok(
        *("halo", "-n", "2", "--grid", "2", "--exchange", "waitany,neighborw", "--overlap"),
        *("--form", "blocking,nonblocking", "--packing", "none,hand,datatype", "--verify"),
        *("--sizes", "8,64", "-o", "run.jsonl", "--resume"),
        *SHORT,
    )


@pytest.mark.simgrid
@pytest.mark.parametrize(
    ("shape", "sides"),
    [("1d", (12,)), ("2d", (4, 3)), ("3d", (3, 2, 2)), ("6x2", (6, 2)), ("2x6x1", (2, 6, 1))],
)
def test_a_grid_is_made_or_taken(
    hockney: RunHockney, tmp_path: Path, shape: str, sides: tuple[int, ...]
) -> None:
    hockney.ok(
        *("halo", "-n", "12", "--grid", shape, "--platform", "cluster:12", "--sizes", "8"),
        *("-o", "run.jsonl", "-q"),
    )
    plan = plan_of(records.read(tmp_path / "run.jsonl").header.options)
    assert plan is not None
    assert isinstance(plan.first.workload, Halo)
    assert plan.first.workload.grid == sides


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("-n 6 --grid 2x2", "--grid 2x2 has 4 places, -n 6 asks for 6 ranks"),
        ("-n 2 --grid 4d", "not a grid of one to three dimensions"),
        ("-n 2 --grid 2x0", "not a grid of one to three dimensions"),
        ("-n 2 --grid 1x1x1x2", "not a grid of one to three dimensions"),
        ("-n 2 --grid round", "not a grid of one to three dimensions"),
        ("-n 2 --grid 1d --neighbors corners", "a grid of 1 dimension has faces"),
        ("-n 4 --grid 2d --neighbors edges", "has faces and corners"),
        ("-n 2 --exchange telepathy", "'telepathy' is none of waitall"),
        ("-n 2 --exchange=", "--exchange: an empty list"),
        ("-n 2 --packing=", "--packing: an empty list"),
        ("-n 2 --form persistent", "only neighbourhood collectives have forms"),
        ("-n 2 --exchange sendrecv --overlap", "cannot compute meanwhile"),
        ("-n 2 --exchange neighbor --overlap", "cannot compute meanwhile"),
        ("-n 2 --exchange persistent --buffers cold", "bound to one buffer"),
        ("-n 2 --exchange put-fence --buffers cold", "put-fence: bound to one buffer"),
        ("-n 2 --exchange put-fence --partitions 2", "messages of put-fence have none"),
        ("-n 2 --exchange partitioned --sizes 6", "6 B do not make as many equal parts"),
        (
            "-n 2 --exchange partitioned --packing hand --sizes 8",
            "8 B do not make as many equal parts of whole elements",
        ),
        ("-n 2 --exchange partitioned --partitions 0", "'0' is not a number from 1 up"),
        pytest.param(
            "-n 4 --exchange partitioned --platform cluster:4",
            "SimGrid has no partitioned",
            marks=pytest.mark.simgrid,
        ),
        ("-n 2 --buffers returned", "does not take --buffers returned"),
        ("-n 2 --packing hand --sizes 4", "not a whole number of elements of 8 B"),
        ("-n 2 --verify --sync barrier", "--sync clock only"),
        ("-n 1 --grid 1x1", "at least two ranks"),
        pytest.param(
            "-n 4 --exchange neighbor --platform cluster:4",
            "SimGrid has no neighbourhood",
            marks=pytest.mark.simgrid,
        ),
        ("--platform cluster:4", "the number of ranks is not given"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(
    hockney: RunHockney, words: str, complaint: str
) -> None:
    done = hockney("halo", *words.split(), "-o", "run.jsonl")
    assert done.status == 2
    assert complaint in done.stderr.replace("\n", " ")
    assert done.stdout == ""


@pytest.mark.parametrize(
    "words",
    ["collective allreduce --form persistent", "halo --exchange neighbor --form persistent"],
)
def test_a_library_without_persistent_collectives_is_named(
    hockney: RunHockney, engine: Engine, words: str
) -> None:
    features = features_of(engine, simulated=False)
    done = hockney(
        *words.split(),
        *("-n", "2", "--sizes", "8", "-o", "run.jsonl", "--json"),
        *SHORT,
    )
    if features.persistent_collectives:
        assert done.status == 0, done.stderr
        points = done.json["points"]
        assert {p["form"] for p in points if p["operation"] != "message"} <= {"persistent"}
    else:
        assert done.status == 2
        assert f"{features.name} has no persistent collectives" in done.stderr


def test_a_message_hides_behind_its_sender_or_its_receiver(
    hockney: RunHockney, tmp_path: Path
) -> None:
    done = hockney.ok("overlap", "--sizes", "8,64KiB", "-o", "run.jsonl", "--json", *SHORT)
    for overlap in done.json["overlaps"]:
        assert overlap["operation"] in ("isend", "irecv")
        assert 0.0 <= overlap["hidden"] <= 1.0
        assert overlap["host_overhead_s"] >= 0.0
    for visit in records.read(tmp_path / "run.jsonl").samples:
        assert visit.own_mean_ns == visit.own_max_ns  # of the rank that may compute
        assert visit.own_max_ns is not None
        if visit.overlap:
            assert visit.compute_ns is not None
            assert min(visit.own_max_ns) >= visit.compute_ns > 0.0
    assert "the receiver computes" in hockney("show", "run.jsonl").stdout


def test_overlap_is_between_two_ranks(hockney: RunHockney) -> None:
    hockney.refused("overlap", "-n", "3", because="overlap is between 2 ranks, not 3")


def test_a_grid_of_two_dimensions_has_corners() -> None:
    Halo(grid=(2, 2), neighbors="corners", sizes=sizes_of((8,))).check(4)
