"""Help that shows common options first, the others under headings, and examples at the end.

A verb with many options shows a dozen of them by --help, and all by --help-all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from hockney.base import building
from hockney.base.errors import UsageError

if TYPE_CHECKING:
    from hockney.show.progress import BuildView

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


ALL = "--help-all"
SHORT = 12
"""Most options that the help of a measuring verb shows."""
USUAL = ("hosts", "nodes", "mpicc", "vary", "as_json", "launches", "platform_file", "launcher")
"""Options that such a help shows besides a verb's common ones, the most used first."""
FEW_EXAMPLES = 3

_HALF = re.compile("[\ud800-\udfff]")
"""A byte of the command line that is not UTF-8."""


class Option(click.Option):
    """An option that the help shows under a heading. A default that depends on other options or on
    the machine is described by the text `show_default`."""

    def __init__(
        self, *args: Any, heading: str = COMMON, several: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.heading = heading
        self.several = several
        """Whether it takes all words up to the next option, with blanks between."""

    def make_metavar(self, ctx: click.Context) -> str:
        """One word for a choice, whose names are listed in the help."""
        is_choice = isinstance(self.type, click.Choice) and self.metavar is None
        return "NAME" if is_choice else super().make_metavar(ctx)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None:
            return None
        name, words = record
        if isinstance(self.show_default, str):
            # click puts such a text in parentheses
            words = words.replace(f"({self.show_default})", self.show_default)
        if missing := self._unnamed():
            text, bracket, default = words.partition("  [")
            words = f"{text} One of {', '.join(missing)}.{bracket}{default}"
        return name, words

    def _unnamed(self) -> tuple[str, ...]:
        """All names of a choice; empty where the help explains each of them."""
        if not isinstance(self.type, click.Choice):
            return ()
        names = tuple(str(name) for name in self.type.choices)
        words = set(re.findall(r"[\w-]+", self.help or ""))
        return () if words.issuperset(names) else names


def _is_value(option: click.Option, word: str) -> bool:
    """Whether an option could have the word as its value."""
    try:
        option.type.convert(word, option, None)
    except click.BadParameter:
        return False
    return True


def _alike(name: str, options: Sequence[str]) -> list[str]:
    """The options that a wrong one may have meant. The dashes, which all have, count for nothing:
    with them --quiet is like --budget."""
    from difflib import get_close_matches

    bare = {option.lstrip("-"): option for option in options}
    return [bare[near] for near in get_close_matches(name.lstrip("-"), bare)]


class Verb(click.Command):
    """A command with options under headings and examples, which are whole commands."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses texts that no result file can hold; names of files may be any bytes."""
        try:
            rest = super().parse_args(ctx, self._joined(ctx, args))
        except click.NoSuchOption as error:
            near = _alike(error.option_name, error.possibilities or ())
            raise click.NoSuchOption(error.option_name, possibilities=near, ctx=ctx) from None
        for param in self.get_params(ctx):
            value = ctx.params.get(param.name or "")
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, str) and not text.isascii() and _HALF.search(text):
                    raise click.BadParameter(f"{text!r} is not UTF-8", ctx, param)
        return rest

    def _joined(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words; those of an option that takes several are one, with blanks between."""
        options = [
            param for param in self.get_params(ctx) if isinstance(param, Option) and param.several
        ]
        by_name = {name: option for option in options for name in option.opts}
        joined: list[str] = []
        last: Option | None = None
        for word in args:
            if last is not None and joined[-1] in by_name:
                joined.append(word)
            elif last is not None and _is_value(last, word):
                joined[-1] += f" {word}"
            else:
                joined.append(word)
                last = by_name.get(str(word).partition("=")[0])  # a caller may give a path
        return joined

    def invoke(self, ctx: click.Context) -> Any:
        """Shows how far a build is, if the verb needs one."""
        if ctx.params.get("quiet"):
            return self.carried_out(ctx)
        with building.followed_by(_show_build()):
            return self.carried_out(ctx)

    def carried_out(self, ctx: click.Context) -> Any:
        return super().invoke(ctx)

    def headings(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """The options that the help shows, by heading, the common ones first."""
        by_heading: dict[str, list[click.Parameter]] = {COMMON: []}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and param.get_help_record(ctx):
                by_heading.setdefault(getattr(param, "heading", COMMON), []).append(param)
        last = {heading: by_heading.pop(heading) for heading in LAST if heading in by_heading}
        return by_heading | last

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, params in self.headings(ctx).items():
            _write_section(formatter, heading, ctx, params)

    def format_epilog(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        _write_examples(formatter, self.examples)


def _show_build() -> building.Shown:
    """Shows a build on stderr, with what is loaded when there is one."""
    views: list[BuildView] = []

    def show(what: str, files: int, of: int) -> None:
        from hockney.show.progress import BuildView

        if not views:
            views.append(BuildView())
        views[0](what, files, of)

    return show


class LongVerb(Verb):
    """A verb whose --help shows the options that most people use, and --help-all every one."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _HELP_ALL]

    def used(self, ctx: click.Context) -> list[click.Parameter]:
        """The common options and the usual ones, at most SHORT."""
        common, *others = self.headings(ctx).values()
        own = [param for param in common if not {"--help", ALL} & set(param.opts)]
        named = {param.name: param for params in others for param in params}
        return [*own, *(named[name] for name in USUAL if name in named)][:SHORT]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.meta.get(ALL):
            super().format_options(ctx, formatter)
        else:
            _write_section(formatter, COMMON, ctx, self.used(ctx))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.meta.get(ALL):
            super().format_epilog(ctx, formatter)
            return
        _write_examples(formatter, self.examples[:FEW_EXAMPLES])
        count = sum(map(len, self.headings(ctx).values()))
        formatter.write_paragraph()
        formatter.write(f"All {count} options: {ctx.command_path} {ALL}\n")


def _write_section(
    formatter: click.HelpFormatter,
    heading: str,
    ctx: click.Context,
    params: Sequence[click.Parameter],
) -> None:
    records = [param.get_help_record(ctx) for param in params]
    with formatter.section(heading):
        formatter.write_dl([record for record in records if record is not None])


def _write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"  {example}\n")


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001
    if value and not ctx.resilient_parsing:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL = Option(
    [ALL],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show all options, by subject, and exit.",
)


