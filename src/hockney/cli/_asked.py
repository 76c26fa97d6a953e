"""A measuring verb's words as the question that they ask, for verbs that measure elsewhere or
later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from hockney.errors import AskedWronglyError
from hockney.measure.question import Question


@dataclass
class Asked:
    """What measure_and_show was told, instead of being measured there and then."""

    question: Question | None = None
    options: dict[str, Any] = field(default_factory=dict)


def ask(words: Sequence[str], **defaults: Any) -> tuple[Question, dict[str, Any]]:
    """The question of `pingpong -n 2 ...`, checked as the verb checks it, and its options.

    `defaults` stand in for options that the words leave out.
    """
    verb, *rest = words
    command = measuring_command(verb)
    asked = Asked()
    with command.make_context(verb, list(rest), obj=asked, default_map=defaults) as context:
        command.invoke(context)
    assert asked.question is not None
    return asked.question, asked.options


def measuring_command(verb: str) -> click.Command:
    """The verb's command, if it is one that measures."""
    from hockney.cli import Verbs

    command = Verbs().get_command(click.get_current_context(), verb)
    if command is None or not any(param.name == "platform_file" for param in command.params):
        raise AskedWronglyError(f"{verb} measures nothing", "name a verb such as pingpong")
    return command
