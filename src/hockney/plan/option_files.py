"""Text files that options name."""

from __future__ import annotations

from pathlib import Path

from hockney.base.errors import UsageError

LARGEST_FILE = 1 << 26
"""Most bytes, enough for the topology of a million nodes. Endless files, such as devices, stop
here."""


def option_text(path: Path, named: str, advice: str) -> str:
    """The whole text of a file. named: the option and the file, as the user wrote them. Raises
    UsageError if it cannot be read, is not UTF-8, or is longer than LARGEST_FILE."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise UsageError(f"{named}: more than {LARGEST_FILE >> 20} MiB", advice)
        return content.decode()
    except OSError as error:
        raise UsageError(f"{named} cannot be read: {error.strerror}", advice) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{named}: not a text file", advice) from error
