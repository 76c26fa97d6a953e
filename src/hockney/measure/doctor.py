"""Whether this machine is ready to be measured: what was seen, and what to do about it."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hockney import records
from hockney.errors import HockneyError
from hockney.measure.build import build_engine
from hockney.measure.checks import available_memory
from hockney.measure.launch import Interruption, run_launch
from hockney.measure.launchers import launcher_named
from hockney.measure.mpi import find_mpi
from hockney.measure.question import Question, Size
from hockney.records import LaunchRecord

LOOK_S = 0.3
"""Between two looks at the CPUs' counters."""
BUSY, STOLEN = 0.10, 0.01
"""Shares of all allowed CPUs that are told."""
SLOW_CLOCK_S = 200e-9
"""A reading that costs more is a system call, or a clock that the kernel emulates."""
GOOD_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "timebase", "hyperv_clocksource_tsc_page")
LITTLE_MEMORY, LITTLE_SPACE = 256 << 20, 100 << 20
TRIAL_S, TRIAL_TIMEOUT_S = 0.05, 30.0


@dataclass(frozen=True)
class Finding:
    name: str
    verdict: str
    """ok, warn, bad or unknown."""
    fact: str
    advice: str | None = None


def examine(mpicc: str | None, root: Path = Path("/")) -> list[Finding]:
    """Every finding; /proc and /sys are looked for under `root`."""
    return [*_mpi(mpicc), *(look(root) for look in LOOKS)]


def _mpi(mpicc: str | None) -> list[Finding]:
    """MPI, engine, launcher, pinning and clock, by really starting two ranks."""
    try:
        mpi = find_mpi(mpicc)
    except HockneyError as error:
        return [Finding("MPI", "bad", error.message, error.advice)]
    found = Finding("MPI", "ok", f"{mpi.mpicc}, {mpi.mpiexec} ({mpi.launcher_version})")
    try:
        engine = build_engine(mpi)
    except HockneyError as error:
        return [found, Finding("engine", "bad", error.message, error.advice)]
    built = Finding("engine", "warn" if engine.notes else "ok", str(engine.path), *engine.notes[:1])
    launcher = launcher_named(mpi.family)
    question = Question("pingpong", (Size(0),))
    program = [str(engine.path), *question.engine_arguments(0, TRIAL_S)]
    lines: list[bytes] = []
    outcome = run_launch(
        launcher.command(mpi, question, program),
        {**os.environ, **launcher.environment(mpi)},
        lines.extend,
        TRIAL_TIMEOUT_S,
        Interruption(),
    )
    launch = next((r for r in map(_record, lines) if isinstance(r, LaunchRecord)), None)
    if outcome.exit_status != 0 or launch is None:
        said = outcome.last_lines[-1] if outcome.last_lines else f"exit {outcome.exit_status}"
        advice = "hockney pingpong tells more; launcher and library must be of one MPI"
        return [found, built, Finding("launch of two ranks", "bad", said, advice)]
    library = " ".join((launch.mpi.description or "an unknown library").split())
    seconds = f"{library}, in {outcome.wall_s:.2f} s"
    return [
        found,
        built,
        Finding("launch of two ranks", "ok", seconds),
        _pinning(launch),
        _clock_cost(launch),
    ]


def _record(line: bytes) -> records.Record | None:
    try:
        return records.decode(line)
    except ValueError:
        return None


def _pinning(launch: LaunchRecord) -> Finding:
    places = launch.places
    refused = next((place.refused for place in places if place.refused), None)
    where = ", ".join(f"rank {place.rank} on CPU {place.pu}" for place in places)
    if not all(place.pinned for place in places):
        return Finding(
            "pinning",
            "bad",
            refused or "ranks may move between CPUs",
            "allow sched_setaffinity, or let the launcher bind ranks",
        )
    if len({(place.host, place.pu) for place in places}) < len(places):
        return Finding(
            "pinning",
            "bad",
            f"two ranks share a CPU: {where}",
            "allow this process more CPUs (taskset, cgroup, scheduler)",
        )
    return Finding("pinning", "ok", where)


