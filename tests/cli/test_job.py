"""Jobs as the command line has them; the scripts are in tests/measure/jobs, Slurm in
tests/cluster."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney.run.measure.machine import capacity


@pytest.fixture
def small_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a job of one node with two slots, as far as its environment tells."""
    monkeypatch.setenv("LSB_JOBID", "1")
    monkeypatch.setenv("LSB_MCPU_HOSTS", "n1 2")


@pytest.mark.usefixtures("small_job", "engine")
def test_a_larger_job_can_be_asked_for_from_inside_a_small_one(hockney: RunHockney) -> None:
    done = hockney("job", "lsf", "--", "pingpong", "--nodes", "3", "-n", "3", "-o", "run.jsonl")
    assert (done.status, done.stderr) == (0, "")
    assert "#BSUB -n 3" in done.stdout
    assert "hockney-engine" in done.stdout


@pytest.mark.usefixtures("small_job")
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--nodes", "3", "-n", "3"), "this allocation (lsf) has 1 node, --nodes 3 asks for more"),
        (("-n", "3"), "this allocation (lsf) has 2 CPUs, -n 3 asks for more"),
        (("--place", "node"), "only one node is available"),
    ],
)
def test_what_the_job_has_not_is_refused_before_anything_starts(
    hockney: RunHockney, tmp_path: Path, options: tuple[str, ...], complaint: str
) -> None:
    hockney.refused("pingpong", *options, "-o", "run.jsonl", because=complaint)
    assert not (tmp_path / "run.jsonl").exists()


@pytest.mark.usefixtures("small_job")
def test_a_suite_is_refused_whole(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        'name = "plan"\n[[run]]\nlabel = "wide"\nverb = "pingpong"\nnodes = 3\nn = 6\n'
    )
    hockney.refused(
        "suite", "plan.toml", "-o", "out", because="wide: this allocation (lsf) has 1 node"
    )
    assert not (tmp_path / "out").exists()


def test_a_printed_script_can_be_submitted_again(hockney: RunHockney) -> None:
    """Its result was one fixed file, which the second job refused to replace."""
    words = ("job", "slurm", "--", "fabric", "--nodes", "2", "--ranks-per-node", "1", "--gate")
    done = hockney(*words)
    (result,) = [line for line in done.stdout.splitlines() if line.startswith("result=")]
    assert result.endswith("-$(date +%Y%m%d-%H%M%S).jsonl")
    assert "-TIME.jsonl --gate" in done.stderr
    named = hockney(*words, "-o", "run.jsonl")
    assert "/run.jsonl\n" in named.stdout


@pytest.mark.parametrize("scheduler", ["pbs", "lsf"])
def test_broadcast_needs_a_way(hockney: RunHockney, scheduler: str) -> None:
    words = ("pingpong", "--nodes", "2", "-n", "2", "--broadcast", "/tmp")
    hockney.refused(
        "job", scheduler, "--", *words, "-o", "run.jsonl", because="let the job run hockney itself"
    )


def test_a_script_for_another_machine_says_what_it_assumes(
    hockney: RunHockney, monkeypatch: pytest.MonkeyPatch
) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "srun" else which(name))
    done = hockney.ok("job", "slurm", "--", "pingpong", "-n", "2", "-o", "run.jsonl")
    assert "#SBATCH --nodes=1" in done.stdout
    [assumed] = [word for word in done.stdout.split() if word.startswith("--mpi=")]
    assert f"srun is not on this machine, so the script assumes {assumed}: " in done.stderr
    assert "`srun --mpi=list` on the cluster" in done.stderr
    template = ("--launch", "mpiexec -n {ranks} {command}")
    other = hockney("job", "slurm", "--", "pingpong", "-n", "2", *template, "-o", "run.jsonl")
    assert "assumes" not in other.stderr


@pytest.mark.parametrize("words", ["overheads", "pingpong --refine"])
def test_a_script_decides_nothing(hockney: RunHockney, words: str) -> None:
    hockney.refused(
        *("job", "lsf", "--"),
        *words.split(),
        *("-o", "run.jsonl"),
        because="cannot choose what to measure next",
    )


