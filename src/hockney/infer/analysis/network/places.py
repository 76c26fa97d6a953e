"""The hardware that two ranks share, from where they really ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from hockney.plan.topology import LEVELS, level_between
from hockney.records import LaunchRecord, Place, Run

SHARED = (
    "same CPU",
    "same core",
    "same L2",
    "same L3",
    "same package",
    "same node",
    *LEVELS,
    "different nodes",
)
"""Levels of hardware that two places may share, the nearest first."""
BETWEEN_NODES = SHARED[SHARED.index("same node") + 1 :]
UNKNOWN = "unknown places"


def places_of(run: Run) -> dict[int, Place]:
    """The place of each rank in the first launch; where launches of as many ranks were on other
    hosts, in the first on those that most of them had."""
    if not run.launches:
        return {}
    count = len(run.launches[0].places)
    alike = [launch.places for launch in run.launches if len(launch.places) == count]
    hosts = [tuple(place.host for place in places) for places in alike]
    ((usual, _),) = Counter(hosts).most_common(1)
    return {place.rank: place for place in alike[hosts.index(usual)]}


def host_of(places: Mapping[int, Place], rank: int) -> str:
    """The name of a rank's host; of an unknown one the rank."""
    place = places.get(rank)
    return (place.host if place else None) or f"rank {rank}"


def places_by_count(launches: Iterable[LaunchRecord]) -> dict[int, list[Place]]:
    """The places of the ranks in the last launch with as many."""
    return {len(launch.places): launch.places for launch in launches}


def shared(first: Place | None, second: Place | None) -> str:
    """The nearest of SHARED, or UNKNOWN where a host is not known."""
    if first is None or second is None or first.host is None or second.host is None:
        return UNKNOWN
    if first.host != second.host:
        ends = (first.host, first.topology), (second.host, second.topology)
        return level_between(*ends) or SHARED[-1]
    same = {
        "same CPU": (first.pu, second.pu),
        "same core": (first.core_of_node, second.core_of_node),
        "same L2": (first.l2, second.l2),
        "same L3": (first.l3, second.l3),
        "same package": (first.package, second.package),
    }
    return next((name for name, (a, b) in same.items() if a is not None and a == b), "same node")
