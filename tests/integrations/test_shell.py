"""Completion in a shell, and man pages from the same help."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hockney.cli import cli

REFERENCE = Path(__file__).parents[2] / "docs" / "command_reference.py"


def _completion(**variables: str) -> str:
    """The output of the installed command: click names its variables after it."""
    command = Path(sys.executable).parent / "hockney"
    env = {**os.environ, **variables}
    return subprocess.run([command], env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed(shell: str) -> None:
    script = _completion(_HOCKNEY_COMPLETE=f"{shell}_source")
    assert f"_HOCKNEY_COMPLETE={shell}_complete" in script


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("hockney ping", "pingpong"),
        ("hockney pingpong --buf", "--buffers"),
        ("hockney pingpong --preset it", "itmo"),
    ],
)
def test_verbs_options_and_choices_are_completed(words: str, offered: str) -> None:
    last = str(len(words.split()) - 1)
    variables = {"_HOCKNEY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": last}
    assert _completion(**variables).splitlines() == [f"plain,{offered}"]


def test_every_verb_has_a_man_page_that_man_can_read(tmp_path: Path) -> None:
    subprocess.run([sys.executable, REFERENCE, "--man", tmp_path], check=True)
    verbs = set(cli.list_commands(None))  # type: ignore[arg-type]
    pages = {page.name for page in tmp_path.iterdir()}
    assert pages == {"hockney.1", *(f"hockney-{verb}.1" for verb in verbs)}
    assert "--verify" in (tmp_path / "hockney-pingpong.1").read_text().replace("\\-", "-")
    if groff := shutil.which("groff"):
        for page in tmp_path.iterdir():
            done = subprocess.run(
                [groff, "-man", "-Tutf8", "-Wbreak", page], capture_output=True, text=True
            )
            assert (done.returncode, done.stderr) == (0, "")
