"""Verbs that measure: each turns its options into a plan, and all plans are run alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import click

from hockney.base.errors import UsageError
from hockney.cli._help import LongVerb, given_options
from hockney.cli._knobs import knob_options, taken_knobs, with_knobs
from hockney.cli._option_groups import Output, Varied, common_of, output_of, varied_of
from hockney.plan import Plan
from hockney.plan.variants import Comparison

WORDS = "hockney.words"
"""Key of the words from which a context was made."""
CONGESTION = "congestion"
"""The experiment whose gate may be a factor."""


@dataclass(frozen=True)
class Request:
    """The plan and the output that the options of a measuring verb ask for."""

    plan: Plan
    output: Output


class MeasuringVerb(LongVerb):
    """A command whose function takes Common and the verb's own options, and returns a Plan. The
    knobs of the experiment that has the verb's name are options, too: the function need not know
    them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert self.callback is not None
        self.verb = self.callback.__module__.rpartition(".")[2]
        self.params += knob_options(self.verb)

    def request(self, context: click.Context) -> Request:
        """The plan of a context's words; raises UsageError where it cannot be measured on this
        machine."""
        from hockney.run.measure.machine.checks import check_plan

        options = dict(context.params)
        varied = varied_of(options)
        if not varied.texts and "tolerance" in given_options(context):
            raise click.UsageError("--tolerance is about variants: name them with --vary")
        output = output_of(options)
        plan = self._varied(context, varied) if varied.texts else self._plan(context, options)
        check_plan(plan)
        return Request(plan, output)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = list(args)
        return super().parse_args(ctx, args)

    def _plan(self, context: click.Context, options: dict[str, Any]) -> Plan:
        """The plan of the options, except those of variants and output."""
        common = common_of(context, options)
        chosen = taken_knobs(self.verb, options)
        assert self.callback is not None
        plan = context.invoke(self.callback, common, **options)
        assert isinstance(plan, Plan)
        plan = with_knobs(plan, chosen)
        if common.most_factor is not None and plan.experiment != CONGESTION:
            raise click.UsageError(
                f"--gate {common.most_factor:g}x is a congestion factor: use it with hockney "
                f"{CONGESTION}"
            )
        return plan

    def _varied(self, context: click.Context, varied: Varied) -> Plan:
        """The plan of all variants: each is that of the same words and the variant's after them."""
        from hockney.cli._vary import variants_of, words_of
        from hockney.run.measure.studies.joined_variants import joined

        variants = variants_of(varied.texts, self.params)
        plans = []
        for variant in variants:
            words = [*context.meta[WORDS], *words_of(variant, self.params)]
            try:
                with self.make_context(self.name, words, default_map=context.default_map) as own:
                    options = dict(own.params)
                    varied_of(options)
                    output_of(options)
                    plans.append((variant, self._plan(own, options)))
            except UsageError as error:
                raise UsageError(f"{variant.name}: {error.message}", error.advice) from error
        is_given = context.get_parameter_source("budget") != click.core.ParameterSource.DEFAULT
        budgets = [plan.sampling.budget_s for _, plan in plans]
        comparison = Comparison(variants=variants, tolerance=varied.tolerance, gate=varied.gate)
        return joined(plans, comparison, budgets[0] if is_given else sum(budgets))

    def carried_out(self, ctx: click.Context) -> None:
        from hockney.cli._measure import measure_and_show

        request = self.request(ctx)
        measure_and_show(request.plan, request.output)


def measuring_verb(name: str) -> MeasuringVerb:
    """The verb of that name, if it is one that measures."""
    from hockney.cli import SECTIONS, Verbs

    command = Verbs().get_command(click.get_current_context(), name)
    if not isinstance(command, MeasuringVerb):
        near = get_close_matches(name, SECTIONS["Measure"].keys() - {name, "profile"}, 1)
        raise UsageError(
            f"{name} is not a verb that measures",
            f"did you mean {near[0]}?" if near else "name one such as pingpong or collective",
        )
    return command


def ask(words: Sequence[str], fixed: Collection[str] = (), **defaults: Any) -> Request:
    """The plan of words such as `pingpong -n 2`, checked as the verb checks it; `defaults` replace
    options that the words leave out. fixed: parameters that the verb that calls this decides."""
    name, *rest = words
    verb, caller = measuring_verb(name), click.get_current_context().info_name
    with verb.make_context(name, list(rest), default_map=defaults) as context:
        for param, option in given_options(context).items():
            if param in fixed:
                raise UsageError(f"{option} is for hockney {caller} to decide", "leave it out")
        return verb.request(context)
