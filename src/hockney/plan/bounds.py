"""Valid ranges of numbers. Values outside are corruption in a record, and refused in a plan: each
count is bounded where it is read, before anything grows with it."""

import math
from collections.abc import Iterable
from typing import Annotated

import msgspec

from hockney.base.errors import UsageError

MOST = {
    "ranks": 1 << 20,
    "nodes": 1 << 20,
    "ranks per node": 1 << 16,
    "launches": 1_000_000,
    "messages in flight": 1 << 20,
    "parts of a message": 1 << 20,
    "repetitions": 1 << 30,
    "threads": 1024,
    "numbers in a list": 10_000,
    "combinations": 1000,
}
"""Largest values that a plan may ask for."""
LARGEST_INT = 2**31 - 1
"""MPI counts elements, displacements and the bytes of MPI_Pack in an int of C."""
LONGEST_NUMBER = 18
"""Most digits of a number; a longer one exceeds every bound."""


def count(text: str, of: str, least: int = 1) -> int:
    """The number in a text, from `least` up to MOST[of]. Raises UsageError."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal()) or (
        len(digits) <= LONGEST_NUMBER and int(digits) < least
    ):
        raise UsageError(f"{text[:40]!r} is not a number from {least} up")
    check_count(int(digits) if len(digits) <= LONGEST_NUMBER else math.inf, of, digits)
    return int(digits)


def is_whole(text: str) -> bool:
    """Whether a text is a whole number of no more digits than any that can be meant. Python reads
    no number of thousands of digits."""
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER


def check_count(number: float, of: str, shown: str | None = None) -> None:
    """Raises UsageError for a number above the bound of a plan."""
    if number > MOST[of]:
        words = (shown or f"{number}")[:40]
        raise UsageError(f"{words} {of}: at most {MOST[of]} can be asked for")


def check_combinations(counts: Iterable[int], where: str) -> None:
    """Raises UsageError if lists of so many values have too many combinations."""
    if (total := math.prod(counts)) > MOST["combinations"]:
        shown = f"{total}" if total < 10**LONGEST_NUMBER else f"10^{math.floor(math.log10(total))}"
        raise UsageError(
            f"{where}: {shown} combinations, at most {MOST['combinations']} are measured",
            "give fewer values",
        )


LARGEST_WHOLE = 2**62
Whole = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_WHOLE)]
"""A size or a count."""
LARGEST_NS = 1e18
Nanoseconds = Annotated[float, msgspec.Meta(ge=0.0, le=LARGEST_NS)]
"""Nanoseconds, up to 30 years."""
LARGEST_S = 1e9
Seconds = Annotated[float, msgspec.Meta(ge=-LARGEST_S, le=LARGEST_S)]
"""Seconds of up to 30 years; below 0 if clocks differ."""
