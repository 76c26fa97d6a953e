"""hockney collective and hockney algorithms, as a user types them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records

EMBEDDED = str(Path(sys.prefix) / "bin" / "mpicc")
SHORT = ("--launches", "2", "--budget", "1s", "-q")


def test_launches_take_turns_and_prove_what_they_ran(hockney: RunHockney, tmp_path: Path) -> None:
    done = hockney.ok(
        *("collective", "bcast,scan", "--algorithm", "default,binomial,recursive_doubling"),
        *("-n", "2", "--sizes", "8,1KiB", "-o", "run.jsonl", "--json"),
        *SHORT,
    )
    run = records.read(tmp_path / "run.jsonl")
    combinations = [
        ("bcast", "default"),
        ("bcast", "binomial"),
        ("scan", "default"),
        ("scan", "recursive_doubling"),
    ]
    ran = {s.launch: (s.operation, s.algorithm) for s in run.samples}
    assert list(ran.values()) == 2 * combinations
    forced = [launch for launch in run.launches if ran[launch.launch][1] == "binomial"]
    read = [{k.lower(): v for k, v in launch.controls.items()} for launch in forced]
    proofs = [v for each in read for k, v in each.items() if k.endswith("_algorithm")]
    assert proofs in (["1", "1"], ["binomial", "binomial"])  # MPICH, Open MPI
    points = done.json["points"]
    assert points  # of the machine's usual state, which not every launch may have seen
    assert {(p["operation"], p["algorithm"]) for p in points} <= set(combinations)
    assert all(0 < p["own_mean_s"] <= p["own_max_s"] for p in points)


@pytest.mark.long
def test_what_the_library_would_replace_is_left_out_and_said(
    hockney: RunHockney, tmp_path: Path
) -> None:
    done = hockney.ok(
        *("collective", "allreduce", "--algorithm", "rabenseifner", "-n", "2", "--sizes", "2,4,8"),
        *("-o", "run.jsonl", "--launches", "1", "--budget", "1s"),
    )
    assert {s.bytes for s in records.read(tmp_path / "run.jsonl").samples} == {8}
    shown = hockney("show", "run.jsonl").stdout
    for stdout in (done.stdout, shown):
        assert "left out: allreduce rabenseifner, 2 ranks, 4 B: " in stdout
        assert "fewer elements than ranks" in stdout
        assert "left out: allreduce, 2 B: not whole elements of 4 B (int32)" in stdout


@pytest.mark.long
def test_what_the_library_refuses_costs_only_its_own_launches(
    hockney: RunHockney, tmp_path: Path
) -> None:
    name = "sched_scatter_recursive_doubling_allgather"  # for powers of two
    done = hockney.ok(
        *("collective", "ibcast", "--algorithm", f"{name},sched_binomial", "-n", "3"),
        *("--oversubscribe", "--sizes", "8", "--launches", "1", "--budget", "20s"),
        *("--mpicc", EMBEDDED, "-o", "run.jsonl"),
    )
    assert f"ibcast {name}, 3 ranks: the MPI library refuses this algorithm" in done.stderr
    run = records.read(tmp_path / "run.jsonl")
    assert {s.algorithm for s in run.samples} == {"sched_binomial"}


def test_a_budget_that_is_too_small_for_all_is_said(hockney: RunHockney) -> None:
    done = hockney.ok(
        *("collective", "bcast", "--algorithm", "all", "-n", "2", "--sizes", "8"),
        *("--budget", "0.3s", "-o", "run.jsonl"),
    )
    assert "not measured: the budget was spent" in done.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["brodcast"], "did you mean bcast"),
        (["bcast", "--algorithm", "binomal"], "did you mean binomial"),
        (["scatter", "--algorithm", "pipeline"], "no algorithm 'pipeline', other libraries do"),
        (["bcast", "--ranks", "1"], "at least two ranks"),
        (["bcast", "--ranks", "2,x"], "write 2,4,8 or 2..64"),
        (["allreduce", "--sizes", "8GiB"], "more elements (int32) than MPI counts in an int"),
        (["alltoall", "--ranks", "4096", "--oversubscribe", "--sizes", "64MiB"], "GiB are free"),
        (["reduce", "--sizes", "1..2"], "none of these can be measured"),
        (["allreduce", "--algorithm", "rabenseifner", "--sizes", "4"], "fewer elements than ranks"),
        (["bcast", "--algorithm", "scatter_allgather", "--segment-size", "8KiB"], "has no setting"),
    ],
)
def test_asked_wrongly_starts_nothing(
    hockney: RunHockney, tmp_path: Path, words: list[str], complaint: str
) -> None:
    hockney.refused("collective", *words, because=complaint)
    assert not list(tmp_path.iterdir())


def test_a_setting_of_the_user_that_the_library_refuses(hockney: RunHockney) -> None:
    env = {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "nonsense"}
    done = hockney("algorithms", "--collective", "bcast", "--mpicc", EMBEDDED, env=env)
    assert done.status == 1
    assert "cannot be read" in done.stderr


def test_algorithms_are_listed_with_what_forces_them(hockney: RunHockney) -> None:
    done = hockney.ok("algorithms", "--collective", "bcast", "--mpicc", EMBEDDED, "--json")
    listed = {each["algorithm"]: each for each in done.json["algorithms"]}
    assert listed["scatter_allgather"]["own_name"] == "scatter_recursive_doubling_allgather"
    assert listed["binomial"]["env"] == {
        "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial",
        "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
        "MPIR_CVAR_COLLECTIVE_FALLBACK": "error",
    }
    table = hockney("algorithms", "bcast", "scan", "--mpicc", EMBEDDED).stdout
    assert "scatter_recursive_doubling_allgather" in table
    assert "allreduce" not in table
    assert "did you mean" in hockney("algorithms", "--collective", "scann").stderr


@pytest.mark.simgrid
def test_the_library_of_a_simulation_is_known(hockney: RunHockney) -> None:
    words = ("algorithms", "--collective", "bcast", "--mpicc", "smpicc")
    assert hockney(*words).stdout.startswith("SimGrid SMPI of ")
    assert hockney(*words, "--json").json["mpi"]["library"] == "SimGrid SMPI"
