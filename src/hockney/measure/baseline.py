"""What messages take on this machine by themselves, which a profile's calls are compared with."""

from __future__ import annotations

import json
import platform
from contextlib import suppress
from pathlib import Path

import numpy as np

from hockney.errors import HockneyError
from hockney.measure.build import build_engine
from hockney.measure.trial import attempt
from hockney.mpis import Engine, Mpi
from hockney.outputs import write_output
from hockney.profiles.kinds import Machine, Profile
from hockney.spec import Size
from hockney.spec.workloads.pingpong import Pingpong

SIZES = (8, 256, 4096, 65536, 1 << 20)
"""Bytes, of which the largest is beyond most caches of one core."""
MEASURE_S, TIMEOUT_S = 0.4, 20.0
UNDISTURBED = 0.05
"""The quantile of batches that stands for a size: most of a busy machine's are disturbed."""


def is_one_host(profile: Profile) -> bool:
    """Whether all ranks ran on this host."""
    return {one.host.partition(".")[0] for one in profile.ranks} == {
        platform.node().partition(".")[0]
    }


def machine_of(mpi: Mpi) -> Machine | None:
    """Times of messages between two ranks of this host, measured once for each library and machine
    (and kept in the cache); None where they cannot be measured."""
    with suppress(HockneyError, OSError, ValueError):
        engine = build_engine(mpi)
        kept = _kept(engine.path)
        if kept.exists():
            return Machine(
                messages=tuple((int(a), float(b)) for a, b in json.loads(kept.read_text()))
            )
        found = _measured(mpi, engine)
        if found is not None:
            write_output(kept, json.dumps(found.messages), force=True, mode=0o600)
        return found
    return None


def _kept(engine: Path) -> Path:
    """Beside the engine, whose place depends on the library; by host, as homes are shared."""
    return engine.with_name(f"messages-{platform.node()}.json")


def _measured(mpi: Mpi, engine: Engine) -> Machine | None:
    workload = Pingpong(sizes=tuple(map(Size, SIZES)), buffers="separate")
    tried = attempt(mpi, engine, MEASURE_S, TIMEOUT_S, workload=workload)
    found: dict[int, list[float]] = {}
    for one in tried.samples:
        found.setdefault(one.bytes, []).extend(one.ns)
    if tried.outcome.exit_status != 0 or set(found) != set(SIZES):
        return None
    times = ((size, 1e-9 * float(np.quantile(found[size], UNDISTURBED))) for size in sorted(found))
    return Machine(messages=tuple(times))
