"""The command line: one module a verb, found by its name; options in, a call, a view out."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn, Protocol

import click

from hockney import __version__
from hockney.errors import HockneyError
from hockney.printable import ReaderGoneError, guard_output
from hockney.registry import Registry


class Verb(Protocol):
    command: click.Command


VERBS = Registry(__name__, "verb", Verb, group="hockney.verbs")


class Verbs(click.Group):
    """Every module here with a `command` is a verb; none is imported before it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return VERBS.names()

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        known = name in VERBS.built_in() or name in VERBS.names()
        return VERBS.find(name).command if known else None


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hockney")
def cli() -> None:
    """Measure how MPI communicates, explain it by models, and put the answer to use."""


def main() -> NoReturn:
    """Runs a verb; tells errors of ours in their own words, without a traceback."""
    guard_output()
    # Records hold no cycles: looking for some among millions takes longer than reading them.
    gc.disable()
    try:
        status = _status_of_verb()
        sys.stdout.flush()
    except ReaderGoneError:
        # Nothing more to say, nothing to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)


def _status_of_verb() -> int:
    try:
        # Without its standalone mode click returns the status that a verb ended with.
        ended = cli(standalone_mode=False)
        return ended if isinstance(ended, int) else 0
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("hockney: interrupted", err=True)
        return 130
    except HockneyError as error:
        click.echo(f"hockney: {error}", err=True)
        return error.exit_status
