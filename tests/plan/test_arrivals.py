"""When ranks arrive, as users write it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.plan.arrivals import ArrivalRequest, Skew, arrivals_of, parse_arrival, parse_skew


def test_patterns_and_skews() -> None:
    request = parse_arrival("none,ascending,half-late,none")
    assert request == ArrivalRequest(("none", "ascending", "half-late"))
    assert parse_skew("100us") == Skew(seconds=1e-4)
    assert parse_skew("1.5x") == Skew(times=1.5)
    arrivals = arrivals_of(request, None)
    assert arrivals is not None
    assert arrivals.skew == Skew(times=1.0)
    assert arrivals.arguments(None) == ["--arrival=none,ascending,half-late", "--skew-times=1"]
    assert arrivals_of(None, None) is None


@given(st.lists(st.floats(0.0, 100.0), min_size=2, max_size=50).filter(lambda x: max(x) > min(x)))
def test_delays_of_a_file_become_fractions_of_their_spread(
    tmp_path_factory: pytest.TempPathFactory, delays: list[float]
) -> None:
    path = tmp_path_factory.mktemp("delays") / "delays.txt"
    path.write_text(" ".join(map(repr, delays)))
    arrivals = arrivals_of(parse_arrival(f"none,@{path}"), None)
    assert arrivals is not None
    assert arrivals.patterns == ("none", "listed")
    assert arrivals.skew.seconds == float(f"{max(delays) - min(delays):.9g}")
    assert (min(arrivals.fractions), max(arrivals.fractions)) == (0.0, 1.0)
    for delay, fraction in zip(delays, arrivals.fractions, strict=True):
        late = min(delays) + fraction * (max(delays) - min(delays))
        assert late == pytest.approx(delay, rel=1e-9, abs=1e-9)
    arrivals.check(len(delays))
    with pytest.raises(UsageError, match="delays of"):
        arrivals.check(len(delays) + 1)


def test_the_skew_of_a_file_is_held_to_the_same_limit(tmp_path: Path) -> None:
    path = tmp_path / "delays.txt"
    path.write_text("0 1000")
    request = parse_arrival(f"@{path}")
    with pytest.raises(UsageError, match="1000 s, is more than 100 s"):
        arrivals_of(request, None)
    arrivals = arrivals_of(request, parse_skew("1ms"))
    assert arrivals is not None
    assert arrivals.skew == Skew(seconds=1e-3)
    path.write_text("0 0.123456789123")
    arrivals = arrivals_of(parse_arrival(f"@{path}"), None)
    assert arrivals is not None
    assert arrivals.skew == parse_skew("0.123456789123s")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sideways", "no pattern of arrival"),
        ("listed", "no pattern of arrival"),
        ("", "no pattern of arrival"),
        ("@missing.txt", "cannot be read"),
    ],
)
def test_wrong_patterns(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_arrival(text)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("1 two", "not a delay"),
        ("1 -2", "not a delay"),
        ("1 inf", "not a delay"),
        ("", "no delays"),
        ("3 3 3", "all ranks arrive at once"),
    ],
)
def test_wrong_files(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "delays.txt"
    path.write_text(content)
    with pytest.raises(UsageError, match=words):
        parse_arrival(f"@{path}")


@pytest.mark.parametrize("text", ["0x", "-1x", "1001x", "x", "nanx", "0us", "101s", "fast"])
def test_wrong_skews(text: str) -> None:
    with pytest.raises(UsageError):
        parse_skew(text)


def test_a_skew_needs_a_pattern() -> None:
    with pytest.raises(UsageError, match="needs --arrival"):
        arrivals_of(None, Skew(seconds=1.0))
    with pytest.raises(UsageError, match="has none"):
        arrivals_of(parse_arrival("none"), Skew(seconds=1.0))
