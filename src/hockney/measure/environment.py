"""Where it was measured: what a reader needs to repeat it or to doubt it."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

PREFIXES = (
    "MPI",
    "OMPI_",
    "PMIX_",
    "PRTE_",
    "I_MPI_",
    "UCX_",
    "FI_",
    "PSM",
    "SLURM_",
    "PBS_",
    "LSB_",
    "FLUX_",
    "HYDRA_",
    "OMP_",
)
"""Variables that change how MPI or its launcher behaves."""
SECRETS = ("TOKEN", "SECRET", "PASSW", "KEY", "CREDENTIAL", "COOKIE")


def describe_environment() -> dict[str, Any]:
    """Host, kernel, CPU, limits and MPI's variables; None where the system does not tell."""
    cpu = _cpu()
    return {
        "host": platform.node(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpu": cpu.get("model name"),
        "microcode": cpu.get("microcode"),
        "hypervisor": "hypervisor" in cpu.get("flags", "").split() if cpu else None,
        "cpus": os.cpu_count(),
        "allowed_cpus": len(os.sched_getaffinity(0)),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "clock_source": _text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "transparent_hugepage": _text("/sys/kernel/mm/transparent_hugepage/enabled"),
        "cgroup_cpu_max": _text("/sys/fs/cgroup/cpu.max"),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "command": sys.argv,
        "env": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(PREFIXES) and not any(word in name for word in SECRETS)
        },
    }


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text().strip() or None
    except OSError:
        return None


def _cpu() -> dict[str, str]:
    """The first processor's lines of /proc/cpuinfo."""
    first = (_text("/proc/cpuinfo") or "").split("\n\n", 1)[0]
    pairs = (line.split(":", 1) for line in first.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}
