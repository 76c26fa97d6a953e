"""Layouts of messages: where their bytes lie in memory, as a datatype of MPI describes it.

    vector:COUNT:BLOCK:STRIDE        COUNT blocks of BLOCK bytes, STRIDE bytes from start to start
    indexed:LENGTH@OFFSET:...        blocks of LENGTH bytes at OFFSET
    struct:[Nx]TYPE@OFFSET:...       members, TYPE one of char, int, float, double
    subarray:SIZES:PART[:STARTS]     part of an array of doubles, each list as 64x64 or 8x8x8

The engine has a reader of its own (layout.c), for users who start it by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from hockney.base.errors import UsageError
from hockney.plan.bounds import LARGEST_INT

KINDS = (
    "vector:COUNT:BLOCK:STRIDE, indexed:LENGTH@OFFSET:..., struct:TYPE@OFFSET:... or subarray:.."
)
MEMBERS = {"char": 1, "int": 4, "float": 4, "double": 8}
"""Types of a struct's members, with their bytes."""
DOUBLE_BYTES = 8
MOST_PARTS = 1 << 16
LONGEST_TEXT = 2000
DIMENSIONS = (2, 3)
_MEMBER = re.compile(r"(?:(\d+)x)?(char|int|float|double)@(\d+)")
_BLOCK = re.compile(r"(\d+)@(\d+)")
ADVICE = f"layouts are {KINDS}"


class Layout(NamedTuple):
    """One element, in bytes."""

    data: int
    span: int
    """Bytes from the first byte of data to the end of the last, or of the whole array."""


def layout_of(layout: str) -> Layout:
    """The layout in a text. Raises UsageError if it is invalid or its parts overlap."""
    kind, _, rest = layout.partition(":")
    if kind not in _KINDS:
        raise _wrong(layout, "not a vector, indexed, struct or subarray", ADVICE)
    if len(layout) > LONGEST_TEXT:
        raise _wrong(layout[:40] + "...", f"more than {LONGEST_TEXT} characters")
    shape = _KINDS[kind](layout, rest)
    if shape.span > LARGEST_INT:
        raise _wrong(layout, "one element is larger than 2 GiB", "use smaller elements, and more")
    return shape


def _vector(layout: str, rest: str) -> Layout:
    numbers = rest.split(":")
    if len(numbers) != 3 or not all(number.isascii() and number.isdigit() for number in numbers):
        raise _wrong(layout, "not vector:COUNT:BLOCK:STRIDE", "such as vector:64:8:64, in bytes")
    count, block, stride = map(int, numbers)
    if count == 0 or block == 0:
        raise _wrong(layout, "it has no data")
    if stride < block:
        raise _wrong(
            layout,
            f"blocks of {block} bytes overlap at a stride of {stride}",
            f"give a stride of {block} or more",
        )
    return Layout(count * block, (count - 1) * stride + block)


def _indexed(layout: str, rest: str) -> Layout:
    matches = [_BLOCK.fullmatch(block) for block in rest.split(":")]
    blocks = [(int(match[2]), int(match[1])) for match in matches if match is not None]
    if len(blocks) != len(matches):
        raise _wrong(layout, "not indexed:LENGTH@OFFSET:...", "such as indexed:8@0:16@64, in bytes")
    return _of_blocks(layout, blocks)


def _struct(layout: str, rest: str) -> Layout:
    blocks = []
    for text in rest.split(":"):
        member = _MEMBER.fullmatch(text)
        if member is None:
            raise _wrong(
                layout, f"{text!r} is no member", "such as struct:double@0:int@8:4xchar@12"
            )
        count, size, offset = int(member[1] or 1), MEMBERS[member[2]], int(member[3])
        if offset % size:
            raise _wrong(layout, f"{text} is not aligned", f"use a multiple of {size}")
        blocks.append((offset, count * size))
    return _of_blocks(layout, blocks)


def _of_blocks(layout: str, blocks: Sequence[tuple[int, int]]) -> Layout:
    """The layout of blocks, given by offset and length in bytes."""
    if len(blocks) > MOST_PARTS:
        raise _wrong(layout[:40] + "...", f"more than {MOST_PARTS} parts")
    if any(length == 0 for _, length in blocks):
        raise _wrong(layout, "a part has no data")
    ordered = sorted(blocks)
    for (offset, length), (following, _) in pairwise(ordered):
        if offset + length > following:
            raise _wrong(
                layout,
                f"parts overlap: {length} bytes at {offset} reach beyond {following}",
            )
    return Layout(sum(length for _, length in blocks), sum(ordered[-1]))


def _subarray(layout: str, rest: str) -> Layout:
    lists = [text.split("x") for text in rest.split(":")]
    numbers = [number for each in lists for number in each]
    if len(lists) not in (2, 3) or not all(
        number.isascii() and number.isdigit() for number in numbers
    ):
        raise _wrong(layout, "not subarray:SIZES:PART[:STARTS]", "such as subarray:64x64:64x1:0x3")
    whole, part, *starts = ([int(number) for number in a] for a in lists)
    start = starts[0] if starts else [0] * len(whole)
    if len(whole) not in DIMENSIONS or not len(whole) == len(part) == len(start):
        raise _wrong(layout, "a subarray has 2 or 3 dimensions, the same number in each list")
    if any(p == 0 or s + p > w for w, p, s in zip(whole, part, start, strict=True)):
        raise _wrong(layout, "the part does not lie in the array")
    return Layout(math.prod(part) * DOUBLE_BYTES, math.prod(whole) * DOUBLE_BYTES)


_KINDS: dict[str, Callable[[str, str], Layout]] = {
    "vector": _vector,
    "indexed": _indexed,
    "struct": _struct,
    "subarray": _subarray,
}


def _wrong(layout: str, reason: str, advice: str | None = None) -> UsageError:
    return UsageError(f"--datatype {layout}: {reason}", advice)
