"""When visits were, without the gaps in which nothing was measured or the clock was set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hockney.base.units import format_ratio, how_many
from hockney.infer.arrays import Array, Whole
from hockney.records import Run

GAP_ROUNDS, GAP_S = 20.0, 1.0
"""A step between successive visits that is longer than so many usual rounds and seconds is a gap,
as is a step back: the run was stopped, its virtual machine suspended, or the clock set."""


@dataclass(frozen=True)
class VisitTimes:
    """The times of all visits of a run."""

    at_s: Array
    """Shape (visits,): with a usual round in place of each gap."""
    gaps_s: dict[int, Array]
    """The steps that are gaps, by launch; below 0 where the clock went back."""

    @property
    def text(self) -> str:
        """The gaps in words; empty without any."""
        each = [gaps for gaps in self.gaps_s.values() if len(gaps)]
        if not each:
            return ""
        steps = np.concatenate(each)
        back = int((steps < 0.0).sum())
        count = f"{how_many(len(steps), 'gap')} between visits"
        longest = f"the longest {format_ratio(float(np.abs(steps).max()), 4)} s"
        went_back = f"; the clock went back in {back} of them" if back else ""
        return f"{count}, {longest}, in {len(each)} of {len(self.gaps_s)} launches{went_back}"


def visit_times(run: Run, least_visits: int) -> VisitTimes:
    """Finds the gaps in each launch that visited a point so often, in the order in which its visits
    were measured: in a sweep each takes longer. The number of the round is used if the time is
    unknown."""
    launch, round_, known_s = (run.samples.column(name) for name in ("launch", "round", "at_s"))
    read_s = np.where(np.isnan(known_s), round_, known_s)
    at_s, gaps_s = read_s.copy(), {}
    by_launch = np.argsort(launch, kind="stable")
    for rows in np.split(by_launch, np.flatnonzero(np.diff(launch[by_launch])) + 1):
        if np.bincount(run.samples.codes[rows]).max() < least_visits:
            continue
        usual_s = _usual_round(read_s[rows], round_[rows])
        steps = np.diff(read_s[rows])
        is_gap = (steps < 0.0) | (steps > max(GAP_ROUNDS * usual_s, GAP_S))
        at_s[rows[1:]] = read_s[rows[0]] + np.cumsum(np.where(is_gap, usual_s, steps))
        gaps_s[int(launch[rows[0]])] = steps[is_gap]
    return VisitTimes(at_s, gaps_s)


def _usual_round(read_s: Array, rounds: Whole) -> float:
    """The median time from one round to the next, whatever its sign; 0 with one round."""
    firsts = np.flatnonzero(np.diff(rounds, prepend=rounds[0] - 1))
    steps = np.abs(np.diff(read_s[firsts]))
    return float(np.median(steps)) if len(steps) else 0.0
