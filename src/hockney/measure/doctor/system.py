"""The kernel below, and room for what a run needs."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from hockney.measure.checks import available_memory
from hockney.measure.doctor.finding import Finding, cannot_tell, text_of

GOOD_CLOCKS = (
    "tsc",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
    "timebase",
    "riscv_clocksource",
)
"""Read without a system call."""
BAD_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit")
"""A device that is read through the kernel, about 1 us each time, or a timer of milliseconds."""
LITTLE_MEMORY = 256 << 20
"""Bytes: what MPI, two ranks and their buffers of the default sizes want, with some to spare."""
LITTLE_SPACE, NO_SPACE = 100 << 20, 1 << 20
"""Bytes: a run of 10 s writes some 5 MB."""


def hypervisor(root: Path) -> Finding:
    flags = re.search(r"^flags\s*:(.*)$", text_of(root / "proc/cpuinfo") or "", re.MULTILINE)
    if flags is None:
        return Finding("hypervisor", "unknown", "this CPU has no flag that shows it")
    if "hypervisor" not in flags[1].split():
        return Finding("hypervisor", "ok", "none")
    return Finding(
        "hypervisor",
        "warn",
        "this is a virtual machine, whose cores may move between measurements",
        "watch the states that hockney prints, and compare like with like",
    )


def clock_source(root: Path) -> Finding:
    name = "clock source"
    place = "sys/devices/system/clocksource/clocksource0"
    source = text_of(root / place / "current_clocksource")
    if source is None:
        return cannot_tell(name, f"/{place}/current_clocksource")
    if source in GOOD_CLOCKS:
        return Finding(name, "ok", source)
    available = (text_of(root / place / "available_clocksource") or "").split()
    better = next((clock for clock in GOOD_CLOCKS if clock in available), None)
    advice = "ask dmesg why the kernel gave up tsc; boot with clocksource=tsc if it is sound"
    if better:
        advice = f"as root: echo {better} > /{place}/current_clocksource"
    if source in BAD_CLOCKS:
        return Finding(name, "bad", f"{source}: slow to read, or coarse", advice)
    return Finding(name, "warn", f"{source}: may cost a system call; see clock cost", advice)


def huge_pages(root: Path) -> Finding:
    name, file = "huge pages", "sys/kernel/mm/transparent_hugepage/enabled"
    chosen = re.search(r"\[(\w+)\]", text_of(root / file) or "")
    if chosen is None:
        return cannot_tell(name, f"/{file}")
    if chosen[1] != "always":
        return Finding(name, "ok", f"transparent ones: {chosen[1]}")
    return Finding(
        name,
        "warn",
        "transparent ones: always; large buffers may be moved while they are timed",
        f"to compare with other machines, as root: echo madvise > /{file}",
    )


def numa_balancing(root: Path) -> Finding:
    name, file = "NUMA balancing", "proc/sys/kernel/numa_balancing"
    value = text_of(root / file)
    if value is None and (root / "proc/sys/kernel").is_dir():
        return Finding(name, "ok", "not in this kernel")
    if value is None:
        return cannot_tell(name, f"/{file}")
    if value == "0":
        return Finding(name, "ok", "off")
    return Finding(
        name,
        "warn",
        "on: the kernel unmaps and moves pages to see who uses them",
        "as root: sysctl kernel.numa_balancing=0",
    )


def memory(root: Path) -> Finding:  # noqa: ARG001
    free = available_memory()
    if free is None:
        return cannot_tell("memory", "/proc/meminfo")
    if free >= LITTLE_MEMORY:
        return Finding("memory", "ok", f"{free / 2**30:.1f} GiB free")
    return Finding(
        "memory",
        "warn",
        f"only {free / 2**20:.0f} MiB free",
        "leave out the largest messages with --sizes, or ask for more memory",
    )


def results(root: Path) -> Finding:  # noqa: ARG001
    """Whether a result file can be written into the current directory."""
    name, advice = "results", "change to another directory, or name a file elsewhere with -o"
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return Finding(name, "bad", "the current directory is gone", advice)
    try:
        with tempfile.TemporaryFile(dir=here):
            space = os.statvfs(here)
    except OSError as error:
        return Finding(name, "bad", f"{here} cannot be written: {error.strerror}", advice)
    free = space.f_bavail * space.f_frsize
    if free < NO_SPACE:
        return Finding(name, "bad", f"no room in {here}", advice)
    if free < LITTLE_SPACE:
        fact = f"only {free / 2**20:.0f} MiB are free in {here}"
        return Finding(name, "warn", f"{fact}; a run of 10 s writes some 5 MB", advice)
    return Finding(name, "ok", f"{free / 2**30:.1f} GiB free in {here}")
