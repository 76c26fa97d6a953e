"""Python files that comments, docstrings and pages name by a path exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("src", "tests", "docs", "benchmarks", "integrations")
NAMED = re.compile(r"(?<![\w/.{}<*-])(?:\w+/)+\w+\.py\b")


def test_each_exists() -> None:
    """A path may begin in any folder."""
    texts = [
        path
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.suffix in {".py", ".md", ".c", ".h"} and path.is_file()
    ]
    known = {f"/{path.relative_to(ROOT).as_posix()}" for path in texts}
    ends = {path[at:] for path in known for at, sign in enumerate(path) if sign == "/"}
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in texts
        for name in NAMED.findall(path.read_text("utf-8"))
        if f"/{name}" not in ends
    ]
    assert missing == []
