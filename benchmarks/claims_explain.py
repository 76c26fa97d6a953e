"""What the pages state about `hockney explain`: how often the cause is named first, and how often
something else is named. Pairs of planted records (tests/planted_differences.py) have 18 launches
that scatter by 2 %, and three differences that change nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from claim import Claim

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.explanation import explanation
from hockney.records import Run
from planted_differences import SEEDS, UNRECORDED, pair_of

TOLERANCE = 0.03


def _named(runs: tuple[Run, Run]) -> list[str]:
    first, second = map(Analysis, runs)
    return [cause.factor.name for cause in explanation(first, second, TOLERANCE).causes]


def _with_cause(n: int, seed: int) -> Iterator[tuple[list[str], tuple[str, ...]]]:
    """What was named, and what may be named, of so many pairs: each cause in turn."""
    causes = list(SEEDS.values())
    for number in range(n):
        cause = causes[number % len(causes)]
        yield _named(pair_of(cause.base, cause.other, seed * 1000 + number)), cause.names


def named_first(n: int, seed: int) -> tuple[int, int]:
    return sum(bool(set(named[:1]) & set(names)) for named, names in _with_cause(n, seed)), n


def named_besides(n: int, seed: int) -> tuple[int, int]:
    return sum(bool(set(named) - set(names)) for named, names in _with_cause(n, seed)), n


def named_without_record(n: int, seed: int) -> tuple[int, int]:
    """Of pairs that differ by what is not recorded, or by nothing."""
    changes, base = [*UNRECORDED.values(), None], next(iter(SEEDS.values())).base
    pairs = (
        pair_of(base, changes[number % len(changes)], seed * 1000 + number) for number in range(n)
    )
    return sum(bool(_named(pair)) for pair in pairs), n


WHERE = "docs/method.md, Explanation"
CLAIMS = [
    Claim(
        "explain: the planted cause is named first",
        WHERE,
        "the cause is named first in at least 95 % of pairs",
        None,
        0.95,
        named_first,
        460,
    ),
    Claim(
        "explain: something else is named beside a planted cause",
        WHERE,
        "something else is named in at most 2 % of pairs with a cause",
        0.02,
        None,
        named_besides,
        460,
    ),
    Claim(
        "explain: something is named of which nothing was recorded",
        WHERE,
        "something is named in at most 2 % of pairs without a recorded cause",
        0.02,
        None,
        named_without_record,
        460,
    ),
]
