"""What containers and limits withhold from real runs: shared memory, system calls, processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunEngine, first_of
from denied import can_deny
from hockney import records
from hockney.base import limits
from hockney.infer.analysis import Analysis
from hockney.run.measure.launches.causes import SAID, cause_of
from hockney.run.measure.launches.launch import Outcome
from hockney.run.measure.launches.signals import exit_words
from hockney.run.mpis import Engine, Mpi
from long_runs import comes_true

LOUD = ("pingpong", "--sizes", "8,1MiB", "--budget", "0.3s", "--launches", "1", "--force")
SHORT = (*LOUD, "-q")
ALLREDUCE = ("collective", "allreduce", "-n", "2", *SHORT[1:])
DENIED = Path(__file__).parent.parent / "denied.py"


def run(
    *words: str, inside: tuple[str, ...] = (), env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs hockney by a command that withholds something from what it starts."""
    return subprocess.run(
        [*inside, sys.executable, "-m", "hockney", *words],
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
        env={**os.environ, **(env or {})},
    )


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of one second in one directory would have one name."""
    monkeypatch.chdir(tmp_path)


def in_namespace(script: str, *flags: str) -> tuple[str, ...]:
    """A command that runs others in namespaces of their own, after a script."""
    command = ("unshare", *flags)
    if subprocess.run([*command, "sh", "-c", script], capture_output=True).returncode != 0:
        pytest.skip("namespaces need root")
    return (*command, "sh", "-c", f'{script} && exec "$@"', "sh")


def with_shared_memory_of(size: str) -> tuple[str, ...]:
    return in_namespace(f"mount -t tmpfs -o size={size} none /dev/shm", "--mount")


@pytest.mark.long
def test_a_window_that_one_rank_is_refused_costs_the_probe_only(
    run_engine: RunEngine, faulty_engine: Engine
) -> None:
    done = run_engine.ok(
        "pingpong",
        "--sizes=8",
        "--seconds=0.05",
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_WINDOW": "1"},
    )
    (launch,) = done.of("launch")
    assert launch["probe"] == "work"
    assert launch["probe_refused"] == "another rank was refused"
    assert done.of("samples")


@pytest.mark.long
def test_a_library_that_can_do_without_shared_memory_is_measured(mpi: Mpi, tmp_path: Path) -> None:
    """MPICH cannot, and its ranks die of it."""
    path = tmp_path / "run.jsonl"
    done = run(*SHORT, "-o", str(path), inside=with_shared_memory_of("64k"))
    if mpi.family == "openmpi":
        assert done.returncode == 0, done.stderr
        texts = [warning.text for warning in Analysis(records.read(path)).warnings]
        assert any("not probed" in text and "/dev/shm has 64 KiB free" in text for text in texts)
    else:
        assert "/dev/shm, through which ranks communicate, has 64 KiB" in done.stderr


@pytest.mark.parametrize("verb", first_of(["pingpong", "collective"]))
def test_ranks_that_die_of_little_shared_memory(mpi: Mpi, verb: str) -> None:
    if mpi.family == "openmpi":
        pytest.skip("Open MPI does without shared memory")
    words = SHORT if verb == "pingpong" else ALLREDUCE
    done = run(*words, inside=with_shared_memory_of("64k"))
    assert done.returncode == 1
    # Hydra tells of one rank alone, which may be one that it ended behind the first; once in some
    # hundred times, on a busy machine, it fails itself and tells of none.
    ends = "a rank was killed by SIG(BUS|TERM)|exit status 255.*process manager error"
    assert re.search(ends, done.stderr, re.DOTALL)
    assert "/dev/shm, through which ranks communicate, has 64 KiB" in done.stderr
    assert "--shm-size=1g" in done.stderr


@pytest.mark.long
def test_doctor_shows_little_shared_memory() -> None:
    done = run("doctor", inside=with_shared_memory_of("1m"))
    assert done.returncode == 1
    (row,) = (line for line in done.stdout.splitlines() if "shared memory  " in line)
    assert row.startswith("bad ")
    assert "/dev/shm has 1 MiB" in row


def denying(*calls: str) -> tuple[str, ...]:
    if not can_deny():
        pytest.skip("the numbers of this machine's system calls are not known")
    return (sys.executable, str(DENIED), ",".join(calls))


def test_ranks_that_may_not_read_each_other() -> None:
    """Open MPI and UCX try it first, and do without."""
    done = run(*SHORT, inside=denying("process_vm_readv", "process_vm_writev"))
    if done.returncode != 0:
        assert "--cap-add=SYS_PTRACE" in done.stderr
        assert "or set MPIR_CVAR_CH4_CMA_ENABLE=0" in done.stderr


@pytest.mark.long
def test_doctor_tries_a_large_message(mpi: Mpi) -> None:
    denied = denying("process_vm_readv", "process_vm_writev")
    avoided = {"MPIR_CVAR_CH4_CMA_ENABLE": "0"}
    assert (
        "ok       large messages        1 MiB in"
        in run("doctor", inside=denied, env=avoided).stdout
    )
    examined = run("doctor", inside=denied).stdout
    if mpi.family == "mpich" and "Hydra 5" in mpi.launcher_version:
        assert "bad      large messages" in examined
        assert "ok       launch of two ranks" in examined
        assert "--cap-add=SYS_PTRACE" in examined


@pytest.mark.long
def test_ranks_that_may_not_be_pinned_are_measured() -> None:
    done = run(*LOUD, inside=denying("sched_setaffinity"))
    assert done.returncode == 0, done.stderr
    assert "Operation not permitted" in done.stderr
    assert "let the container or job call sched_setaffinity" in done.stderr


@pytest.mark.parametrize(
    ("limit", "words"),
    first_of(
        [
            ("ulimit -n 24", "too many open files: the limit is 24 (ulimit -n); raise it"),
            ("ulimit -n 13", "too many open files: the limit is 13 (ulimit -n); raise it"),
            ("ulimit -n 5", "open files are limited to 5 (ulimit -n), hockney needs 12: raise it"),
        ]
    ),
)
def test_limits_are_named(limit: str, words: str) -> None:
    inside = ("sh", "-c", f'{limit} && exec "$@"', "sh")
    done = run(*SHORT, inside=inside, env={"UCX_TLS": "all"})
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_low_limits_are_a_row_of_doctor() -> None:
    done = run("doctor", inside=("sh", "-c", 'ulimit -n 50 && exec "$@"', "sh"))
    assert "bad      limits                open files: 50, 64 are needed (ulimit -n)" in done.stdout


def without_own_proc(is_mounted: bool) -> tuple[str, ...]:
    """/proc shows the processes of another namespace, or is empty."""
    script, flags = ("true", ()) if is_mounted else ("umount -l /proc", ("--mount",))
    return in_namespace(script, "--pid", "--fork", *flags)


def is_named(done: subprocess.CompletedProcess[str]) -> bool:
    names = ("/proc does not show this PID namespace", "unshare --mount-proc")
    return done.returncode == 1 and all(name in done.stderr for name in names)


@pytest.mark.parametrize("is_mounted", first_of([False, True]))
def test_a_namespace_of_processes_without_proc_is_named(is_mounted: bool) -> None:
    words = (*SHORT, "--launch", "false {ranks} {command}")
    done = run(*words, inside=without_own_proc(is_mounted))
    assert is_named(done), done.stderr


@pytest.mark.long
@pytest.mark.parametrize("is_mounted", [True, False])
def test_what_an_mpi_cannot_do_without_proc_is_named(is_mounted: bool) -> None:
    """MPICH hangs there now and then, depending on process IDs outside."""
    done = run(*SHORT, inside=without_own_proc(is_mounted), env={"UCX_TLS": "all"})
    assert done.returncode == 0 or is_named(done), done.stderr


@pytest.mark.long
def test_a_host_name_that_is_too_long_is_named() -> None:
    """MPICH has a buffer of 64 bytes for it."""
    done = run(*SHORT, inside=in_namespace(f"hostname {'h' * 64}", "--uts"))
    if done.returncode != 0:
        assert "the name of this host has 64 characters" in done.stderr
        assert "--hostname=NAME" in done.stderr


def remove(group: Path) -> None:
    """Removes a cgroup, once its last process has ended."""
    assert comes_true(lambda: not (group / "inner/cgroup.procs").read_text())
    (group / "inner").rmdir()
    group.rmdir()


@pytest.fixture
def little_cpu() -> Iterator[tuple[str, ...]]:
    """A command that runs others in a cgroup whose parent has a quarter of the time of one CPU."""
    version_1, version_2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
    is_second = (version_2 / "cgroup.controllers").exists()
    group = (version_2 if is_second else version_1) / f"hockney-test-{os.getpid()}"
    name, text = ("cpu.max", "25000 100000") if is_second else ("cpu.cfs_quota_us", "25000")
    try:
        (group / "inner").mkdir(parents=True)
        (group / name).write_text(text)
    except OSError:
        for made in (group / "inner", group):
            with suppress(OSError):
                made.rmdir()
        pytest.skip("a cgroup with a quota cannot be made here")
    yield ("sh", "-c", f'echo $$ > {group}/inner/cgroup.procs && exec "$@"', "sh")
    remove(group)


@pytest.mark.long
def test_a_quota_of_cpu_time_on_any_level_is_named(
    little_cpu: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    done = run(*LOUD, "-o", str(path), inside=little_cpu)
    assert done.returncode == 0, done.stderr
    assert "the CPU quota of a cgroup throttled the ranks" in done.stderr
    assert any(noise.throttled for noise in records.read(path).noises)


@pytest.mark.long
def test_the_memory_of_a_nested_cgroup_is_the_least_of_all_levels() -> None:
    group = Path("/sys/fs/cgroup/memory") / f"hockney-test-{os.getpid()}"
    try:
        (group / "inner").mkdir(parents=True)
        (group / "memory.limit_in_bytes").write_text(str(120 << 20))
    except OSError:
        pytest.skip("no cgroup with a limit of memory can be made here (version 1)")
    inside = ("sh", "-c", f'echo $$ > {group}/inner/cgroup.procs && exec "$@"', "sh")
    try:
        refused = run(*SHORT, "--sizes", "100MiB", inside=inside)
        examined = run("doctor", inside=inside)
    finally:
        remove(group)
    assert refused.returncode == 2
    assert "100 MiB by 2 ranks takes 200 MiB here, where " in refused.stderr
    assert "warn     memory                only " in examined.stdout


CAPABLE = "+dac_override,+dac_read_search"
"""A user other than root, whom that limit does not bind, who may still read root's Python."""


