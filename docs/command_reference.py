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
from hockney.cli import cli
from hockney.cli._verb import MeasuringVerb

HEAD = """\
# Command reference

This page is made from the code: it holds what `hockney VERB --help` prints. What sizes, times and
fractions look like, exit statuses, launches and budgets, and which MPI is measured, are in
[conventions](conventions.md); the fields of `--json` are in [JSON output](json.md).
"""
COMMON_HEAD = """
## Options of every verb that measures

{verbs} have these besides their own:

"""
WIDTH = 100
HELP = "--help"


def contexts() -> Iterator[click.Context]:
    """Each verb in a context of its own, by its name."""
    whole = click.Context(cli, info_name="hockney")
    for name in cli.list_commands(whole):
        verb = cli.get_command(whole, name)
        assert verb is not None
        yield click.Context(verb, info_name=name, parent=whole)


def options_of(context: click.Context) -> dict[str, str]:
    """What --help says of each option that it shows, by the option with its values."""
    records = (
        parameter.get_help_record(context)
        for parameter in context.command.get_params(context)
        if isinstance(parameter, click.Option) and HELP not in parameter.opts
    )
    return {option: " ".join(text.split()) for option, text in filter(None, records)}


def reference() -> str:
    """The page: a section for each verb, with the options of all measuring verbs once."""
    verbs = {context: options_of(context) for context in contexts()}
    measuring = [verb for verb in verbs if isinstance(verb.command, MeasuringVerb)]
    same = set.intersection(*(set(verbs[verb].items()) for verb in measuring))
    common = {
        option: text for option, text in verbs[measuring[0]].items() if (option, text) in same
    }
    sections = [HEAD]
    for verb, options in verbs.items():
        shared = common if verb in measuring else {}
        own = {option: text for option, text in options.items() if option not in shared}
        sections += [_section(verb, own, bool(shared))]
    names = ", ".join(f"`{verb.info_name}`" for verb in measuring)
    return "".join([*sections, COMMON_HEAD.format(verbs=names), _listed(common)])


def _section(verb: click.Context, options: dict[str, str], measures: bool) -> str:
    command = verb.command
    usage = " ".join(["hockney", verb.info_name or "", *command.collect_usage_pieces(verb)])
    more = "[Options of every verb that measures](#options-of-every-verb-that-measures).\n"
    return "\n".join(
        [
            f"\n## {verb.info_name}\n",
            f"    {usage}\n",
            _paragraphs(command.help or ""),
            _listed(options) + ("\n" + more if measures else ""),
        ]
    )


def _paragraphs(text: str) -> str:
    """A docstring's paragraphs; a line that is a command stays one."""
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).replace("\b\n", "").strip())
    shown = (
        f"    {' '.join(block.split())}" if block.startswith("hockney ") else _wrapped(block)
        for block in blocks
    )
    return "\n\n".join(shown) + "\n"


def _listed(options: dict[str, str]) -> str:
    items = (_wrapped(f"- `{option}`: {text}", "  ") for option, text in options.items())
    return "".join(f"{item}\n" for item in items)


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
