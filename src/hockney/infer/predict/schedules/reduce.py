"""Reduce. Block s is segment s; with rabenseifner, the s-th part of a hypercube's."""

from __future__ import annotations

from hockney.infer.predict.schedule import Schedule, parts, phase, power_below, split
from hockney.infer.predict.schedules import _exchange as exchange
from hockney.infer.predict.schedules import _trees as trees


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    return trees.up(trees.flat(ranks), split(bytes_, segment), in_turn=True)


def chain(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    return trees.up(trees.chain(ranks, trees.CHAIN_FANOUT), split(bytes_, segment))


def pipeline(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    return trees.up(trees.chain(ranks), split(bytes_, segment))


def binary(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    return trees.up(trees.binary(ranks), split(bytes_, segment))


def binomial(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    return trees.up(trees.binomial(ranks), split(bytes_, segment), in_turn=True)


def knomial(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    return trees.up(trees.knomial(ranks), split(bytes_, segment))


def rabenseifner(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Reduce-scatter by halving, then gather (Rabenseifner 2004)."""
    sizes = parts(bytes_, power_below(ranks))
    yield from phase("fold", exchange.fold(ranks, sizes))
    yield from phase("reduce-scatter", exchange.halving(ranks, sizes))
    yield from phase("gather", exchange.gathering(ranks, sizes))


ALGORITHMS = {
    "basic_linear": linear,
    "chain": chain,
    "pipeline": pipeline,
    "binary": binary,
    "binomial": binomial,
    "knomial": knomial,
    "rabenseifner": rabenseifner,
}
