"""The runs of a suite as words of their verbs, and what these ask for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.cli._help import Option
from hockney.cli._option_groups import OF_OUTPUT, OUTLIERS, common_of

if TYPE_CHECKING:
    from hockney.cli._verb import Request
    from hockney.plan import Plan
    from hockney.run.measure.suite import PlannedRun, Suite


@dataclass(frozen=True)
class RequestedRun:
    number: int
    """Its place in the suite, whatever is left out: it is in the name of its file."""
    planned: PlannedRun
    request: Request

    @property
    def label(self) -> str:
        return self.planned.label

    @property
    def plan(self) -> Plan:
        return self.request.plan

    @property
    def file_name(self) -> str:
        return self.planned.file_name(self.number)


@dataclass(frozen=True)
class LeftOutRun:
    file_name: str
    label: str
    why: str

    @property
    def words(self) -> str:
        return f"{self.label}: {self.why}"


def requested_runs(
    suite: Suite, where: str, more: tuple[str, ...]
) -> tuple[list[RequestedRun], list[LeftOutRun]]:
    """The runs of a suite, and those that are left out because they have too few nodes.
    where: the name of the suite; more: words that are added to each run. Raises UsageError where
    none is left."""
    runs, left_out = [], []
    for number, run in enumerate(suite.runs, 1):
        place = f"{where}, {run.label}"
        words = _words_of(place, run, more)
        nodes = _nodes_of(place, words) if run.least_nodes > 1 else None
        if nodes is not None and nodes < run.least_nodes:
            why = f"{how_many(nodes, 'node')}, {run.least_nodes} are needed"
            left_out.append(LeftOutRun(run.file_name(number), run.label, why))
        else:
            runs.append(RequestedRun(number, run, request_of(place, words)))
    if not runs:
        lines = [f"left out: {run.words}" for run in left_out]
        raise UsageError(f"{where}: nothing to measure", "\n  ".join(lines))
    return runs, left_out


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Errors name the run."""
    try:
        yield
    except (UsageError, click.UsageError) as error:
        message = error.message if isinstance(error, click.UsageError) else str(error)
        raise UsageError(f"{place}: {message}") from error


def request_of(place: str, words: list[str]) -> Request:
    """The plan and output of one run; all are checked before any is measured."""
    from hockney.cli._verb import ask
    from hockney.run.measure.machine.placements import check_allocation
    from hockney.run.measure.preparation.setup import mpi_of

    with _named(place):
        request = ask(words, OF_OUTPUT)
        for case in request.plan.cases:
            check_allocation(case.placement)
        mpi_of(request.plan.first.placement)
    return request


def _nodes_of(place: str, words: list[str]) -> int | None:
    """The number of nodes that the words are given, which the verb may refuse as too few for it;
    None where it is unknown."""
    from hockney.cli._verb import measuring_verb
    from hockney.run.measure.machine.placements import nodes_of

    name, *rest = words
    with _named(place), measuring_verb(name).make_context(name, rest) as context:
        ranks = context.params["ranks"]
        return nodes_of(common_of(context, dict(context.params)).placement, ranks)


def _words_of(place: str, run: PlannedRun, more: tuple[str, ...]) -> list[str]:
    """The words of one run. Raises UsageError for keys that its verb has not."""
    from hockney.base.toml_file import check_keys
    from hockney.cli._verb import measuring_verb

    try:
        verb = measuring_verb(run.verb)
    except UsageError as error:
        raise UsageError(f"{place}: {error.message}", error.advice) from error
    options = {
        name.lstrip("-"): param
        for param in verb.params
        for name in (*param.opts, *param.secondary_opts)
        if param.name not in OF_OUTPUT
    }
    check_keys(place, dict(run.options), options)
    _check_not_varied(place, run, options, more)
    words = [run.verb]
    with _named(place):
        # Arguments first: an option with several values would take them for values.
        for name, value in sorted(run.options, key=lambda pair: _is_option(options[pair[0]])):
            words += _words(options[name], name, value)
    return [*words, *_closed_words(more)]


def _is_option(param: click.Parameter) -> bool:
    return isinstance(param, click.Option)


def _check_not_varied(
    where: str, run: PlannedRun, options: dict[str, click.Parameter], more: tuple[str, ...]
) -> None:
    """Raises UsageError for an option behind -- that would make all runs of a matrix the same."""
    varied = {options[name].name: name for name in run.varied}
    for word in more:
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        param = options.get(name.lstrip("-")) if name.startswith("-") else None
        if param is not None and param.name in varied:
            raise UsageError(
                f"{where}: {name} is given, and {varied[param.name]} is in the run's matrix",
                "leave it out, or change the plan",
            )


def _words(param: click.Parameter, name: str, value: Any) -> list[str]:
    """The words of a key of a run. Raises UsageError where a part of its value would be ignored."""
    values = value if isinstance(value, list) else [value]
    has_several = isinstance(param, Option) and (param.multiple or param.several)
    if isinstance(value, list) and not (has_several and values):
        text = ",".join(map(str, values)) or "..."
        raise UsageError(
            f"{name} is a list",
            f'write one text, such as {name} = "{text}", or matrix.{name} for a run of each',
        )
    if not isinstance(param, Option):
        return [str(value)]
    option = f"--{name}" if len(name) > 1 else f"-{name}"
    if isinstance(value, bool):
        return _switched(param, option, value)
    if param.is_flag:
        raise UsageError(f"{name} = {value!r}", f"it has no value: write {name} = true")
    if param.several:
        return [option, *map(str, values)]
    return [word for each in values for word in (option, str(each))]


def _switched(param: Option, option: str, is_on: bool) -> list[str]:
    """The words of a key that is true or false."""
    may_be_alone = isinstance(param.flag_value, str)
    if not (param.is_flag or may_be_alone):
        raise UsageError(f"{option} is true or false", "give it a value, or leave it out")
    if is_on:
        return [f"{option}={param.flag_value}" if may_be_alone else option]
    return (param.secondary_opts if option in param.opts else param.opts)[:1]


def _closed_words(more: tuple[str, ...]) -> Iterator[str]:
    """The words, with the value of a --gate that has none: it would take a later word for it."""
    for word, following in zip(more, (*more[1:], "-"), strict=False):
        is_alone = word == "--gate" and following.startswith("-")
        yield f"{word}={OUTLIERS}" if is_alone else word
