"""Costs of point-to-point messages, by the distance between ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hockney.base.errors import HockneyError, UsageError
from hockney.base.grouping import by_key
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.fit import curve_of
from hockney.infer.fitting.line import line
from hockney.infer.predict.costs import CostsOf
from hockney.infer.predict.schedule import Ranks
from hockney.plan import plan_of
from hockney.records import Place, Run

ONE_WAY = ("pingpong", "message")
"""Operations that time one message."""
LEVELS = ("socket", "node", "network")
"""Levels from near to far: two ranks of one socket, of one node, of two nodes."""


@dataclass(frozen=True)
class Level:
    """Hockney's T(b) = alpha + beta b, one way."""

    alpha_s: float
    beta_s_per_B: float


@dataclass(frozen=True)
class Parameters:
    """Costs by level. An unknown level (None) uses the next known one, farther ones first."""

    socket: Level | None = None
    node: Level | None = None
    network: Level | None = None
    overhead_s: float = 0.0
    """Processor time of each send and each receive, in addition to alpha: o of LogP."""
    gamma_s_per_B: float = 0.0
    """Time per byte to combine data in a reduction."""
    eager_bytes: int | None = None
    """Size from which on a sender waits until its message arrives (rendezvous); None for never."""
    early_bytes: int | None = None
    """Size from which on a message leaves only when its receiver is ready; None for eager_bytes.
    SimGrid calls it smpi/async-small-thresh, 0 by default."""
    sharing: str = "serial"
    """How messages posted together by one rank (between nodes: by one node) share its bandwidth:
    serial, one after the other, or fair, all at once, as SimGrid's flows do."""
    costs_of: CostsOf | None = None
    """The costs of messages of each size on every level, in place of these and of overhead_s."""

    def level(self, name: str) -> Level:
        """The parameters of a level, or of the one used instead."""
        at = LEVELS.index(name)
        for other in (*LEVELS[at:], *reversed(LEVELS[:at])):
            level: Level | None = getattr(self, other)
            if level is not None:
                return level
        raise UsageError(
            "no level has parameters",
            "give alpha and beta of at least one of socket, node and network",
        )


@dataclass(frozen=True)
class Paths:
    """Costs and ports of each message of a step; shapes (messages,)."""

    alpha_s: Array
    work_s: Array
    """Time for which it occupies its ports."""
    overhead_s: Array
    out_port: Ranks
    in_port: Ranks


class Machine:
    """Ranks with their places, and the costs between any two. Rank 0 is the root."""

    def __init__(
        self, parameters: Parameters, ranks: int, placement: Sequence[Place] | None, root: int
    ) -> None:
        if parameters.sharing not in ("serial", "fair"):
            raise UsageError(f"sharing is serial or fair, not {parameters.sharing!r}")
        self.ranks = ranks
        self.ports = 2 * ranks
        self._overhead_s, self._costs_of = parameters.overhead_s, parameters.costs_of
        self.gamma_s_per_B = parameters.gamma_s_per_B
        eager, early = parameters.eager_bytes, parameters.early_bytes
        self.eager_bytes = np.inf if eager is None else float(eager)
        self.early_bytes = self.eager_bytes if early is None else float(early)
        self.is_fair = parameters.sharing == "fair"
        levels = [] if parameters.costs_of else [parameters.level(name) for name in LEVELS]
        self._alpha_s = np.array([level.alpha_s for level in levels])
        self._beta_s_per_B = np.array([level.beta_s_per_B for level in levels])
        self._node, self._socket = _where(ranks, placement, root)

    def paths(self, sources: Ranks, destinations: Ranks, sizes: Array) -> Paths:
        """Paths of messages: between nodes through the ports of the nodes, otherwise through those
        of the ranks."""
        away = self._node[sources] != self._node[destinations]
        across = self._socket[sources] != self._socket[destinations]
        level = np.where(away, 2, np.where(across, 1, 0))
        if self._costs_of is None:
            overhead_s = np.full(len(sizes), self._overhead_s)
            costs = self._alpha_s[level], self._beta_s_per_B[level] * sizes, overhead_s
        else:
            costs = _by_size(self._costs_of, sizes)
        return Paths(
            *costs,
            np.where(away, self.ranks + self._node[sources], sources),
            np.where(away, self.ranks + self._node[destinations], destinations),
        )


