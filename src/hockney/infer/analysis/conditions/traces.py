"""What a run recorded of its circumstances while it measured: the ways of messages, the places of
ranks, the speed of cores and what took their time. They show whether a setting had an effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from hockney.infer.analysis.conditions.transports import REACHES
from hockney.records import LaunchRecord, Noise, Place, Run

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

LARGE_BYTES = 65536
"""Sizes from this on are large: of the messages that show their way, those of 1 MiB."""


@dataclass(frozen=True)
class Traces:
    """Medians over launches of the largest value of any rank; None where it is unknown."""

    small_way: str | None
    large_way: str | None
    """What carried small and large messages."""
    libraries: frozenset[str] | None
    """Libraries of networks that ranks have loaded; None if that was not recorded."""
    port_rates: str | None
    resent: int
    distance: str | None
    """What the ranks share: "one CPU", "one last-level cache", ..., "nothing: other hosts"."""
    cpus: str | None
    hosts: tuple[str, ...]
    pinned: bool | None
    handover_s: float | None
    compute_s: float | None
    waited: float | None
    """Fraction of the time in which a rank was ready to run and something else ran on its CPU."""
    stolen: float | None
    """Fraction of the time that the hypervisor took."""
    throttled: float | None
    """Fraction of the time in which a quota of CPU time stopped the rank."""
    moved: float | None
    """How often a rank was seen on another CPU."""
    switches: tuple[str, ...]
    """Sizes at which protocols change, as `--refine` locates them."""
    clock_cost_s: float | None
    batch_s: float | None


def traces_of(analysis: Analysis) -> Traces:
    run = analysis.run
    first = typical_launch(run)
    taking_part = run.taking_part
    places = _places_of(first, taking_part)
    ways = analysis.transports
    paths = [path for reach in REACHES for path in (ways.of(reach) if ways else [])]
    rates = {
        f"{port.name} {port.rate_Gbps:g} Gb/s"
        for node in (ways.nodes if ways else ())
        for port in node.ports
        if port.rate_Gbps and (port.carried or port.packets)
    }
    whole = [record for record in run.paths if record.reach == "launch"]
    noises = [noise for noise in run.noises if noise.rank in taking_part]
    states = analysis.states.states
    return Traces(
        small_way=_usual(path.text for path in paths if path.bytes < LARGE_BYTES),
        large_way=_usual(path.text for path in paths if path.bytes >= LARGE_BYTES),
        libraries=frozenset(name for record in whole for name in record.libraries)
        if whole
        else None,
        port_rates=", ".join(sorted(rates)) or None,
        resent=ways.resent if ways else 0,
        distance=_distance(places),
        cpus=_cpus(places),
        hosts=hosts_of(first, taking_part),
        pinned=all(place.pinned for place in places) if places else None,
        handover_s=states[0].handover_s if states else None,
        compute_s=_of_launches(noises, lambda noise: noise.probe_s),
        waited=_of_launches(noises, lambda row: _over(row.waited_s, row.wall_s)),
        stolen=_of_launches(noises, lambda row: _over(row.steal_s, row.wall_s)),
        throttled=_of_launches(noises, lambda row: _over(row.throttled_s, row.wall_s)),
        moved=_of_launches(noises, lambda noise: noise.migrations),
        switches=tuple(f"{switch.low_bytes} to {switch.high_bytes} B" for switch in run.switches),
        clock_cost_s=first.clock.cost_s,
        batch_s=first.batch_s,
    )


def _places_of(launch: LaunchRecord, ranks: Container[int]) -> list[Place]:
    return sorted((p for p in launch.places if p.rank in ranks), key=lambda place: place.rank)


def hosts_of(launch: LaunchRecord, ranks: Container[int]) -> tuple[str, ...]:
    """The host of each of these ranks."""
    return tuple(place.host or "unknown" for place in _places_of(launch, ranks))


def typical_launch(run: Run) -> LaunchRecord:
    """The first launch on the hosts that most of them had."""
    taking_part = run.taking_part
    hosts = [hosts_of(launch, taking_part) for launch in run.launches]
    if not hosts:
        return LaunchRecord(launch=0)
    ((usual, _),) = Counter(hosts).most_common(1)
    return run.launches[hosts.index(usual)]


def _usual(texts: Iterable[str]) -> str | None:
    """The most frequent text that is known."""
    known = [text for text in texts if text != "unknown"]
    return max(known, key=known.count) if known else None


def _over(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else part / whole


def _of_launches(noises: Iterable[Noise], of: Callable[[Noise], float | None]) -> float | None:
    """The median over launches of the largest value of any rank."""
    by_launch: dict[int, list[float]] = {}
    for noise in noises:
        if (value := of(noise)) is not None:
            by_launch.setdefault(noise.launch, []).append(value)
    return median(map(max, by_launch.values())) if by_launch else None


SHARED = {
    "pu": "one CPU",
    "core_of_node": "one core",
    "l2": "one L2 cache",
    "l3": "one last-level cache",
    "numa": "one NUMA node",
    "package": "one socket",
}
"""What ranks may share, the closest first, by the field of a place."""


def _distance(places: list[Place]) -> str | None:
    if len(places) < 2 or any(place.host is None for place in places):
        return None
    if len({place.host for place in places}) > 1:
        return "nothing: they are on several hosts"
    if any(place.pu is None for place in places):
        return None
    for name, words in SHARED.items():
        scopes = {getattr(place, name) for place in places}
        if len(scopes) == 1:
            if None not in scopes:
                return words
            if name == "core_of_node":
                return None  # they may share one
    return "one host"


def _cpus(places: list[Place]) -> str | None:
    if not places or any(place.pu is None for place in places):
        return None
    return ",".join(str(place.pu) for place in places)
