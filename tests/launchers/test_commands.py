from __future__ import annotations

import os
from pathlib import Path

import pytest

from hockney.base.errors import UsageError
from hockney.plan import Case, Placement, sizes_of
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.launchers import answer, flux, launcher_named, own_launcher, srun
from hockney.run.measure.machine import capacity
from hockney.run.mpis import Mpi
from hockney.run.schedulers import Allocation, find_allocation, find_starter

HYDRA = Mpi(Path("/mpich/mpicc"), Path("/mpich/mpiexec"), "mpich", "hydra", "5")
OPENMPI = Mpi(Path("/ompi/mpicc"), Path("/ompi/mpiexec"), "openmpi", "openmpi", "5")


def srun_command(mpi: Mpi, case: Case) -> list[str]:
    return srun.LAUNCHER.command("srun", mpi, case, ["engine"])


def flux_command(mpi: Mpi, case: Case) -> list[str]:
    return flux.LAUNCHER.command("flux", mpi, case, ["engine"])


def ask(**options: object) -> Case:
    placement = Placement(**options)  # type: ignore[arg-type]
    return Case(workload=Pingpong(sizes=sizes_of([8])), placement=placement)


@pytest.fixture(autouse=True)
def _outside_of_jobs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SLURM_JOB_ID", "FLUX_URI", "LSB_JOBID", "PBS_NODEFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("srun", "flux"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))


