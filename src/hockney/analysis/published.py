"""A result compared with published figures of like systems, and with earlier runs of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import median

import msgspec

from hockney.analysis.history import History, RunPoint
from hockney.estimate.points import Estimates
from hockney.fitting.fit import Fit
from hockney.records import Run

SHARED_MEMORY, TCP = "shared memory", "TCP/IP"
UNKNOWN_NETWORK = "unknown network"
"""Neither the source of a figure nor the records of a run need to name the network."""
TCP_VARIABLES = {"FI_PROVIDER": {"tcp", "sockets"}, "UCX_TLS": {"tcp"}, "OMPI_MCA_btl": {"tcp"}}
"""Variables that choose TCP alone. Verbs are no such sign: they run over Ethernet, too."""
TO_ITSELF = {"self", "sm", "vader", "shm", ""}
"""Transports that never leave a host, named together with the network's."""


class PublishedFigure(msgspec.Struct, frozen=True):
    """One figure, as its source gives it."""

    system: str
    transport: str
    quantity: str
    """time_s (one way, at `bytes`), alpha_s or r_inf_Bps (of Hockney's line)."""
    bytes: int | None
    value: float
    definition: str
    source: str


@dataclass(frozen=True)
class Position:
    """A number of this run among the published ones of its kind."""

    quantity: str
    bytes: int | None
    value: float
    like: tuple[PublishedFigure, ...]
    """Ascending."""


@dataclass(frozen=True)
class PastPosition:
    """A number of this run among those of earlier runs of the same system."""

    what: str
    value: float
    earlier: int
    lower: int
    """The number of earlier ones that are lower."""
    median: float


@dataclass(frozen=True)
class Positions:
    transport: str | None
    """None for a simulated machine, which is not compared."""
    places: tuple[Position, ...]
    past: tuple[PastPosition, ...]
    definition: str | None
    """The definition of a sample of the run."""


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    text = files("hockney").joinpath("data", "published.json").read_bytes()
    return tuple(msgspec.json.decode(text, type=list[PublishedFigure]))


def transport_of(run: Run) -> str | None:
    """The network or memory that carries the messages; None where they are simulated."""
    if not run.launches:
        return UNKNOWN_NETWORK
    first = run.launches[0]
    if first.simulated:
        return None
    hosts = {place.host for place in first.places}
    if None in hosts or not hosts:
        return UNKNOWN_NETWORK
    if len(hosts) == 1:
        return SHARED_MEMORY
    recorded = run.header.environment.get("env")
    env = {**(recorded if isinstance(recorded, dict) else {}), **first.env}
    for name, networks in TCP_VARIABLES.items():
        chosen = set(str(env.get(name, "")).split(",")) - TO_ITSELF
        if chosen and chosen <= networks:
            return TCP
    return UNKNOWN_NETWORK


def positions(
    run: Run, estimates: Estimates, line: Fit | None, histories: Sequence[History] = ()
) -> Positions:
    """Compares ping-pong times, and Hockney's line through them, with published ones of the same
    transport, and with the run's own histories."""
    transport = transport_of(run)
    definition = run.launches[0].definition if run.launches else None
    own = _own_numbers(run, estimates, line) if transport is not None else {}
    places = []
    for (quantity, size), value in own.items():
        like = [
            one
            for one in published_figures()
            if (one.quantity, one.bytes) == (quantity, size) and _is_alike(one.transport, transport)
        ]
        if like:
            like.sort(key=lambda one: one.value)
            places.append(Position(quantity, size, value, tuple(like)))
    past = tuple(past for history in histories for past in _past(run.header.id, history))
    return Positions(transport, tuple(places), past, definition)


def _own_numbers(
    run: Run, estimates: Estimates, line: Fit | None
) -> dict[tuple[str, int | None], float]:
    """The run's numbers by quantity and size; only ping-pongs of one pair are published."""
    if run.header.experiment != "pingpong":
        return {}
    points = [p for p in estimates.headline if p.operation == "pingpong" and p.ranks in (2, None)]
    own: dict[tuple[str, int | None], float] = {
        ("time_s", point.bytes): point.typical_s for point in points
    }
    if line is None:
        return own
    known = {"alpha_s": line.parameters["alpha_s"], "r_inf_Bps": line.derived["r_inf_Bps"]}
    return own | {(name, None): p.value for name, p in known.items() if p.value is not None}


def _is_alike(other: str, own: str | None) -> bool:
    """True if two transports are alike; an unknown network is like any other between hosts."""
    if SHARED_MEMORY in (other, own):
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
            past.append(_among(trend.what, now, earlier))
    return past


def _among(what: str, now: RunPoint, earlier: Sequence[RunPoint]) -> PastPosition:
    values = [point.value for point in earlier]
    lower = sum(value < now.value for value in values)
    return PastPosition(what, now.value, len(values), lower, median(values))
