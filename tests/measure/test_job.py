from __future__ import annotations

import os
import re
import subprocess
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hockney import records
from hockney.base.errors import UsageError
from hockney.plan import Placement, Sampling, single, sizes_of
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.launchers import srun
from hockney.run.measure.job import Measurement, job_script, minutes_for
from hockney.run.measure.sessions.session import new_run
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers import Batch, Job, batch_named, batch_names, submit

# In place of a launcher: notes each word it is given, ended by NUL.
STAND_IN = """#!/bin/sh
for word in "$@"; do printf '%s\\0' "$word"; done >>"$HEARD"
echo '{"kind":"end","launch":0,"reason":"budget"}'
"""
LAUNCHER = {"slurm": "srun", "pbs": "mpiexec", "lsf": "mpiexec", "flux": "flux"}
STOOD_IN = (*LAUNCHER.values(), "module", "sleep")
typed = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
NASTY = "'; touch planted; $(touch planted) `touch planted` \"\n#SBATCH --exclusive\n& | > planted"


@pytest.fixture(autouse=True)
def _slurm_has_pmi2(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for `srun --mpi=list`; Slurm itself is asked in tests/cluster."""
    monkeypatch.setattr(srun, "_offered", lambda: ("pmi2", "pmix"))


def script(
    scheduler: str,
    result: Path,
    words: str,
    mpiexec: Path,
    over_s: float | None = None,
    **job: object,
) -> str:
    placement = Placement(
        nodes=2,
        ranks_per_node=1,
        env={"FORCED": words},
        broadcast=None if scheduler in ("pbs", "lsf") else f"/{words}",
    )
    sampling = Sampling(least_launches=2, budget_s=2.0, over_s=over_s)
    # Everything that is typed: names reach the engine as words of their own.
    workload = Collective(collective=words, algorithm=words, sizes=sizes_of([8]))
    plan = single(workload, placement, sampling)
    mpi = Mpi(Path("mpicc"), mpiexec, "mpich", "hydra", "Hydra 5")
    header = records.encode(new_run(plan, words).header)
    job_of = Job("hockney-pingpong", 2, 1, 5, **job)  # type: ignore[arg-type]
    engine = Engine(mpiexec.parent / "cache" / f"engine {words.replace('/', '')}")
    measurement = Measurement(plan, mpi, engine, result)
    return job_script(batch_named(scheduler), job_of, measurement, header)


def heard_by(scheduler: str, words: str, **options: object) -> list[str]:
    """The words that the launcher got when a real shell ran the script."""
    with tempfile.TemporaryDirectory() as directory:
        return run_script(Path(directory), scheduler, words, **options)


def run_script(directory: Path, scheduler: str, words: str, **options: object) -> list[str]:
    stand_in = directory / LAUNCHER[scheduler]
    for name in STOOD_IN:
        (directory / name).write_text(STAND_IN)
        (directory / name).chmod(0o755)
    (directory / "cache").mkdir()
    (directory / "cache" / f"engine {words.replace('/', '')}").touch()
    result = directory / ("result " + re.sub("[/\0]", "", words)[:20])
    begun = datetime.now(timezone.utc).replace(microsecond=0)
    text = script(scheduler, result, words, stand_in, **options)  # type: ignore[arg-type]
    (directory / "job.sh").write_bytes(text.encode())
    env = {
        "HEARD": str(directory / "heard"),
        "PBS_NODEFILE": "/nodes",
        "LSB_MCPU_HOSTS": "n1 40 n2 40 ",
    }
    path = f"{directory}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "job.sh"], cwd=directory, env={**env, "PATH": path}, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    heard = (directory / "heard").read_bytes().decode().split("\0")
    made = {file.name for file in directory.iterdir()}
    assert made == {*STOOD_IN, "cache", "job.sh", "heard", result.name}
    run = records.read(result)
    assert run.header.options["cases"][0]["placement"]["env"]["FORCED"] is not None
    assert len(run.ends) >= 2
    assert datetime.fromisoformat(run.header.started or "") >= begun
    assert run.header.id is not None
    assert run.header.id not in text, "two jobs of one script are two runs"
    if scheduler not in ("pbs", "lsf"):  # each job has a copy of the engine: made, run, removed
        copies = [word for word in heard if f"/hockney-{run.header.id}" in word]
        assert len(copies) >= 4
    return heard


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(LAUNCHER)), typed)
def test_nothing_that_is_typed_becomes_shell(scheduler: str, words: str) -> None:
    heard = heard_by(scheduler, words, modules=(words,))
    named = (words, f"--algorithm={words}")
    assert [heard.count(word) for word in named] >= [2, 2]  # each of two launches
    assert [word for word in heard if word.startswith("--launch=")] == ["--launch=0", "--launch=1"]
    assert [word for word in heard if word.startswith("--seed=")] == ["--seed=1", "--seed=2"]


@pytest.mark.parametrize("scheduler", sorted(LAUNCHER))
def test_even_the_nastiest_words(scheduler: str) -> None:
    heard = heard_by(scheduler, NASTY, modules=(NASTY,))
    assert NASTY in heard


@pytest.mark.parametrize("scheduler", sorted(LAUNCHER))
@pytest.mark.parametrize("option", ["account", "partition"])
@pytest.mark.parametrize("name", ["a b", "a\n#SBATCH --x", "--help", "$(id)", "", "a;b", "é"])
def test_directives_take_names_only(scheduler: str, option: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"--{option}"):
        script(scheduler, Path("result"), "", Path("mpiexec"), **{option: name})


@pytest.mark.parametrize(
    ("scheduler", "lines"),
    [
        (
            "slurm",
            [
                "--nodes=2",
                "--ntasks-per-node=1",
                "--time=5",
                "--exclusive",
                "--account=abc",
                "--partition=long",
            ],
        ),
        (
            "pbs",
            [
                "-l select=2:ncpus=1:mpiprocs=1",
                "-l place=scatter:excl",
                "-l walltime=00:05:00",
                "-A abc",
                "-q long",
            ],
        ),
        ("lsf", ["-n 2", '-R "span[ptile=1]"', "-W 5", "-x", "-P abc", "-q long"]),
        (
            "flux",
            [
                "--nodes=2",
                "--nslots=2",
                "--time-limit=5m",
                "--exclusive",
                "--bank=abc",
                "--queue=long",
                "--output=flux-{{id.f58plain}}.out",
            ],
        ),
    ],
)
def test_directives_say_what_was_asked(scheduler: str, lines: list[str]) -> None:
    options = {"account": "abc", "partition": "long"}
    text = script(scheduler, Path("result"), "", Path("mpiexec"), **options)
    directives = [line.partition(" ")[2] for line in text.splitlines()[1:] if line[:1] == "#"]
    for line in lines:
        assert line in directives


def test_launches_that_are_spread_over_a_time_rest_between_them() -> None:
    heard = heard_by("slurm", "some", over_s=32.0)
    [rest] = [at for at, word in enumerate(heard) if word == "30.0"]
    assert heard.index("--launch=0") < rest < heard.index("--launch=1")
    assert "30.0" not in heard_by("slurm", "some")


def test_every_scheduler_is_tried_here() -> None:
    assert batch_names() == sorted(LAUNCHER)


@pytest.mark.parametrize("said", ["12", "12;cluster", "Job <12> is submitted to queue <long>."])
def test_a_job_is_known_by_its_number(tmp_path: Path, said: str) -> None:
    stand_in = tmp_path / "submit"
    stand_in.write_text(f"#!/bin/sh\necho '{said}'\n")
    stand_in.chmod(0o755)
    scheduler = SimpleNamespace(SUBMIT=(str(stand_in),))
    assert submit(cast(Batch, scheduler), "") == "12"


def test_lsf_names_its_hosts_to_mpiexec() -> None:
    assert "n1,n2," in heard_by("lsf", "")


def test_the_time_limit_covers_budget_and_starts() -> None:
    pingpong, sampling = Pingpong(sizes=sizes_of([8])), Sampling(budget_s=600.0)
    assert 10 < minutes_for(single(pingpong, Placement(), sampling)) < 20
    spread = replace(sampling, over_s=3600.0)
    assert 60 < minutes_for(single(pingpong, Placement(), spread)) < 70
