"""A result compared with published figures of like systems, and with earlier runs of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from hockney.base.grouping import by_key
from hockney.infer.analysis.claims.published_base import (
    HALF_ROUND_TRIP,
    OUR_LINE,
    SHARED_MEMORY,
    TCP,
    UNKNOWN_NETWORK,
    PublishedFigure,
    published_figures,
)
from hockney.infer.analysis.conditions.transports import transports_of
from hockney.infer.analysis.history.run_facts import system_of
from hockney.infer.estimate.points import Estimates
from hockney.infer.fitting.fit import Fit
from hockney.infer.fitting.line import NO_ASYMPTOTE
from hockney.records import Run

if TYPE_CHECKING:
    from hockney.infer.analysis.history.histories import History, RunPoint, Trend

LOOPBACK = "TCP over loopback"
"""A transport without published numbers."""
OF_SOCKETS = frozenset({"TCP", "Ethernet", "IP over InfiniBand"})
TCP_VARIABLES = {"FI_PROVIDER": {"tcp", "sockets"}, "UCX_TLS": {"tcp"}, "OMPI_MCA_btl": {"tcp"}}
"""Variables that choose TCP alone. Verbs are no such sign: they run over Ethernet, too."""
TO_ITSELF = {"self", "sm", "vader", "shm", ""}
"""Transports within a host, named together with the network's."""
OF_A_LOOP = frozenset({"median", "mean"})
"""Statistics of a run that are compared; a least time is another definition."""


@dataclass(frozen=True)
class Position:
    """A number of this run among the published ones of its kind."""

    quantity: str
    bytes: int | None
    value: float
    like: tuple[PublishedFigure, ...]
    """Published figures of its kind, ascending."""
    method: str = HALF_ROUND_TRIP
    is_alike: bool = True
    """False where the published numbers are of another definition, and not compared."""

    @property
    def systems(self) -> dict[str, float]:
        """The number of each published system; its median if there are several."""
        by_system = by_key(self.like, lambda figure: figure.system)
        return {name: median(figure.value for figure in of) for name, of in by_system.items()}

    @property
    def percentile(self) -> float:
        """The percentage of published systems that are worse: slower, or of less bandwidth. Equal
        ones count half."""
        return self._percentile(list(self.systems.values()))

    @property
    def by_transport(self) -> dict[str, tuple[float, int]]:
        """The percentile among the systems of each transport, and how many there are."""
        by_transport: dict[str, set[str]] = {}
        for figure in self.like:
            by_transport.setdefault(figure.transport, set()).add(figure.system)
        systems = self.systems
        return {
            transport: (self._percentile([systems[name] for name in names]), len(names))
            for transport, names in by_transport.items()
        }

    def _percentile(self, values: Sequence[float]) -> float:
        lower = sum(value < self.value for value in values)
        equal = sum(value == self.value for value in values)
        worse = lower if self.quantity.endswith("_Bps") else len(values) - lower - equal
        return 100.0 * (worse + equal / 2.0) / len(values)


@dataclass(frozen=True)
class PastPosition:
    """A number of this run among those of earlier runs of the same system."""

    what: str
    unit: str
    """s or B/s."""
    value: float
    earlier: int
    lower: int
    """How many earlier numbers are lower."""
    median: float


@dataclass(frozen=True)
class Positions:
    transport: str | None
    """The transport; None for a simulated machine, which is not compared."""
    places: tuple[Position, ...]
    past: tuple[PastPosition, ...]
    definition: str | None
    """The definition of a sample of the run."""
    not_ranked: str | None = None
    """Why the line's numbers are not compared; None if they are, or without a line."""
    hosts_known: bool = True
    """False where the log does not show whether the run was on one host."""


def transport_of(run: Run) -> str | None:
    """The network or memory that carries the messages; None if they are simulated."""
    if not run.launches:
        return UNKNOWN_NETWORK
    first = run.launches[0]
    if first.simulated:
        return None
    if not _are_hosts_known(run):
        return UNKNOWN_NETWORK
    if seen := _seen_transport(run):
        return seen
    if len({place.host for place in first.places}) == 1:
        return SHARED_MEMORY
    recorded = run.header.environment.get("env")
    env = {**(recorded if isinstance(recorded, dict) else {}), **first.env}
    for name, networks in TCP_VARIABLES.items():
        chosen = set(str(env.get(name, "")).split(",")) - TO_ITSELF
        if chosen and chosen <= networks:
            return TCP
    return UNKNOWN_NETWORK