def test_a_simulated_machine_needs_no_job(hockney: RunHockney) -> None:
    words = ("fabric", "-n", "4", "--platform", "cluster:4")
    done = hockney("job", "slurm", "--", *words)
    assert (done.status, "needs no job" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("time", "words", "needed"),
    [
        ("10s", ("--budget", "1h"), "5 launches and their starts need 63 min"),
        ("62min", ("--budget", "1h"), "ask for --time 63min or more"),
        ("2min", ("--over", "10min"), "(--budget, --over)"),
    ],
)
def test_a_time_limit_that_cannot_hold_the_launches_is_refused(
    hockney: RunHockney, time: str, words: tuple[str, ...], needed: str
) -> None:
    done = hockney("job", "pbs", "--time", time, "--", "pingpong", "--nodes", "2", *words)
    assert (done.status, done.stdout) == (2, "")
    assert needed in done.stderr


@pytest.mark.parametrize(
    ("time", "written"), [("63min", "01:03:00"), ("63.9min", "01:03:00"), ("2h", "02:00:00")]
)
def test_a_time_limit_is_never_longer_than_what_was_asked_for(
    hockney: RunHockney, time: str, written: str
) -> None:
    words = ("pingpong", "--nodes", "2", "--budget", "1h")
    done = hockney.ok("job", "pbs", "--time", time, "--", *words)
    assert f"walltime={written}" in done.stdout


@pytest.mark.parametrize("cpus", [1, 64])
@pytest.mark.parametrize(
    "verb",
    [
        "collective allreduce",
        "fabric",
        "pairs",
        "halo",
        "cores",
        "congestion",
        "pingpong",
        "startup",
    ],
)
def test_the_cpus_of_the_host_that_writes_the_script_decide_nothing(
    hockney: RunHockney, monkeypatch: pytest.MonkeyPatch, verb: str, cpus: int
) -> None:
    monkeypatch.setattr(capacity, "allowed_count", lambda: cpus)
    done = hockney.ok("job", "pbs", "--", *verb.split(), "--nodes", "8")
    assert "select=8:ncpus=1:mpiprocs=1" in done.stdout
    assert " -n 8 " in done.stdout


def test_a_node_may_have_more_cpus_than_the_host_that_writes_the_script(
    hockney: RunHockney, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capacity, "allowed_count", lambda: 2)
    words = ("pingpong", "--nodes", "1", "-n", "192")
    done = hockney.ok("job", "slurm", "--", *words)
    assert "#SBATCH --ntasks-per-node=192" in done.stdout
    hockney.refused(
        *words,
        "-o",
        "run.jsonl",
        because="at most 128 ranks are started on this machine, which has 2 CPUs",
    )


@pytest.mark.parametrize("nodes", [(), ("--nodes", "1")])
def test_a_number_of_ranks_that_would_be_that_of_this_host_is_refused(
    hockney: RunHockney, nodes: tuple[str, ...]
) -> None:
    words = ("collective", "allreduce", *nodes)
    done = hockney("job", "slurm", "--", *words)
    assert (done.status, done.stdout) == (2, "")
    assert "the number of ranks is not given" in done.stderr
    done = hockney.ok("job", "slurm", "--", *words, "--ranks-per-node", "4")
    assert "#SBATCH --ntasks-per-node=4" in done.stdout


@pytest.mark.parametrize(
    ("scheduler", "directives"),
    [
        ("slurm", ["--ntasks-per-node=2", "--cpus-per-task=4"]),
        ("pbs", ["select=1:ncpus=8:mpiprocs=2"]),
        ("lsf", ["-n 8", "span[ptile=8]"]),
        ("flux", ["--nslots=2", "--cores-per-slot=4"]),
    ],
)
def test_a_job_has_a_cpu_for_each_thread(
    hockney: RunHockney, scheduler: str, directives: list[str]
) -> None:
    words = ("pairs", "-n", "2", "--operation", "stream", "--threads", "1,4,2")
    done = hockney.ok("job", scheduler, "--no-exclusive", "--", *words)
    head = "\n".join(line for line in done.stdout.splitlines() if line.startswith("#"))
    assert [words for words in directives if words not in head] == []


