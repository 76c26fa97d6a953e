"""The tutorial's commands run as they stand, in order, in one empty directory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
VERDICTS = ("hockney doctor", "hockney compare", "hockney history")
"""On a busy machine these may find it bad, or slower: exit status 1, as the tutorial says."""


def _commands() -> list[tuple[str, list[str]]]:
    """Each `$ ` line of the code blocks, with the lines printed below it."""
    commands: list[tuple[str, list[str]]] = []
    for line in TUTORIAL.read_text().splitlines():
        if line.startswith("    $ "):
            commands.append((line[6:], []))
        elif line.startswith("    ") and commands:
            commands[-1][1].append(line.strip())
    return commands


def _headings(printed: list[str]) -> list[str]:
    """Headings of tables: the same on every machine, as numbers and sentences are not."""
    words = [" ".join(line.split()) for line in printed if line not in ("", "...")]
    return [line for line in words if not re.search(r"[\d;]", re.sub(r"95 %|p99", "", line))]


@pytest.mark.long
def test_commands_run_and_print_what_the_tutorial_shows(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    commands = _commands()
    assert len(commands) > 8
    for command, printed in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=TEST_TIMEOUT_S,
        )
        told = f"$ {command}\n{done.stdout}{done.stderr}"
        assert done.returncode in ((0, 1) if command.startswith(VERDICTS) else (0,)), told
        assert "Traceback" not in told
        lines = {" ".join(line.split()) for line in told.splitlines()}
        assert set(_headings(printed)) <= lines, told
