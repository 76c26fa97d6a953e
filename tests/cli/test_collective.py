"""hockney collective and hockney algorithms, as a user types them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records

SHORT = ("--launches", "2", "--budget", "2s", "-q")


def test_launches_take_turns_and_prove_what_they_ran(hockney: RunHockney, tmp_path: Path) -> None:
    done = hockney(
        "collective", "bcast,scan", "--algorithm", "default,binomial,recursive_doubling",
        "-n", "2", "--sizes", "8,1KiB", "-o", "run.jsonl", "--json", *SHORT,
    )  # fmt: skip
    assert done.status == 0, done.stderr
    run = records.read(tmp_path / "run.jsonl")
    asked = [("bcast", "default"), ("bcast", "binomial"), ("scan", "default"),
             ("scan", "recursive_doubling")]  # fmt: skip
    ran = {s.launch: (s.operation, s.algorithm) for s in run.samples}
    assert list(ran.values()) == 2 * asked
    forced = [launch for launch in run.launches if ran[launch.launch][1] == "binomial"]
    assert [launch.controls["MPIR_CVAR_BCAST_INTRA_ALGORITHM"] for launch in forced] == ["1", "1"]
    assert forced[0].env["MPIR_CVAR_BCAST_INTRA_ALGORITHM"] == "binomial"
    points = json.loads(done.stdout)["points"]
    assert {(p["operation"], p["algorithm"]) for p in points} == set(asked)
    assert len(points) == 2 * len(asked)
    assert all(p["launches"] == 2 and 0 < p["own_mean_s"] <= p["own_max_s"] for p in points)


def test_what_the_library_would_replace_is_left_out_and_said(
    hockney: RunHockney, tmp_path: Path
) -> None:
    done = hockney(
        "collective", "allreduce", "--algorithm", "rabenseifner", "-n", "2",
        "--sizes", "2,4,8", "-o", "run.jsonl", "--launches", "1", "--budget", "1s",
    )  # fmt: skip
    assert done.status == 0, done.stderr
    assert {s.bytes for s in records.read(tmp_path / "run.jsonl").samples} == {8}
    shown = hockney("show", "run.jsonl").stdout
    for stdout in (done.stdout, shown):
        assert "left out: allreduce rabenseifner, 2 ranks, 4 B: " in stdout
        assert "fewer elements than ranks" in stdout
        assert "allreduce rabenseifner, 2 ranks, 2 B: not whole integers" in stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["brodcast"], "did you mean bcast"),
        (["bcast", "--algorithm", "binomal"], "did you mean binomial"),
        (["scatter", "--algorithm", "pipeline"], "no algorithm 'pipeline', others have"),
        (["bcast", "--ranks", "1000"], "--oversubscribe"),
        (["bcast", "--ranks", "1"], "at least two ranks"),
        (["bcast", "--ranks", "2,x"], "write 2,4,8 or 2..64"),
        (["bcast", "--sizes", "2GiB"], "more than MPI counts in an int"),
        (["alltoall", "--ranks", "4096", "--oversubscribe", "--sizes", "64MiB"], "GiB are free"),
        (["reduce", "--sizes", "1..2"], "nothing is left to be measured"),
        (["alltoall", "--algorithm", "pairwise_sendrecv_replace"], "it is for MPI_IN_PLACE"),
        (["bcast", "--algorithm", "binomial", "--segment-size", "8KiB"], "--segment-size"),
    ],
)
def test_asked_wrongly_starts_nothing(
    hockney: RunHockney, tmp_path: Path, words: list[str], complaint: str
) -> None:
    done = hockney("collective", *words)
    assert done.status == 2
    assert complaint in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_setting_of_the_user_that_the_library_refuses(hockney: RunHockney) -> None:
    env = {**os.environ, "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "nonsense"}
    done = hockney("algorithms", "--collective", "bcast", env=env)
    assert done.status == 1
    assert "cannot be read" in done.stderr


def test_algorithms_are_listed_with_what_forces_them(hockney: RunHockney) -> None:
    done = hockney("algorithms", "--collective", "bcast", "--json")
    assert done.status == 0
    listed = {each["algorithm"]: each for each in json.loads(done.stdout)["algorithms"]}
    assert listed["scatter_allgather"]["own_name"] == "scatter_recursive_doubling_allgather"
    assert listed["binomial"]["env"] == {
        "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial",
        "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
        "MPIR_CVAR_COLLECTIVE_FALLBACK": "error",
    }
    table = hockney("algorithms", "--collective", "bcast,scan").stdout
    assert "scatter_recursive_doubling_allgather" in table
    assert "allreduce" not in table
    assert "did you mean" in hockney("algorithms", "--collective", "scann").stderr
