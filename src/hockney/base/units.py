"""Reads and writes sizes, times and fractions for people."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

from hockney.base.errors import UsageError

FACTORS = {
    "": 1,
    "B": 1,
    "kB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
}
LARGEST_SIZE = 2**63 - 1
"""Fits into a C `size_t` and a JSON reader's integers."""
LONGEST_S = 1e9
"""Longest time (s) that is accepted: 30 years."""

_SIZE = re.compile(r"\s*(\d{1,40}(?:\.\d{1,40})?(?:[eE]\+?\d{1,2})?)\s*([A-Za-z]*)\s*")
_RANGE = re.compile(
    r"(?P<first>[^.]+(?:\.\d+[^.]*)?)\.\.(?P<last>[^x/]+)(?:x(?P<factor>.+)|/(?P<per>.+))?"
)
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}


def parse_size(text: str) -> int:
    """Bytes of "4096", "4KiB", "4e6" or "1.5MiB"."""
    match = _SIZE.fullmatch(text)
    if not match:
        raise UsageError(
            f"{text.strip()!r} is not a size", "write bytes such as 8, 64KiB, 1.5MiB or 4e6"
        )
    number, unit = match.groups()
    if unit not in FACTORS:
        near = {name.lower(): name for name in FACTORS}.get(unit.lower())
        advice = f"did you mean {near}? " if near else ""
        raise UsageError(
            f"{text.strip()!r}: unknown unit {unit!r}",
            advice + "known are B, kB, MB, GB (1000) and KiB, MiB, GiB (1024)",
        )
    exact = Fraction(number) * FACTORS[unit]
    if exact > LARGEST_SIZE:
        raise UsageError(f"{text.strip()!r} is too large: the limit is 2^63-1 bytes")
    if exact.denominator != 1:
        raise UsageError(f"{text.strip()!r} is not a whole number of bytes")
    return int(exact)


def parse_sizes(text: str) -> list[int]:
    """Sizes (bytes) of a list such as "0,1,8", "1..4MiB" (powers of two), "1..4e6x10" (by tens),
    "1KiB..1MiB/4" (four per octave): ascending, without repeats."""
    sizes: set[int] = set()
    for item in text.split(","):
        if not item.strip():
            raise UsageError(f"{text!r}: an empty entry in the list of sizes")
        sizes.update(_range(item) if ".." in item else [parse_size(item)])
    return sorted(sizes)


def _range(item: str) -> list[int]:
    match = _RANGE.fullmatch(item.strip())
    if not match:
        raise UsageError(
            f"{item!r} is not a range of sizes", "write 1..4MiB, 1..4e6x10 or 1KiB..1MiB/4"
        )
    first, last = parse_size(match["first"]), parse_size(match["last"])
    if first < 1 or last < first:
        raise UsageError(f"{item!r}: a range must ascend, from at least 1 byte")
    factor = 2.0
    if match["factor"]:
        factor = _positive(match["factor"], item)
        if factor < 1.01:
            raise UsageError(f"{item!r}: the factor of a range must be above 1")
    elif match["per"]:
        steps = _positive(match["per"], item)
        if steps > 64:
            raise UsageError(f"{item!r}: at most 64 sizes per octave")
        factor = 2.0 ** (1.0 / steps)
    sizes = (round(first * factor**step) for step in itertools.count())
    return list(itertools.takewhile(lambda size: size <= last, sizes))


