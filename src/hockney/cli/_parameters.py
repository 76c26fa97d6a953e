"""Types of options: the parser of each, and the error message for a wrong value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import click

from hockney.base import units
from hockney.base.errors import UsageError
from hockney.plan.arrivals import parse_arrival, parse_skew
from hockney.plan.loads import parse_bursts

AUTO = "auto"
"""Value of an option whose values are searched."""


class Words(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """An option read by one of our parsers; `name` is its placeholder in the help, `names` are the
    words that it takes, where these are all that it takes."""

    def __init__(self, name: str, parse: Callable[[str], Any], names: Sequence[str] = ()) -> None:
        self.name, self.names = name, names
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class Named(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """A name out of those that `names` finds, when there is a need to know them."""

    def __init__(self, names: Callable[[], Sequence[str]]) -> None:
        self._names = names
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override, unused-ignore]
        return tuple(self._names())


def count_of(of: str, least: int = 1) -> Words:
    """A whole number from `least` up to plan.bounds.MOST[of]."""

    def read(text: str) -> int:
        from hockney.plan.bounds import count

        return count(text, of, least)

    return Words("integer", read)


def some_of(names: Sequence[str], *, strict: bool = False) -> Words:
    """One or more of these names, separated by commas. strict: "all" stands for all of them, and
    none may be given twice."""

    def read(text: str) -> tuple[str, ...]:
        if strict and text == "all":
            return tuple(names)
        words = [word.strip() for word in text.split(",")] if text or strict else []
        for word in words:
            if word not in names:
                raise UsageError(f"{word!r} is none of {', '.join(names)}")
        once = tuple(dict.fromkeys(words))
        if strict and len(once) < len(words):
            raise UsageError(f"{text!r} names one of them twice")
        return once

    return Words("list", read, names)


def _launches(text: str) -> tuple[int, int | None]:
    from hockney.plan.bounds import check_count

    first, dots, last = text.partition("..")
    try:
        least = int(first)
        most = least if not dots else int(last) if last else None
    except ValueError:
        least, most = 0, 0
    if least < 1 or (most is not None and most < least):
        raise UsageError(
            f"{text!r} is not a number of launches", "write 5 (exactly), 5.. (at least) or 5..20"
        )
    check_count(max(least, most or 0), "launches")
    return least, most


def _peers(text: str) -> tuple[int, int]:
    try:
        first, second = (int(part) for part in text.split(","))
    except ValueError:
        first = second = -1
    if first < 0 or second < 0 or first == second:
        raise UsageError(f"{text!r} is not two different ranks", "write 0,3")
    return first, second


def _cpus(text: str) -> tuple[int, ...]:
    from hockney.plan.placement import parse_cpus

    return parse_cpus(text) if text else ()


def _hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(host.strip() for host in text.split(",")) if text else ()
    if not all(hosts):
        raise UsageError(f"{text[:40]!r} has a host without a name", "write a,b")
    return hosts


def _counts(
    text: str, of: str = "ranks", fewer: str = "at least two ranks are needed", least: int = 2
) -> list[int]:
    """ "2,4,8", "2..64" by doubling, "2,4,...,48" on as it began."""
    from hockney.plan.bounds import MOST, check_count

    wrong = UsageError(f"{text!r} is not a list of {of}", "write 2,4,8 or 2..64")
    counts: list[int] = []
    items = text.split(",")
    try:
        for item, following in zip(items, [*items[1:], ""], strict=True):
            first, dots, last = item.partition("..")
            if item.strip() == "...":
                between = range(counts[-1], int(following), counts[-1] - counts[-2])
                check_count(len(between), "numbers in a list")
                counts += between
            elif dots:
                counts += (
                    int(first) << step for step in range((int(last) // int(first)).bit_length())
                )
            else:
                counts.append(int(item))
    except (ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        raise wrong from error
    if not counts or min(counts) < least:
        raise UsageError(f"{text!r}: {fewer}")
    if max(counts) > MOST["ranks"]:
        raise UsageError(f"{text[:40]!r}: {of} are at most {MOST['ranks']}")
    return sorted(set(counts))


def _or_auto(parse: Callable[[str], list[int]]) -> Callable[[str], list[int] | str]:
    return lambda text: AUTO if text == AUTO else parse(text)


SIZES = Words("sizes", units.parse_sizes)
SIZE = Words("size", units.parse_size)
SECONDS = Words("time", units.parse_seconds)
ARRIVAL = Words("patterns", parse_arrival)
SKEW = Words("skew", parse_skew)
BURSTS = Words("bursts", parse_bursts)
FRACTION = Words("fraction", units.parse_share)
UP_TO_ALL = Words("fraction", lambda text: units.parse_share(text, may_be_whole=True))
LAUNCHES = Words("launches", _launches)
COUNTS = Words("ranks", _counts)
RADICES = Words("radices", _or_auto(lambda text: _counts(text, "radices", "a radix is 2 or more")))
REQUESTS_IN_FLIGHT = Words(
    "requests",
    _or_auto(lambda text: _counts(text, "requests", "a limit is 1 or more", 1)),
)
SEGMENTS = Words("sizes", _or_auto(units.parse_sizes))
PEERS = Words("ranks", _peers)
HOSTS = Words("hosts", _hosts)
CPUS = Words("CPUs", _cpus)
