"""How often `tune --check` finds one slow cell, and how often it reports equal cells.

Medians of launches are drawn: what a block's two launches do not share scatters by --noise, and in
one launch of ten by as much again and upwards, as beside other work. The session's own choice of
what is launched next (sessions/blocks.py) and its verdicts (estimate/blocks.py) are what is tested.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, field

import numpy as np

from hockney.infer.estimate.blocks import UNPROBED, Seen, blocks_needed, variant_ratios
from hockney.plan import Case, Placement, sizes_of
from hockney.plan.axes import Point
from hockney.plan.variants import Comparison, Variant
from hockney.plan.workloads.collective import Collective
from hockney.records import Run, RunRecord
from hockney.run.measure.sessions.blocks import Blocks
from hockney.tuning.check import SPARE, TOLERANCE

NAMES = ("default", "tuned")
OUTLIERS = 0.1
"""Fraction of launches that something else disturbs."""


@dataclass
class Answer:
    """A session's state of a case."""

    case: Case
    run: Run
    launches: int = 0
    is_done: bool = False
    problem: str | None = None


@dataclass
class Outcome:
    slower: set[tuple[int | None, int]] = field(default_factory=set)
    launches: int = 0


def checked(
    rng: np.random.Generator, cells: list[tuple[int, int]], slow: float, noise: float, narrows: bool
) -> Outcome:
    """cells: ranks and bytes; the first is slower by a factor."""
    comparison = Comparison(
        variants=tuple(Variant(name=name, values={}) for name in NAMES),
        tolerance=TOLERANCE,
        gate=TOLERANCE,
        narrows=narrows,
    )
    header = RunRecord(schema=1, hockney="", id=str(rng.integers(1 << 30)), experiment="collective")
    run = Run(header)
    answers = [
        Answer(
            Case(
                workload=Collective(
                    collective="bcast", sizes=sizes_of([s for r, s in cells if r == ranks])
                ),
                placement=Placement(ranks=ranks),
                variant=name,
            ),
            run,
        )
        for name in NAMES
        for ranks in dict.fromkeys(ranks for ranks, _ in cells)
    ]
    needed = blocks_needed(len(cells))
    most = SPARE * needed if narrows else math.ceil(1.5 * needed)
    blocks = Blocks(comparison, run, 1.0)
    outcome = Outcome()
    while (answer := blocks.next(answers)) is not None:
        ranks = answer.case.placement.ranks
        medians = blocks.times.by_block.setdefault(answer.launches, {}).setdefault(
            answer.case.variant or "", {}
        )
        for size in answer.case.workload.sizes:
            log = rng.normal(0.0, noise)
            log += abs(rng.normal(0.0, 2.0 * noise)) if rng.random() < OUTLIERS else 0.0
            is_slow = (ranks, size.bytes) == cells[0] and answer.case.variant == NAMES[1]
            seconds = math.exp(log) * (slow if is_slow else 1.0)
            medians[Point(operation="bcast", ranks=ranks, bytes=size.bytes)] = Seen(
                seconds, UNPROBED
            )
        answer.launches += 1
        answer.is_done = answer.launches >= most
        outcome.launches += 1
        left = [answer.launches for answer in answers if not answer.is_done]
        if blocks.is_decided(answers, min(left, default=most) / most):
            break
    looks = [*blocks.looks, 1.0]
    look_blocks = [*blocks.look_blocks, most] if narrows else []
    for ratio in variant_ratios(blocks.times, comparison, looks, look_blocks):
        if ratio.point is not None and ratio.judged.is_slower:
            outcome.slower.add((ratio.point.ranks, ratio.point.bytes))
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.05, 0.15, 0.3])
    parser.add_argument("--slow", type=float, nargs="+", default=[1.1, 1.5, 3.0])
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    cells = [(ranks, 1 << n) for ranks in (2, 4, 8) for n in range(3, 16)]
    for noise in args.noise:
        for slow in args.slow:
            for narrows in (False, True):
                runs = [checked(rng, cells, slow, noise, narrows) for _ in range(args.runs)]
                hits = sum(cells[0] in run.slower for run in runs)
                alarms = sum(bool(run.slower - {cells[0]}) for run in runs)
                launches = sum(run.launches for run in runs) / len(runs)
                how = "narrows" if narrows else "fixed"
                print(
                    f"noise {noise:4.2f}, {slow:4.2f} times slower, {how:7}: found {hits} of "
                    f"{len(runs)}, false alarms in {alarms}, {launches:.0f} launches",
                    flush=True,
                )


if __name__ == "__main__":
    main()
