"""Replays the mix of a profiled program: its messages and collectives, without the program."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hockney.base.confidential import redacted
from hockney.base.errors import HockneyError
from hockney.base.temporary import temporary_file
from hockney.plan import Case, Placement
from hockney.profiling.mix import Mix
from hockney.records import End, LaunchRecord, Record, RunRecord, Samples
from hockney.run.measure.launches.launch import Interruption
from hockney.run.measure.launches.start import start_of
from hockney.run.measure.launches.trial import EMPTY_MESSAGES
from hockney.run.measure.machine.capacity import would_share
from hockney.run.measure.machine.environment import new_header
from hockney.run.measure.machine.platforms import platform_file
from hockney.run.measure.toolchain.build import build_replayer
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Engine

MOST_S = 1.0
"""Longest repetition (s) by the profile; of a longer mix a part is replayed."""
PHASE_PARTS = 1_000_000
"""Phases are written as whole numbers of these parts of a turn (replayer/mix.h)."""


@dataclass(frozen=True)
class Replayed:
    """The replayed mix: seconds of the whole mix in each launch, from the common start to the last
    rank's end."""

    launches: list[float]
    part: float
    """The fraction of the mix that was replayed, from which the times are extrapolated."""
    shared_cpus: bool = False
    """Whether ranks took turns on CPUs."""

    @property
    def seconds(self) -> float:
        return float(np.median(self.launches))


EXPERIMENT = "replay"
DEFINITION = "the whole mix, from the common start to the last rank's end"
Keep = Callable[[Record], None]


def header_of(label: str | None) -> RunRecord:
    """The first line of a replay's result file."""
    return new_header(EXPERIMENT, label, {})


def replay(
    mix: Mix,
    placement: Placement,
    launches: int,
    repetitions: int,
    delays: Sequence[float] | None,
    keep: Keep,
) -> Replayed:
    """Replays a mix. `delays`: what each rank computes in the whole mix, in seconds; None for
    nothing. `keep` is given the records of each launch when it has ended. Raises HockneyError where
    a launch fails."""
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
        medians_s: list[float] = []
        for number in range(1 if placement.platform else launches):
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
            whole = [seconds * mix.turns / done for seconds in times]
            medians_s.append(float(np.median(whole)))
            launch = LaunchRecord(
                launch=number,
                command=redacted(start.command),
                launcher=start.version,
                definition=DEFINITION,
                simulated=placement.platform is not None,
            )
            end = End(launch=number, reason="complete", wall_s=sum(whole))
            for record in (launch, _samples(number, mix.ranks, whole), end):
                keep(record)
    return Replayed(medians_s, done / mix.turns, would_share(placement))


def _samples(launch: int, ranks: int, seconds: Sequence[float]) -> Samples:
    return Samples(
        launch=launch,
        round=0,
        operation=EXPERIMENT,
        bytes=0,
        ranks=ranks,
        peers=(),
        repetitions=1,
        at_s=0.0,
        ns=[1e9 * time_s for time_s in seconds],
    )


def words_of(
    mix: Mix,
    done: int,
    repetitions: int,
    delays: Sequence[float] | None,
    *,
    has_caches: bool = True,
) -> str:
    """The mix as the replayer reads it (replayer/mix.h)."""
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
