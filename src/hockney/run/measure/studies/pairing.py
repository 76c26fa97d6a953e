"""Pairs ranks that exchange messages, and reads numbers of concurrent pairs."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.plan import bounds
from hockney.plan.option_files import option_text
from hockney.plan.workloads.pairs import Pair, Pairing, halves, neighbours

PAIRINGS = ("halves", "neighbours", "random")
SEED = 1
"""Fixes the random pairing, so that runs can be repeated and launches compared."""
GOES_ON = "..."
_PAIR = re.compile(r"(\d{1,9})(?:\s*,\s*|-|\s+)(\d{1,9})")


def pairing_of(text: str, ranks: int, idle_last: bool = False) -> Pairing:
    """The pairing of that name, or read from the file of that name.

    halves: rank r with r + n/2; neighbours: 2i with 2i + 1. With `idle_last`, the last of an odd
    number of ranks stays idle; without it, an odd number raises UsageError.
    """
    if ranks < 2:
        raise UsageError(f"pairs need at least two ranks, not {ranks}", "use -n 2 or more")
    if text not in PAIRINGS:
        return _read(text, ranks)
    if ranks % 2 and not idle_last:
        raise UsageError(
            f"{ranks} ranks cannot all be paired",
            f"use -n {ranks - 1} or -n {ranks + 1}, or leave rank {ranks - 1} out with --idle-last",
        )
    if text == "halves":
        return halves(ranks)
    if text == "neighbours":
        return neighbours(ranks)
    paired = list(range(ranks // 2 * 2))
    random.Random(SEED).shuffle(paired)
    return tuple(zip(paired[::2], paired[1::2], strict=True))


def _read(name: str, ranks: int) -> Pairing:
    advice = f"name {', '.join(PAIRINGS)}, or a file with two ranks per line"
    lines = option_text(Path(name), f"--pairing {name}", advice).splitlines()
    pairs = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        match = _PAIR.fullmatch(words)
        if not match:
            raise UsageError(
                f"{name}, line {number}: {words[:40]!r} is not a pair of ranks", "write 0 3"
            )
        pairs.append((int(match[1]), int(match[2])))
    return checked(pairs, ranks, name)


def checked(pairs: Iterable[Pair], ranks: int, name: str) -> Pairing:
    """The pairs. Raises UsageError unless each rank exists and is in one pair only."""
    pairing = tuple(pairs)
    if not pairing:
        raise UsageError(f"{name}: no pairs", "write two ranks per line")
    for rank, count in Counter(rank for pair in pairing for rank in pair).items():
        if rank >= ranks:
            raise UsageError(
                f"{name}: there is no rank {rank} among {ranks}",
                f"ranks are 0 to {ranks - 1}; -n sets how many",
            )
        if count > 1:
            raise UsageError(
                f"{name}: rank {rank} is named {count} times",
                "a rank can be in one pair only",
            )
    return pairing


def parse_counts(text: str, option: str, every: int | None = None) -> tuple[int, ...]:
    """Reads "1,2,8", "1,2,4,...,64" (doubling) or, if `every` gives the total, "1,2,4,...,all":
    numbers from 1 up, ascending, without repeats. Raises UsageError."""
    words = [word.strip() for word in text.split(",")]
    counts: list[int] = []
    for place, word in enumerate(words):
        if word != GOES_ON:
            counts.append(_count(word, text, option, every))
            continue
        follows = words[place + 1] if place + 1 < len(words) else ""
        if not counts or follows in ("", GOES_ON):
            raise UsageError(
                f"{option} {text}: {GOES_ON} must be between two numbers", "write 1,2,4,...,64"
            )
        if len(counts) > 1 and counts[-1] != 2 * counts[-2]:
            raise UsageError(
                f"{option} {text}: {GOES_ON} continues by doubling, which "
                f"{counts[-2]},{counts[-1]} does not",
                "write 1,2,4,...,64, or list all numbers",
            )
        last = _count(follows, text, option, every)
        while counts[-1] * 2 < last:
            counts.append(counts[-1] * 2)
    return tuple(sorted(set(counts)))


def _count(word: str, text: str, option: str, every: int | None) -> int:
    if word == "all" and every is not None:
        return every
    try:
        count = bounds.count(word, "messages in flight" if every is None else "ranks")
    except UsageError as error:
        raise UsageError(f"{option} {text[:40]}: {error.message}") from error
    if every is not None and count > every:
        raise UsageError(f"{option} {text}: only {how_many(every, 'pair')} can be made")
    return count
