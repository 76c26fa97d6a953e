"""Every verdict on a trial: made-up ones, real MPI, and MPIs that are broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hockney.base.errors import HockneyError
from hockney.records import Clock, LaunchRecord, Place
from hockney.run.measure import doctor
from hockney.run.measure.doctor import DoctorFinding, Trial, launch
from hockney.run.mpis import Engine, Mpi

REFUSED = HockneyError("it went wrong", "mend it")
SIMULATOR = Mpi(
    Path("/bin/smpicc"), Path("/bin/smpirun"), "smpi", "smpirun", "SimGrid version 3.32"
)
SOME_MPI = Mpi(Path("/bin/mpicc"), Path("/bin/mpiexec"), "mpich", "hydra", "4.2")
ENGINE = Engine(Path("/usr/bin/engine"))
PRIVATE = Engine(
    Path("/usr/bin/engine"), ("the cache /c is writable by other users: built privately",)
)


def launched(*cpus_of_ranks: int, pinned: bool = True, clock: Clock | None = None) -> Trial:
    places = [
        Place(rank=rank, host="n1", pu=cpu, pinned=pinned) for rank, cpu in enumerate(cpus_of_ranks)
    ]
    launch = LaunchRecord(launch=0, places=places, clock=clock or Clock())
    return Trial(SOME_MPI, ENGINE, launch, wall_s=0.1)


@pytest.mark.parametrize(
    ("check", "tried", "verdict", "fact"),
    [
        (launch.mpi_in_use, Trial(failure=REFUSED), "bad", "it went wrong"),
        (launch.mpi_in_use, Trial(SOME_MPI), "ok", "/bin/mpiexec (hydra 4.2)"),
        (launch.mpi_in_use, Trial(SIMULATOR), "warn", "smpirun"),
        (launch.compiler, Trial(failure=REFUSED), "unknown", "no mpicc"),
        (launch.engine_built, Trial(failure=REFUSED), "unknown", "without an MPI"),
        (launch.engine_built, Trial(SOME_MPI, failure=REFUSED), "bad", "it went wrong"),
        (launch.engine_built, Trial(SOME_MPI, PRIVATE), "warn", "writable by other users"),
        (launch.launch_of_two_ranks, Trial(failure=REFUSED), "unknown", "no engine"),
        (launch.launch_of_two_ranks, Trial(SOME_MPI, failure=REFUSED), "unknown", "no engine"),
        (launch.launch_of_two_ranks, Trial(SIMULATOR, ENGINE), "unknown", "smpirun"),
        (launch.launch_of_two_ranks, Trial(SOME_MPI, ENGINE, failure=REFUSED), "bad", "went wrong"),
        (launch.launch_of_two_ranks, launched(0, 1), "ok", "unknown MPI, in 0.10 s"),
        (launch.rank_places, Trial(SOME_MPI, ENGINE), "unknown", "no ranks"),
        (launch.rank_places, launched(), "unknown", "no ranks"),
        (launch.rank_places, launched(0, 1), "ok", "rank 0 on n1 CPU 0, rank 1 on n1 CPU 1"),
        (launch.rank_places, launched(3, 3), "bad", "both share one CPU"),
        (launch.rank_places, launched(0, 1, pinned=False), "bad", "not pinned"),
        (launch.clock_cost, Trial(), "unknown", "no rank"),
        (launch.clock_cost, launched(0, 1), "unknown", "no rank"),
        (
            launch.clock_cost,
            launched(0, 1, clock=Clock(cost_s=24e-9, resolution_s=20e-9)),
            "ok",
            "24 ns a reading, in steps of 20 ns",
        ),
        (launch.clock_cost, launched(0, 1, clock=Clock(cost_s=24e-9)), "ok", "24 ns a reading"),
        (launch.clock_cost, launched(0, 1, clock=Clock(cost_s=9e-7)), "warn", "900 ns a reading"),
        (
            launch.clock_cost,
            launched(0, 1, clock=Clock(cost_s=24e-9, resolution_s=4e-3)),
            "warn",
            "4000000 ns",
        ),
    ],
)
def test_what_a_trial_showed_is_judged(
    check: Callable[[Trial], DoctorFinding], tried: Trial, verdict: str, fact: str
) -> None:
    finding = check(tried)
    assert (finding.verdict, fact in finding.fact) == (verdict, True), finding
    assert (finding.advice is None) == (verdict in ("ok", "unknown")), finding


@pytest.mark.long
def test_a_real_mpi_is_found_built_and_started(mpi: Mpi) -> None:
    tried = launch.try_mpi(str(mpi.mpicc))
    findings = {finding.name: finding for finding in (check(tried) for check in doctor.MPI_CHECKS)}
    assert {finding.verdict for finding in findings.values()} <= {"ok", "warn"}, findings
    assert "rank 1 on" in findings["places of ranks"].fact
    assert "ns a reading" in findings["clock cost"].fact


def wrapped(directory: Path, mpicc: str, mpiexec: str) -> str:
    """An MPI of two shell scripts; returns its wrapper."""
    for name, script in (("mpicc", mpicc), ("mpiexec", mpiexec)):
        (directory / name).write_text(f"#!/bin/sh\n{script}\n")
        (directory / name).chmod(0o755)
    return str(directory / "mpicc")


@pytest.mark.parametrize(
    ("script", "verdict", "fact"),
    [
        ("echo cc 12.2; echo Copyright", "ok", "cc 12.2"),
        ("true", "ok", "does not report it"),
        ("echo ----; echo icc: not found >&2; exit 127", "bad", "icc: not found"),
        ("exit 3", "bad", "exit status 3"),
        (None, "bad", "cannot be run"),
    ],
)
def test_the_compiler_is_asked_through_the_wrapper(
    tmp_path: Path, script: str | None, verdict: str, fact: str
) -> None:
    mpicc = wrapped(tmp_path, script or "", "echo HYDRA")
    if script is None:
        Path(mpicc).chmod(0o600)
    finding = launch.compiler(
        Trial(Mpi(Path(mpicc), Path("/bin/mpiexec"), "mpich", "hydra", "4.2"))
    )
    assert (finding.verdict, fact in finding.fact) == (verdict, True), finding


def test_the_cache_is_told_with_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    finding = launch.engine_built(Trial(SOME_MPI, Engine(tmp_path / "key" / "hockney-engine")))
    assert finding == DoctorFinding("engine", "ok", f"{tmp_path}, yours, mode 750")


def test_an_mpi_that_cannot_compile_is_told_with_its_words(tmp_path: Path) -> None:
    mpicc = wrapped(tmp_path, "echo '---'; echo no cc here >&2; exit 1", "echo HYDRA")
    tried = launch.try_mpi(mpicc)
    assert launch.compiler(tried).fact == "no cc here"
    assert launch.engine_built(tried).verdict == "bad"
    assert "could not build the engine" in launch.engine_built(tried).fact
    assert launch.launch_of_two_ranks(tried).verdict == "unknown"


def test_a_launcher_that_fails_is_told_with_its_words(tmp_path: Path, built_mpi: Mpi) -> None:
    launcher = '[ "$1" = --version ] && exec echo HYDRA\necho no hosts >&2; exit 3'
    finding = launch.launch_of_two_ranks(
        launch.try_mpi(wrapped(tmp_path, f'exec "{built_mpi.mpicc}" "$@"', launcher))
    )
    assert finding.verdict == "bad"
    assert finding.fact == "exit status 3\nno hosts"


def test_a_launcher_that_starts_nothing_is_bad(tmp_path: Path, built_mpi: Mpi) -> None:
    finding = launch.launch_of_two_ranks(
        launch.try_mpi(wrapped(tmp_path, f'exec "{built_mpi.mpicc}" "$@"', "echo HYDRA"))
    )
    assert finding.verdict == "bad"
    assert "without a measurement" in finding.fact


def test_a_launcher_that_starts_ranks_alone_is_told_to_be_another_mpis(
    tmp_path: Path, built_mpi: Mpi
) -> None:
    """Under another library's launcher the engine runs as under none."""
    launcher = '[ "$1" = --version ] && exec echo HYDRA\nshift 2; exec "$@"'
    finding = launch.launch_of_two_ranks(
        launch.try_mpi(wrapped(tmp_path, f'exec "{built_mpi.mpicc}" "$@"', launcher))
    )
    assert finding.verdict == "bad"
    assert "a world of 1 rank" in finding.fact
    assert "does not belong to the MPI library" in (finding.advice or "")


def test_a_launcher_of_another_library_is_recognised(
    tmp_path: Path, built_mpi: Mpi, other_mpi: Mpi
) -> None:
    mpicc = wrapped(tmp_path, f'exec "{built_mpi.mpicc}" "$@"', f'exec "{other_mpi.mpiexec}" "$@"')
    finding = launch.launch_of_two_ranks(launch.try_mpi(mpicc))
    assert finding.verdict == "bad"
    assert f"{tmp_path / 'mpiexec'}" in (finding.advice or "")
    assert "does not belong to the MPI library" in (finding.advice or "")


def test_an_mpi_that_was_passed_over_is_named() -> None:
    finding = launch.mpi_in_use(Trial(replace(SOME_MPI, notes=("/bin/mpicc cannot compile",))))
    assert (finding.verdict, finding.advice) == ("warn", "/bin/mpicc cannot compile")
    assert launch.mpi_in_use(Trial(SOME_MPI)).verdict == "ok"
