"""Describes the machine and environment, so that a reader can repeat or question a run."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

from hockney.allowed import allowed_count

CONTROLS = (
    *("MPIR_CVAR_", "MPICH_", "MPIEXEC_", "HYDRA_", "MV2_", "I_MPI_"),
    *("OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_", "UCX_", "FI_", "PSM2_", "PSM3_", "OMP_"),
)
"""Prefixes of the variables that control an MPI, its launcher or its network library."""
JOB = frozenset(
    {
        *("SLURM_JOB_ID", "SLURM_JOB_PARTITION", "SLURM_JOB_NUM_NODES", "SLURM_JOB_NODELIST"),
        *("SLURM_JOB_CPUS_PER_NODE", "SLURM_CPUS_PER_TASK", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE"),
        *("SLURM_NTASKS_PER_NODE", "SLURM_CPU_BIND", "SLURM_DISTRIBUTION", "SLURM_MPI_TYPE"),
        *("SLURM_CLUSTER_NAME", "SLURM_CPU_FREQ_REQ", "SLURM_EXACT", "SLURM_OVERLAP"),
        *("SLURM_HINT", "SLURM_THREADS_PER_CORE", "SLURM_CONF", "SLURM_NETWORK"),
        *("PBS_JOBID", "PBS_QUEUE", "PBS_NODEFILE", "PBS_NUM_NODES", "PBS_NUM_PPN", "PBS_NP"),
        *("LSB_JOBID", "LSB_QUEUE", "LSB_MCPU_HOSTS", "LSB_DJOB_NUMPROC", "LSB_AFFINITY_HOSTFILE"),
        *("FLUX_JOB_ID", "FLUX_JOB_NNODES", "FLUX_JOB_SIZE"),
    }
)
"""The only variables of a job that are stored: others may hold credentials (SLURM_JWT)."""
OTHERS = frozenset({"MPICC", "OMPI_CC", "MPICH_CC", "OMPI_ALLOW_RUN_AS_ROOT"})
SECRETS = ("TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "COOKIE", "JWT")
"""A variable with one of these words in its name is never stored."""


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
        "command": sys.argv,
        "env": {name: value for name, value in sorted(os.environ.items()) if _may_be_kept(name)},
    }


def _may_be_kept(name: str) -> bool:
    is_known = name in JOB or name in OTHERS or name.startswith(CONTROLS)
    return is_known and not any(word in name for word in SECRETS)


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