def _positive(text: str, item: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < math.inf:
        raise UsageError(f"{item!r}: {text!r} is not a number above 0")
    return value


def parse_seconds(text: str) -> float:
    """Seconds of "10", "10s", "500ms" or "2min"; above 0."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s*([a-z]*)\s*", text)
    seconds = float(match[1]) * _SECONDS.get(match[2], 0.0) if match else 0.0
    if not 0.0 < seconds <= LONGEST_S:
        raise UsageError(
            f"{text!r} is not a time above 0 and up to {LONGEST_S:.0e} s",
            "write 10s, 500ms or 2min",
        )
    return seconds


def parse_nanoseconds(text: str) -> float:
    """Nanoseconds of a time, read as by parse_seconds()."""
    return 1e9 * parse_seconds(text)


def parse_share(text: str, may_be_whole: bool = False) -> float:
    """A fraction between 0 and 1 of "1%" or "0.01". may_be_whole: 1 is allowed, too."""
    stripped = text.strip()
    try:
        value = float(stripped.removesuffix("%")) / (100.0 if stripped.endswith("%") else 1.0)
    except ValueError:
        value = -1.0
    if not (0.0 < value < 1.0 or (may_be_whole and value == 1.0)):
        most = "100 % at most" if may_be_whole else "less than 100 %"
        raise UsageError(f"{text!r} is not a fraction above 0 and {most}", "write 1% or 0.01")
    return value


def parse_factor(text: str) -> float:
    """The 3 of "3x"."""
    try:
        value = float(text.strip().removesuffix("x"))
    except ValueError:
        value = 0.0
    if not 1.0 <= value <= 1e6:
        raise UsageError(f"{text!r} is not a factor from 1 up", "write 3x or 1.5x")
    return value


MOST_UNCERTAIN = 0.5
"""Largest half-width shown, as a fraction of its number: above it the interval is wider than the
number."""


UNKNOWN_HALF_WIDTH = 0.005
"""Half-width of an estimated size without an interval, as a fraction of it: three digits."""


TWO_DIGITS = 3.55
"""Largest leading digits of an uncertainty that is written with two of them, and the number to the
same decimal place: the rule of the Particle Data Group (354 rounds to two digits, 355 to one)."""


def known_decimals(value: float, half_width: float) -> int:
    """Decimal places to which a number with an interval of that half-width is known; negative
    where its last digits before the point are not. Two digits always count as known: an interval
    wider than the number would round it away."""
    power = math.floor(math.log10(half_width))
    two = 1 - math.floor(math.log10(abs(value))) if value else 0
    return max(int(half_width / 10.0**power < TWO_DIGITS) - power, two)


def known(value: float, half_width: float | None) -> float:
    """The value, rounded to the digits that are known; itself without an interval."""
    return round(value, known_decimals(value, half_width)) if half_width else value


def format_uncertainty(half_width: float, decimals: int | None = None) -> str:
    """The half-width of an interval as a fraction of its number: "±1.3 %"; "not known" where the
    interval is wider than the number. decimals: two digits by default."""
    percent = 100.0 * half_width
    if decimals is None:
        decimals = 1 if percent < 9.95 else 0
    return f"±{percent:.{decimals}f} %" if half_width <= MOST_UNCERTAIN else "not known"


def format_ratio(ratio: float, digits: int = 3) -> str:
    """A ratio in so many known digits, never with an exponent: "0.288", "12.5", "1,540"."""
    text = f"{ratio:.{digits}g}"
    return f"{Decimal(text):,f}" if math.isfinite(ratio) else text


def format_percent(fraction: float, digits: int = 2) -> str:
    """A fraction as a percentage in so many known digits: "0.12 %", "100 %"."""
    return f"{format_ratio(100.0 * fraction, digits)} %"


def whole_percent(fraction: float) -> str:
    return f"{100.0 * fraction:.0f} %"


def tenth_percent(fraction: float) -> str:
    return f"{100.0 * fraction:.1f} %"


def exact_percent(fraction: float) -> str:
    """A fraction that somebody chose: "1 %", "0.5 %"."""
    return f"{100.0 * fraction:g} %"


def format_size(size: int) -> str:
    """The exact size: "4 KiB" if that is whole, else "5000 B"."""
    for unit in ("GiB", "MiB", "KiB"):
        if size and size % FACTORS[unit] == 0:
            return f"{size // FACTORS[unit]} {unit}"
    return f"{size} B"


def format_estimated_size(size: float, low: float | None = None, high: float | None = None) -> str:
    """A size that was estimated, in the digits that its interval leaves: "1.4 MiB" of one between
    256 KiB and 4 MiB, the byte where it is known to the byte; three digits without an interval."""
    if low is None or high is None:
        low, high = (1.0 - UNKNOWN_HALF_WIDTH) * size, (1.0 + UNKNOWN_HALF_WIDTH) * size
    if high - low <= 1.0:
        return format_size(round(size))
    # Not 1000 KiB, which is none of the sizes that were measured, but 0.98 MiB.
    unit = next((unit for unit in ("GiB", "MiB", "KiB") if 1.024 * size >= FACTORS[unit]), "B")
    half_width = (high - low) / 2.0 / FACTORS[unit]
    return f"{known(size / FACTORS[unit], half_width):.4g} {unit}"


def format_sizes(least: int, most: int) -> str:
    """A range of sizes: "513 B .. 1 KiB"."""
    return format_size(least) if least == most else f"{format_size(least)} .. {format_size(most)}"


def plural(count: float, what: str) -> str:
    """The words that follow a count: "launch" for 1, "launches" for 0 and 2."""
    end = "es" if what.endswith(("ch", "s")) else "s"
    return what if count == 1 else f"{what}{end}"


def how_many(count: int, what: str) -> str:
    """ "1 launch", "2 launches", "0 ranks"."""
    return f"{count} {plural(count, what)}"


def from_to(numbers: Iterable[int]) -> str:
    """The least and the largest number: "3 to 5", or "3" where they are equal."""
    every = sorted(numbers)
    return " to ".join(map(str, dict.fromkeys((every[0], every[-1]))))


def first_few(texts: Sequence[str], most: int, what: str = "") -> list[str]:
    """The first texts, and how many more there are: "a", "b", "and 3 more". what: "pair" for "and 3
    more pairs"."""
    left = len(texts) - most
    more = how_many(left, f"more {what}") if what else f"{left} more"
    return [*texts[:most], *[f"and {more}"] * (left > 0)]


def listed(names: Sequence[object], most: int, what: str = "") -> str:
    """The first names as a list in a sentence: "a, b and 3 more". what: as of `first_few`."""
    few = first_few(list(map(str, names)), most, what)
    return " ".join(filter(None, (", ".join(few[:most]), *few[most:])))


def number_ranges(numbers: Iterable[int]) -> list[str]:
    """Numbers in their order, those that follow each other as a range: "0-3" and "8"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    return ["-".join(map(str, ends)) for ends in ranges]


def format_seconds(seconds: float | None, digits: int = 4) -> str:
    """A time with its unit; "-" if unknown."""
    if seconds is None:
        return "-"
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= factor:
            return f"{seconds / factor:.{digits}g} {unit}"
    return f"{seconds / 1e-9:.{digits}g} ns"


def format_rate(bytes_per_second: float | None, half_width: float | None = None) -> str:
    """A bandwidth in binary units, in the digits that its interval leaves; "-" if unknown."""
    if bytes_per_second is None:
        return "-"
    units = (unit for unit in ("GiB", "MiB", "KiB") if bytes_per_second >= FACTORS[unit])
    unit = next(units, "B")
    factor = FACTORS[unit]
    return f"{known(bytes_per_second / factor, half_width and half_width / factor):.4g} {unit}/s"
