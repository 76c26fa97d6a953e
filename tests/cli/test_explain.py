"""hockney explain: its answer, its JSON and what it measures."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from conftest import RunHockney
from planted_differences import SEEDS, pair_of
from planted_runs import Planted, run_of
from platforms import two_hosts
from samples import write_run

COMMAND = ["/opt/hockney", "pingpong", "--sizes", "8", "-o", "x", "-n", "2"]


def files(directory: Path, cause: str) -> list[str]:
    seed = SEEDS[cause]
    runs = pair_of(seed.base, seed.other, 3, decoys=2)
    paths = (directory / "a.jsonl", directory / "b.jsonl")
    return [str(write_run(run, path)) for run, path in zip(runs, paths, strict=True)]


def test_the_answer_comes_first(hockney: RunHockney, tmp_path: Path) -> None:
    first, *rest = hockney.ok("explain", *files(tmp_path, "TCP")).stdout.splitlines()
    assert re.search(
        r"times as long as A from 0 B to 4 MiB \(the median of 21 of 21 points\)", first
    )
    assert first.endswith(": OMPI_MCA_btl (100 %)")
    assert any("small messages went by shared memory in A and by TCP" in line for line in rest)
    assert any("is not named" in line for line in rest)


def test_json(hockney: RunHockney, tmp_path: Path) -> None:
    document = hockney("explain", "--json", *files(tmp_path, "eager threshold up")).json
    assert document["causes"][0]["name"] == "OMPI_MCA_btl_vader_eager_limit"
    assert document["causes"][0]["other"] == "65536"
    assert document["between_bytes"][0] == 8192
    assert document["unexplained"] < 0.1


def test_runs_without_a_common_point(hockney: RunHockney, tmp_path: Path) -> None:
    """Which question is open, and the command that would answer it."""
    write_run(run_of(Planted(environment={"command": COMMAND}), 1), tmp_path / "a.jsonl")
    seed = SEEDS["collective algorithm"]
    write_run(run_of(seed.base(random.Random(1)), 1, name="B"), tmp_path / "b.jsonl")
    done = hockney("explain", "a.jsonl", "b.jsonl")
    assert done.status == 3
    assert done.stdout.startswith("gate: NOT JUDGED: A measured pingpong and B collective")
    assert "to be measured with B: hockney pingpong --sizes 8 -n 2" in done.stdout


def test_only_where_b_was_measured_it_is_tried(hockney: RunHockney, tmp_path: Path) -> None:
    hockney.refused("explain", "--try", *files(tmp_path, "TCP"), because="was measured on n1")


@pytest.mark.simgrid
def test_what_decides_is_measured(hockney: RunHockney, tmp_path: Path) -> None:
    """Another link and another threshold: the link alone explains most."""
    measured = []
    for name, bandwidth_Bps in (("a", 1e10), ("b", 1e9)):
        platform = tmp_path / f"{name}.xml"
        platform.write_text(two_hosts(1e-6, bandwidth_Bps))
        file = tmp_path / f"{name}.jsonl"
        more = ["--sizes", "8,64KiB,1MiB", "-q", "-o", str(file)]
        assert hockney("pingpong", "--platform", str(platform), *more).status == 0
        measured.append(str(file))
    document = hockney("explain", "--try", "--budget", "2s", "-q", "--json", *measured).json
    assert document["causes"][0]["name"] == "platform"
    assert document["tried"][0]["names"] == ["platform"]
    assert document["tried"][0]["part"] > 0.99
