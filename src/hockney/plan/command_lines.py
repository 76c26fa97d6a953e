"""Command lines of engines that were started by hand, as their launch records have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, get_origin, get_type_hints

import msgspec

from hockney.plan.knobs import option_of
from hockney.plan.workloads import WORKLOADS, Workload, workload_type

COMMAND_LINE = "asked"
"""The command line in a launch record, and in the options of a run without a plan."""
OF_A_LAUNCH = frozenset({"--launch", "--seed", "--launched-at", "--pass", "--from", "--visits"})
"""Options that are different in each launch of one question."""
HOW_MUCH = frozenset({"--seconds", "--precision", "--rounds", "--oversubscribe", "--ranks"})
"""Options that change how much is measured, or whether anything is, but not what."""
NAMED = {"collective": "collective", "rma": "operation", "congestion": "victim"}
"""Fields of workloads that the engine takes as a word after the experiment."""


def option_in(word: str) -> str:
    """The name of an option of the engine, in "--sizes=8"; other words unchanged."""
    return word.partition("=")[0] if word.startswith("--") else word


def of_all_launches(command_line: Sequence[str]) -> list[str]:
    """The command line without what differs between the launches of one question."""
    return [word for word in command_line if option_in(word) not in OF_A_LAUNCH]


def command_difference(before: Sequence[str], now: Sequence[str]) -> str | None:
    """Describes the first difference between two questions; None if they are the same, however much
    was measured."""
    first, other = (_question(words) for words in (before, now))
    for name in (*first, *other):
        if first.get(name) != other.get(name):
            return (
                f"{name} was {first.get(name, 'not given')}, and is {other.get(name, 'not given')}"
            )
    return None


def _question(command_line: Sequence[str]) -> dict[str, str]:
    """The values of all words that make the question."""
    left_out = OF_A_LAUNCH | HOW_MUCH
    options = [
        word for word in command_line if word.startswith("--") and option_in(word) not in left_out
    ]
    words = " ".join(word for word in command_line if not word.startswith("--"))
    values = {option_in(word): word.partition("=")[2] or "given" for word in options}
    return {"the experiment": words} | values


def workload_in_command(options: Mapping[str, Any]) -> Workload | None:
    """The workload of an engine's command line; None if unknown. Options that the engine writes as
    the workload does set its fields; all other fields have their defaults."""
    command_line = options.get(COMMAND_LINE)
    if not isinstance(command_line, list) or not all(
        isinstance(word, str) for word in command_line
    ):
        return None
    words = [word for word in command_line if not word.startswith("--")]
    if not words or words[0] not in WORKLOADS.names():
        return None
    given = {option_in(word): word.partition("=")[2] for word in command_line}
    kind = workload_type(words[0])
    hints, values = get_type_hints(kind), dict[str, Any]()
    for field in msgspec.structs.fields(kind):
        if field.name == NAMED.get(words[0]) and len(words) > 1:
            values[field.name] = words[1]
        elif field.required and get_origin(hints[field.name]) is tuple:
            values[field.name] = ()
        elif hints[field.name] is bool:
            values[field.name] = option_of(field.name) in given
        elif option_of(field.name) in given:
            with suppress(msgspec.ValidationError):  # a list, or a notation of the engine
                text = given[option_of(field.name)]
                values[field.name] = msgspec.convert(text, hints[field.name], strict=False)
    with suppress(msgspec.ValidationError):
        return msgspec.convert(values, kind)
    return None
