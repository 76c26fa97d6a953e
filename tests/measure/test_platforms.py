from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import RunHockney, first_of
from hockney import records
from hockney.base.errors import UsageError
from hockney.plan import Placement
from hockney.run.measure.machine.platforms import TOPOLOGIES, parse_shape, platform_file, shape_xml


@given(st.sampled_from(sorted(TOPOLOGIES)), st.integers(1, 5000))
def test_a_number_of_nodes_has_room_and_little_more(kind: str, nodes: int) -> None:
    shape = parse_shape(f"{kind}:{nodes}")
    assert shape is not None
    assert shape.nodes == nodes
    assert nodes <= math.prod(shape.extents) <= 16 * nodes
    ElementTree.fromstring(shape_xml(shape))


def test_extents_and_links_are_as_asked() -> None:
    shape = parse_shape("torus:4x2x8,lat=1us,bw=12.5GB/s")
    assert shape is not None
    assert (shape.extents, shape.nodes) == ((4, 2, 8), 64)
    assert (shape.latency_s, shape.bandwidth_Bps) == (1e-6, 12_500_000_000)


@given(st.text(max_size=30))
def test_any_words_are_a_shape_a_file_or_refused(text: str) -> None:
    for words in (text, "torus:" + text, "fat-tree:8," + text):
        with suppress(UsageError):
            parse_shape(words)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("fattree:8", "did you mean fat-tree"),
        ("torus:0", "not a number of nodes"),
        ("torus:2x2", "torus:NxNxN"),
        ("cluster:4,latency=1us", "unknown setting 'latency'"),
        ("cluster:4,lat=fast", "not a time"),
        ("cluster:99999999", "more than"),
        pytest.param(f"cluster:{'9' * 5000}", "more than", id="more digits than Python reads"),
        ("dragonfly:3x1x2x1", "3 groups need as many routers in a chassis, not 2"),
    ],
)
def test_wrong_shapes_are_told(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_shape(text)
    assert complaint in str(error.value)


def test_files_of_a_shape_are_private_and_removed() -> None:
    placement = Placement(ranks=4, platform="cluster:2", ranks_per_node=2)
    with platform_file(placement) as placed:
        hosts = Path(placed.hostfile or "")
        assert hosts.read_text().split() == ["node-0", "node-0", "node-1", "node-1"]
        assert hosts.parent.stat().st_mode & 0o077 == 0
    assert not hosts.parent.exists()


@pytest.mark.simgrid
@pytest.mark.parametrize(
    "shape", ["torus:8x1x1", *first_of(["torus:1x2x1", "torus:2", "dragonfly:20", "fat-tree:1x8"])]
)
def test_sides_of_one_node_and_odd_numbers_are_simulated(hockney: RunHockney, shape: str) -> None:
    hockney.ok("pingpong", "--platform", shape, "--sizes", "0", "-q", "-o", "run.jsonl")


@pytest.mark.simgrid
def test_a_torus_of_one_side_is_a_ring(hockney: RunHockney) -> None:
    """The fifth of eight nodes is four links away, the last is the first one's neighbour."""
    medians = []
    for peer in ("4", "7"):
        words = ("--platform", "torus:8x1x1,lat=10us", "-n", "8", "--peers", f"0,{peer}")
        done = hockney.ok("pingpong", *words, "--sizes", "0", "-q", "--json")
        medians.append(done.json["points"][0]["median_s"])
    assert medians[0] == pytest.approx(4.0 * medians[1], rel=0.02)


@pytest.mark.simgrid
@pytest.mark.parametrize("kind", first_of(sorted(TOPOLOGIES), 2))
def test_ranks_are_on_the_nodes_of_the_shape(
    hockney: RunHockney, tmp_path: Path, kind: str
) -> None:
    platform = f"{kind}:11,lat=2us,bw=1GB/s"
    words = ("--platform", platform, "-n", "11", "--peers", "0,10", "--sizes", "0", "-q")
    done = hockney.ok("pingpong", *words, "-o", "run.jsonl")
    assert "simulated" in done.stdout
    run = records.read(tmp_path / "run.jsonl")
    assert run.launches[0].simulated
    assert [place.host for place in run.launches[0].places] == [f"node-{i}" for i in range(11)]
    assert run.header.options["cases"][0]["placement"]["platform"] == platform
    # At least the two links at the ends of any route.
    assert min(run.samples[0].ns) > 2 * 2e3


def test_more_ranks_than_nodes_are_refused(hockney: RunHockney) -> None:
    hockney.refused(
        *("pingpong", "--platform", "torus:8", "-n", "9", "--sizes", "0"),
        because="has 8 nodes, -n asks for 9 ranks",
    )
