"""What one check has to say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Verdict = Literal["ok", "warn", "bad", "unknown"]


@dataclass(frozen=True)
class Finding:
    name: str
    verdict: Verdict
    fact: str
    """What was seen."""
    advice: str | None = None
    """What to do about it; None where nothing need be done, or can be."""


def text_of(path: Path) -> str | None:
    """A file of the kernel's without its newline; None where there is none, or it is empty."""
    try:
        return path.read_text(errors="replace").strip() or None
    except OSError:
        return None


def cannot_tell(name: str, silent: str) -> Finding:
    """There is no such file here, it may not be read, or what it says never changes."""
    return Finding(name, "unknown", f"the kernel gives no number in {silent}")
