"""The machine's states, from probes that show where the ranks really ran.

A hypervisor moves the cores under a guest, and everything that is measured moves with them. The
core-to-core latency between the two ranks shows it: it is probed before every round. Probes are
clustered on a log scale, and clusters that the dip test does not separate are one (groups.py); a
round belongs to a state when the probes before and after it agree.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockney.base.grouping import by_key
from hockney.base.units import LONGEST_S
from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.clock_steps import resolution_s, spread_over_steps
from hockney.infer.estimate.groups import Probed, merged
from hockney.infer.estimate.likely import likely_of
from hockney.plan import workload_of
from hockney.records import Noise, Round, Run

BANDWIDTH = 0.06
"""Bandwidth of the density of log probes: one state scatters by a few per cent, states differ by
tens at least."""
SMALLEST = 1e-12
"""Least probe value: a file may hold 0, which must not stretch the log scale without limit."""
VALLEY = 0.5
"""Two peaks are two states when the density between them falls below this fraction of the lower."""
LEAST_FRACTION, LEAST_PROBES = 0.01, 3
"""A rarer cluster is a disturbance, not a state."""
LEAST_ROUNDS = 3
"""Rounds that a state needs in a launch with several states."""
ADDRESS_LUCK = math.log(1.75)
"""How far apart launches may be that timed one cache line each, as older ones did: 48 lines on 48
pages took 57 to 100 ns between the same two cores."""

Key = tuple[int, int]
"""A launch and a round of it."""


@dataclass(frozen=True)
class State:
    id: int
    handover_s: float | None
    fraction: float
    """Fraction of the rounds that have a state; of the probes where no round has (`mixed`)."""
    likely: str | None
    """What the state probably is; None where the topology contradicts the guess."""


@dataclass(frozen=True)
class States:
    """States in order of their fraction of rounds; the first is the headline's."""

    states: tuple[State, ...]
    rounds: dict[Key, int]
    """State of each round; a round in which it changed is missing."""
    changed: int
    """Number of rounds that were excluded because the state changed in them; where too few others
    are left (`mixed`), none was."""
    probe: str | None
    """What was clustered: handover, work, or None where nothing was probed."""
    mixed: tuple[State, ...] = ()
    """The states that the probes show where too few rounds are of one: all rounds count as of one
    state then, and every number mixes these. Empty otherwise."""

    def of(self, launch: int, round_: int) -> int | None:
        """The state of a round; None where it changed in it."""
        return self.rounds.get((launch, round_)) if self.probe and not self.mixed else 0


ONE_STATE = States((State(0, None, 1.0, None),), {}, 0, None)


def find_states(run: Run) -> States:
    """Labels every round of a run. A sweep has one visit a size, so a visit cannot be replaced:
    none is excluded."""
    workload = workload_of(run.header.options)
    if workload is not None and not workload.ends_by_time:
        return ONE_STATE
    probes = _handovers(run)
    kind = "handover"
    if not probes:
        probes, kind = work_of_rounds(run), "work"
    if len(probes) < LEAST_PROBES:
        return ONE_STATE
    keys = sorted(probes)
    values = np.array([probes[key] for key in keys])
    if kind == "handover":
        values = spread_over_steps(values, resolution_s(run))
    probed = Probed(
        np.log(np.maximum(values, SMALLEST)),
        np.array([launch for launch, _ in keys]),
        ADDRESS_LUCK if np.isnan(run.probes.column("handover_low_ns")).any() else 0.0,
    )
    labels = dict(zip(keys, merged(probed, cluster(values)).tolist(), strict=True))
    rounds, changed = _agreeing(run, labels, before=kind == "handover")
    if _enough(rounds):
        states = States(*_ordered(run, probes, rounds, kind), changed, kind)
        return _with_blind_launches(run, probes, states)
    known = {key: label for key, label in labels.items() if label >= 0}
    if len(set(known.values())) < 2:
        return ONE_STATE
    mixed, _ = _ordered(run, probes, known, kind)
    return replace(ONE_STATE, rounds=rounds, changed=changed, probe=kind, mixed=mixed)


def _enough(rounds: dict[Key, int]) -> set[int]:
    """Labels that have LEAST_ROUNDS in some launch, or are the only ones in it."""
    counts = Counter((launch, label) for (launch, _), label in rounds.items())
    numbers = np.array([launch for launch, _ in counts])
    enough = have_enough(
        np.array(list(counts.values())), np.unique(numbers, return_inverse=True)[1]
    )
    return {label for (_, label), is_enough in zip(counts, enough, strict=True) if is_enough}


def have_enough(rounds: NDArray[Any], launch: NDArray[Any]) -> Flags:
    """Whether each group has LEAST_ROUNDS, or is the only one in its launch. rounds: of each group;
    launch: the number of its launch, from 0 on."""
    enough: Flags = (rounds >= LEAST_ROUNDS) | (np.bincount(launch)[launch] == 1)
    return enough


