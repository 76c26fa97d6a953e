"""Checks the CPUs that ranks may use, and what changes their speed."""

from __future__ import annotations

import os
from pathlib import Path

from hockney.base.units import how_many
from hockney.plan.placement import parse_cpus
from hockney.run.measure.doctor.finding import Judged, cannot_tell, check
from hockney.run.measure.machine.cgroups import cgroups
from hockney.run.measure.machine.environment import text_of

CPU = "sys/devices/system/cpu"


def allowed_list(root: Path) -> str | None:
    """The CPUs that this process may use, as the kernel writes them ("0-3,8")."""
    for line in (text_of(root / "proc/self/status") or "").splitlines():
        if line.startswith("Cpus_allowed_list:"):
            return line.partition(":")[2].strip()
    return None


@check("allowed CPUs")
def allowed_cpus(root: Path) -> Judged:
    """How many of the machine's CPUs we may use, and what restricts us."""
    allowed, online = allowed_list(root), text_of(root / CPU / "online")
    if not allowed or not online:
        return cannot_tell(f"/proc/self/status or /{CPU}/online")
    count, present = len(parse_cpus(allowed)), len(parse_cpus(online))
    if count >= present:
        fact, advice = f"all {present}", None
    else:
        why, advice = _restriction(root, count)
        fact = f"{count} of {present} ({allowed}), restricted by {why}"
    if count < 2:
        return "bad", fact, "two ranks need two CPUs: " + (advice or "measure on a larger machine")
    return "ok", fact


def _restriction(root: Path, count: int) -> tuple[str, str]:
    """What restricts us to `count` CPUs, and how to get more."""
    job = os.environ.get("SLURM_JOB_ID")
    if job:
        return f"Slurm's job {job}", "ask for more with -c or --exclusive"
    for directory in cgroups("cpuset", root):
        for file in ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"):
            listed = text_of(directory / file)
            if listed and len(parse_cpus(listed)) <= count:
                return "a cgroup's cpuset", "give the container or job more CPUs (cpuset.cpus)"
    return "its affinity", "start without taskset or the binding of another launcher"


@check("pinning")
def pinning(root: Path) -> Judged:  # noqa: ARG001
    """Pins this process to each allowed CPU once, then restores its affinity."""
    if not hasattr(os, "sched_setaffinity"):
        return "warn", "not possible on this system", "use Linux, or --place none"
    allowed = os.sched_getaffinity(0)
    refused: dict[int, str] = {}
    try:
        for cpu in allowed:
            try:
                os.sched_setaffinity(0, {cpu})
            except OSError as error:
                refused[cpu] = error.strerror or str(error)
    finally:
        if len(refused) < len(allowed):  # else it never moved, and restoring is refused as well
            os.sched_setaffinity(0, allowed)
    if refused:
        cpu, why = next(iter(refused.items()))
        return (
            "bad",
            f"refused on {len(refused)} of {len(allowed)} allowed CPUs (CPU {cpu}: {why})",
            "let the container or job call sched_setaffinity (a seccomp profile may forbid it)",
        )
    return "ok", f"possible on each of {len(allowed)} allowed CPUs"


@check("hardware threads")
def hardware_threads(root: Path) -> Judged:
    """Checks for cores with several threads, and for two ranks that would have to share a core."""
    active, allowed = text_of(root / CPU / "smt/active"), allowed_list(root)
    if active is None:
        return cannot_tell(f"/{CPU}/smt/active")
    if active == "0":
        return "ok", "one per core"
    cpus = parse_cpus(allowed) if allowed else []
    siblings = [text_of(root / CPU / f"cpu{cpu}/topology/thread_siblings_list") for cpu in cpus]
    cores = len(set(siblings))
    if not cpus or None in siblings:
        return "ok", "several per core; ranks are placed on different cores first"
    if len(cpus) > 1 and cores == 1:
        return (
            "bad",
            f"CPUs {allowed} are threads of one core",
            "two ranks would slow each other: ask for two cores (Slurm: --hint=nomultithread)",
        )
    return "ok", f"{len(cpus)} on {how_many(cores, 'core')}; ranks first get a core each"


@check("CPU quota")
def cpu_quota(root: Path) -> Judged:
    """The tightest CPU quota of our cgroup and its parents."""
    directories = list(cgroups("cpu", root))
    if not directories:
        return cannot_tell("/proc/self/cgroup or /sys/fs/cgroup")
    quotas = [(cpus, where) for where in directories if (cpus := _quota(where)) is not None]
    if not quotas:
        return "ok", "none"
    cpus, where = min(quotas)
    allowed = allowed_list(root)
    count = len(parse_cpus(allowed)) if allowed else 2
    fact = f"{cpus:g} CPUs' time for {how_many(count, 'allowed CPU')}"
    if cpus >= count:
        return "ok", fact
    return (
        "bad",
        fact,
        f"more than {cpus:g} spinning ranks are stopped in each period: lift the limit in "
        f"/{where.relative_to(root)}, or restrict the CPUs instead (cpuset)",
    )


def _quota(cgroup: Path) -> float | None:
    """The quota in CPUs; None without a limit. Version 2 has "QUOTA PERIOD" or "max PERIOD" in one
    file, version 1 has two files, with -1 for no limit (kernel, scheduler/sched-bwc)."""
    words = (text_of(cgroup / "cpu.max") or "").split()
    if not words:
        files = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        words = [text_of(cgroup / file) or "" for file in files]
    if len(words) != 2 or not all(word.isdigit() for word in words):
        return None
    return int(words[0]) / int(words[1])


@check("governor")
def governor(root: Path) -> Judged:
    files = (root / CPU).glob("cpu[0-9]*/cpufreq/scaling_governor")
    governors = sorted({text for file in files if (text := text_of(file))})
    if not governors:
        return "unknown", "not visible; a virtual machine's host sets it"
    if governors == ["performance"]:
        return "ok", "performance"
    return (
        "warn",
        f"{', '.join(governors)}: the clock frequency follows the load",
        "as root: cpupower frequency-set -g performance; under Slurm: --cpu-freq=performance",
    )


@check("turbo")
def turbo(root: Path) -> Judged:
    no_turbo = text_of(root / CPU / "intel_pstate/no_turbo")
    boost = text_of(root / CPU / "cpufreq/boost")
    if no_turbo is None and boost is None:
        return "unknown", "not visible; a virtual machine's host sets it"
    if no_turbo == "1" or boost == "0":
        return "ok", "off"
    switch = "0 > /sys/devices/system/cpu/cpufreq/boost"
    if no_turbo is not None:
        switch = "1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
    return (
        "warn",
        "on: the clock frequency follows load and temperature",
        f"to compare runs, switch it off as root: echo {switch}",
    )