JOBS = {
    "slurm": (
        {"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "3", "SLURM_JOB_CPUS_PER_NODE": "36(x2),24"},
        Allocation(3, 96),
    ),
    "flux": ({"FLUX_URI": "local:///x"}, Allocation()),
    "lsf": (
        {"LSB_JOBID": "1", "LSB_MCPU_HOSTS": "n1 40 n2 19 n1 1 "},
        Allocation(2, 60, ("n1", "n2")),
    ),
    "pbs": ({"PBS_NODEFILE": "nodes"}, Allocation(2, 6, ("n1", "n2"))),
}


@pytest.fixture(params=sorted(JOBS))
def job(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Inside a job of each scheduler, as far as its environment tells."""
    (tmp_path / "nodes").write_text("n1\nn1\nn2\nn2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    for name, value in JOBS[request.param][0].items():
        monkeypatch.setenv(name, value)
    return str(request.param)


def test_a_job_is_found_by_its_environment(job: str) -> None:
    assert find_allocation() == (job, JOBS[job][1])


def test_a_scheduler_starts_ranks_itself_or_lends_its_hosts_to_mpiexec(job: str) -> None:
    starter = find_starter(HYDRA, Placement())
    if job in ("slurm", "flux"):
        started_by = launcher_named({"slurm": "srun", "flux": "flux"}[job])
        assert (starter.launcher, starter.placement.hosts) == (started_by, ())
    else:
        assert (starter.program, starter.placement.hosts) == ("/mpich/mpiexec", ("n1", "n2"))


def test_hosts_platforms_and_mpiexec_go_before_the_job(job: str) -> None:
    assert job
    for options in ({"hosts": ("a",)}, {"launcher": "mpiexec"}, {"platform": "cluster:2"}):
        assert find_starter(HYDRA, ask(**options).placement).program == "/mpich/mpiexec"


def test_ranks_may_be_on_all_nodes_of_a_job(monkeypatch: pytest.MonkeyPatch, job: str) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert capacity.nodes() == (JOBS[job][1].nodes or 1)
    assert capacity.allowed_cpus() == 2 * capacity.nodes()


def test_no_more_cpus_than_the_job_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LSB_JOBID", "1")
    monkeypatch.setenv("LSB_MCPU_HOSTS", "n1 1")
    assert capacity.allowed_cpus() == 1


def test_a_scheduler_that_is_not_here_is_told() -> None:
    with pytest.raises(UsageError, match="not inside one of its jobs"):
        find_starter(HYDRA, Placement(launcher="slurm"))
    assert find_starter(HYDRA, Placement()).program == "/mpich/mpiexec"


def test_without_any_launcher_it_says_what_to_do() -> None:
    alone = Mpi(Path("/cray/cc"), None, "cray_mpich", "standard", "")
    with pytest.raises(UsageError, match="nothing here starts programs of /cray/cc") as refusal:
        find_starter(alone, Placement())
    assert "--launch 'aprun -n {ranks} {command}'" in str(refusal.value)


@pytest.mark.parametrize(
    ("mpi", "offered", "chosen"),
    [
        (HYDRA, ("pmix", "pmi2"), "--mpi=pmi2"),
        (HYDRA, ("pmix",), "--mpi=pmix"),
        (OPENMPI, ("pmi2", "pmix"), "--mpi=pmix"),
    ],
)
def test_ranks_are_wired_up_by_what_both_know(
    monkeypatch: pytest.MonkeyPatch, mpi: Mpi, offered: tuple[str, ...], chosen: str
) -> None:
    monkeypatch.setattr(srun, "_offered", lambda: offered)
    assert chosen in srun_command(mpi, ask())


def test_a_script_for_another_cluster_needs_no_srun_that_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "srun").write_text("#!/bin/sh\necho 'no configuration source' >&2; exit 1\n")
    (tmp_path / "srun").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    srun._offered.cache_clear()
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert "--mpi=pmix" in srun_command(OPENMPI, ask())
    assert not srun.is_here()
    srun._offered.cache_clear()
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    with pytest.raises(UsageError, match="srun does not work here: no configuration source"):
        srun_command(OPENMPI, ask())
    srun._offered.cache_clear()


def test_a_slurm_that_shares_nothing_with_the_mpi_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(srun, "_offered", lambda: ("pmi2",))
    with pytest.raises(UsageError, match=r"supports pmi2 .* /ompi/mpicc needs pmix") as refusal:
        srun_command(OPENMPI, ask())
    assert "--launcher mpiexec" in str(refusal.value)


@pytest.mark.parametrize(
    ("mpi", "options", "words"),
    [
        (HYDRA, {"hosts": ("a", "b")}, "-hosts a,b -ppn 1 -n 2"),
        (HYDRA, {"hosts": ("a", "b", "c"), "nodes": 2}, "-hosts a,b -ppn 1 -n 2"),
        (HYDRA, {"hosts": ("a", "b"), "ranks": 4}, "-hosts a,b -ppn 2 -n 4"),
        (HYDRA, {"hosts": ("a", "b"), "ranks": 4, "place": "node"}, "-hosts a,b -ppn 1 -n 4"),
        (
            OPENMPI,
            {"hosts": ("a", "b"), "ranks": 4},
            "--bind-to none --host a:2,b:2 --map-by ppr:2:node:OVERSUBSCRIBE -n 4",
        ),
    ],
)
def test_mpiexec_is_told_of_hosts(mpi: Mpi, options: dict[str, object], words: str) -> None:
    command = own_launcher(mpi).command(str(mpi.mpiexec), mpi, ask(**options), ["engine"])
    assert " ".join(command[1:-1]) == words


def test_threads_have_cpus_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a Slurm step may use one CPU for each rank."""
    monkeypatch.setattr(srun, "_offered", lambda: ("pmi2",))
    workload = Pingpong(sizes=sizes_of([8]), threads=((4, 2),))
    case = Case(workload=workload, placement=Placement())
    assert "--cpus-per-task=4" in srun_command(HYDRA, case)
    assert "--cores-per-task=4" in flux_command(HYDRA, case)
    assert not [word for word in srun_command(HYDRA, ask()) if "cpus-per" in word]


def test_flux_spreads_ranks_over_nodes() -> None:
    words = flux_command(OPENMPI, ask(ranks=4, nodes=2, place="node"))
    assert " ".join(words) == (
        f"flux run --job-name=hockney-{os.getpid()} -o cpu-affinity=off -o exit-timeout=5s "
        "-o pmi=pmix --nodes=2 --taskmap=cyclic --ntasks=4 engine"
    )


def test_flux_takes_more_nodes_only_where_it_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "flux").write_text("#!/bin/sh\necho 3 96\n")
    monkeypatch.setenv("FLUX_URI", "local:///three")
    assert find_allocation() == ("flux", Allocation(3, 96))
    assert "--nodes=2" in flux.LAUNCHER.command(
        "flux", HYDRA, ask(ranks=2, place="node"), ["engine"]
    )
    assert "--nodes=3" in flux.LAUNCHER.command(
        "flux", HYDRA, ask(ranks=8, place="node"), ["engine"]
    )
    assert "--nodes" not in " ".join(flux_command(HYDRA, ask(ranks=8)))


def test_an_srun_that_fails_without_a_word_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "srun").write_text("#!/bin/sh\nexit 4\n")
    (tmp_path / "srun").chmod(0o755)
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    srun._offered.cache_clear()
    with pytest.raises(UsageError, match="srun does not work here: exit status 4"):
        srun_command(OPENMPI, ask())


@pytest.mark.parametrize(
    ("variables", "allocation"),
    [
        ({"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "some"}, Allocation()),
        ({"LSB_JOBID": "1", "LSB_MCPU_HOSTS": "n1 n2"}, Allocation(1, None, ("n1",))),
    ],
)
def test_numbers_of_a_job_that_are_none_are_unknown(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], allocation: Allocation
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    known = find_allocation()
    assert known is not None
    assert known[1] == allocation


def test_what_a_scheduler_prints_need_not_be_utf_8(tmp_path: Path) -> None:
    (tmp_path / "srun").write_text("#!/bin/sh\nprintf '\\377\\n'\n")
    assert answer(["srun"]).stdout == "\ufffd\n"
