"""Reads JSON whose names are conditions of rules, with the line of each name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hockney.plan.held_rules import wrong_in

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?|[{}]')
"""A string (a name, if a colon follows it), or the beginning or end of an object."""


class Name(str):
    """A name of an object, with its line."""

    __slots__ = ("line",)
    line: int


def named_json(path: Path, text: str) -> Any:
    """The content, with a Name for each name. Raises UsageError if the text is not JSON, or an
    object repeats a name: libraries silently keep one of the two."""
    try:
        content = json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise wrong_in(path, line, f"not JSON: {getattr(error, 'msg', error)}") from error
    return _with_lines(content, iter(list(_lines(path, text))))


def _lines(path: Path, text: str) -> Iterator[int]:
    """The line of each name, in the order of the text."""
    line, seen = 1, 0
    objects: list[dict[str, int]] = []
    for token in TOKEN.finditer(text):
        line += text.count("\n", seen, token.start())
        seen = token.start()
        if token[0] == "{":
            objects.append({})
        elif token[0] == "}":
            objects.pop()
        elif token[1]:
            name = token[0].removesuffix(token[1])
            if name in objects[-1]:
                raise wrong_in(
                    path,
                    line,
                    f"{name} is there already, in line {objects[-1][name]}",
                    "libraries take one of the two and drop the other: leave one out",
                )
            objects[-1][name] = line
            yield line


def _with_lines(content: Any, lines: Iterator[int]) -> Any:
    if isinstance(content, list):
        return [_with_lines(part, lines) for part in content]
    if not isinstance(content, dict):
        return content
    members = {}
    for key, value in content.items():
        name = Name(key)
        name.line = next(lines)
        members[name] = _with_lines(value, lines)
    return members
