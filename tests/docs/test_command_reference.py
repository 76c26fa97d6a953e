"""docs/cli.md is what the command line says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from hockney.cli import cli

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = DOCS / "cli.md"


def test_reference_is_that_of_the_code() -> None:
    script = DOCS / "command_reference.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert made.stdout == REFERENCE.read_text(), f"python docs/{script.name} > docs/cli.md"


def test_every_verb_and_every_shown_option_is_there() -> None:
    sections = {
        section.split("\n", 1)[0]: section for section in REFERENCE.read_text().split("\n## ")
    }
    common = sections["Options of every verb that measures"]
    whole = click.Context(cli)
    for name in cli.list_commands(whole):
        verb = cli.get_command(whole, name)
        assert verb is not None
        for option in verb.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.opts[-1] in sections[name] + common, (name, option.opts)
