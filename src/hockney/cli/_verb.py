"""Verbs that measure: each turns its options into a plan, and all plans are run alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from hockney.cli._asked import Output, common_of, output_of
from hockney.cli._help import Verb
from hockney.errors import AskedWronglyError
from hockney.lazy import lazy_imports
from hockney.spec import Plan

with lazy_imports():
    from hockney.cli import Verbs
    from hockney.cli._measure import measure_and_show
    from hockney.measure.checks import check_plan


@dataclass(frozen=True)
class Asked:
    """The plan and the output that the options of a measuring verb ask for."""

    plan: Plan
    output: Output


class MeasuringVerb(Verb):
    """A command whose function takes Common and the verb's own options, and returns a Plan."""

    def asked(self, context: click.Context) -> Asked:
        """The plan that the words of a context stand for; raises AskedWronglyError where it cannot
        be measured on this machine."""
        options = dict(context.params)
        output = output_of(options)
        common = common_of(context, options)
        assert self.callback is not None
        plan = context.invoke(self.callback, common, **options)
        assert isinstance(plan, Plan)
        check_plan(plan)
        return Asked(plan, output)

    def invoke(self, ctx: click.Context) -> None:
        asked = self.asked(ctx)
        measure_and_show(asked.plan, asked.output)


def measuring_verb(name: str) -> MeasuringVerb:
    """The verb of that name, if it is one that measures."""
    command = Verbs().get_command(click.get_current_context(), name)
    if not isinstance(command, MeasuringVerb):
        raise AskedWronglyError(
            f"{name} is not a verb that measures", "name one such as pingpong or collective"
        )
    return command


def ask(words: Sequence[str], **defaults: Any) -> Asked:
    """The plan of `pingpong -n 2 ...`, checked as the verb checks it; `defaults` stand in for
    options that the words leave out."""
    name, *rest = words
    verb = measuring_verb(name)
    with verb.make_context(name, list(rest), default_map=defaults) as context:
        return verb.asked(context)
