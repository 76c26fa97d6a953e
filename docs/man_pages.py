"""Writes a man page for hockney and each verb: python docs/man_pages.py DIRECTORY"""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click_man.core import generate_man_page

from hockney import __version__
from hockney.cli import cli


def write(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    whole = click.Context(cli, info_name="hockney")
    for name in cli.list_commands(whole):
        verb = cli.get_command(whole, name)
        assert verb is not None
        cli.add_command(verb, name)
    verbs = [click.Context(verb, info_name=n, parent=whole) for n, verb in cli.commands.items()]
    for context in [whole, *verbs]:
        page = directory / f"{context.command_path.replace(' ', '-')}.1"
        page.write_text(generate_man_page(context, version=__version__))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
