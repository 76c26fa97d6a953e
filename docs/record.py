"""Runs the commands that a page shows and puts what they print into the page.

python docs/record.py docs/tutorial.md [DIRECTORY]     all of them, on a quiet machine
python docs/record.py docs/PAGE.md                     those that are the same on every machine

What is the same everywhere is what runs on a simulated machine that is described in words
(--platform cluster:4), and what reads the files of such runs. Of an output the page shows whole
paragraphs: a `...` between two stands for one, a `...` at the end for all that follow. Figures of
the tutorial go to docs/figures/tutorial-NAME.png.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DOCS = Path(__file__).parent
TUTORIAL = DOCS / "tutorial.md"
FIGURES = DOCS / "figures"
DISTURBED = "warning: disturbed"
SIMULATED = re.compile(r"--platform [a-z-]+:")
INDENT, PROMPT, CUT = "    ", "    $ ", "..."


@dataclass
class Step:
    """A command of a page, with the lines that the page shows below it, without indentation."""

    command: str
    at: int
    """Index of the first of those lines in the page."""
    shown: list[str] = field(default_factory=list)


def steps(page: str) -> list[Step]:
    """The commands of a page's code blocks, in order."""
    parsed: list[Step] = []
    in_block = False
    for at, line in enumerate(page.splitlines()):
        if line.startswith(PROMPT):
            parsed.append(Step(line.removeprefix(PROMPT), at + 1))
            in_block = True
        elif in_block and parsed[-1].command.endswith("\\"):
            parsed[-1].command = parsed[-1].command[:-1] + line.strip()
            parsed[-1].at = at + 1
        elif in_block and (line.startswith(INDENT) or not line):
            parsed[-1].shown.append(line.removeprefix(INDENT))
        else:
            in_block = False
    for step in parsed:
        while step.shown and not step.shown[-1]:
            step.shown.pop()
    return parsed


def repeatable(page: str) -> Iterator[Step]:
    """The commands of a page whose output is the same on every machine with the same SimGrid."""
    written: set[str] = set()
    for step in steps(page):
        words = shlex.split(step.command)
        files = {word for word in words if word.endswith(".jsonl")}
        if SIMULATED.search(step.command):
            written |= files
            yield step
        elif files and files <= written and "-o" not in words:
            yield step


def run(
    command: str, directory: Path, timeout_s: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command of a page with this interpreter's hockney first on PATH."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        command,
        shell=True,
        cwd=directory,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )


def shortened(printed: str, shown: list[str]) -> list[str]:
    """What a page shows of an output: nothing, or the paragraphs that it showed before."""
    if not shown:
        return []
    *before, last = "\n".join(shown).split("\n\n")
    paragraphs = re.split(r"\n(?:[ \t]*\n)+", printed.strip("\n"))
    is_cut = last.endswith(CUT) and len(paragraphs) > len(before) + 1
    kept = [CUT if old == CUT else new for old, new in zip(before, paragraphs, strict=False)]
    kept += [paragraphs[len(before)] + f"\n{CUT}"] if is_cut else paragraphs[len(before) :]
    return [line.rstrip() for line in "\n\n".join(kept).splitlines()]


def record(page: Path, directory: Path) -> None:
    is_tutorial = page.samefile(TUTORIAL)
    lines = page.read_text().splitlines()
    moved = 0
    for step in steps(page.read_text()) if is_tutorial else repeatable(page.read_text()):
        done = run(step.command, directory)
        sys.stderr.write(f"$ {step.command}\n{done.stderr}{done.stdout}")
        if done.returncode or DISTURBED in done.stderr:
            sys.exit("failed or disturbed; the page is as it was")
        shown = [f"{INDENT}{line}".rstrip() for line in shortened(done.stdout, step.shown)]
        first = step.at + moved
        lines[first : first + len(step.shown)] = shown
        moved += len(shown) - len(step.shown)
    page.write_text("\n".join(lines) + "\n")
    for drawn in directory.glob("*.png") if is_tutorial else ():
        drawn.replace(FIGURES / f"tutorial-{drawn.name}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        kept = Path(sys.argv[2] if len(sys.argv) > 2 else made)
        kept.mkdir(parents=True, exist_ok=True)
        record(Path(sys.argv[1]), kept)
