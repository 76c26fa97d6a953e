"""Checks the kernel, memory and disk space."""

from __future__ import annotations

import os
import re
import resource
import tempfile
from contextlib import suppress
from pathlib import Path

from hockney.base.units import format_size
from hockney.run.measure.doctor.finding import Judged, cannot_tell, check
from hockney.run.measure.launches.causes import (
    ENLARGE,
    LEAST_ADDRESS_SPACE,
    LEAST_DESCRIPTORS,
    LEAST_SHARED,
)
from hockney.run.measure.machine.capacity import available_memory
from hockney.run.measure.machine.environment import text_of
from hockney.run.measure.machine.shared_memory import DIRECTORY, size_and_free

GOOD_CLOCKS = (
    "tsc",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
    "timebase",
    "riscv_clocksource",
)
"""Clock sources that are read without a system call."""
BAD_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit")
"""Devices that the kernel reads in about 1 us, and timers with steps of milliseconds."""
LITTLE_MEMORY = 256 << 20
"""Bytes that MPI and two ranks with the default sizes need, with a reserve."""
ENOUGH_SHARED = 128 << 20
"""Bytes: two ranks of MPICH 5 take 11 MiB, and a container has 64 MiB."""
LEAST_PROCESSES = 64
"""A launcher, its helpers, and the threads of two ranks, beside what the user has already."""
RDMA_DEVICES = "sys/class/infiniband"
LITTLE_SPACE, NO_SPACE = 100 << 20, 1 << 20
"""Bytes; a run of 10 s writes about 5 MB."""


@check("hypervisor")
def hypervisor(root: Path) -> Judged:
    flags = re.search(r"^flags\s*:(.*)$", text_of(root / "proc/cpuinfo") or "", re.MULTILINE)
    if flags is None:
        return "unknown", "this CPU reports no flags"
    if "hypervisor" not in flags[1].split():
        return "ok", "none"
    return (
        "warn",
        "this is a virtual machine, whose cores may move between measurements",
        "note the states that hockney prints, and compare runs of the same state",
    )


@check("clock source")
def clock_source(root: Path) -> Judged:
    place = "sys/devices/system/clocksource/clocksource0"
    source = text_of(root / place / "current_clocksource")
    if source is None:
        return cannot_tell(f"/{place}/current_clocksource")
    if source in GOOD_CLOCKS:
        return "ok", source
    available = (text_of(root / place / "available_clocksource") or "").split()
    better = next((clock for clock in GOOD_CLOCKS if clock in available), None)
    advice = "see in dmesg why the kernel rejected tsc; boot with clocksource=tsc if it is reliable"
    if better:
        advice = f"as root: echo {better} > /{place}/current_clocksource"
    if source in BAD_CLOCKS:
        return "bad", f"{source}: slow or coarse", advice
    return "warn", f"{source}: a reading may need a system call; see clock cost", advice


@check("huge pages")
def huge_pages(root: Path) -> Judged:
    file = "sys/kernel/mm/transparent_hugepage/enabled"
    chosen = re.search(r"\[(\w+)\]", text_of(root / file) or "")
    if chosen is None:
        return cannot_tell(f"/{file}")
    if chosen[1] != "always":
        return "ok", f"transparent huge pages: {chosen[1]}"
    return (
        "warn",
        "transparent huge pages: always; large buffers may be moved while they are timed",
        f"to compare with other machines, as root: echo madvise > /{file}",
    )


@check("NUMA balancing")
def numa_balancing(root: Path) -> Judged:
    file = "proc/sys/kernel/numa_balancing"
    value = text_of(root / file)
    if value is None and (root / "proc/sys/kernel").is_dir():
        return "ok", "not in this kernel"
    if value is None:
        return cannot_tell(f"/{file}")
    if value == "0":
        return "ok", "off"
    return (
        "warn",
        "on: the kernel unmaps and moves pages to see which CPU uses them",
        "as root: sysctl kernel.numa_balancing=0",
    )