def _clock_cost(launch: LaunchRecord) -> Finding:
    cost_s = launch.clock.cost_s
    if cost_s is None:
        return Finding("clock cost", "unknown", "not measured")
    fact = f"{cost_s * 1e9:.0f} ns a reading"
    if cost_s > SLOW_CLOCK_S:
        return Finding(
            "clock cost",
            "warn",
            fact,
            "batches get longer to hide it; a tsc clock source is read in 25 ns",
        )
    return Finding("clock cost", "ok", fact)


def _text(root: Path, path: str) -> str | None:
    try:
        return (root / path).read_text().strip() or None
    except OSError:
        return None


def _governor(root: Path) -> Finding:
    files = sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor"))
    governors = {file.read_text().strip() for file in files}
    if not governors:
        return Finding("governor", "unknown", "the kernel tells none, as in most virtual machines")
    fact = ", ".join(sorted(governors))
    if governors <= {"performance"}:
        return Finding("governor", "ok", fact)
    return Finding("governor", "warn", fact, "cpupower frequency-set -g performance")


def _turbo(root: Path) -> Finding:
    no_turbo = _text(root, "sys/devices/system/cpu/intel_pstate/no_turbo")
    boost = _text(root, "sys/devices/system/cpu/cpufreq/boost")
    if no_turbo is None and boost is None:
        return Finding("turbo", "unknown", "the kernel does not tell")
    if no_turbo == "1" or boost == "0":
        return Finding("turbo", "ok", "off")
    return Finding(
        "turbo",
        "warn",
        "on: the clock follows load and temperature",
        "switch it off to compare runs (intel_pstate/no_turbo, cpufreq/boost)",
    )


def _threads(root: Path) -> Finding:
    active = _text(root, "sys/devices/system/cpu/smt/active")
    if active is None:
        return Finding("hardware threads", "unknown", "the kernel does not tell")
    if active == "0":
        return Finding("hardware threads", "ok", "one a core")
    return Finding(
        "hardware threads",
        "ok",
        "several a core; ranks are pinned one to a core",
        "leave the sibling threads idle",
    )


def _allowed(root: Path) -> Finding:  # noqa: ARG001
    allowed, present = len(os.sched_getaffinity(0)), os.cpu_count() or 0
    fact = f"{allowed} of {present}"
    if allowed < 2:
        return Finding("allowed CPUs", "bad", fact, "two ranks need two CPUs: taskset, cgroup?")
    return Finding("allowed CPUs", "ok", fact)


