"""The search around the best parameters."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hockney.plan import Placement, Sampling, Size, single
from hockney.plan.workloads.collective import Collective
from hockney.run.measure.sessions.race import Race
from hockney.run.measure.studies.around import Around


def test_a_case_that_lost_is_noted_once_where_no_new_values_come_up() -> None:
    """The race of the last step is reported by the session itself."""
    race = Race()
    race.lost.append("bcast ring: out of the race after 2 launches")
    session: Any = SimpleNamespace(race=race, answers=[])
    plan = single(Collective(collective="bcast", sizes=(Size(8),)), Placement(), Sampling())
    around = Around(plan)
    assert around.next(session) is None
    assert around.notes() == []
