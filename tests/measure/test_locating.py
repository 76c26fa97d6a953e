"""Rounds that are chosen step by step end with the budget, and go on with the next one."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import RunHockney
from hockney import records


def launches(path: Path) -> int:
    return len({block.launch for block in records.read(path).pair_times})


def test_the_budget_ends_the_steps_and_another_one_goes_on(
    hockney: RunHockney, tmp_path: Path
) -> None:
    words = ("fabric", "-n", "8", "--locate", "--sizes", "8", "-o", "run.jsonl")
    first = hockney(*words, "--budget", "0.1s")
    assert first.status == 0, first.stderr
    said = first.stdout + first.stderr
    assert re.search(r"the budget was over after \d+ rounds, before all was known", said), said
    assert "the budget is spent" in said
    made = launches(tmp_path / "run.jsonl")
    more = hockney(*words, "--budget", "20s", "--resume")
    assert more.status == 0, more.stderr
    assert launches(tmp_path / "run.jsonl") > made
