"""Parts of documents in JSON that may be of any kind: what is of another kind counts as empty."""

from __future__ import annotations

from typing import Any


def dict_in(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def dicts_in(value: Any) -> list[dict[str, Any]]:
    """The dictionaries of a list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
