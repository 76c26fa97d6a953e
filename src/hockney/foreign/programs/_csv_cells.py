"""Cells of tables in CSV as people write them: decimal commas, thousands, units beside numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hockney.foreign.logs.table import LONGEST_NUMBER, RowError, number, whole

LONGEST_CELL = 60
"""Characters; a number with its unit is shorter."""
_WITH_UNIT = re.compile(
    r"(?P<number>[-+]?[\d.,]+(?:[eE][-+]?\d{1,3})?)\s*(?P<unit>[A-Za-zµμ][A-Za-zµμ/]*)"
)
_POINT = re.compile(r"[-+]?\d{1,3}(?:(?:,\d{3})+\.\d*|(?:,\d{3}){2,})")
"""A number whose commas can only be those of thousands: 1,234.5 or 1,048,576."""
_COMMA = re.compile(
    r"[-+]?(?:\d{1,3}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})"
    r"|(?:\d+,(?:\d{1,2}|\d{4,})|(?:0|\d{4,}),\d+)(?:[eE][-+]?\d{1,3})?)"
)
"""A number that can only have a decimal comma, or points in its thousands: 1,07 or 1.234,5 or
1.048.576."""
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(?:[eE][-+]?\d{1,3})?")
"""A number with a comma, once the table has shown that it is the decimal mark: 2,500 is 2.5."""
_SPACED = re.compile(r"[-+]?\d{1,3}(?: \d{3})+(?![\d ])")
"""Blanks between thousands: 1 048 576."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+")
"""A whole number with points between its thousands, beside decimal commas."""
UNIT_OF_SIZE = (
    r"(?:(?:[kmgt]i?|kilo|mega|giga|kibi|mebi|gibi)?(?:bytes?|bits?|b)|[kmgt]i?"
    r"|elements?|items?|words?|doubles?|floats?|int(?:eger)?s?)(?!\w)"
)
"""Pattern of words beside the number of a size that are its unit, also of those that `size_factor`
refuses, without regard to case."""
SIZE_UNITS = {"b": 1, "byte": 1, "bytes": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
"""Bytes of the units of sizes by which everybody means the same."""


def unit_of(cell: str) -> str | None:
    """The unit beside the number of a cell."""
    return _parts(cell)[1]


def decimal_mark(sizes: Sequence[str], values: Sequence[str]) -> str | None:
    """The decimal mark of a table, comma or point; None where nothing shows it."""
    marks = set()
    for cell in sizes:
        digits = _parts(cell)[0]
        # A size has no decimals, so a comma in it is of thousands, unless zeros follow.
        if _THOUSANDS.fullmatch(digits) and not digits.endswith(",000"):
            marks.add(".")
    for cell in (*sizes, *values):
        digits = _parts(cell)[0]
        if _POINT.fullmatch(digits):
            marks.add(".")
        elif _COMMA.fullmatch(digits):
            marks.add(",")
    return marks.pop() if len(marks) == 1 else None


def plain(cell: str, mark: str | None, is_whole: bool = False) -> tuple[str, str | None]:
    """The number with a decimal point, and its unit. is_whole: it has no decimals, as a size in
    bytes. Raises RowError where its mark is ambiguous."""
    digits, unit = _parts(cell)
    if mark == "," and is_whole and unit is None and _POINTS.fullmatch(digits):
        return digits.replace(".", ""), unit
    if mark == "," and (_COMMA.fullmatch(digits) or _DECIMAL_COMMA.fullmatch(digits)):
        return digits.replace(".", "").replace(",", "."), unit
    if mark == "." and _POINT.fullmatch(digits + ("" if "." in digits else ".")):
        return digits.replace(",", ""), unit
    may_group = "," in digits or (mark == "," and "." in digits)
    if may_group and any(char.isdigit() for char in digits):
        raise RowError(
            f"{digits[:LONGEST_NUMBER]!r} may have thousands or decimals: write it without "
            "thousands, and with a point"
        )
    return digits, unit


def size_factor(unit: str) -> int:
    """Bytes of a unit beside a size. Raises RowError unless everybody means the same by it."""
    if unit.lower() in SIZE_UNITS:
        return SIZE_UNITS[unit.lower()]
    is_prefixed = unit[:1].lower() in "kmgt"
    what = "may be of 1000 or 1024" if is_prefixed else "is no unit of sizes"
    raise RowError(f"{unit!r} {what}: write bytes, KiB, MiB or GiB")


def sized(digits: str, unit: str | None) -> int:
    """Bytes of a size in a text, which is in bytes if it has no unit. Raises RowError where the
    unit is ambiguous."""
    return size_of(digits, size_factor(unit or "B"))


def size_of(text: str, factor: int) -> int:
    """Bytes of a number in a unit: 1.5 of 1024 are 1536."""
    exact = number(text)
    return whole(text if exact is None or factor == 1 else str(exact * factor))


def _parts(cell: str) -> tuple[str, str | None]:
    cell = _SPACED.sub(lambda digits: digits[0].replace(" ", ""), cell.strip(), count=1)
    match = _WITH_UNIT.fullmatch(cell) if len(cell) <= LONGEST_CELL else None
    return (match["number"], match["unit"]) if match else (cell, None)
