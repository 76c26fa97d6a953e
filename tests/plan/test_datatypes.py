"""Layouts: how many bytes of data an element has, and which layouts are none."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.plan.datatypes import Layout, layout_of
from hockney.plan.messages import whole_sizes

SMALL = st.integers(1, 40)


@given(SMALL, SMALL, SMALL)
def test_a_vector_has_its_blocks(count: int, block: int, gap: int) -> None:
    text = f"vector:{count}:{block}:{block + gap}"
    assert layout_of(text) == Layout(count * block, (count - 1) * (block + gap) + block)


@given(SMALL, SMALL, st.integers(1, 39))
def test_a_stride_shorter_than_a_block_overlaps(count: int, stride: int, more: int) -> None:
    with pytest.raises(UsageError, match="overlap"):
        layout_of(f"vector:{count}:{stride + more}:{stride}")


@given(st.lists(st.tuples(SMALL, SMALL), min_size=1, max_size=8), st.randoms())
def test_blocks_apart_may_stand_in_any_order(gaps: list[tuple[int, int]], chance: Random) -> None:
    """gaps: the length of each block, and the gap before it."""
    blocks, at = [], 0
    for length, gap in gaps:
        blocks.append(f"{length}@{at + gap}")
        at += gap + length
    chance.shuffle(blocks)
    data = sum(length for length, _ in gaps)
    assert layout_of("indexed:" + ":".join(blocks)) == Layout(data, at)


@given(st.lists(st.tuples(SMALL, st.integers(0, 40)), min_size=2, max_size=6))
def test_blocks_overlap_exactly_where_a_byte_is_in_two(blocks: list[tuple[int, int]]) -> None:
    text = "indexed:" + ":".join(f"{length}@{offset}" for length, offset in blocks)
    covered = [byte for length, offset in blocks for byte in range(offset, offset + length)]
    if len(set(covered)) == len(covered):
        assert layout_of(text).data == len(covered)
    else:
        with pytest.raises(UsageError, match="overlap"):
            layout_of(text)


@pytest.mark.parametrize(
    ("text", "data", "span"),
    [
        ("struct:double@0:int@8:4xchar@12:double@16", 24, 24),
        ("struct:char@0:int@4", 5, 8),
        ("subarray:64x64:64x1", 512, 32768),
        ("subarray:4x4x4:2x2x3:1x2x0", 96, 512),
    ],
)
def test_structs_and_subarrays(text: str, data: int, span: int) -> None:
    assert layout_of(text) == Layout(data, span)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("vector:4:8", "not vector:COUNT:BLOCK:STRIDE"),
        ("vector:4:8:-16", "not vector:COUNT:BLOCK:STRIDE"),
        ("vector:0:8:16", "no data"),
        ("vector:99999:99999:99999", "larger than 2 GiB"),
        ("indexed:8", "not indexed:LENGTH@OFFSET"),
        ("indexed:0@8", "no data"),
        ("struct:long@0", "is no member"),
        ("struct:double@4", "not aligned"),
        ("subarray:8:4", "2 or 3 dimensions"),
        ("subarray:8x8", "not subarray:SIZES:PART"),
        ("subarray:8x8:4x4x1", "2 or 3 dimensions"),
        ("subarray:8x8:9x1", "does not lie in the array"),
        ("subarray:8x8:1x1:0x8", "does not lie in the array"),
        ("", "not a vector, indexed, struct or subarray"),
        ("indexed:" + ":".join(f"1@{i}" for i in range(2000)), "more than 2000 characters"),
    ],
)
def test_what_is_no_layout_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        layout_of(text)


@given(st.sampled_from(["", "vector:", "indexed:", "struct:", "subarray:"]), st.text(max_size=30))
def test_any_text_is_a_layout_or_refused(kind: str, rest: str) -> None:
    with suppress(UsageError):
        assert 0 < layout_of(kind + rest).data <= layout_of(kind + rest).span


def test_usual_sizes_become_multiples() -> None:
    assert whole_sizes([0, 8, 1024, 1025], 512) == [512, 1024, 1536]
    assert whole_sizes([0, 8], 1) == [0, 8]
