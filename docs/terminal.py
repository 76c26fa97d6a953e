"""Records a real run in a pseudo-terminal as a picture: python docs/terminal.py [FILE.svg]

The picture shows what the terminal has while the run measures, and what it keeps.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

from hockney.base.terminal import MOVES

COLUMNS, ROWS = 124, 60
COMMAND = ("pingpong", "--sizes", "0,8,1KiB,64KiB,1MiB,4MiB", "--budget", "12s", "-o", "run.jsonl")
SHOWN_AT = 0.7
"""Which of the blocks that the run draws: a fraction of all of them."""
FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""Fonts that a browser would fetch; the reader's own do as well."""


def record() -> str:
    """All that the run writes to its terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    written = b""
    with tempfile.TemporaryDirectory() as directory:
        process = subprocess.Popen(
            [sys.executable, "-m", "hockney", *COMMAND],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=directory,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
        )
        os.close(theirs)
        with contextlib.suppress(OSError):  # the end of a terminal
            while chunk := os.read(ours, 1 << 16):
                written += chunk
        process.wait()
    return written.decode().replace("\r\n", "\n")


def picture(written: str) -> str:
    """The run as SVG: one of the blocks, then what the terminal kept."""
    *blocks, kept = written.split(MOVES["erase"])
    block = blocks[int(SHOWN_AT * len(blocks))]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        console.print(Text(f"$ hockney {' '.join(COMMAND)}\n", style="bold"))
        for part in (block.replace(MOVES["up"], "").replace(MOVES["start"], "") + "\n", kept):
            console.print(Text.from_ansi(part))
    svg = console.export_svg(title="hockney", unique_id="hockney-terminal")
    return "\n".join(line.rstrip() for line in FONTS.sub("", svg).splitlines()) + "\n"


if __name__ == "__main__":
    here = Path(__file__).parent
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else here / "figures" / "terminal.svg"
    target.write_text(picture(record()), encoding="utf-8")
