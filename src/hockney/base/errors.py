"""The exceptions of hockney: what was wrong, where, and what to do about it."""


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
