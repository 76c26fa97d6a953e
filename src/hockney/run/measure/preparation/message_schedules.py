"""Chooses the schedules that a study of collectives makes by messages, and writes the file of them
that launches read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hockney.base.errors import UsageError
from hockney.infer.predict.phases import MOST_MESSAGES, TIMED, laid_out, schedules_with_phases
from hockney.plan import Plan, Size
from hockney.plan.workloads.collective import Collective

ALL_SCHEDULES = "all"


@dataclass
class Phases:
    """Hands each schedule to the first of the cases with the same collective, ranks and segment."""

    named: Sequence[str]
    """Names of algorithms, or ALL_SCHEDULES; empty for none."""
    collectives: Sequence[str]
    left_out: list[str] = field(default_factory=list)
    """A line for each schedule that cannot be made."""
    _handed: set[tuple[str, str, int, int | None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        known = {
            name for collective in self.collectives for name in schedules_with_phases(collective)
        }
        if self.named and not known:
            raise UsageError(
                f"--phases: none of {', '.join(self.collectives)} is made by messages here",
                f"measure {', '.join(TIMED)}",
            )
        for name in self.named:
            if name not in known and name != ALL_SCHEDULES:
                raise UsageError(
                    f"--phases {name}: there is no schedule of that name for "
                    f"{', '.join(self.collectives)}",
                    f"there are {', '.join(sorted(known))}",
                )

    def of(
        self, collective: str, ranks: int, sizes: Sequence[Size], segment: int | None
    ) -> tuple[str, ...]:
        """The schedules for a case."""
        names = schedules_with_phases(collective)
        if ALL_SCHEDULES not in self.named:
            names = [name for name in names if name in self.named]
        return tuple(
            name for name in names if self._is_first(collective, name, ranks, sizes, segment)
        )

    def _is_first(
        self, collective: str, name: str, ranks: int, sizes: Sequence[Size], segment: int | None
    ) -> bool:
        schedule = (collective, name, ranks, segment)
        if schedule in self._handed:
            return False
        self._handed.add(schedule)
        try:
            for size in sizes:
                laid_out(collective, name, ranks, size.bytes, segment)
        except UsageError as error:
            self.left_out.append(f"{collective} by messages, {name}, {ranks} ranks: {error}")
            return False
        return True


def schedules_text(plan: Plan) -> str | None:
    """All schedules of a plan as the engine reads them; None if the plan has none."""
    texts = []
    messages = 0
    for case in plan.cases:
        workload, ranks = case.workload, case.placement.ranks
        if not isinstance(workload, Collective):
            continue
        for name in workload.phases:
            for size in workload.sizes:
                segment = workload.segment_bytes or None
                schedule = laid_out(workload.collective, name, ranks, size.bytes, segment)
                messages += schedule.messages
                if messages > MOST_MESSAGES:
                    raise UsageError(
                        f"--phases: more than {MOST_MESSAGES} messages in all schedules together",
                        "ask for fewer ranks, sizes or schedules, or larger segments",
                    )
                texts.append(schedule.text())
    return "".join(texts) or None
