"""Options of verbs that come from the knobs of workloads (spec/knobs.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from msgspec.structs import replace

from hockney.cli._help import WORKLOAD, Option
from hockney.spec import Plan
from hockney.spec.knobs import Knob, knobs_of
from hockney.spec.workloads import WORKLOADS, workload_type


def knobs_of_verb(verb: str) -> dict[str, Knob]:
    """The knobs of the experiment of that name; none where there is no such experiment."""
    return knobs_of(workload_type(verb)) if verb in WORKLOADS.names() else {}


def knob_options(knobs: Mapping[str, Knob]) -> list[click.Parameter]:
    return [
        Option([f"--{name.replace('_', '-')}"], is_flag=True, heading=WORKLOAD, help=knob.help)
        for name, knob in knobs.items()
    ]


def with_knobs(plan: Plan, chosen: Mapping[str, Any]) -> Plan:
    """The plan with these knobs set in each of its workloads."""
    if not chosen:
        return plan
    cases = []
    for case in plan.cases:
        lacking = [name for name in chosen if name not in knobs_of(type(case.workload))]
        if lacking:
            option = f"--{lacking[0].replace('_', '-')}"
            raise click.UsageError(f"{case.workload.experiment} does not take {option}")
        cases.append(replace(case, workload=replace(case.workload, **chosen)))
    return replace(plan, cases=tuple(cases))
