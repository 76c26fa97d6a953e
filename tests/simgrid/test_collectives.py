"""The walk through the messages against SimGrid's, on a cluster whose alpha and beta are known."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunHockney, first_of
from hockney.infer.predict.collectives import time
from hockney.infer.predict.parameters import Level, Parameters
from platforms import cluster

pytestmark = pytest.mark.simgrid
PROGRAM = Path(__file__).parent / "collective.c"
EXACT = (
    "network/model:CM02",
    "network/TCP-gamma:0",
    "network/crosstraffic:0",
    "smpi/simulate-computation:no",
)
ALPHA_S, BETA_S_PER_B, ENVELOPE_BYTES = 10e-6, 1e-9, 16
SMPI = Parameters(
    network=Level(ALPHA_S + ENVELOPE_BYTES * BETA_S_PER_B, BETA_S_PER_B),
    eager_bytes=65536,
    early_bytes=0,
    sharing="fair",
)
"""SMPI's defaults: smpi/send-is-detached-thresh, smpi/async-small-thresh, and flows that share."""
Segments = dict[int, int] | None
SEGMENTS = {6: 1 << 15, 8: 1 << 15, 16: 1 << 17, 64: 1 << 17}
"""Bytes of a segment in ompi_pipeline by ranks; it chooses them itself."""
ALIKE = [
    ("bcast", "binomial_tree", "binomial", None),
    ("bcast", "flattree", "basic_linear", None),
    ("bcast", "ompi_pipeline", "pipeline", SEGMENTS),
    ("bcast", "scatter_LR_allgather", "scatter_allgather_ring", None),
    ("bcast", "scatter_rdb_allgather", "scatter_allgather", None),
    ("scatter", "ompi_basic_linear", "basic_linear", None),
    ("scatter", "ompi_linear_nb", "linear_nb", None),
    ("gather", "ompi_basic_linear", "basic_linear", None),
    ("gather", "ompi_binomial", "binomial", None),
    ("reduce", "flat_tree", "basic_linear", None),
    ("reduce", "binomial", "binomial", None),
    ("allreduce", "rdb", "recursive_doubling", None),
    ("allreduce", "rab_rdb", "rabenseifner", None),
    ("allgather", "rdb", "recursive_doubling", None),
    ("allgather", "ring", "ring", None),
    ("allgather", "bruck", "bruck", None),
    ("allgather", "ompi_neighborexchange", "neighbor", None),
    ("alltoall", "basic_linear", "basic_linear", None),
    ("alltoall", "ring", "pairwise", None),
    ("alltoall", "bruck", "bruck", None),
    ("barrier", "ompi_basic_linear", "basic_linear", None),
    ("barrier", "ompi_doublering", "double_ring", None),
    ("barrier", "ompi_recursivedoubling", "recursive_doubling", None),
    ("barrier", "ompi_bruck", "bruck", None),
    ("barrier", "ompi_tree", "tree", None),
]
"""Collective, SMPI's name, ours, and the sizes of SMPI's segments: implemented alike."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the program, the platform and the list of its hosts."""
    folder = tmp_path_factory.mktemp("simgrid")
    subprocess.run(["smpicc", "-O1", str(PROGRAM), "-o", str(folder / "collective")], check=True)
    (folder / "cluster.xml").write_text(cluster(1024, ALPHA_S / 2.0, 1.0 / BETA_S_PER_B))
    (folder / "hosts").write_text("".join(f"node-{n}\n" for n in range(1024)))
    return folder


def simulated(
    folder: Path, collective: str, algorithm: str, ranks: int, sizes: list[int]
) -> dict[int, float]:
    """Seconds by size."""
    options = [f"--cfg={setting}" for setting in (*EXACT, f"smpi/{collective}:{algorithm}")]
    done = subprocess.run(
        [
            "smpirun",
            "-np",
            str(ranks),
            "-platform",
            "cluster.xml",
            "-hostfile",
            "hosts",
            "--log=root.thres:error",
            *options,
            "./collective",
            collective,
            *map(str, sizes),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
        check=True,
    )
    lines = (line.split() for line in done.stdout.splitlines() if line.strip())
    return {int(size): float(seconds) for size, seconds in lines}


@pytest.mark.parametrize("ranks", first_of([6, 16]))
@pytest.mark.parametrize(("collective", "theirs", "ours", "segments"), ALIKE)
def test_algorithms_that_are_implemented_alike_take_the_same_time(
    folder: Path, collective: str, theirs: str, ours: str, segments: Segments, ranks: int
) -> None:
    segment = segments[ranks] if segments else None
    sizes = [0] if collective == "barrier" else [1024, 32768, 1 << 20]
    for size, seconds in simulated(folder, collective, theirs, ranks, sizes).items():
        predicted = time(SMPI, collective, ours, ranks, size, segment)
        assert predicted == pytest.approx(seconds, rel=0.05)


@pytest.mark.parametrize(
    ("theirs", "ours", "segments"),
    [
        ("binomial_tree", "binomial", None),
        ("flattree", "basic_linear", None),
        ("ompi_pipeline", "pipeline", SEGMENTS),
    ],
)
@pytest.mark.parametrize("ranks", first_of([8, 64]))
def test_broadcasts_of_theory_within_two_per_cent(
    folder: Path, theirs: str, ours: str, segments: Segments, ranks: int
) -> None:
    segment = segments[ranks] if segments else None
    for size, seconds in simulated(folder, "bcast", theirs, ranks, [1024, 1000000]).items():
        predicted = time(SMPI, "bcast", ours, ranks, size, segment)
        assert predicted == pytest.approx(seconds, rel=0.02)


@pytest.mark.long
def test_a_thousand_ranks(folder: Path) -> None:
    [seconds] = simulated(folder, "bcast", "binomial_tree", 1024, [1000000]).values()
    assert time(SMPI, "bcast", "binomial", 1024, 1000000) == pytest.approx(seconds, rel=0.02)


def test_measured_over_predicted_is_1_for_a_measured_machine(
    hockney: RunHockney, folder: Path
) -> None:
    """Alpha and beta fitted to ping-pong, collectives measured, both on one simulated machine."""
    machine = ["--platform", str(folder / "cluster.xml"), "-q"]
    machine += [word for setting in EXACT[:3] for word in ("--cfg", setting)]
    sizes = ["--sizes", "1KiB,32KiB,1MiB"]
    hockney.ok("pingpong", *machine, *sizes, "-o", "messages.jsonl")
    algorithms = "binomial,basic_linear,scatter_allgather_ring"
    study = ["--algorithm", algorithms, "--ranks", "3,12"]
    hockney.ok("collective", "bcast", *machine, *sizes, *study, "-o", "bcast.jsonl")
    done = hockney.ok("show", "bcast.jsonl", "--model-from", "messages.jsonl", "--json")
    points = done.json["predicted"]
    assert len(points) == 3 * 2 * 3
    assert [point["ratio"] for point in points] == pytest.approx([1.0] * len(points), rel=0.05)
