"""Every command that the documentation and the README show is one that hockney understands."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest
from shown_commands import NOT_RUN, PAGES, ROOT, shown, why_not_run

from hockney.cli import cli


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_shown_commands_are_understood(page: Path) -> None:
    for command in shown(page):
        _, verb, *arguments = shlex.split(command)
        known = cli.get_command(click.Context(cli), verb)
        assert known is not None, command
        try:
            known.make_context(verb, arguments)
        except click.ClickException as error:
            pytest.fail(f"{command}\n{error.format_message()}")


LONGEST_WORDS = 450
"""Most words of a page for users: README and it are half of what they were at first."""


def test_the_pages_for_users_are_short() -> None:
    pages = sorted((ROOT / "docs" / "users").glob("*.md"))
    assert len(pages) == 5
    assert all(len(page.read_text().split()) <= LONGEST_WORDS for page in pages)


def test_commands_are_found() -> None:
    assert sum(len(shown(page)) for page in PAGES) > 350


def test_every_reason_not_to_run_a_command_has_one() -> None:
    left_out = {why_not_run(command) for page in PAGES for command in shown(page)}
    assert set(NOT_RUN.values()) <= left_out
