"""Why the system let a launch fail, where neither the engine nor the launcher knows it.

Two tables hold the causes: SAID, for what launchers and libraries print, and CONDITIONS, for what
this process sees of its own limits and its container.
"""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hockney.base.limits import explained, explained_text
from hockney.base.units import format_size
from hockney.run.measure.launches.launch import Outcome
from hockney.run.measure.launches.signals import signal_of
from hockney.run.measure.machine.cgroups import memory_limit
from hockney.run.measure.machine.processes import why_no_processes
from hockney.run.measure.machine.shared_memory import DIRECTORY, size_and_free

LEAST_SHARED = 8 << 20
"""Least shared memory that two ranks take (bytes), rounded up."""
LITTLE_SHARED = 64 << 20
"""Shared memory (bytes) as container runtimes give it: ranks of some libraries crash where it is
full, and not where it is first missing."""
LONGEST_NAME = 63
"""Longest name of a host that a buffer of 64 bytes holds with its end: Linux allows one more."""
LEAST_DESCRIPTORS, LEAST_ADDRESS_SPACE = 64, 1 << 30
"""Limits below which a launcher or a library may fail without naming them: MPICH and Open MPI need
40 descriptors for two ranks, and libraries map more memory than they use."""
ENLARGE = (
    f"enlarge it (mount -o remount,size=1G {DIRECTORY}; of a container --shm-size=1g or "
    "--ipc=host, in Kubernetes an emptyDir with medium Memory), or remove what others left there"
)


@dataclass(frozen=True)
class Failed:
    """What is known of a launch that failed."""

    text: str
    """The last lines of its output, and the engine's messages."""
    signal: signal.Signals | None
    """The signal that killed a rank."""


def _no_direct_copies(variable: str) -> str:
    return (
        "this system refuses ranks the memory of each other (process_vm_readv), by which the "
        "library copies large messages: allow it (of a container --cap-add=SYS_PTRACE, or a "
        f"seccomp profile that has it), or set {variable}"
    )


SAID = (
    (r"process_vm_(readv|writev) failed", _no_direct_copies("MPIR_CVAR_CH4_CMA_ENABLE=0")),
    (r"process_vm_(readv|writev)(\(pid| delivered)", _no_direct_copies("UCX_TLS=^cma")),
    (
        r"Read -1, expected",
        _no_direct_copies(
            "OMPI_MCA_smsc=^cma (Open MPI 5), or OMPI_MCA_btl_vader_single_copy_mechanism=none"
        ),
    ),
    (
        r"max(imum)? locked memory|ibv_\w+\(.*Cannot allocate memory",
        "too little memory may be locked for the network's device: raise the limit (ulimit -l "
        "unlimited; of a container --ulimit memlock=-1)",
    ),
)
"""Regular expressions for the output, with the cause. Those of limits are in base/limits.py."""


def cause_of(outcome: Outcome, messages: Sequence[str] = ()) -> str | None:
    """The first known cause of a failure; None where none is known. messages: the engine's, which
    explain what no condition needs to."""
    lines = [*messages, *outcome.last_lines, *outcome.printed]
    failed = Failed("\n".join(lines), signal_of(outcome.exit_status, lines))
    causes = (_said,) if messages else (_said, *CONDITIONS)
    return next((words for cause in causes if (words := cause(failed)) is not None), None)


def _said(failed: Failed) -> str | None:
    causes = (cause for pattern, cause in SAID if re.search(pattern, failed.text))
    return next(causes, None) or explained_text(failed.text)


def _small_files(_: Failed) -> str | None:
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if most == resource.RLIM_INFINITY or most >= LEAST_SHARED:
        return None
    return (
        f"files are limited to {format_size(most)} (ulimit -f), also those in {DIRECTORY} through "
        "which ranks communicate: raise the limit"
    )


def _small_shared_memory(failed: Failed) -> str | None:
    space = size_and_free()
    if space is None:
        return f"{DIRECTORY}, through which ranks communicate, is missing: mount a tmpfs there"
    size, free = space
    has_crashed = failed.signal in (signal.SIGBUS, signal.SIGSEGV)
    if free >= LEAST_SHARED and not (has_crashed and size <= LITTLE_SHARED):
        return None
    return (
        f"{DIRECTORY}, through which ranks communicate, has {format_size(size)}, of which "
        f"{format_size(free)} are free: {ENLARGE}"
    )


def _little_memory(failed: Failed) -> str | None:
    most = memory_limit()
    if failed.signal != signal.SIGKILL or most is None:
        return None
    return (
        f"perhaps the kernel killed it for lack of memory: the cgroup has {format_size(most)}. Use "
        "smaller messages (--sizes), or ask for more memory"
    )


def _low_limit(which: int, least: int, number: int) -> Callable[[Failed], str | None]:
    def cause(_: Failed) -> str | None:
        most = resource.getrlimit(which)[0]
        if most == resource.RLIM_INFINITY or most >= least:
            return None
        return f"perhaps {explained(OSError(number, ''))}"

    return cause


def _long_name(_: Failed) -> str | None:
    name = os.uname().nodename
    if len(name) <= LONGEST_NAME:
        return None
    return (
        f"the name of this host has {len(name)} characters, and MPI libraries take "
        f"{LONGEST_NAME}: shorten it (hostname NAME; of a container --hostname=NAME)"
    )


CONDITIONS: tuple[Callable[[Failed], str | None], ...] = (
    _small_files,
    _small_shared_memory,
    _little_memory,
    lambda _: why_no_processes(),
    _long_name,
    _low_limit(resource.RLIMIT_NOFILE, LEAST_DESCRIPTORS, errno.EMFILE),
    _low_limit(resource.RLIMIT_AS, LEAST_ADDRESS_SPACE, errno.ENOMEM),
)
"""What may be wrong here, the surest first."""
