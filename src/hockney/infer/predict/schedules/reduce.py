"""Reduce. Block s is segment s; with rabenseifner, the s-th part of a hypercube's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hockney.infer.predict.schedule import Algorithm, Schedule, parts, phase, power_below, split
from hockney.infer.predict.schedules import _exchange as exchange
from hockney.infer.predict.schedules import _trees as trees


def _up(shape: Callable[[int], trees.Tree], in_turn: bool = False) -> Algorithm:
    return lambda ranks, bytes_, segment: trees.up(shape(ranks), split(bytes_, segment), in_turn)


linear = _up(trees.flat, in_turn=True)
binomial = _up(trees.binomial, in_turn=True)


def rabenseifner(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Reduce-scatter by halving, then gather (Rabenseifner 2004)."""
    sizes = parts(bytes_, power_below(ranks))
    yield from phase("fold", exchange.fold(ranks, sizes))
    yield from phase("reduce-scatter", exchange.halving(ranks, sizes))
    yield from phase("gather", exchange.gathering(ranks, sizes))


ALGORITHMS = {
    "basic_linear": linear,
    "chain": _up(partial(trees.chain, fanout=trees.CHAIN_FANOUT)),
    "pipeline": _up(trees.chain),
    "binary": _up(trees.binary),
    "binomial": binomial,
    "knomial": _up(trees.knomial),
    "rabenseifner": rabenseifner,
}
