"""Notes last numbers of rows that lack digits which those of other rows have: they may be cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import LogTable

LEAST_ALIKE = 2
"""Least other rows that show how many decimals the last number has."""
LEAST_DECIMALS = 2
MOST_TIMES = 100.0
"""Most times by which a last number without an exponent exceeds all others."""
_LAST = re.compile(r"(?P<mantissa>\d+(?:\.(?P<decimals>\d*))?)(?P<exponent>[eE][-+]?\d+)?$")
_ZERO = re.compile(r"\.\d+0(?![\d.])")
"""Decimals that end in a zero: a program that leaves zeros out prints numbers of any length."""
_BEGUN = re.compile(r"[1-9](?:\.\d*)?")
"""A number that may have had an exponent."""

Ends = Mapping[int, re.Match[str]]
"""The last number of each row, by its line."""


def note_cut_numbers(log: Log, tables: Sequence[LogTable]) -> None:
    """Notes a last number that alone has fewer decimals than all others, and takes back one that
    ends in its point, or lacks an exponent."""
    for table in tables:
        lines = dict.fromkeys(row.line for row in table.rows if row.line)
        every = {line: _LAST.search(log.whole_line(line).rstrip()) for line in lines}
        ends = {line: match for line, match in every.items() if match}
        for line in [line for line, match in ends.items() if match[0].endswith(".")]:
            words = f"{ends.pop(line)[0]!r} has no decimals: it may be cut"
            table.take_back(log, [line], words)
        if (longest := _without_exponent(ends)) is not None:
            words = f"{ends.pop(longest)[0]} has no exponent: it may be cut"
            table.take_back(log, [longest], words)
        has_zeros = any(_ZERO.search(log.whole_line(line)) for line in ends)
        if has_zeros and (short := _without_decimals(ends)) is not None:
            table.note(
                f"{log.at(short)}: {ends[short][0]} has fewer decimals than the other rows: it may "
                "be cut; read as printed"
            )


def _without_exponent(ends: Ends) -> int | None:
    """The line whose number is far larger than the others, for want of its exponent."""
    values = {line: float(match[0]) for line, match in ends.items()}
    largest = max(values, key=lambda line: values[line], default=0)
    others = [line for line in ends if line != largest]
    if not others or not _BEGUN.fullmatch(ends[largest][0]):
        return None
    have_exponents = any(ends[line]["exponent"] for line in others)
    is_far = values[largest] > MOST_TIMES * max(values[line] for line in others)
    return largest if have_exponents and is_far else None


def _without_decimals(ends: Ends) -> int | None:
    """The line whose number has fewer decimals than all others, which have as many."""
    decimals = {line: len(match["decimals"] or "") for line, match in ends.items()}
    counts = Counter(decimals.values())
    if len(counts) != 2 or any(match["exponent"] for match in ends.values()):
        return None
    fewer, usual = sorted(counts)
    if counts[fewer] > 1 or counts[usual] < LEAST_ALIKE or usual < LEAST_DECIMALS:
        return None
    return next(line for line, count in decimals.items() if count == fewer)
