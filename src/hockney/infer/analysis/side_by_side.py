"""Alternative ways to exchange the same messages, measured side by side: ratios of each to the one
that it replaces, launch by launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hockney.base.grouping import by_key
from hockney.infer.arrays import Array
from hockney.infer.estimate.differences import Judged, exact, paired_each
from hockney.infer.estimate.points import PointEstimate, hidden_log
from hockney.plan.axes import curve_key, key_without
from hockney.plan.memories import HOST
from hockney.plan.messages import BY_DATATYPE, BY_HAND
from hockney.plan.variants import DEFAULT_TOLERANCE
from hockney.plan.words import CONTIGUOUS, PARTITIONED, PERSISTENT


@dataclass(frozen=True)
class MethodRatio:
    """The time of one way over that of another, in the same launches."""

    point: PointEstimate
    base: PointEstimate
    judged: Judged


def over_contiguous(points: Sequence[PointEstimate]) -> list[MethodRatio]:
    """Every way to send a layout over contiguous messages: what its gaps cost."""
    packed = [point for point in points if point.packing is not None]
    return _ratios(packed, [p for p in points if p.datatype == CONTIGUOUS], "datatype", "packing")


def over_datatype(points: Sequence[PointEstimate]) -> list[MethodRatio]:
    """Data packed by hand over the same data sent as a datatype. The datatype should be no slower
    (Carpen-Amarie, Hunold & Träff 2016, EuroMPI, doi 10.1145/2966884.2966905)."""
    by_hand = [point for point in points if point.packing == BY_HAND]
    return _ratios(by_hand, [p for p in points if p.packing == BY_DATATYPE], "packing")


def over_whole(points: Sequence[PointEstimate]) -> list[MethodRatio]:
    """Partitioned messages over messages that wait for all of their parts."""
    divided = [point for point in points if point.partitions is not None]
    partitioned = [point for point in divided if point.mode == PARTITIONED]
    return _ratios(partitioned, [point for point in divided if point.mode == PERSISTENT], "mode")


def over_host(points: Sequence[PointEstimate]) -> list[MethodRatio]:
    """Messages that lie in other memory over those in the host's."""
    others = [p for p in points if p.memory is not None and not _is_on_host(p)]
    on_host = [point for point in points if _is_on_host(point)]
    return _ratios(others, on_host, "memory", "peer_memory", "staging")


def _is_on_host(point: PointEstimate) -> bool:
    return point.memory == HOST and point.peer_memory is None


def over_staged(points: Sequence[PointEstimate]) -> list[MethodRatio]:
    """Messages that the library takes from a device over each way to stage them through the
    host."""
    direct = [point for point in points if point.memory is not None and point.staging is None]
    staged = [point for point in points if point.staging is not None]
    blocks = sorted({point.staging or 0 for point in staged})
    each = [[point for point in staged if point.staging == block] for block in blocks]
    return [ratio for ways in each for ratio in _ratios(direct, ways, "staging")]


def _ratios(
    points: Sequence[PointEstimate], bases: Sequence[PointEstimate], *axes: str
) -> list[MethodRatio]:
    """Points over those that differ from them in these axes only; those of one curve are judged
    together."""
    base_of = {key_without(base, *axes): base for base in bases}
    keys = [(point, key_without(point, *axes)) for point in points]
    pairs = [(point, base_of[key]) for point, key in keys if key in base_of]
    curves = by_key(pairs, lambda pair: curve_key(pair[0]))
    return [ratio for both in curves.values() for ratio in judged_ratios(both)]


def judged_ratios(
    pairs: Sequence[tuple[PointEstimate, PointEstimate]], is_exact: bool = False
) -> list[MethodRatio]:
    """The first of each pair over the second, judged together (Holm); exact as simulated times."""
    each = [log_ratios(*pair) for pair in pairs]
    if is_exact:
        judged = [exact(logs, DEFAULT_TOLERANCE) for logs in each]
    else:
        hidden = [hidden_log(pair) for pair in pairs]
        judged = paired_each(each, DEFAULT_TOLERANCE, hidden=hidden)
    return [MethodRatio(*pair, ratio) for pair, ratio in zip(pairs, judged, strict=True)]


def log_ratios(point: PointEstimate, base: PointEstimate) -> Array:
    """Log ratios of the launches that have both; times of 0, as in a simulation, have no ratio."""
    known = base.by_launch
    ratios = [
        own / known[number]
        for number, own in point.by_launch.items()
        if known.get(number, 0.0) > 0.0 and own > 0.0
    ]
    return np.array([np.log(ratio) for ratio in ratios], dtype=np.float64)
