"""Options of verbs that come from the knobs of workloads (plan/knobs.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from msgspec.structs import replace

from hockney.cli._help import WORKLOAD, Option
from hockney.plan import Plan
from hockney.plan.accepts import option_of, takes
from hockney.plan.knobs import Knob, knobs_of
from hockney.plan.workloads import WORKLOADS, workload_type


def knobs_of_verb(verb: str) -> dict[str, Knob]:
    """The knobs of the experiment of that name; none where there is no such experiment."""
    return knobs_of(workload_type(verb)) if verb in WORKLOADS.names() else {}


def knob_options(knobs: Mapping[str, Knob]) -> list[click.Parameter]:
    return [
        Option([option_of(name)], is_flag=True, heading=WORKLOAD, help=knob.help)
        for name, knob in knobs.items()
    ]


def with_knobs(plan: Plan, chosen: Mapping[str, Any]) -> Plan:
    """The plan with these knobs set in each workload that takes them. Raises UsageError where none
    does."""
    cases = plan.cases
    for name, value in chosen.items():
        taking = [
            name in knobs_of(type(case.workload))
            and takes(type(case.workload), case.workload.row, name)
            for case in cases
        ]
        if not any(taking):
            raise click.UsageError(f"{plan.first.workload.row} does not take {option_of(name)}")
        cases = tuple(
            replace(case, workload=replace(case.workload, **{name: value})) if takes else case
            for case, takes in zip(cases, taking, strict=True)
        )
    return replace(plan, cases=cases)
