"""Replays the mix of a profiled program: its messages and collectives, without the program."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hockney.errors import HockneyError
from hockney.measure.build import build_replayer
from hockney.measure.checks import check_slots, would_share
from hockney.measure.launch import Interruption
from hockney.measure.mpi import find_mpi
from hockney.measure.platforms import platform_file
from hockney.measure.start import start_of
from hockney.measure.trial import EMPTY_MESSAGES
from hockney.mpis import Engine
from hockney.profiles.mix import Mix
from hockney.spec import Case, Placement
from hockney.temporary import temporary_file

MOST_S = 1.0
"""Seconds that a repetition takes at most, by the profile; of a longer mix a part is replayed."""
PHASE_PARTS = 1_000_000
"""Of a turn, in which phases are written (replayer/replay.c)."""


@dataclass(frozen=True)
class Replayed:
    """Seconds of the whole mix in each launch: from the common start to the last rank's end."""

    launches: list[float]
    part: float
    """The part of the mix that was replayed, from which these are worked out."""
    shared_cpus: bool = False
    """Whether ranks took turns on CPUs."""

    @property
    def seconds(self) -> float:
        return float(np.median(self.launches))


def replay(
    mix: Mix, placement: Placement, launches: int, repetitions: int, delays: Sequence[float] | None
) -> Replayed:
    """`delays`: what each rank computes in the whole mix, in seconds; None for nothing. Raises
    HockneyError where a launch fails, and AskedWronglyError where ranks would share CPUs and may
    not."""
    check_slots(placement)
    mpi = find_mpi(placement.mpicc, simulated=placement.platform is not None)
    program, _ = build_replayer(mpi)
    once_s = mix.time_s / mix.ranks + max(delays or [0.0])
    done = max(1, round(mix.turns * min(1.0, MOST_S / max(once_s, 1e-9))))
    with (
        temporary_file(".hockney-", ".mix", Path()) as file,
        platform_file(placement) as placed,
        Interruption().watched() as interruption,
    ):
        words = words_of(mix, done, repetitions, delays, has_caches=not placement.platform)
        file.write_text(words)
        case = Case(workload=EMPTY_MESSAGES, placement=placed)
        start = start_of(mpi, Engine(program), case, [str(file)])
        found: list[float] = []
        for _ in range(1 if placement.platform else launches):
            lines: list[bytes] = []
            outcome = start.run(lines.extend, 60.0 + 20.0 * MOST_S * repetitions, interruption)
            if interruption:
                raise KeyboardInterrupt
            times = [
                max(json.loads(line)["seconds"]) for line in lines if line.startswith(b'{"sec')
            ]
            if outcome.exit_status != 0 or len(times) != repetitions:
                last = "; ".join(outcome.last_lines[-2:]) or "it printed nothing"
                raise HockneyError(f"the replay failed (exit status {outcome.exit_status}): {last}")
            found.append(float(np.median(times)) * mix.turns / done)
    return Replayed(found, done / mix.turns, would_share(placement))


def words_of(
    mix: Mix,
    done: int,
    repetitions: int,
    delays: Sequence[float] | None,
    *,
    has_caches: bool = True,
) -> str:
    """The mix as the replayer reads it (replayer/replay.c)."""
    each = [] if delays is None else [round(seconds / mix.turns * 1e9) for seconds in delays]
    lines = [f"{mix.ranks} {mix.turns} {done} {repetitions}"]
    lines += [" ".join(map(str, [len(each), *each])), str(len(mix.items))]
    for place, item in enumerate(mix.items):
        phase = round(mix.phases[place] * PHASE_PARTS)
        parts = item.bytes, item.count, phase, int(item.is_blocking), item.root
        buffers = item.buffers if has_caches else (0, 0)
        numbers = (*parts, *buffers, len(item.ranks))
        lines.append(" ".join(map(str, (item.operation, *numbers, *item.ranks))))
    return "\n".join(lines) + "\n"
