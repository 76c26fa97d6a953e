from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.base.units import (
    LARGEST_SIZE,
    first_few,
    format_estimated_size,
    format_percent,
    format_rate,
    format_ratio,
    format_seconds,
    format_size,
    format_uncertainty,
    how_many,
    known,
    listed,
    number_ranges,
    parse_seconds,
    parse_share,
    parse_size,
    parse_sizes,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("8", 8),
        ("8B", 8),
        ("1kB", 1000),
        ("1KiB", 1024),
        ("1.5MiB", 1572864),
        ("4e6", 4_000_000),
        ("2GiB", 2**31),
        ("2GB", 2_000_000_000),
        (" 64 KiB ", 65536),
    ],
)
def test_a_size_is_read_with_its_unit(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("-8", "not a size"),
        ("", "not a size"),
        ("eight", "not a size"),
        ("8kib", "did you mean KiB"),
        ("8K", "unknown unit"),
        ("8 TB", "unknown unit"),
        ("1.5", "whole number"),
        ("9223372036854775808", "too large"),
        ("1e99", "too large"),
        ("1e999", "not a size"),
        ("nan", "not a size"),
    ],
)
def test_what_is_no_size_is_told_why(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("0,1,8", [0, 1, 8]),
        ("8,1,8", [1, 8]),
        ("1..16", [1, 2, 4, 8, 16]),
        ("1..20", [1, 2, 4, 8, 16]),
        ("1..4e3x10", [1, 10, 100, 1000]),
        ("1KiB..2KiB/2", [1024, 1448, 2048]),
        ("0,1KiB..4KiB", [0, 1024, 2048, 4096]),
        ("3..3", [3]),
    ],
)
def test_lists_and_ranges(text: str, sizes: list[int]) -> None:
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1,,2", "empty entry"),
        ("0..8", "at least 1"),
        ("8..1", "must ascend"),
        ("1..8x1", "above 1"),
        ("1..8x-2", "not a number"),
        ("1..8/0", "not a number"),
        ("1..8/100", "at most 64"),
        ("1...8", "not a"),
        ("..8", "not a range"),
        ("1..", "not a range"),
        ("1..8xnan", "not a number"),
    ],
)
def test_bad_lists_are_told_why(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_sizes(text)


@given(st.integers(0, LARGEST_SIZE))
def test_a_size_survives_being_written(size: int) -> None:
    assert parse_size(format_size(size)) == size


@given(st.text(max_size=20))
def test_any_text_is_sizes_or_told_why(text: str) -> None:
    try:
        sizes = parse_sizes(text)
    except UsageError:
        return
    assert sizes == sorted(set(sizes))
    assert all(0 <= size <= LARGEST_SIZE for size in sizes)


@given(st.integers(1, 2**40), st.integers(1, 2**40), st.integers(1, 64))
def test_a_range_begins_and_stays_inside_its_ends(first: int, last: int, steps: int) -> None:
    first, last = sorted((first, last))
    sizes = parse_sizes(f"{first}..{last}/{steps}")
    assert sizes[0] == first
    assert sizes[-1] <= last
    assert len(parse_sizes(f"{first}..{last}")) == (last // first).bit_length()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("10", 10.0), ("10s", 10.0), ("500ms", 0.5), ("2min", 120.0), ("1h", 3600.0)],
)
def test_times(text: str, seconds: float) -> None:
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["0", "-1s", "soon", "", "5 parsecs", "nan"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a time above 0"):
        parse_seconds(text)


@pytest.mark.parametrize(("text", "share"), [("1%", 0.01), ("0.01", 0.01), ("0.5 %", 0.005)])
def test_shares(text: str, share: float) -> None:
    assert parse_share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["0", "100%", "1", "-1%", "nan", "much", "%"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a fraction"):
        parse_share(text)


def test_numbers_are_written_with_their_unit() -> None:
    assert format_seconds(1.234e-6) == "1.234 us"
    assert format_seconds(26e-9) == "26 ns"
    assert format_seconds(None) == "-"
    assert format_rate(2.0**31) == "2 GiB/s"
    assert format_rate(None) == "-"
    assert format_size(5000) == "5000 B"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.288, "0.288"),
        (1.0, "1"),
        (12.345, "12.3"),
        (999.4, "999"),
        (999.6, "1,000"),
        (1540.0, "1,540"),
        (1_234_567.0, "1,230,000"),
        (0.00001234, "0.0000123"),
        (float("inf"), "inf"),
    ],
)
def test_a_ratio_has_three_digits_and_no_exponent(ratio: float, text: str) -> None:
    assert format_ratio(ratio) == text


