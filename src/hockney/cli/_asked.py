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
    from hockney.cli import Verbs

    verb, *rest = words
    command = Verbs().get_command(click.get_current_context(), verb)
    asked = Asked()
    if command is not None and any(each.name == "platform_file" for each in command.params):
        context = command.make_context(verb, list(rest), obj=asked, default_map=defaults)
        with context:
            command.invoke(context)
    if asked.question is None:
        raise AskedWronglyError(f"{verb} measures nothing", "name a verb such as pingpong")
    return asked.question, asked.options
