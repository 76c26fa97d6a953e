"""Which case makes which schedule by messages."""

from __future__ import annotations

import pytest

from hockney.plan import Size
from hockney.run.measure.preparation.message_schedules import Phases

SIZES = (Size(1 << 20),)


def test_each_segment_size_has_its_own_schedule() -> None:
    phases = Phases(["chain"], ["bcast"])
    segments = (4096, 65536, 65536)
    assert [phases.of("bcast", 4, SIZES, segment) for segment in segments] == [
        ("chain",),
        ("chain",),
        (),
    ]


def test_a_segment_that_is_refused_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hockney.infer.predict.phases.MOST_MESSAGES", 100)
    phases = Phases(["chain"], ["bcast"])
    assert phases.of("bcast", 4, SIZES, 4096) == ()
    assert phases.of("bcast", 4, SIZES, 65536) == ("chain",)
    assert len(phases.left_out) == 1
