"""Every command that docs/coverage.md names for a program of another suite measures something."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from conftest import RunHockney

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
COMMANDS = list(dict.fromkeys(re.findall(r"`(hockney [a-z][^`]*)`", PAGE.read_text())))
FIXED = ("fetch-and-op", "compare-and-swap", "startup", "barrier", "congestion")
"""Operations with sizes of their own."""
TAKES_NO_BUDGET = ("startup",)


def shortened(command: str) -> list[str]:
    """The command with a short run and few sizes."""
    _, verb, *words = shlex.split(command)
    more = ["--launches", "1"]
    if verb not in TAKES_NO_BUDGET:
        more += ["--budget", "1s" if "--multi" in words else "300ms"]
    has_own_sizes = {"--sizes", "--datatype", "--multi", *FIXED}
    if has_own_sizes.isdisjoint((verb, *words)):
        more += ["--sizes", "8,1KiB"]
    if "--multi" in words:
        more += ["-n", "4", "--msgs-per-sample", "20"]  # as many ranks as usual take too long
    return [verb, *words, *more]


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_it_measures_something(hockney: RunHockney, command: str) -> None:
    def measures() -> bool:
        answer = hockney.ok(*shortened(command), "--json", "-q", "-o", "run.jsonl", "--force").json
        return bool(answer.get("points") or answer.get("startup"))

    # Beside other work 300 ms may end before four ranks have met once.
    assert any(measures() for _ in range(3)), command
