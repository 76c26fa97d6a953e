"""Messages at the end of a run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hockney.cli import _measure
from hockney.records import End
from samples import make_run


def interrupted(samples: int) -> Any:
    """A session whose only launch was interrupted, after this many samples or none."""
    run = make_run(lambda *_: [1000.0] * samples, launches=1, sizes=(8,))
    if not samples:
        run = run.of_launches(set())
        run.launches = make_run(lambda *_: [1000.0], launches=1, sizes=(8,)).launches
    run.ends = [End(launch=0, reason="interrupted")]
    return SimpleNamespace(
        was_finished=False,
        reason="interrupted",
        run=run,
        steps=None,
        race=None,
        failed_starts=0,
        setups=SimpleNamespace(notes=[], broken={}),
        answers=[],
        launches_wall_s=5.0,
        file=SimpleNamespace(path=Path("run.jsonl")),
    )


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (3, ["interrupted; samples are in run.jsonl", "launch 1 is incomplete"]),
        (0, ["interrupted; nothing was measured; run.jsonl records the launches alone"]),
    ],
)
def test_samples_are_promised_where_there_are_some(
    samples: int,
    said: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_measure, "unanswered", lambda _: [])
    _measure._report_end(interrupted(samples))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(said)
    assert all(part in line for part, line in zip(said, lines, strict=True))
