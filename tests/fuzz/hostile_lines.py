"""Changes to the lines of a file, whatever is in them: all of it that files of any kind share."""

from __future__ import annotations

import random
from collections.abc import Callable

LONGEST_REPEATED = 100_000
"""Bytes: a file is far smaller than the memory it may take."""
Change = Callable[[random.Random, list[bytes]], None]


def order(chance: random.Random, lines: list[bytes]) -> None:
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[at], lines[to] = lines[to], lines[at]


def again(chance: random.Random, lines: list[bytes]) -> None:
    line = chance.choice(lines)[:LONGEST_REPEATED]
    lines.insert(chance.randrange(len(lines) + 1), line * chance.choice((1, 30)))


def without(chance: random.Random, lines: list[bytes]) -> None:
    if len(lines) > 1:
        del lines[chance.randrange(len(lines))]


def other_bytes(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    line = bytearray(lines[at])
    for _ in range(chance.choice((1, 3, 30))):
        if line:
            line[chance.randrange(len(line))] = chance.randrange(256)
    lines[at] = bytes(line)
