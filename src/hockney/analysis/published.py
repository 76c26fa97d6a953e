"""Is it normal? A result beside published figures of like systems, and beside its own past."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import median

import msgspec

from hockney.analysis.history import History, RunPoint
from hockney.estimate.points import Estimates
from hockney.records import Run

SHARED_MEMORY, TCP = "shared memory", "TCP/IP"
UNKNOWN_NETWORK = "network not told"
"""Of figures whose source does not name the network, and of runs whose records do not."""
TCP_VARIABLES = {"FI_PROVIDER": {"tcp", "sockets"}, "UCX_TLS": {"tcp"}, "OMPI_MCA_btl": {"tcp"}}
"""Variables that choose TCP alone. Verbs are no such sign: they run over Ethernet, too."""
TO_ITSELF = {"self", "sm", "vader", "shm", ""}
"""Transports that never leave a host, named beside the network's."""


class Published(msgspec.Struct, frozen=True):
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
class Place:
    """A number of this run among the published ones of its kind."""

    quantity: str
    bytes: int | None
    value: float
    like: tuple[Published, ...]
    """Ascending."""


@dataclass(frozen=True)
class Past:
    """A number of this run among those of earlier runs of the same system."""

    what: str
    value: float
    earlier: int
    lower: int
    """How many of them are lower."""
    median: float


@dataclass(frozen=True)
class Beside:
    transport: str | None
    """None for a simulated machine, which is set beside nothing."""
    places: tuple[Place, ...]
    past: tuple[Past, ...]
    definition: str | None
    """Of the run's own samples."""


@cache
def published() -> tuple[Published, ...]:
    text = files("hockney").joinpath("data", "published.json").read_bytes()
    return tuple(msgspec.json.decode(text, type=list[Published]))


def transport_of(run: Run) -> str | None:
    """What carries the messages, as far as the record tells; None where they are simulated."""
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


def beside(
    run: Run,
    estimates: Estimates,
    fitted: Mapping[str, float | None],
    histories: Sequence[History] = (),
) -> Beside:
    """Sets pingpong times and Hockney's line (fitted: its alpha_s and r_inf_Bps, where they are
    known) beside the published ones that are alike."""
    transport = transport_of(run)
    definition = run.launches[0].definition if run.launches else None
    own = _own_numbers(run, estimates, fitted) if transport is not None else {}
    places = []
    for (quantity, size), value in own.items():
        like = [one for one in published() if (one.quantity, one.bytes) == (quantity, size)
                and _is_alike(one.transport, transport)]  # fmt: skip
        if like:
            like.sort(key=lambda one: one.value)
            places.append(Place(quantity, size, value, tuple(like)))
    past = tuple(past for history in histories for past in _past(run.header.id, history))
    return Beside(transport, tuple(places), past, definition)


def _own_numbers(
    run: Run, estimates: Estimates, fitted: Mapping[str, float | None]
) -> dict[tuple[str, int | None], float]:
    """By quantity and size; only ping-pongs of one pair are published."""
    if run.header.experiment != "pingpong":
        return {}
    points = [p for p in estimates.headline if p.operation == "pingpong" and p.ranks in (2, None)]
    own: dict[tuple[str, int | None], float] = {
        ("time_s", point.bytes): point.typical_s for point in points
    }
    known = {name: value for name, value in fitted.items() if value is not None}
    return own | {(name, None): value for name, value in known.items()}


def _is_alike(other: str, own: str | None) -> bool:
    """Of one kind; where either network is not told, any between hosts."""
    if SHARED_MEMORY in (other, own):
        return other == own
    return UNKNOWN_NETWORK in (other, own) or other == own


def _past(own_id: str, history: History) -> list[Past]:
    """The run itself, where it is in the history, against all before it."""
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


def _among(what: str, now: RunPoint, earlier: Sequence[RunPoint]) -> Past:
    values = [point.value for point in earlier]
    lower = sum(value < now.value for value in values)
    return Past(what, now.value, len(values), lower, median(values))
