"""What the pages state about variants in one run (--vary): equal variants called different, and
intervals of the ratio.

A run is made up as a session makes it: blocks of two variants, looked at each eighth of the budget
from the eighth block on, ended as soon as the verdict is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from claim import Claim

from hockney.infer.estimate.blocks import BlockTimes, Seen, VariantRatio, variant_ratios
from hockney.infer.estimate.conditions import Conditions
from hockney.infer.estimate.differences import Judged
from hockney.plan.axes import Point
from hockney.plan.variants import LEAST_BLOCKS, Comparison, Variant

NAMES = ("base", "other")
COMPARISON = Comparison(
    variants=tuple(Variant(name=name, values={}) for name in NAMES), tolerance=0.01
)
MOST, EVERY = 40, 0.125
"""Blocks of a budget, and the fraction of it between looks."""


@dataclass(frozen=True)
class Machine:
    """A machine whose launches scatter by these standard deviations of logarithms."""

    own: float = 0.02
    probe: float = 0.02
    """Standard deviation of the compute probe."""
    slope: float = 0.0
    """Slope of the times over the compute probe, in logarithms."""
    flips: float = 0.0
    """Fraction of launches that meet a state in which everything takes four times as long."""
    points: int = 1
    cores: float = 0.0
    """Logarithm by which the probe of the second variant is slower: its cores are."""


def launch(
    rng: np.random.Generator, machine: Machine, effect: float, cores: float
) -> dict[Point, Seen]:
    """The points of one launch, whose times are slower by `effect` (a logarithm), on cores that are
    slower by `cores`."""
    probe = machine.probe * rng.standard_normal() + cores
    state = math.log(4.0) * (rng.random() < machine.flips)
    probed = Conditions(
        57.0 * math.exp(0.02 * rng.standard_normal() + state), 2e-6 * math.exp(probe)
    )
    common = effect + machine.slope * probe + state
    return {
        Point(operation="pingpong", bytes=8 << place): Seen(
            1e-6 * math.exp(common + machine.own * rng.standard_normal()), probed
        )
        for place in range(machine.points)
    }


def ratios(
    rng: np.random.Generator, machine: Machine, effect: float = 0.0, most: int = MOST
) -> list[VariantRatio]:
    """The ratios of a run that ends when the verdicts are known, or with its budget of blocks."""
    times, looks = BlockTimes(), [0.0]
    for block in range(most):
        times.by_block[block] = {
            name: launch(rng, machine, effect * place, machine.cores * place)
            for place, name in enumerate(NAMES)
        }
        used = (block + 1) / most
        if block + 1 >= LEAST_BLOCKS and used < 1.0 and looks[-1] + EVERY <= used:
            looks.append(used)
            so_far = variant_ratios(times, COMPARISON, looks[1:])
            if all(ratio.is_decided(None) for ratio in so_far):
                return so_far
    return variant_ratios(times, COMPARISON, [*looks[1:], 1.0])


def differs(judged: Judged) -> bool:
    return judged.verdict in ("faster", "slower")


def called_different(machine: Machine, most: int = MOST) -> Callable[[int, int], tuple[int, int]]:
    """Counts runs of equal variants with a verdict "faster" or "slower" anywhere."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        runs = [ratios(rng, machine, 0.0, most) for _ in range(n)]
        return sum(any(differs(ratio.judged) for ratio in made) for made in runs), n

    return run


def called_the_same(machine: Machine) -> Callable[[int, int], tuple[int, int]]:
    """Counts runs with a verdict "same" anywhere."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        runs = [ratios(rng, machine) for _ in range(n)]
        return sum(any(ratio.judged.verdict == "same" for ratio in made) for made in runs), n

    return run


def interval_holds(machine: Machine, effect: float) -> Callable[[int, int], tuple[int, int]]:
    """Counts runs whose interval of the first ratio contains the true one."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        held = 0
        for _ in range(n):
            judged = ratios(rng, machine, effect)[0].judged
            held += judged.interval is not None and judged.interval.holds(math.exp(effect))
        return held, n

    return run


def _equal(name: str, machine: Machine, most: int = MOST) -> Claim:
    return Claim(
        name=f"variants: equal ones called different, {name}",
        where="docs/method.md, Variants",
        stated="equal variants are called different in at most 5 % of runs, over all looks",
        at_most=0.05,
        at_least=None,
        run=called_different(machine, most),
        n=1500,
    )


def _held(name: str, machine: Machine, effect: float) -> Claim:
    return Claim(
        name=f"variants: interval of the ratio, {name}",
        where="docs/method.md, Variants",
        stated="the interval of a ratio holds it in at least 95 % of runs, over all looks",
        at_most=None,
        at_least=0.95,
        run=interval_holds(machine, effect),
        n=1500,
    )


CLAIMS: list[Claim] = [
    _equal("the probe explains nothing", Machine()),
    _equal("the times go with the probe by half", Machine(slope=0.5)),
    _equal("the times go with the probe", Machine(slope=1.0)),
    _equal("the times go with the probe twice", Machine(slope=2.0)),
    _equal("24 blocks", Machine(slope=1.0), 24),
    _equal("states flip in a fifth of launches", Machine(slope=1.0, flips=0.2)),
    _equal("three points", Machine(slope=1.0, points=3)),
    Claim(
        name="variants: one on cores that are 2 % slower called the same",
        where="docs/method.md, Variants",
        stated="a variant that is slower as its cores are is called the same in at most 5 % of "
        "runs",
        at_most=0.05,
        at_least=None,
        run=called_the_same(Machine(own=0.005, probe=0.01, slope=1.0, points=3, cores=0.02)),
        n=600,
    ),
    _held("equal, adjusted by the probe", Machine(0.005, 0.05, 1.0), 0.0),
    _held("5 % slower, adjusted by the probe", Machine(0.005, 0.05, 1.0), math.log(1.05)),
]
