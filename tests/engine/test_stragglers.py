"""--stragglers: ranks are numbered anew for the collective, and each says when it was done."""

from __future__ import annotations

import pytest

from conftest import RunEngine

SHORT = ("--seconds=0.1", "--rounds=2:4", "--oversubscribe", "--place=none")


@pytest.mark.long
def test_each_rank_says_when_it_was_done(run_engine: RunEngine) -> None:
    numbers = set()
    for seed in (1, 2, 3):
        words = ("collective", "bcast", "--stragglers", "--sizes=8,1024", f"--seed={seed}")
        done = run_engine.ok(*words, *SHORT, ranks=6)
        first, second = done.of("completions")
        assert [first["bytes"], second["bytes"]] == [8, 1024]
        for completions in (first, second):
            assert sorted(completions["numbers"]) == list(range(6))
            assert len(completions["ns"]) == 6
            assert min(completions["ns"]) > 0
            assert completions["visits"] >= 1
        numbers.add(tuple(first["numbers"]))
        assert first["numbers"] == second["numbers"]
    assert len(numbers) == 3


def test_data_arrive_whatever_number_a_rank_has(run_engine: RunEngine) -> None:
    words = ("collective", "scatter", "--stragglers", "--sizes=64", "--verify", "--root=rotate")
    done = run_engine.ok(*words, *SHORT, ranks=6)
    assert len(done.of("completions")) == 1


@pytest.mark.parametrize("other", ["--groups=2", "--overlap", "--threads=2", "--sync=barrier"])
def test_what_is_refused(run_engine: RunEngine, other: str) -> None:
    run_engine.refused(
        "collective",
        "ibcast",
        "--stragglers",
        other,
        "--sizes=8",
        *SHORT,
        ranks=4,
        because="--stragglers takes no ",
    )
