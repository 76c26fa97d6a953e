"""Which samples belong together: those of one point in one state of the machine, launch by launch.

A cell names the rows of its visits. Its samples are taken out of the run when they are needed, as
those of all cells together may be larger than the memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.clock_steps import COARSE, shown_step
from hockney.infer.estimate.states import States, have_enough
from hockney.plan.axes import Point
from hockney.records import Run
from hockney.records.columns import factorised

VISITS_READ = 64
"""Most visits of a cell whose samples are looked at for steps of the clock."""


@dataclass(frozen=True)
class Cell:
    """The visits of one point in one state, in the launches that have enough rounds in it."""

    run: Run
    times: str
    numbers: Whole
    """The launches, in the order in which they were measured."""
    counts: Whole
    """The samples of each launch."""
    rows: NDArray[np.int32]
    """The visits, ascending."""
    launch: NDArray[np.int32]
    """The place of each visit's launch in `numbers`."""

    def seconds(self) -> Array:
        """All samples, launch after launch."""
        seconds = self.run.samples.values(self.rows, self.times)
        seconds *= 1e-9
        if (np.diff(self.launch) < 0).any():  # launches that were measured in turn
            each = np.repeat(self.launch, self.run.samples.counts(self.times)[self.rows])
            seconds = seconds[np.argsort(each, kind="stable")]
        return seconds

    def clock_step_s(self, resolution_s: float, typical_s: float) -> float:
        """The step in which a clock of this resolution counted the samples; 0 where it is small or
        they do not show it. typical_s: about how long they are."""
        visits = self.run.samples
        repetitions = int(visits.column("repetitions")[self.rows[0]])
        step_s = resolution_s / max(repetitions, 1)
        if step_s <= COARSE * typical_s:
            return 0.0
        rows = self.rows[:: -(-len(self.rows) // VISITS_READ)]
        return shown_step(visits.values(rows, self.times) * 1e-9, step_s)


Cells = dict[tuple[Point, int], Cell]
"""Cells by point and state."""


def cells_of(run: Run, states: States, times: str = "ns") -> Cells:
    """The cells in the order in which they were first visited. times: the field of the samples."""
    visits = run.samples
    rounds, round_ = visits.rounds_of()
    of_round = [states.of(*round_key) for round_key in rounds]
    if all(state is None for state in of_round):
        return {}
    state = np.array([-1 if state is None else state for state in of_round], dtype=np.int32)[round_]
    kept = np.flatnonzero(state >= 0).astype(np.int32)
    numbers, launch = factorised(visits.column("launch")[kept])
    state, codes, counts = state[kept], visits.codes[kept], visits.counts(times)[kept]
    most = int(state.max()) + 1
    of_cell, cell = factorised(codes * most + state)
    of_group, group = factorised(cell * np.int64(len(numbers)) + launch)
    enough = _enough(of_group, of_cell // most, group, counts > 0, len(numbers))
    chosen = np.flatnonzero(enough[group] & (counts > 0))
    del group, round_
    by_cell = chosen[np.argsort(cell[chosen], kind="stable")].astype(np.int32)
    edges = np.flatnonzero(np.diff(cell[by_cell])) + 1
    parts = sorted(np.split(by_cell, edges), key=lambda part: int(part[0])) if len(chosen) else []
    cells: Cells = {}
    for part in parts:
        places, firsts, place = np.unique(launch[part], return_index=True, return_inverse=True)
        order = np.argsort(firsts)  # as they were measured
        of_launch = np.argsort(order).astype(np.int32)[place]
        samples = np.bincount(of_launch, counts[part]).astype(np.int64)
        key = (visits.visited[codes[part[0]]], int(state[part[0]]))
        cells[key] = Cell(run, times, numbers[places[order]], samples, kept[part], of_launch)
    return cells


def headline_rows(run: Run, states: States) -> Whole:
    """The visits with samples in the headline state, ascending."""
    rounds, round_ = run.samples.rounds_of()
    is_in = np.array([states.of(*round_key) == 0 for round_key in rounds], dtype=np.bool_)
    return np.flatnonzero(is_in[round_] & (run.samples.counts() > 0))


def _enough(
    groups: Whole,
    code_of_cell: Whole,
    group: NDArray[np.int32],
    filled: Flags,
    launches: int,
) -> Flags:
    """Whether each group (the visits of a cell in a launch) has enough rounds with samples, among
    the states of its point in that launch."""
    visits = np.bincount(group, filled, len(groups))
    _, same = factorised(code_of_cell[groups // launches] * launches + groups % launches)
    return (visits > 0) & have_enough(visits, same)