def _quota(root: Path) -> Finding:
    """cgroup v2 has "quota period" or "max period", v1 two files."""
    words = (_text(root, "sys/fs/cgroup/cpu.max") or "").split()
    if not words:
        quota = _text(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us")
        period = _text(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us")
        words = [quota, period] if quota and period else []
    if len(words) != 2:
        return Finding("CPU quota", "unknown", "no cgroup limit is visible")
    if not words[0].isdigit():
        return Finding("CPU quota", "ok", "none")
    cpus = int(words[0]) / int(words[1])
    fact = f"{cpus:g} CPUs"
    if cpus < 2.0:
        return Finding("CPU quota", "bad", fact, "two ranks that spin are throttled: raise cpu.max")
    return Finding("CPU quota", "warn", fact, "fine for two ranks; more than that are throttled")


def _shares(root: Path) -> tuple[float, float] | None:
    """Busy and stolen shares of all CPUs between two looks at /proc/stat."""
    looks = []
    for wait_s in (LOOK_S, 0.0):
        first = (_text(root, "proc/stat") or "").partition("\n")[0].split()
        if len(first) < 9 or first[0] != "cpu":
            return None
        looks.append([int(ticks) for ticks in first[1:9]])
        time.sleep(wait_s)
    spent = [after - before for before, after in zip(*looks, strict=True)]
    total = max(sum(spent), 1)
    idle, stolen = spent[3] + spent[4], spent[7]
    return (sum(spent) - idle - stolen) / total, stolen / total


def _load(root: Path) -> Finding:
    shares = _shares(root)
    load = (_text(root, "proc/loadavg") or "").split()
    if shares is None:
        return Finding("load", "unknown", "the kernel does not tell")
    fact = f"{100.0 * shares[0]:.0f} % of the CPUs busy now" + (f", load {load[0]}" if load else "")
    if shares[0] > BUSY:
        return Finding("load", "warn", fact, "stop what runs (top), or wait until it has ended")
    if shares[1] > STOLEN:
        return Finding(
            "load",
            "warn",
            f"the hypervisor takes {100.0 * shares[1]:.1f} %",
            "its other guests are busy: measure when they are not",
        )
    return Finding("load", "ok", fact)


def _hypervisor(root: Path) -> Finding:
    flags = re.search(r"^flags\s*:(.*)$", _text(root, "proc/cpuinfo") or "", re.MULTILINE)
    if flags is None:
        return Finding("hypervisor", "unknown", "the kernel does not tell")
    if "hypervisor" in flags[1].split():
        return Finding(
            "hypervisor",
            "warn",
            "this is a virtual machine: its cores may be moved",
            "look at the states beside each result; compare like with like",
        )
    return Finding("hypervisor", "ok", "none")


def _clock_source(root: Path) -> Finding:
    name = _text(root, "sys/devices/system/clocksource/clocksource0/current_clocksource")
    if name is None:
        return Finding("clock source", "unknown", "the kernel does not tell")
    if name in GOOD_CLOCKS:
        return Finding("clock source", "ok", name)
    return Finding(
        "clock source",
        "warn",
        name,
        "reading it may be a system call; boot with clocksource=tsc if it is stable",
    )


def _huge_pages(root: Path) -> Finding:
    text = _text(root, "sys/kernel/mm/transparent_hugepage/enabled") or ""
    chosen = re.search(r"\[(\w+)\]", text)
    if chosen is None:
        return Finding("huge pages", "unknown", "the kernel does not tell")
    if chosen[1] == "always":
        return Finding(
            "huge pages",
            "warn",
            "always: large buffers may change pages while timed",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        )
    return Finding("huge pages", "ok", chosen[1])


def _balancing(root: Path) -> Finding:
    value = _text(root, "proc/sys/kernel/numa_balancing")
    if value is None:
        return Finding("NUMA balancing", "ok", "none")
    if value == "0":
        return Finding("NUMA balancing", "ok", "off")
    return Finding(
        "NUMA balancing",
        "warn",
        "on: pages move while they are measured",
        "sysctl kernel.numa_balancing=0",
    )


def _memory(root: Path) -> Finding:  # noqa: ARG001
    free = available_memory()
    if free is None:
        return Finding("memory", "unknown", "the kernel does not tell")
    fact = f"{free / 2**30:.1f} GiB free"
    if free < LITTLE_MEMORY:
        return Finding("memory", "warn", fact, "measure smaller messages with --sizes")
    return Finding("memory", "ok", fact)


def _results(root: Path) -> Finding:  # noqa: ARG001
    here = Path.cwd()
    try:
        with tempfile.TemporaryFile(dir=here):
            pass
        space = os.statvfs(here)
    except OSError as error:
        return Finding("results", "bad", f"{here}: {error.strerror}", "name a file with -o")
    free = space.f_bavail * space.f_frsize
    fact = f"{free / 2**30:.1f} GiB free in {here}"
    if free < LITTLE_SPACE:
        return Finding(
            "results", "warn", fact, "a run of 10 s takes about 10 MiB: use -o elsewhere"
        )
    return Finding("results", "ok", fact)


LOOKS: tuple[Callable[[Path], Finding], ...] = (
    _allowed,
    _quota,
    _governor,
    _turbo,
    _threads,
    _load,
    _hypervisor,
    _clock_source,
    _huge_pages,
    _balancing,
    _memory,
    _results,
)
