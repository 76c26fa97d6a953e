"""The result of one check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Literal, TypeVar

Verdict = Literal["ok", "warn", "bad", "unknown"]
Judged = tuple[Verdict, str] | tuple[Verdict, str, str | None]
"""What a check concludes: a verdict, the fact, and advice if there is something to do."""
S = TypeVar("S")


@dataclass(frozen=True)
class DoctorFinding:
    name: str
    verdict: Verdict
    fact: str
    """The result of the check."""
    advice: str | None = None
    """What to do about it; None if there is nothing to do."""


def check(name: str) -> Callable[[Callable[[S], Judged]], Callable[[S], DoctorFinding]]:
    """Names the check that a function makes of the files under a root, or of a trial."""

    def named(judge: Callable[[S], Judged]) -> Callable[[S], DoctorFinding]:
        @wraps(judge)
        def checked(subject: S) -> DoctorFinding:
            return DoctorFinding(name, *judge(subject))

        return checked

    return named


def cannot_tell(files: str) -> Judged:
    """The conclusion where the kernel's files are missing, unreadable or never change."""
    return "unknown", f"the kernel reports nothing in {files}"