@pytest.mark.long
def test_a_limit_of_processes_is_named(tmp_path: Path) -> None:
    inside = (
        *("setpriv", "--reuid=65534", "--clear-groups"),
        *(f"--inh-caps={CAPABLE}", f"--ambient-caps={CAPABLE}", "prlimit", "--nproc=1"),
    )
    if os.geteuid() != 0 or subprocess.run([*inside[:-2], "true"]).returncode != 0:
        pytest.skip("only root becomes another user")
    tmp_path.chmod(0o777)
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path)}
    done = run(*SHORT, "-o", str(tmp_path / "run.jsonl"), inside=inside, env=env)
    assert done.returncode in (1, 2)
    assert "no more processes or threads: the limit is 1 (ulimit -u)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("status", "lines", "words"),
    [
        (3, [], "exit status 3"),
        (-9, [], "killed by signal 9"),
        (7, ["EXIT STRING: Bus error (signal 7)"], "killed by SIGBUS (exit status 7)"),
        (15, ["Killed (signal 9)", "Bus error (signal 7)"], "killed by SIGBUS (exit status 15)"),
        (135, ["rank 0 with PID 1 on node a exited on", "signal 7 (Bus error)."], "by SIGBUS ("),
        (139, [], "by SIGSEGV (exit status 139)"),
        (143, ["Abort(1): Fatal error in internal_Init"], "exit status 143"),
        (137, ["srun: error: a: task 3: Killed"], "by SIGKILL (exit status 137)"),
        (1, ["=   KILLED BY SIGNAL: 11 (Segmentation fault)"], "by SIGSEGV ("),
        (255, ["no signal 700 here"], "exit status 255"),
    ],
)
def test_the_signal_comes_from_the_text_first(status: int, lines: list[str], words: str) -> None:
    phrase = exit_words(status, lines)
    assert words in phrase
    assert ("a rank was" in phrase) == ("by SIG" in words)


