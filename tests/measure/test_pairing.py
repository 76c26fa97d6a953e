from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.run.measure.studies.pairing import PAIRINGS, pairing_of, parse_counts


@given(st.sampled_from(PAIRINGS), st.integers(1, 100))
def test_every_rank_is_in_one_pair(name: str, half: int) -> None:
    pairing = pairing_of(name, 2 * half)
    assert sorted(rank for pair in pairing for rank in pair) == list(range(2 * half))


@given(st.sampled_from(PAIRINGS), st.integers(1, 100))
def test_the_last_of_an_odd_number_is_refused_or_left_out(name: str, half: int) -> None:
    with pytest.raises(UsageError, match="--idle-last"):
        pairing_of(name, 2 * half + 1)
    assert pairing_of(name, 2 * half + 1, idle_last=True) == pairing_of(name, 2 * half)


def test_halves_and_neighbours_are_what_they_say() -> None:
    assert pairing_of("halves", 6) == ((0, 3), (1, 4), (2, 5))
    assert pairing_of("neighbours", 6) == ((0, 1), (2, 3), (4, 5))
    assert pairing_of("random", 64) != pairing_of("neighbours", 64)
    assert pairing_of("halves", 4) == ((0, 2), (1, 3))


def test_a_file_names_any_pairs(tmp_path: Path) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text("# far and near\n0 5\n\n1,2  # the same node\n4-3\n")
    assert pairing_of(str(file), 7) == ((0, 5), (1, 2), (4, 3))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("0 1\n1 2\n", "rank 1 is named 2 times"),
        ("2 2\n", "rank 2 is named 2 times"),
        ("0 4\n", "no rank 4 among 4"),
        ("0\n", "line 1: '0' is not a pair"),
        ("0 1 2\n", "not a pair"),
        ("0 one\n", "not a pair"),
        ("0 -1\n", "not a pair"),
        pytest.param(f"0 {'9' * 5000}\n", "not a pair", id="more digits than Python reads"),
        ("\n", "no pairs"),
    ],
)
def test_bad_files_are_told(tmp_path: Path, content: str, complaint: str) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text(content)
    with pytest.raises(UsageError, match=complaint):
        pairing_of(str(file), 4)


@pytest.mark.parametrize(("name", "complaint"), [("nowhere", "No such file"), (".", "directory")])
def test_what_is_no_pairing_is_told(name: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        pairing_of(name, 4)


@pytest.mark.parametrize(
    ("text", "every", "counts"),
    [
        ("1,2,8", None, (1, 2, 8)),
        ("8,1,1", None, (1, 8)),
        ("1,2,...,64", None, (1, 2, 4, 8, 16, 32, 64)),
        ("1,2,4,...,all", 20, (1, 2, 4, 8, 16, 20)),
        ("3,...,24", None, (3, 6, 12, 24)),
        ("all", 5, (5,)),
        ("1,all", 1, (1,)),
    ],
)
def test_counts(text: str, every: int | None, counts: tuple[int, ...]) -> None:
    assert parse_counts(text, "--of", every) == counts


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1", "1,,2", "1,2,3,...,8", "...,8", "1,...", "1,...,...,8", "all", "1.5", "²"],
)
def test_bad_counts_are_told(text: str) -> None:
    with pytest.raises(UsageError, match="--of"):
        parse_counts(text, "--of")


def test_more_pairs_than_there_are_is_told() -> None:
    with pytest.raises(UsageError, match="only 4 pairs"):
        parse_counts("1,8", "--of", 4)


@given(st.text(alphabet="0123456789,.al ", max_size=12), st.integers(1, 50))
def test_counts_are_in_order_or_refused(text: str, every: int) -> None:
    try:
        counts = parse_counts(text, "--of", every)
    except UsageError:
        return
    assert list(counts) == sorted(set(counts))
    assert 1 <= counts[0] <= counts[-1] <= every


def test_a_list_of_pairs_without_an_end_is_refused() -> None:
    with pytest.raises(UsageError, match="--pairing /dev/zero: more than 64 MiB"):
        pairing_of("/dev/zero", 2)