def _by_size(costs_of: CostsOf, sizes: Array) -> tuple[Array, Array, Array]:
    """The latency, the time of the bytes and the overhead of each end, for messages of these
    sizes."""
    each, which = np.unique(sizes, return_inverse=True)
    costs = [(costs_of(round(size), 1), size) for size in each.tolist()]
    terms = [(own.latency_s, own.s_per_B * size, own.overhead_s / 2.0) for own, size in costs]
    alpha_s, work_s, overhead_s = np.array(terms).reshape(-1, 3).T
    return alpha_s[which], work_s[which], overhead_s[which]


def _where(ranks: int, placement: Sequence[Place] | None, root: int) -> tuple[Ranks, Ranks]:
    """The node and socket number of each rank, counted from the root; without a placement each rank
    has its own node."""
    if placement is None:
        return np.arange(ranks), np.arange(ranks)
    at = {place.rank: place for place in placement}
    missing = [rank for rank in range(ranks) if rank not in at]
    if missing:
        raise UsageError(f"the placement has no place for rank {missing[0]}")
    order = [at[(rank + root) % ranks] for rank in range(ranks)]
    hosts = [place.host for place in order]
    sockets = [(place.host, place.package) for place in order]
    return _numbered(hosts), _numbered(sockets)


def _numbered(names: Sequence[object]) -> Ranks:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def level_of(first: Place, second: Place) -> str:
    """The level of messages between two places."""
    if first.host != second.host:
        return "network"
    return "socket" if first.package == second.package else "node"


SMPI_THRESHOLDS = {"smpi/send-is-detached-thresh": 65536, "smpi/async-small-thresh": 0}
"""Defaults of what SimGrid calls eager_bytes and early_bytes (smpi_config.cpp)."""


def of_simgrid(parameters: Parameters, cfg: Sequence[str]) -> Parameters:
    """The parameters adapted to a simulated run with these settings (key:value): fair sharing, and
    SMPI's thresholds."""
    settings = dict(setting.split(":", 1) for setting in cfg if ":" in setting)
    eager, early = (int(settings.get(name, default)) for name, default in SMPI_THRESHOLDS.items())
    return replace(parameters, eager_bytes=eager, early_bytes=early, sharing="fair")


def parameters_of_run(run: Run, points: Sequence[PointEstimate]) -> Parameters:
    """Parameters from a run with ping-pong times; `points` are its estimates."""
    parameters = parameters_of(points, run.launches[0].places if run.launches else [])
    if run.is_simulated:
        plan = plan_of(run.header.options)
        return of_simgrid(parameters, plan.first.placement.cfg if plan else ())
    return parameters


def parameters_of(points: Sequence[PointEstimate], placement: Sequence[Place]) -> Parameters:
    """Fits each level to ping-pong times between ranks at that distance: alpha and beta of each
    pair by hockney.line, then their medians over the pairs. Raises if no pair has two sizes."""
    at = {place.rank: place for place in placement}
    of_two = [
        point
        for point in points
        if len(point.peers) == point.ranks == 2 and point.operation in ONE_WAY and point.is_plain
    ]
    by_level: dict[str, list[tuple[float, float]]] = {}
    for (first, second), times in by_key(of_two, lambda point: point.peers).items():
        if first not in at or second not in at:
            continue
        try:
            curve = curve_of(times)
        except HockneyError:
            continue
        if curve.sizes >= 2:
            alpha, beta = line(curve.bytes, curve.median_s[None, :])
            by_level.setdefault(level_of(at[first], at[second]), []).append((alpha[0], beta[0]))
    if not by_level:
        raise UsageError(
            "no ping-pong times of at least two sizes",
            "measure them: hockney pingpong, or hockney cores for every level",
        )
    levels = {name: Level(*map(float, np.median(of, axis=0))) for name, of in by_level.items()}
    return Parameters(levels.get("socket"), levels.get("node"), levels.get("network"))
