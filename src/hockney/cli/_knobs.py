"""Options of verbs that come from the knobs of workloads (plan/knobs.py)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, get_type_hints

import click
from msgspec.structs import replace

from hockney.cli._help import WORKLOAD, Option
from hockney.cli._parameters import Words
from hockney.plan import Plan
from hockney.plan.accepts import default_of, takes
from hockney.plan.knobs import Knob, knobs_of, option_of, words_of
from hockney.plan.workloads import WORKLOADS, Workload, workload_type


def knobs_of_verb(verb: str) -> dict[str, Knob]:
    """The knobs of the experiment of that name; empty where there is no such experiment."""
    return knobs_of(workload_type(verb)) if verb in WORKLOADS.names() else {}


def knob_options(verb: str) -> list[click.Parameter]:
    """An option for each knob of the verb's experiment: a flag, one of some words, or a value."""
    return [_option(workload_type(verb), *each) for each in knobs_of_verb(verb).items()]


def _option(workload: type[Workload], name: str, knob: Knob) -> Option:
    make = partial(
        Option,
        [option_of(name), name],
        heading=WORKLOAD,
        several=knob.several,
        help=knob.help,
    )
    words = words_of(get_type_hints(workload, include_extras=True)[name])
    if words:
        usual = default_of(workload, name)
        return make(type=click.Choice(words), default=usual, show_default=True)
    return make(is_flag=True) if knob.read is None else make(type=Words(knob.metavar, knob.read))


def taken_knobs(verb: str, options: dict[str, Any]) -> dict[str, Any]:
    """The knobs that differ from their default; takes all knobs out of `options`."""
    values = {name: options.pop(name) for name in knobs_of_verb(verb)}
    return {
        name: value
        for name, value in values.items()
        if value is not None and value != default_of(workload_type(verb), name)
    }


def with_knobs(plan: Plan, chosen: Mapping[str, Any]) -> Plan:
    """The plan with these knobs set in each workload that takes them. Raises UsageError where no
    workload does."""
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
            replace(case, workload=replace(case.workload, **{name: value})) if is_taking else case
            for case, is_taking in zip(cases, taking, strict=True)
        )
    return replace(plan, cases=cases)
