"""A real pseudo-terminal for the command, and a screen that shows what it draws."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass, field
from pathlib import Path

import pyte

ROWS = 50
READ_BYTES = 1 << 16


@dataclass
class Shown:
    """The screens that a command drew."""

    status: int
    raw: str
    screens: list[list[str]] = field(default_factory=list)
    """Lines of the screen after each write, without those that stayed empty; the last is the final
    screen."""

    @property
    def left(self) -> str:
        return "\n".join(self.screens[-1])

    def screens_with(self, words: str) -> list[list[str]]:
        return [lines for lines in self.screens if any(words in line for line in lines)]


def in_terminal(
    *arguments: str, cwd: Path, columns: int = 100, env: dict[str, str] | None = None
) -> Shown:
    """Runs the command as in a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "hockney", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env={**plain, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **(env or {})},
        start_new_session=True,
    )
    os.close(theirs)
    screen = pyte.Screen(columns, ROWS)
    stream = pyte.ByteStream(screen)
    raw, screens = b"", []
    while chunk := _read(ours):
        raw += chunk
        stream.feed(chunk)
        screens.append([line.rstrip() for line in screen.display if line.strip()])
    os.close(ours)
    return Shown(process.wait(), raw.decode(errors="replace"), screens or [[]])


def _read(terminal: int) -> bytes:
    """b"" when the last process that had it open has ended."""
    try:
        return os.read(terminal, READ_BYTES)
    except OSError:
        return b""
