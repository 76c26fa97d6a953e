"""Reads TOML files that users write: plans of suites, variants, claims."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hockney.base.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LONGEST = 1 << 20
"""Largest file (bytes): a device has no end."""


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file that a user wrote. Raises UsageError if it is not TOML or too long;
    OSError or UnicodeDecodeError if it cannot be read."""
    with path.open("rb") as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise UsageError(f"{path}: longer than {LONGEST >> 20} MiB: no plan is")
    return parsed_toml(path, content.decode())


def parsed_toml(path: Path, text: str) -> dict[str, Any]:
    try:
        parsed: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: {error}") from error
    return parsed


def check_keys(where: str, keys: Iterable[str], known: Iterable[str]) -> None:
    """Raises UsageError for an unknown key, with the nearest known one."""
    known = list(known)
    for key in keys:
        if key not in known:
            near = get_close_matches(key, known, 1)
            advice = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise UsageError(f"{where}: unknown key {key!r}", advice)
