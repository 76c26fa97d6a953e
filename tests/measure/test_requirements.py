"""What a claim needs and this machine lacks."""

from __future__ import annotations

import shutil

import pytest

from hockney.plan.claims import Requires
from hockney.run.measure.preparation.requirements import lacking_here


@pytest.mark.parametrize(
    ("here", "words"),
    [
        ({"smpicc"}, "and smpirun is not on PATH"),
        (set[str](), "and smpicc and smpirun are not on PATH"),
    ],
)
def test_what_is_missing_of_simgrid_is_named(
    monkeypatch: pytest.MonkeyPatch, here: set[str], words: str
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name if name in here else None)
    lacking = lacking_here(Requires(simgrid=True))
    assert lacking is not None
    assert lacking.why.endswith(words)
