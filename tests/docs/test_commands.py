"""Every command that the documentation and the README show is one that hockney understands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from hockney.cli import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = re.compile(r"^ {4,}(?:\$ |salloc [^h]*)?(hockney [a-z].*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"\b(VERB|OPTIONS)\b|\[|\w\|\w|\.\.\.$")
"""[OPTIONS], VERB, slurm|pbs: what a reader fills in. FILE would do as a name."""


IN_TABLE = re.compile(r"`(hockney [a-z][^`]*)`")
"""Commands between backticks, as a table has them."""


def _shown(page: Path) -> list[str]:
    text = page.read_text().replace("\\\n", " ")
    commands = SHOWN.findall(text)
    if page.name == "coverage.md":
        commands += IN_TABLE.findall(text)
    bare = (re.split(r"\s+#|\s+[|>]\s", command)[0] for command in commands)
    return [command for command in bare if not PLACEHOLDER.search(command)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_shown_commands_are_understood(page: Path) -> None:
    for command in _shown(page):
        _, verb, *arguments = shlex.split(command)
        known = cli.get_command(click.Context(cli), verb)
        assert known is not None, command
        try:
            known.make_context(verb, arguments)
        except click.ClickException as error:
            pytest.fail(f"{command}\n{error.format_message()}")


def test_commands_are_found() -> None:
    assert sum(len(_shown(page)) for page in PAGES) > 80
