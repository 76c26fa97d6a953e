"""Searches parameters (--radix, --segment-size, --requests auto): a few values far apart race
first, then those around the best of each algorithm that is still in the race."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from msgspec.structs import replace

from hockney.plan import Case, Plan, sizes_of
from hockney.plan.workloads.collective import (
    LEAST_RADIX,
    LEAST_REQUESTS,
    RADIX,
    REQUESTS,
    SEGMENT,
    Collective,
)
from hockney.run.measure.sessions.answer import Answer
from hockney.run.measure.sessions.race import Race, is_default
from hockney.run.measure.sessions.session import Session
from hockney.run.measure.studies.collective_study import (
    forced,
    replaced_by_another,
    title_of,
)
from hockney.run.mpis import OWN_PARAMETERS, Algorithm, ParameterValues, family_of

FIRST_FRACTION = 0.6
"""The coarse values get this fraction of the budget, and those around the best ones the rest."""
AROUND = (
    (RADIX, ((3, 4), (3, 2)), LEAST_RADIX),
    (SEGMENT, ((1, 2), (2, 1)), 0),
    (REQUESTS, ((1, 2), (2, 1)), LEAST_REQUESTS),
)
"""Each parameter: its name, the factors that take a coarse value to those around it (of
a radix halfway to the one below and to the one above), and its least value."""


@dataclass
class Around:
    """Two steps: the plan itself, which has the coarse values, and one plan of the values around
    the best. The second repeats the library's own decision and the best coarse values, because only
    times of the same moment are comparable."""

    plan: Plan
    is_planned: bool = False
    remarks: list[str] = field(default_factory=list)

    def first(self) -> Plan:
        return self._with_part(self.plan.cases, FIRST_FRACTION)

    def next(self, session: Session) -> Plan | None:
        if self.is_planned or session.race is None:
            return None
        self.is_planned = True
        cases: list[Case] = []
        for group in session.race.groups(session.answers):
            cases += self._around(session, session.race, group)
        if not cases:
            return None  # the session goes on to report this race itself
        self.remarks = [*session.race.lost, *self.remarks]
        return self._with_part(tuple(cases), 1.0 - FIRST_FRACTION)

    def notes(self) -> list[str]:
        return self.remarks

    def _with_part(self, cases: tuple[Case, ...], part: float) -> Plan:
        sampling = replace(self.plan.sampling, budget_s=part * self.plan.sampling.budget_s)
        return replace(self.plan, cases=cases, sampling=sampling)

    def _around(self, session: Session, race: Race, group: Sequence[Answer]) -> list[Case]:
        """The library's own decision, the best values, and new ones around them."""
        original = {id(a): c for a, c in zip(session.answers, self.plan.cases, strict=True)}
        known = {(_workload(answer).algorithm, _values(answer)) for answer in group}
        kept: dict[int, set[int]] = {}
        new: list[Case] = []
        for best, sizes in _best(race, group):
            algorithm = _algorithm(session, best)
            for values in self._neighbours(best):
                case = _case(session, best, algorithm, values, sizes)
                if case is not None and (algorithm.name, values) not in known:
                    kept.setdefault(id(best), set()).update(sizes)
                    new.append(case)
        new = _merged(new)
        if not new:
            return []
        every = {size.bytes for case in new for size in case.workload.sizes}
        kept |= {id(answer): every for answer in group if is_default(answer.case)}
        before = [_with_sizes(original[answer_id], sizes) for answer_id, sizes in kept.items()]
        self.remarks += [f"{case.name}: measured around the best coarse value" for case in new]
        return [*before, *new]

    def _neighbours(self, best: Answer) -> Iterator[ParameterValues]:
        values, searched = _values(best), self.plan.searched
        for name, factors, least in AROUND:
            value = getattr(values, name)
            for over, under in factors if value and name in searched else ():
                if value * over // under >= least:
                    yield values._replace(**{name: value * over // under})


def _best(race: Race, group: Sequence[Answer]) -> Iterator[tuple[Answer, set[int]]]:
    """Each case that has the best values of its algorithm at some size where it is in the race, and
    these sizes."""
    fastest: dict[tuple[str, int, str | None], tuple[float, Answer]] = {}
    for answer in group:
        if _values(answer) == OWN_PARAMETERS:
            continue
        name = _workload(answer).algorithm
        for (size, arrival), times in race.standing(answer).items():
            mine = (median(times), answer)
            key = (name, size, arrival)
            fastest[key] = min(fastest.get(key, mine), mine, key=lambda pair: pair[0])
    for answer in group:
        sizes = {size for (_, size, _), (_, winner) in fastest.items() if winner is answer}
        if sizes:
            yield answer, sizes


def _workload(answer: Answer) -> Collective:
    workload = answer.case.workload
    assert isinstance(workload, Collective)
    return workload


def _values(answer: Answer) -> ParameterValues:
    workload = _workload(answer)
    return ParameterValues(workload.segment_bytes, workload.radix, workload.requests)


def _algorithm(session: Session, best: Answer) -> Algorithm:
    setup, workload = session.setups.of(best.case), _workload(best)
    algorithms = family_of(setup.mpi).discover(setup.mpi, setup.engine, [workload.collective])
    return next(algorithm for algorithm in algorithms if algorithm.name == workload.algorithm)


def _case(
    session: Session,
    best: Answer,
    algorithm: Algorithm,
    values: ParameterValues,
    sizes: set[int],
) -> Case | None:
    """The case of these values, at the sizes where the library would run it and where messages
    have segments with these values or the best ones; None without such a size."""
    shortest = min(values.segment_bytes or 0, _values(best).segment_bytes or 0)
    case, family = best.case, family_of(session.setups.of(best.case).mpi)
    ranks = case.placement.ranks
    left = [
        size
        for size in sizes
        if size > shortest or values.segment_bytes == _values(best).segment_bytes
        if replaced_by_another(family, algorithm, ranks, size, values) is None
    ]
    if not left:
        return None
    forcing = family.forcing(algorithm.collective, algorithm, values)
    workload = replace(
        _workload(best), **forcing.parameters._asdict(), sizes=sizes_of(sorted(left))
    )
    return replace(
        case,
        workload=workload,
        placement=forced(case.placement, forcing, ranks),
        title=title_of(algorithm.collective, forcing, ranks),
    )


def _with_sizes(case: Case, sizes: set[int]) -> Case:
    return replace(case, workload=replace(case.workload, sizes=sizes_of(sorted(sizes))))


def _merged(cases: Sequence[Case]) -> list[Case]:
    """One case for each title: two coarse values may have the same one between them."""
    by_title: dict[str | None, Case] = {}
    for case in cases:
        other = by_title.get(case.title)
        sizes = {size.bytes for each in (case, other) if each for size in each.workload.sizes}
        by_title[case.title] = _with_sizes(case, sizes)
    return list(by_title.values())
