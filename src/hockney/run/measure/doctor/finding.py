"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warn", "bad", "unknown"]


@dataclass(frozen=True)
class DoctorFinding:
    name: str
    verdict: Verdict
    fact: str
    """The result of the check."""
    advice: str | None = None
    """What to do about it; None if there is nothing to do."""


def cannot_tell(name: str, files: str) -> DoctorFinding:
    """The finding where the kernel's files are missing, unreadable or never change."""
    return DoctorFinding(name, "unknown", f"the kernel reports nothing in {files}")