SAYINGS = {
    "copy_iovs(224): process_vm_readv failed (errno 1)": "MPIR_CVAR_CH4_CMA_ENABLE=0",
    "process_vm_readv(pid=7 length=8) returned -1: Operation not permitted": "UCX_TLS=^cma",
    "Read -1, expected 65536, errno = 1": "OMPI_MCA_smsc=^cma",
    "ibv_create_cq(cqe=4096) failed: Cannot allocate memory": "memlock=-1",
    "pipe error (Too many open files)": "too many open files",
    "fork failed: Resource temporarily unavailable": "no more processes",
    "orted: Cannot allocate memory": "out of memory",
}


@pytest.mark.parametrize(("said", "words"), SAYINGS.items())
def test_what_libraries_say_is_translated(said: str, words: str) -> None:
    assert words in (cause_of(Outcome(1, 1.0, ["...", said])) or "")


def test_each_row_of_the_table_has_an_example() -> None:
    assert len(SAID) + len(limits.MESSAGES) == len(SAYINGS)


@pytest.mark.long
def test_a_library_without_room_for_shared_memory_is_seen_to_go_by_tcp(tmp_path: Path) -> None:
    """Open MPI does so without a word."""
    other = os.environ.get("HOCKNEY_TEST_OTHER_MPICC")
    if other is None:
        pytest.skip("HOCKNEY_TEST_OTHER_MPICC names no second MPI")
    result = tmp_path / "run.jsonl"
    words = (*LOUD, "--mpicc", other, "-o", str(result))
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = run(*words, inside=with_shared_memory_of("64k"), env=allowed)
    assert done.returncode == 0, done.stderr
    assert "messages by TCP over lo" in done.stdout
    assert "slow way: ranks 0 and 1" in done.stderr
