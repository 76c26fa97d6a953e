"""Lists that are too long for an argument go through a file, which is removed at the end."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.plan import Placement, Plan, Sampling, single, sizes_of
from hockney.plan.engine import engine_arguments
from hockney.plan.workloads.pairs import Pairs
from hockney.run.measure.job import Measurement, job_script
from hockney.run.measure.preparation.files import files_of
from hockney.run.measure.studies.pairing import pairing_of
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers import Job, batch_named

RANKS = 24_000


def plan(ranks: int, pairing: str = "random") -> Plan:
    pairs = Pairs(sizes=sizes_of([8]), pairing=pairing_of(pairing, ranks), active=(1,))
    return single(pairs, Placement(ranks=ranks), Sampling(least_launches=1))


def words(any_plan: Plan, list_file: str | None) -> list[str]:
    return engine_arguments(any_plan.first, any_plan.sampling, 1.0, list_file)


def test_a_long_list_is_in_a_file_as_long_as_it_is_needed(tmp_path: Path) -> None:
    long_plan = plan(RANKS)
    with files_of(long_plan, tmp_path) as files:
        assert files.list_file is not None
        file = Path(files.list_file)
        assert f"--pairing=@{file}" in words(long_plan, files.list_file)
        assert file.parent == tmp_path
        assert len(file.read_text().split(",")) == RANKS // 2
        assert max(map(len, words(long_plan, files.list_file))) < 1000
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("asked", [plan(8), plan(RANKS, "halves"), plan(RANKS, "neighbours")])
def test_what_fits_is_said_on_the_command_line(tmp_path: Path, asked: Plan) -> None:
    with files_of(asked, tmp_path) as files:
        assert files.list_file is None
        assert list(tmp_path.iterdir()) == []


def test_nodes_that_share_no_files_cannot_have_one(tmp_path: Path) -> None:
    long_plan = plan(RANKS)
    case = replace(long_plan.first, placement=replace(long_plan.first.placement, broadcast="/tmp"))
    with (
        pytest.raises(UsageError, match="which these nodes do not share"),
        files_of(replace(long_plan, cases=(case,)), tmp_path),
    ):
        pass


def test_a_job_writes_its_list_beside_the_result_and_removes_it(tmp_path: Path) -> None:
    long_plan = plan(RANKS)
    mpiexec, result = tmp_path / "mpiexec", tmp_path / "it's.jsonl"
    mpiexec.write_text(
        '#!/bin/sh\nfor word in "$@"; do case $word in --pairing=@*) cat "${word#*@}" >heard;; '
        "esac; done\n"
    )
    mpiexec.chmod(0o755)
    measurement = Measurement(
        long_plan, Mpi(Path("mpicc"), mpiexec, "mpich", "hydra", ""), Engine(Path("engine")), result
    )
    text = job_script(batch_named("lsf"), Job("name", 1, 1, 1), measurement, b"{}")
    (tmp_path / "job.sh").write_text(text)
    env = {**os.environ, "LSB_MCPU_HOSTS": "n1 40"}
    done = subprocess.run(["sh", "job.sh"], cwd=tmp_path, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "heard").read_text() == long_plan.first.workload.long_list(RANKS)
    assert {file.name for file in tmp_path.iterdir()} == {"mpiexec", "job.sh", "heard", result.name}


def job_of(directory: Path, mpiexec: str, is_dated: bool) -> dict[str, str]:
    """Writes a job with a long list, whose launcher is this script, and returns its environment."""
    (directory / "mpiexec").write_text(f"#!/bin/sh\n{mpiexec}\n")
    (directory / "mpiexec").chmod(0o755)
    mpi = Mpi(Path("mpicc"), directory / "mpiexec", "mpich", "hydra", "")
    result = directory / "it's.jsonl"
    measurement = Measurement(plan(RANKS), mpi, Engine(Path("engine")), result, is_dated)
    text = job_script(batch_named("lsf"), Job("name", 1, 1, 1), measurement, b"{}")
    (directory / "job.sh").write_text(text)
    return {**os.environ, "LSB_MCPU_HOSTS": "n1 40"}


LIST_OF = 'for word in "$@"; do case $word in --pairing=@*) list=${word#*@};; esac; done'


def test_two_jobs_of_one_script_have_a_list_each(tmp_path: Path) -> None:
    """The second began while the first ran: it ended at once, and removed the list of the first."""
    second = "[ -e begun ] || { touch begun; sleep 1; sh job.sh; echo $? >status; }"
    env = job_of(tmp_path, f'{LIST_OF}\n{second}\nwc -c <"$list" >>sizes', is_dated=True)
    done = subprocess.run(["sh", "job.sh"], cwd=tmp_path, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "status").read_text() == "0\n"
    words = plan(RANKS).first.workload.long_list(RANKS) or ""
    assert (tmp_path / "sizes").read_text().split() == [str(len(words))] * 2
    assert list(tmp_path.glob("*.list")) == []


def test_a_list_that_another_job_has_stays(tmp_path: Path) -> None:
    env = job_of(tmp_path, "", is_dated=False)
    (tmp_path / "it's.jsonl.list").write_text("of another job")
    done = subprocess.run(["sh", "job.sh"], cwd=tmp_path, capture_output=True, env=env)
    assert done.returncode != 0
    assert (tmp_path / "it's.jsonl.list").read_text() == "of another job"


def test_a_job_that_is_terminated_leaves_no_list(tmp_path: Path) -> None:
    env = job_of(tmp_path, "kill -TERM $PPID", is_dated=False)
    done = subprocess.run(["sh", "job.sh"], cwd=tmp_path, capture_output=True, env=env)
    assert done.returncode == 143
    assert list(tmp_path.glob("*.list")) == []
