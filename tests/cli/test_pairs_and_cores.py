"""pairs and cores: wrong requests are refused before anything is started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import RunHockney

ALLOWED = max(len(os.sched_getaffinity(0)), 2)
"""Tests take one CPU for two."""


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["pairs", "-n", "1"], "at least two ranks"),
        (["pairs", "-n", "5"], "leave rank 4 out with --idle-last"),
        (["pairs", "-n", "4", "--pairing", "twice.txt"], "rank 1 is named 2 times"),
        (["pairs", "-n", "4", "--pairing", "stranger.txt"], "no rank 4 among 4"),
        (["pairs", "--pairing", "thirds"], "halves, neighbours, random"),
        (["pairs", "-n", "4", "--pairs-active", "1,4"], "only 2 pairs"),
        (["pairs", "-n", "4", "--pairs-active", "0"], "from 1 up"),
        (["pairs", "--operation", "stream", "--window", "0"], "from 1 up"),
        (["pairs", "--window", "4"], "--window is for stream and bidirectional"),
        (["pairs", "--operation", "broadcast"], "broadcast"),
        (["pairs", "--mode", "ready"], "ready"),
        (["pairs", "--multi", "--pairing", "random"], "leave out --pairing"),
        (["pairs", "--multi", "-n", "7"], "-n 6 or -n 8"),
        (["pairs", "--multi", "--msgs-per-sample", "0"], "from 1 up"),
        (["pairs", "--duration", "3s", "--budget", "3s"], "--duration makes one launch"),
        (["pairs", "--platform", "here.xml"], "give it with -n"),
        (["cores", "-n", "1"], "at least two ranks"),
        (["cores", "-n", str(ALLOWED + 1)], f"only {ALLOWED} CPU"),
        (["cores", "--platform", "here.xml"], "give it with -n"),
    ],
)
def test_bad_questions_start_nothing(
    hockney: RunHockney, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "twice.txt").write_text("0 1\n1 2\n")
    (tmp_path / "stranger.txt").write_text("0 4\n")
    hockney.refused(*arguments, because=complaint)
    assert not list(tmp_path.glob("*.jsonl"))
