"""Parts of documents in JSON that may be of any kind: what is of another kind counts as empty."""

from __future__ import annotations

from typing import Any


def whole_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises ValueError where a message was printed into the name of a member:
    what it holds would be lost."""
    for name, _ in pairs:
        if ": " in name:
            raise ValueError(f"other text in the name {name[:40]!r}")
    return dict(pairs)


def dict_in(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def dicts_in(value: Any) -> list[dict[str, Any]]:
    """The dictionaries of a list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