def test_a_note_can_be_pasted_into_a_shell(hockney: RunHockney) -> None:
    words = ("fabric", "--nodes", "4", "-o", "my run.jsonl", "--gate")
    done = hockney("job", "lsf", "--", *words)
    assert "hockney show 'my run.jsonl' --gate" in done.stderr


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        (("--launches", "5..20"), ["--launches: the script makes 5, as it cannot tell"]),
        (("--timeout", "60s"), ["--timeout: the script ends no launch that hangs"]),
        (("--json",), ["--json: the answer is that of hockney show run.jsonl --json"]),
        (("--format", "osu"), ["--format: the table is that of hockney show run.jsonl --format"]),
        (("--gate",), ["--gate: judge what the job measures by hockney show run.jsonl --gate"]),
        (("--launches", "5.."), []),
        (("--launches", "5..5", "--budget", "5s"), []),
        (("--launches", "5..20", "--quiet"), []),
    ],
)
def test_what_a_script_cannot_do_is_noted(
    hockney: RunHockney, words: tuple[str, ...], notes: list[str]
) -> None:
    verb = ("fabric", "--nodes", "4") if "--gate" in words else ("pingpong", "--nodes", "2")
    done = hockney.ok("job", "lsf", "--", *verb, "-o", "run.jsonl", *words)
    assert len(done.stderr.splitlines()) == len(notes)
    assert all(note in done.stderr for note in notes)


WATCH = ("watch", "--dir", "w", "--on-alarm", 'logger "$HOCKNEY_TEXT"')


def test_a_job_of_a_watch_makes_a_look_and_submits_the_next(hockney: RunHockney) -> None:
    done = hockney.ok("job", "slurm", "--", *WATCH, "--", "pingpong", "--nodes", "2", "-n", "4")
    assert {"#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=2"} <= {*done.stdout.splitlines()}
    look, due = (line for line in done.stdout.splitlines() if shlex.quote(WATCH[-1]) in line)
    assert " watch --once --dir w " in look
    assert " watch --due --dir w " in due
    assert """sbatch --begin=now+"$wait_s" "$0" || exit\n""" in done.stdout


@pytest.mark.parametrize(("look", "ends"), [(0, 0), (1, 1), (2, 2), (3, 0), (137, 1)])
def test_a_job_whose_look_was_slower_has_failed(
    look: int, ends: int, hockney: RunHockney, tmp_path: Path
) -> None:
    words = ("--dir", "w", "--", "pingpong", "-n", "2")
    script = hockney("job", "slurm", "--", "watch", *words).stdout
    fakes = {"hockney": f'[ "$2" = --once ] && exit {look}; echo 100', "sbatch": "echo submitted"}
    for name, body in fakes.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    script = script.replace(f"{sys.executable} -m hockney", "hockney")
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (ends, "" if look == 2 else "submitted\n")


def test_a_job_goes_on_with_what_its_directory_watches(hockney: RunHockney) -> None:
    assert hockney("watch", "--dir", "w", "--due", "--", "pairs", "-n", "6").status == 0
    done = hockney("job", "slurm", "--", "watch", "--dir", "w")
    assert "#SBATCH --ntasks-per-node=6" in done.stdout, done.stderr
    assert done.stdout.count(" watch --once --dir w\n") == 1


def test_the_looks_of_a_watch_have_the_ranks_of_their_job(hockney: RunHockney) -> None:
    words = ("--", "collective", "allreduce", "--nodes", "4")
    done = hockney.ok("job", "slurm", "--", *WATCH, *words)
    assert "#SBATCH --ntasks-per-node=1" in done.stdout
    assert done.stdout.count(" -- collective --ranks-per-node=1 allreduce --nodes 4") == 2


@pytest.mark.parametrize(
    ("scheduler", "words", "complaint"),
    [
        ("pbs", WATCH, "jobs of pbs cannot submit themselves again"),
        ("slurm", (*WATCH, "--once"), "--once cannot be used in a job"),
        ("slurm", (*WATCH, "--", "show"), "not a verb that measures"),
        ("slurm", ("watch",), "--dir"),
    ],
)
def test_a_watch_that_no_job_can_go_on_with_is_refused(
    hockney: RunHockney, scheduler: str, words: tuple[str, ...], complaint: str
) -> None:
    done = hockney("job", scheduler, "--", *words)
    assert (done.status, complaint in done.stderr) == (2, True), done.stderr
