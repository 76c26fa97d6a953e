"""Whether ranks or threads of a run shared CPUs, decided here for every experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from hockney.base.units import how_many
from hockney.records import Place, Run


@dataclass(frozen=True)
class Oversubscribed:
    """The node on which most ranks or threads shared a CPU."""

    host: str
    ranks: int
    """Ranks on the node, or their threads if ranks have several."""
    cpus: int
    """CPUs on which they took turns."""
    has_threads: bool

    @property
    def fact(self) -> str:
        cpus = how_many(self.cpus, "CPU")
        return f"oversubscribed: {self.ranks} {self._crowd} take turns on {cpus} of {self.host}"

    @property
    def text(self) -> str:
        return (
            f"{self.fact}: these times are the scheduler's, not the network's. Use no more "
            f"{self._crowd} than CPUs"
        )

    @property
    def _crowd(self) -> str:
        return "threads" if self.has_threads else "ranks"


def oversubscribed(run: Run) -> Oversubscribed | None:
    """The worst node; None if ranks had their own CPUs, were simulated, or their CPUs are
    unknown."""
    if run.is_simulated:
        return None
    part = run.taking_part
    crowded = [
        host
        for launch in run.launches
        for host in _crowded_hosts([place for place in launch.places if place.rank in part])
    ]
    return max(crowded, key=lambda node: node.ranks / node.cpus, default=None)


def _crowded_hosts(places: Sequence[Place]) -> Iterator[Oversubscribed]:
    known = sorted(
        (place for place in places if place.host is not None), key=lambda place: place.host or ""
    )
    for host, group in groupby(known, key=lambda place: place.host or ""):
        here = list(group)
        pus = [pu for place in here for pu in place.thread_pus or [place.pu]]
        cpus = _cpus_of(here, pus)
        if cpus and cpus < len(pus):
            yield Oversubscribed(host, len(pus), cpus, any(place.thread_pus for place in here))


def _cpus_of(places: Sequence[Place], pus: Sequence[int | None]) -> int | None:
    """Number of CPUs that these ranks of one node had; None if unknown. Ranks that are not pinned
    can use all that they are allowed, wherever they were when that was recorded."""
    if all(place.pinned for place in places):
        return None if None in pus else len(set(pus))
    return max((place.allowed for place in places if place.allowed is not None), default=None)
