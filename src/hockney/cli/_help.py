"""Help that shows common options first, the others under headings, and examples at the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Any]

COMMON = "Options"
WORKLOAD = "What is exchanged"
SAMPLING = "Sampling"
PLACEMENT = "Placement"
SIMULATION = "Simulation"
COMPARISON = "Variants"
OUTPUT = "Output"
LAST = (SAMPLING, PLACEMENT, COMPARISON, SIMULATION, OUTPUT)
"""Headings of the last options; a verb's own options come before these."""


_HALF = re.compile("[\ud800-\udfff]")
"""A byte of the command line that is not UTF-8."""


class Option(click.Option):
    """An option that the help shows under a heading. A default that depends on other options or on
    the machine is described by the text `show_default`."""

    def __init__(self, *args: Any, heading: str = COMMON, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.heading = heading

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.show_default, str):
            return record
        # click puts such a text in parentheses
        return record[0], record[1].replace(f"({self.show_default})", self.show_default)


class Verb(click.Command):
    """A command with options under headings and examples, which are whole commands."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses texts that no result file can hold; names of files may be any bytes."""
        rest = super().parse_args(ctx, args)
        for param in self.get_params(ctx):
            value = ctx.params.get(param.name or "")
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, str) and not text.isascii() and _HALF.search(text):
                    raise click.BadParameter(f"{text!r} is not UTF-8", ctx, param)
        return rest

    def headings(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """The options that the help shows, by heading, the common ones first."""
        found: dict[str, list[click.Parameter]] = {COMMON: []}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and param.get_help_record(ctx):
                found.setdefault(getattr(param, "heading", COMMON), []).append(param)
        last = {heading: found.pop(heading) for heading in LAST if heading in found}
        return found | last

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, params in self.headings(ctx).items():
            records = [param.get_help_record(ctx) for param in params]
            with formatter.section(heading):
                formatter.write_dl([record for record in records if record is not None])

    def format_epilog(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"  {example}\n")


def verb(*examples: str, cls: type[Verb] = Verb) -> Callable[[Callable[..., Any]], Verb]:
    """Makes a function the command of its module."""
    return click.command(cls=cls, examples=examples)


def option(*names: str, heading: str = COMMON, **attributes: Any) -> Decorator:
    """An option; its default is shown where it has one."""
    is_shown = attributes.get("default") not in (None, "", False)
    attributes.setdefault("show_default", is_shown and not attributes.get("is_flag"))
    return click.option(*names, cls=Option, heading=heading, **attributes)
