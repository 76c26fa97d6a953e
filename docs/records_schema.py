"""Prints the record format as a JSON schema.

python docs/records_schema.py > docs/records.schema.json
"""

from __future__ import annotations

import json
import operator
from functools import reduce
from typing import Any

import msgspec

from hockney import records

WIDTH = 100
"""Characters; what fits is on one line, so that a change of one field is a change of one line."""


def schema() -> dict[str, Any]:
    """The schema of a line of a result file, of any kind that this version knows."""
    stored = [kind for kind in records.Record.__args__ if kind is not records.Progress]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A record of hockney, version {records.SCHEMA}",
        "description": "A line of a result file. Readers ignore kinds and keys that are not here.",
        **_on_one_line(msgspec.json.schema(reduce(operator.or_, stored))),
    }


def _on_one_line(value: Any) -> Any:
    """Docstrings as text: Python keeps their indentation before 3.13, and removes it since."""
    if isinstance(value, list):
        return [_on_one_line(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        key: " ".join(inner.split())
        if key == "description" and isinstance(inner, str)
        else _on_one_line(inner)
        for key, inner in value.items()
    }


def text(value: Any, indent: str = "") -> str:
    line = json.dumps(value)
    if not isinstance(value, dict) or len(indent) + len(line) <= WIDTH:
        return line
    more = indent + " "
    fields = (f"{more}{json.dumps(key)}: {text(each, more)}" for key, each in value.items())
    return "{\n" + ",\n".join(fields) + f"\n{indent}}}"


if __name__ == "__main__":
    print(text(schema()))