def test_a_percentage_has_no_exponent() -> None:
    assert format_percent(0.00123) == "0.12 %"
    assert format_percent(0.999) == "100 %"
    assert format_percent(1.0, 1) == "100 %"


@given(st.floats(0.001, 999.0), st.integers(3, 6))
def test_a_small_ratio_is_written_as_it_is_rounded(ratio: float, digits: int) -> None:
    assert format_ratio(ratio, digits) == f"{ratio:.{digits}g}"


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 6))
def test_a_ratio_keeps_its_digits_however_large_it_is(ratio: float, digits: int) -> None:
    text = format_ratio(ratio, digits)
    assert "e" not in text
    assert float(text.replace(",", "")) == float(f"{ratio:.{digits}g}")


@pytest.mark.parametrize(
    ("half_width", "said"),
    [(0.0126, "±1.3 %"), (0.5, "±50 %"), (0.51, "not known"), (22.17, "not known")],
)
def test_an_interval_wider_than_its_number_is_not_known(half_width: float, said: str) -> None:
    assert format_uncertainty(half_width) == said


@pytest.mark.parametrize(
    ("size", "low", "high", "text"),
    [
        (1482910.0, 2.0**18, 2.0**22, "1.4 MiB"),
        (8192.0, 8191.0, 8192.0, "8 KiB"),
        (8112.3, 8100.0, 8124.0, "7.922 KiB"),
        (134853.0, None, None, "131.7 KiB"),
        (700.4, 600.0, 800.0, "700 B"),
        (1024000.0, 2.0**19, 2.0**20, "0.98 MiB"),
    ],
)
def test_an_estimated_size_has_no_more_digits_than_are_known(
    size: float, low: float | None, high: float | None, text: str
) -> None:
    assert format_estimated_size(size, low, high) == text


@given(st.floats(1e-9, 1e12), st.floats(1e-3, 1e3))
def test_no_interval_rounds_a_number_to_another_one(value: float, relative: float) -> None:
    assert known(value, relative * value) == pytest.approx(value, rel=max(0.05, relative / 3.5))
    assert known(value, relative * value) == pytest.approx(value, rel=0.5)
    assert known(-value, relative * value) == -known(value, relative * value)


@pytest.mark.parametrize(
    ("count", "what", "words"),
    [
        (1, "launch", "1 launch"),
        (2, "launch", "2 launches"),
        (0, "pass", "0 passes"),
        (1, "CPU", "1 CPU"),
        (3, "CPU", "3 CPUs"),
    ],
)
def test_one_is_no_several(count: int, what: str, words: str) -> None:
    assert how_many(count, what) == words


def test_numbers_that_follow_each_other_are_a_range() -> None:
    assert number_ranges([0, 1, 2, 3, 8, 6, 7]) == ["0-3", "8", "6-7"]
    assert number_ranges([5]) == ["5"]
    assert number_ranges([]) == []


@pytest.mark.parametrize(
    ("most", "what", "lines", "words"),
    [
        (3, "", ["a", "b", "c"], "a, b, c"),
        (2, "", ["a", "b", "and 1 more"], "a, b and 1 more"),
        (2, "size", ["a", "b", "and 1 more size"], "a, b and 1 more size"),
        (1, "size", ["a", "and 2 more sizes"], "a and 2 more sizes"),
    ],
)
def test_of_many_texts_the_first_are_listed(
    most: int, what: str, lines: list[str], words: str
) -> None:
    assert first_few("abc", most, what) == lines
    assert listed("abc", most, what) == words
