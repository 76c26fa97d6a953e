"""The exceptions of hockney: what was wrong, where, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import CompletedProcess


class HockneyError(Exception):
    """An operation failed (exit status 1)."""

    exit_status = 1

    def __init__(self, message: str, advice: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message}\n  {self.advice}" if self.advice else self.message


class UsageError(HockneyError):
    """The request is invalid; nothing was started (exit status 2)."""

    exit_status = 2


def why_failed(done: CompletedProcess[str]) -> str:
    """The last line that a failed command wrote to stderr; its exit status where it wrote none."""
    *_, last = ["", *done.stderr.strip().splitlines()]
    return last or f"exit status {done.returncode}"