def _seen_transport(run: Run) -> str | None:
    """What carried the largest messages that were tried, by the names of published systems; None if
    that is unknown."""
    transports = transports_of(run)
    paths = (transports.of("network") or transports.of("node")) if transports is not None else []
    largest = max(paths, key=lambda path: path.bytes, default=None)
    if largest is None or not largest.carriers:
        return None
    carrier = largest.carriers[0]
    if carrier.name is None:
        return SHARED_MEMORY
    if carrier.name == "lo":
        return LOOPBACK
    return TCP if carrier.kind in OF_SOCKETS else carrier.kind


def _are_hosts_known(run: Run) -> bool:
    hosts = {place.host for place in run.launches[0].places} if run.launches else set()
    return bool(hosts) and None not in hosts


def own_name(run: Run) -> str:
    """The name by which the run's own system is published."""
    return system_of(run).removeprefix("pingpong, ")


def positions(
    run: Run, estimates: Estimates, line: Fit | None, histories: Sequence[History] = ()
) -> Positions:
    """Compares ping-pong times, and Hockney's line through them, with published ones of the same
    transport, and with the run's own histories."""
    transport = transport_of(run)
    definition = run.launches[0].definition if run.launches else None
    own = _own_numbers(run, estimates, line) if transport is not None else {}
    name = own_name(run)
    others = [
        figure
        for figure in published_figures()
        if figure.system != name
        and (figure.quantity, figure.bytes) in own
        and _is_alike(figure.transport, transport)
    ]
    groups = by_key(others, lambda figure: (figure.quantity, figure.bytes, figure.method))
    places = []
    for (quantity, size), (method, value) in own.items():
        places += [
            Position(
                quantity,
                size,
                value,
                tuple(sorted(like, key=lambda figure: figure.value)),
                of,
                of == method,
            )
            for (*of_what, of), like in groups.items()
            if of_what == [quantity, size]
        ]
    places.sort(key=lambda place: not place.is_alike)
    past = tuple(past for history in histories for past in _past(run.header.id, history))
    why = None if line is None or not own else _not_ranked(line)
    return Positions(transport, tuple(places), past, definition, why, _are_hosts_known(run))


def _own_numbers(
    run: Run, estimates: Estimates, line: Fit | None
) -> dict[tuple[str, int | None], tuple[str, float]]:
    """The run's numbers with their methods, by quantity and size; only ping-pongs of one pair are
    published."""
    if run.header.experiment != "pingpong":
        return {}
    points = [
        point
        for point in estimates.headline
        if point.operation == "pingpong"
        and point.ranks in (2, None)
        and point.is_plain
        and point.statistic in OF_A_LOOP
    ]
    own: dict[tuple[str, int | None], tuple[str, float]] = {
        ("time_s", point.bytes): (HALF_ROUND_TRIP, point.typical_s) for point in points
    }
    if line is None or not points or _not_ranked(line):
        return own
    known = {"alpha_s": line.parameters["alpha_s"], "r_inf_Bps": line.derived["r_inf_Bps"]}
    return own | {
        (name, None): (OUR_LINE, p.value) for name, p in known.items() if p.value is not None
    }


def _not_ranked(line: Fit) -> str | None:
    """Why a line's alpha and r_inf are too uncertain to be ranked; None if they are not."""
    return next((note for note in line.notes if note.startswith(NO_ASYMPTOTE)), None)


def _is_alike(other: str, own: str | None) -> bool:
    """True if two transports are alike; an unknown network is like any other between hosts."""
    if not {SHARED_MEMORY, LOOPBACK}.isdisjoint({other, own}):
        return other == own
    return UNKNOWN_NETWORK in (other, own) or other == own


def _past(own_id: str, history: History) -> list[PastPosition]:
    """Compares the run, where it is in the history, with all runs before it."""
    past = []
    for trend in history.trends:
        ids = [point.id for point in trend.points]
        if own_id not in ids:
            continue
        now = trend.points[ids.index(own_id)]
        earlier = trend.points[: ids.index(own_id)]
        if earlier:
            past.append(_among(trend, now, earlier))
    return past


def _among(trend: Trend, now: RunPoint, earlier: Sequence[RunPoint]) -> PastPosition:
    values = [point.value for point in earlier]
    lower = sum(value < now.value for value in values)
    return PastPosition(trend.words, trend.unit, now.value, len(values), lower, median(values))
