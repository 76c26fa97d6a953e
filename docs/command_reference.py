"""Writes the command reference and the man pages, from the same words as --help.

python docs/command_reference.py > docs/cli.md
python docs/command_reference.py --man DIRECTORY
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click
from click_man.core import generate_man_page

from hockney import __version__
from hockney.cli import SECTIONS, cli
from hockney.cli._help import Verb
from hockney.cli._verb import MeasuringVerb

HEAD = """\
# Command reference

This page is made from the code: it holds all options, as `--help-all` prints them for a verb that
measures, and `--help` for others. What sizes, times and fractions look like, exit statuses,
launches and budgets, and which MPI is measured, are in [conventions](conventions.md); the fields of
`--json` are in [JSON output](json.md).
"""
COMMON = "Options of every verb that measures"
WIDTH = 100
HELP = {"--help", "--help-all"}
Options = dict[str, dict[str, str]]
"""What --help says of each option, by heading and by the option with its values."""


def contexts() -> Iterator[click.Context]:
    """Each verb in a context of its own, in the order of `hockney --help`."""
    whole = click.Context(cli, info_name="hockney")
    ordered = [name for verbs in SECTIONS.values() for name in verbs]
    for name in sorted(cli.list_commands(whole), key=[*ordered, *cli.list_commands(whole)].index):
        verb = cli.get_command(whole, name)
        assert verb is not None
        yield click.Context(verb, info_name=name, parent=whole)


def options_of(context: click.Context) -> Options:
    assert isinstance(context.command, Verb)
    return {
        heading: dict(
            record
            for option in options
            if not HELP & set(option.opts) and (record := option.get_help_record(context))
        )
        for heading, options in context.command.headings(context).items()
    }


def shared(every: list[Options]) -> Options:
    """The options that all of them have with the same words."""
    return {
        heading: {
            option: text
            for option, text in options.items()
            if all(other.get(heading, {}).get(option) == text for other in every)
        }
        for heading, options in every[0].items()
    }


def reference() -> str:
    """The page: a section for each verb, with the options of all measuring verbs once."""
    verbs = {context: options_of(context) for context in contexts()}
    measuring = [verb for verb in verbs if isinstance(verb.command, MeasuringVerb)]
    common = shared([verbs[verb] for verb in measuring])
    names = ", ".join(f"`{verb.info_name}`" for verb in measuring)
    return "".join(
        [
            HEAD,
            *(
                _section(verb, options, verb in measuring, common)
                for verb, options in verbs.items()
            ),
            f"\n## {COMMON}\n\n{_wrapped(names)}\n",
            _listed(common),
        ]
    )


def _section(verb: click.Context, options: Options, measures: bool, common: Options) -> str:
    command = verb.command
    assert isinstance(command, Verb)
    usage = " ".join(["hockney", verb.info_name or "", *command.collect_usage_pieces(verb)])
    own = {
        heading: {
            option: text
            for option, text in inner.items()
            if not (measures and option in common.get(heading, {}))
        }
        for heading, inner in options.items()
    }
    parts = [
        f"\n## {verb.info_name}\n\n    {usage}\n\n",
        _paragraphs(command.help or ""),
        _listed(own),
        f"\n[{COMMON}](#{COMMON.lower().replace(' ', '-')})\n" if measures else "",
        "\nExamples:\n\n" if command.examples else "",
        *(f"    {example}\n" for example in command.examples),
    ]
    return "".join(parts)


def _paragraphs(text: str) -> str:
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).replace("\b\n", "").strip())
    return "\n\n".join(_wrapped(block) for block in blocks) + "\n"


def _listed(options: Options) -> str:
    """A list under each heading that has options."""
    return "".join(
        f"\n{heading}:\n\n"
        + "".join(_wrapped(f"- `{option}`: {text}", "  ") + "\n" for option, text in inner.items())
        for heading, inner in options.items()
        if inner
    )


def _wrapped(text: str, indent: str = "") -> str:
    words = " ".join(text.split()).replace("<", "\\<").replace("*", "\\*")
    return textwrap.fill(
        words, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def write_man_pages(directory: Path) -> None:
    """A page for hockney and one for each verb."""
    directory.mkdir(parents=True, exist_ok=True)
    verbs = list(contexts())
    for verb in verbs:
        cli.add_command(verb.command, verb.info_name)
    for context in [click.Context(cli, info_name="hockney"), *verbs]:
        page = directory / f"{context.command_path.replace(' ', '-')}.1"
        page.write_text(generate_man_page(context, version=__version__))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--man"]:
        write_man_pages(Path(sys.argv[2]))
    else:
        sys.stdout.write(reference())
