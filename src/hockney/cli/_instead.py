"""A measuring verb's words as the questions that they ask, for verbs that measure elsewhere or
later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from hockney.errors import AskedWronglyError

if TYPE_CHECKING:
    from hockney.measure.prepare import Asked


@dataclass
class Instead:
    """Takes what a verb would have measured there and then."""

    asked: Asked | None = None
    options: dict[str, Any] = field(default_factory=dict)


def ask(words: Sequence[str], **defaults: Any) -> tuple[Asked, dict[str, Any]]:
    """The questions of `pingpong -n 2 ...`, checked as the verb checks them, and its options.

    `defaults` stand in for options that the words leave out.
    """
    verb, *rest = words
    command = measuring_command(verb)
    instead = Instead()
    with command.make_context(verb, list(rest), obj=instead, default_map=defaults) as context:
        command.invoke(context)
    assert instead.asked is not None
    return instead.asked, instead.options


def measuring_command(verb: str) -> click.Command:
    """The verb's command, if it is one that measures."""
    from hockney.cli import Verbs

    command = Verbs().get_command(click.get_current_context(), verb)
    if command is None or not any(param.name == "platform_file" for param in command.params):
        raise AskedWronglyError(f"{verb} measures nothing", "name a verb such as pingpong")
    return command
