"""Measures messages on this machine alone, with which a profile's calls are compared."""

from __future__ import annotations

import hashlib
import os
import platform
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from hockney.base.confidential import FAMILIES
from hockney.base.errors import HockneyError
from hockney.base.file_lock import locked
from hockney.base.outputs import write_output
from hockney.plan import Size
from hockney.plan.workloads.pingpong import Pingpong
from hockney.profiling.kinds import MessagesAlone, Profile
from hockney.records import Noise, Samples
from hockney.run.measure.launches.trial import Attempt, attempt
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import Engine, Mpi

SIZES = (8, 256, 4096, 65536, 1 << 20)
"""Message sizes (bytes); the largest exceeds most caches of one core."""
SCATTERED = "vector:8:1:64"
"""Layout of messages that is among the slowest to copy: each byte lies in a cache line of its
own."""
MEASURE_S, TIMEOUT_S = 0.4, 20.0
UNDISTURBED = 0.05
"""Quantile of a size's batches that is its time: most batches of a busy machine are disturbed."""
MOST_TAKEN, TRIES = 0.05, 3
"""A trial is repeated, up to TRIES times, where another process held a rank's CPU for more than
this fraction of its time. Where that process polls and yields, as MPI libraries do, no batch is
free of it."""
PATIENCE_S = 60.0
UNWATCHED = {"LD_PRELOAD": ""}
"""Our ranks run without what a user preloads into the program: another recorder would overwrite
its records of the program with records of our ranks."""
DIGITS = 16
"""Length of the digest of MPI's settings in a file's name."""


def is_one_host(profile: Profile) -> bool:
    """Whether all ranks ran on this host."""
    return {rank.host.partition(".")[0] for rank in profile.ranks} == {
        platform.node().partition(".")[0]
    }


def machine_of(mpi: Mpi) -> MessagesAlone | None:
    """Times of messages between two ranks of this host, measured once for each library, machine
    and settings of MPI (and kept in the cache, unless the machine was busy); None where they cannot
    be measured. Two processes never measure at the same time."""
    with suppress(HockneyError, OSError, ValueError):
        engine = build_engine(mpi)
        kept = _kept(engine.path)
        with locked(kept.with_suffix(".lock"), PATIENCE_S):
            if kept.exists():
                return msgspec.json.decode(kept.read_bytes(), type=MessagesAlone)
            times = _measured(mpi, engine)
            if times is not None and not times.disturbed:
                text = msgspec.json.encode(times).decode()
                write_output(kept, text, force=True, mode=0o600)
            return times
    return None


def _kept(engine: Path) -> Path:
    """The file of the times: beside the engine, whose path depends on the library; named by host,
    as homes are shared, and by MPI's settings, which may choose another transport."""
    settings = sorted(
        setting for setting in os.environ.items() if setting[0].upper().startswith(FAMILIES)
    )
    digest = hashlib.sha256(os.fsencode(repr(settings))).hexdigest()[:DIGITS]
    return engine.with_name(f"alone-{platform.node()}-{digest}.json")


def _measured(mpi: Mpi, engine: Engine) -> MessagesAlone | None:
    """The times of both kinds of messages; None if contiguous ones cannot be measured."""
    plain = Pingpong(sizes=tuple(map(Size, SIZES)), buffers="separate")
    messages = _shortest(mpi, engine, plain)
    if messages is None:
        return None
    of_scattered = replace(plain, datatype=SCATTERED)
    scattered = _shortest(mpi, engine, of_scattered) or ({}, False)
    return MessagesAlone(
        messages=tuple(messages[0].items()),
        scattered=tuple(scattered[0].items()),
        disturbed=messages[1] or scattered[1],
    )


def _shortest(mpi: Mpi, engine: Engine, workload: Pingpong) -> tuple[dict[int, float], bool] | None:
    """The shortest time (s) by size, smallest first, in up to TRIES trials, which end with the
    first undisturbed one; and whether all were disturbed."""
    shortest: dict[int, float] = {}
    disturbed = True
    for _ in range(TRIES):
        tried = attempt(mpi, engine, MEASURE_S, TIMEOUT_S, env=UNWATCHED, workload=workload)
        seconds = _times(tried, workload.datatype)
        if seconds is None:
            return None
        shortest = {size: min(s, shortest.get(size, s)) for size, s in seconds.items()}
        disturbed = any(
            noise.waited_s is not None and noise.waited_s > MOST_TAKEN * (noise.wall_s or 0.0)
            for noise in tried.of(Noise)
        )
        if not disturbed:
            break
    return shortest, disturbed


def _times(tried: Attempt, datatype: str | None) -> dict[int, float] | None:
    """Seconds by size, smallest first; None where not every size was measured."""
    times_ns: dict[int, list[float]] = {}
    for sample in tried.of(Samples):
        if sample.datatype == datatype:
            times_ns.setdefault(sample.bytes, []).extend(sample.ns)
    if tried.outcome.exit_status != 0 or set(times_ns) != set(SIZES):
        return None
    return {
        size: 1e-9 * float(np.quantile(times_ns[size], UNDISTURBED)) for size in sorted(times_ns)
    }