def _with_blind_launches(run: Run, probes: dict[Key, float], states: States) -> States:
    """Launches that were not probed at all, as those of more than two ranks among others of two,
    count as in the headline's state."""
    probed = {launch for launch, _ in probes}
    blind = {key: 0 for key in run.samples.rounds() if key[0] not in probed}
    return replace(states, rounds=states.rounds | blind)


def _handovers(run: Run) -> dict[Key, float]:
    columns = (run.probes.column(name).tolist() for name in ("launch", "round", "handover_ns"))
    rows = zip(*columns, strict=True)
    return {(launch, round_): ns * 1e-9 for launch, round_, ns in rows if ns > 0.0}


def work_of_rounds(run: Run) -> dict[Key, float]:
    """The slowest rank's fixed work after each round, where no memory is shared."""
    work: dict[Key, float] = {}
    looks: list[Round | Noise] = [*run.rounds, *run.noises]
    for look in looks:
        seconds = look.probe_s or 0.0
        if look.round is not None and 0.0 < seconds <= LONGEST_S:
            key = (look.launch, look.round)
            work[key] = max(work.get(key, 0.0), seconds)
    return work


def cluster(values: Array, least: int | None = None) -> Whole:
    """Numbers the peaks of the values' density on a log scale from the lowest up; -1 for values
    in none. The number of clusters is found, not set.

    values: shape (n,), above 0. least: members of a cluster; fewer are a disturbance.
    """
    if least is None:
        least = max(LEAST_PROBES, math.ceil(LEAST_FRACTION * len(values)))
    logs = np.log(np.maximum(values, SMALLEST))
    step = BANDWIDTH / 8.0
    low = logs.min() - 4.0 * BANDWIDTH
    bins = int((logs.max() - low + 4.0 * BANDWIDTH) / step) + 1
    counts, edges = np.histogram(logs, bins=bins, range=(low, low + bins * step))
    offsets = np.arange(-32, 33) * step / BANDWIDTH
    density = np.convolve(counts.astype(float), np.exp(-0.5 * offsets**2), mode="same")
    borders = _valleys(density)
    labels = np.searchsorted(edges[borders], logs)
    result = np.full(len(values), -1, dtype=np.int64)
    number = 0
    for label in range(len(borders) + 1):
        members = labels == label
        if members.sum() >= least:
            result[members] = number
            number += 1
    return result


def _valleys(density: Array) -> list[int]:
    """Indices at which the density falls deep enough between two peaks."""
    rising = np.flatnonzero(
        (density > np.concatenate(([-1.0], density[:-1])))
        & (density >= np.concatenate((density[1:], [-1.0])))
    )
    peaks: list[int] = []
    borders: list[int] = []
    for peak in rising.tolist():
        if not peaks:
            peaks.append(peak)
            continue
        valley = peaks[-1] + int(np.argmin(density[peaks[-1] : peak + 1]))
        if density[valley] < VALLEY * min(density[peaks[-1]], density[peak]):
            borders.append(valley)
            peaks.append(peak)
        elif density[peak] > density[peaks[-1]]:
            peaks[-1] = peak
    return borders


def _agreeing(run: Run, labels: dict[Key, int], before: bool) -> tuple[dict[Key, int], int]:
    """Rounds whose two probes agree. The latency is probed before its round, so that the next one
    closes it; the fixed work after it, so that the one before opened it. Launches without probes
    have no round."""
    other = 1 if before else -1
    probed = {launch for launch, _ in labels}
    rounds: dict[Key, int] = {}
    changed = 0
    for launch, round_ in run.samples.rounds():
        label = labels.get((launch, round_), -1)
        second = labels.get((launch, round_ + other), label)
        if label >= 0 and label == second:
            rounds[launch, round_] = label
        elif launch in probed:
            changed += 1
    return rounds, changed


def _ordered(
    run: Run, probes: dict[Key, float], rounds: dict[Key, int], kind: str
) -> tuple[tuple[State, ...], dict[Key, int]]:
    """States of labelled rounds, most rounds first, and the number of each round's state; those
    without enough rounds come last."""
    members = by_key(rounds, lambda key: rounds[key])
    enough = _enough(rounds)
    by_rounds = sorted(members, key=lambda label: (label not in enough, -len(members[label])))
    renamed = {label: number for number, label in enumerate(by_rounds)}
    states = []
    for label in by_rounds:
        seconds = float(np.median([probes[key] for key in members[label]]))
        handover_s = seconds if kind == "handover" else None
        likely = likely_of(run, {launch for launch, _ in members[label]}, handover_s)
        fraction = len(members[label]) / len(rounds)
        states.append(State(renamed[label], handover_s, fraction, likely))
    return tuple(states), {key: renamed[label] for key, label in rounds.items()}