@check("memory")
def memory(root: Path) -> Judged:
    free = available_memory(root)
    if free is None:
        return cannot_tell("/proc/meminfo")
    if free >= LITTLE_MEMORY:
        return "ok", f"{free / 2**30:.1f} GiB free"
    return (
        "warn",
        f"only {free / 2**20:.0f} MiB free",
        "use smaller messages (--sizes), or ask for more memory",
    )


@check("shared memory")
def shared_memory(root: Path) -> Judged:
    """The size of /dev/shm, through which ranks of a node communicate."""
    space = size_and_free(root)
    if space is None:
        return "bad", f"{DIRECTORY} is missing", f"mount a tmpfs on {DIRECTORY}"
    size, free = space
    if free >= ENOUGH_SHARED:
        return "ok", f"{free / 2**30:.1f} GiB free in {DIRECTORY}"
    fact = f"{DIRECTORY} has {format_size(size)}, of which {format_size(free)} are free"
    if free < LEAST_SHARED:
        return "bad", f"{fact}: MPI may not start", ENLARGE
    fact += ": ranks may be killed (SIGBUS, SIGSEGV), or communicate by slower ways"
    return "warn", fact, ENLARGE


LOW_LIMITS = (
    (resource.RLIMIT_FSIZE, LEAST_SHARED, "size of files", "ulimit -f", True),
    (resource.RLIMIT_AS, LEAST_ADDRESS_SPACE, "memory of a process", "ulimit -v", True),
    (resource.RLIMIT_NOFILE, LEAST_DESCRIPTORS, "open files", "ulimit -n", False),
    (resource.RLIMIT_NPROC, LEAST_PROCESSES, "processes", "ulimit -u", False),
)
"""Limits, the least that two ranks and their launcher need, and whether it is in bytes."""


@check("limits")
def limits(root: Path) -> Judged:  # noqa: ARG001
    """Limits of this process that are too low for an MPI."""
    low = []
    for which, least, what, command, in_bytes in LOW_LIMITS:
        most = resource.getrlimit(which)[0]
        if most != resource.RLIM_INFINITY and most < least:
            sizes = [format_size(limit) if in_bytes else str(limit) for limit in (most, least)]
            low.append(f"{what}: {sizes[0]}, {sizes[1]} are needed ({command})")
    if not low:
        return "ok", "none is too low for two ranks"
    return "bad", "; ".join(low), "raise them by ulimit"


@check("locked memory")
def locked_memory(root: Path) -> Judged:
    """Network devices lock the memory that they send from."""
    most = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    fact = "unlimited" if most == resource.RLIM_INFINITY else format_size(most)
    with suppress(OSError):
        devices = sorted(device.name for device in (root / RDMA_DEVICES).iterdir())
        if devices and most != resource.RLIM_INFINITY:
            return (
                "warn",
                f"{fact} a process, and {', '.join(devices)} must lock all that is sent",
                "raise the limit: ulimit -l unlimited (limits.conf; Slurm: "
                "PropagateResourceLimits; of a container --ulimit memlock=-1)",
            )
        if devices:
            return "ok", f"{fact}, for {', '.join(devices)}"
    return "ok", f"{fact}; no network device here needs it"


@check("results")
def results(root: Path) -> Judged:  # noqa: ARG001
    """The current directory must be writable and have space for a result file."""
    advice = "change to another directory, or name a file elsewhere with -o"
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return "bad", "the current directory does not exist any more", advice
    try:
        with tempfile.TemporaryFile(dir=here):
            space = os.statvfs(here)
    except OSError as error:
        return "bad", f"{here} cannot be written: {error.strerror}", advice
    free = space.f_bavail * space.f_frsize
    if free < NO_SPACE:
        return "bad", f"no space left in {here}", advice
    if free < LITTLE_SPACE:
        fact = f"only {free / 2**20:.0f} MiB are free in {here}"
        return "warn", f"{fact}; a run of 10 s writes about 5 MB", advice
    return "ok", f"{free / 2**30:.1f} GiB free in {here}"
