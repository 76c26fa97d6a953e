"""Describes the machine and environment, so that a reader can repeat or question a run."""

from __future__ import annotations

import os
import platform
import sys
import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from hockney import __version__
from hockney.base.allowed import allowed_count
from hockney.base.confidential import may_be_stored, redacted, without_credentials
from hockney.records import SCHEMA, RunRecord


def new_header(experiment: str, label: str | None, options: Mapping[str, Any]) -> RunRecord:
    """The first line of the result file of a run that starts here and now."""
    return RunRecord(
        schema=SCHEMA,
        hockney=__version__,
        id=str(uuid.uuid4()),
        started=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        experiment=experiment,
        options=dict(options),
        label=None if label is None else without_credentials(label),
        environment=describe_environment(),
    )


def describe_environment() -> dict[str, Any]:
    """Host, kernel, CPU, limits, and variables of MPI and the job; None where unknown."""
    cpu = _cpu()
    return {
        "host": platform.node(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpu": cpu.get("model name"),
        "microcode": cpu.get("microcode"),
        "hypervisor": "hypervisor" in cpu.get("flags", "").split() if cpu else None,
        "cpus": os.cpu_count(),
        "allowed_cpus": allowed_count(),
        "governor": text_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "clock_source": text_of("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "transparent_hugepage": text_of("/sys/kernel/mm/transparent_hugepage/enabled"),
        "cgroup_cpu_max": text_of("/sys/fs/cgroup/cpu.max"),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "command": redacted(sys.argv),
        "env": {name: v for name, v in sorted(os.environ.items()) if may_be_stored(name, v)},
    }


def text_of(path: str | Path) -> str | None:
    """The content of one of the kernel's files; None if it is missing, unreadable or empty."""
    try:
        return Path(path).read_text(errors="replace").strip() or None
    except OSError:
        return None


def _cpu() -> dict[str, str]:
    """The first processor's lines of /proc/cpuinfo."""
    first = (text_of("/proc/cpuinfo") or "").split("\n\n", 1)[0]
    pairs = (line.split(":", 1) for line in first.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}
