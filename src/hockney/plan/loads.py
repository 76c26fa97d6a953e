"""Ranks that load the network while others are timed, and their load."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from hockney.base.errors import UsageError
from hockney.base.units import format_seconds, parse_seconds
from hockney.plan.option_files import option_text
from hockney.plan.placement import parse_cpus

Victim = Literal["pingpong", "stream", "allreduce"]
VICTIMS: tuple[Victim, ...] = ("pingpong", "stream", "allreduce")
"""Operations of the victims."""
Aggressor = Literal["incast", "outcast", "all-to-all", "ring", "permutation"]
AGGRESSORS: tuple[Aggressor, ...] = ("incast", "outcast", "all-to-all", "ring", "permutation")
"""Patterns of the load: all send to the first, the first to all, all to all, each to the next, and
each to the next in a random order."""
Placing = Literal["random", "blocks", "listed"]
STEADY = "steady"
LEAST_PHASE_S, MOST_PHASE_S = 1e-6, 10.0
"""Shortest and longest burst or gap; a shorter one is hidden by the duration of a message."""


class Burst(msgspec.Struct, frozen=True):
    """Aggressors send for a time and pause for another; both 0 where they never pause."""

    length_s: float = 0.0
    gap_s: float = 0.0

    @property
    def period_s(self) -> float:
        return self.length_s + self.gap_s


class Roles(msgspec.Struct, frozen=True, kw_only=True):
    """Which ranks are victims and which are aggressors."""

    placing: Placing = "random"
    """Placement of roles: random anew in each launch; in blocks, the victims first; or as
    listed."""
    victims: int = 2
    """The number of victims."""
    listed: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """Listed ranks of victims and of aggressors; all others sleep."""

    @property
    def text(self) -> str:
        """The roles as the engine's --roles takes them."""
        if self.placing != "listed":
            return f"{self.placing}:{self.victims}"
        return f"listed:{self.listed_text}"

    @property
    def listed_text(self) -> str:
        return "/".join(",".join(map(str, ranks)) for ranks in self.listed)

    def aggressors_of(self, ranks: int) -> int:
        """The number of aggressors among this number of ranks."""
        return len(self.listed[1]) if self.placing == "listed" else ranks - self.victims


def parse_bursts(text: str) -> tuple[Burst, ...]:
    """Reads "steady,1ms/500us": bursts of 1 ms with gaps of 500 us."""
    return tuple(dict.fromkeys(map(_burst, text.split(","))))


def _burst(text: str) -> Burst:
    if text.strip() == STEADY:
        return Burst()
    length, slash, gap = text.partition("/")
    if not slash:
        raise UsageError(
            f"{text!r} is no burst and its gap", "write steady, or LENGTH/GAP such as 1ms/500us"
        )
    # As the records have them.
    burst = Burst(*(float(f"{parse_seconds(part):.9g}") for part in (length, gap)))
    for seconds in (burst.length_s, burst.gap_s):
        if not LEAST_PHASE_S <= seconds <= MOST_PHASE_S:
            raise UsageError(
                f"{text!r}: {format_seconds(seconds)} is not between "
                f"{format_seconds(LEAST_PHASE_S)} and {format_seconds(MOST_PHASE_S)}",
                "choose other bursts, or steady",
            )
    return burst


def roles_of(text: str, victims: int | None) -> Roles:
    """Reads "random", "blocks", or a file with the lines "victims 0,1" and "aggressors 2-7"."""
    if text in ("random", "blocks"):
        placing: Placing = "random" if text == "random" else "blocks"
        return Roles(placing=placing, victims=2 if victims is None else victims)
    if victims is not None:
        raise UsageError(
            f"--victims: {text} lists them", "leave it out, or use --roles random or blocks"
        )
    listed = _listed(Path(text))
    return Roles(placing="listed", victims=len(listed[0]), listed=listed)


def _listed(path: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
    by_role: dict[str, tuple[int, ...]] = {}
    advice = "name a file of roles, or use random or blocks"
    for line in option_text(path, f"--roles {path}", advice).splitlines():
        role, _, ranks = line.partition("#")[0].strip().partition(" ")
        if not role:
            continue
        if role not in ("victims", "aggressors") or role in by_role:
            raise UsageError(
                f"{path}: {line[:40]!r} is not the one line of victims or of aggressors",
                'write two lines, such as "victims 0,1" and "aggressors 2-7"',
            )
        try:
            by_role[role] = parse_cpus(ranks.strip())
        except UsageError as error:
            raise UsageError(
                f"{path}: {ranks[:40]!r} is no list of ranks", "write 0,1,4-7"
            ) from error
    listed = by_role.get("victims", ()), by_role.get("aggressors", ())
    twice = {rank for rank in listed[0] if rank in listed[1]}
    twice |= {rank for each in listed for rank in each if each.count(rank) > 1}
    if twice:
        raise UsageError(f"{path}: rank {min(twice)} is given twice", "give it one role")
    return listed