def given_options(context: click.Context) -> dict[str, str]:
    """The parameters that the command line gives, with their options."""
    written = click.core.ParameterSource.COMMANDLINE
    return {
        param.name or "": param.opts[0]
        for param in context.command.params
        if isinstance(param, click.Option)
        and param.expose_value
        and context.get_parameter_source(param.name or "") == written
    }


def check_used(where: str, *used: str) -> None:
    """Raises UsageError for an option that was given and has no effect here; `where`: "with
    --check". `used`: the parameters that have one."""
    for name, option in given_options(click.get_current_context()).items():
        if name not in used:
            raise UsageError(f"{option} has no effect {where}", "leave it out")


def verb(*examples: str, cls: type[Verb] = Verb) -> Callable[[Callable[..., Any]], Verb]:
    """Makes a function the command of its module."""
    return click.command(cls=cls, examples=examples)


def in_order(decorators: Sequence[Decorator]) -> Decorator:
    """Adds options to a command, in the order of the help."""

    def add(command: Callable[..., Any]) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


def option(*names: str, heading: str = COMMON, **attributes: Any) -> Decorator:
    """An option; its default is shown where it has one."""
    is_shown = attributes.get("default") not in (None, "", False)
    attributes.setdefault("show_default", is_shown and not attributes.get("is_flag"))
    return click.option(*names, cls=Option, heading=heading, **attributes)


workload_option = partial(option, heading=WORKLOAD)
sampling_option = partial(option, heading=SAMPLING)
placement_option = partial(option, heading=PLACEMENT)
output_option = partial(option, heading=OUTPUT)
