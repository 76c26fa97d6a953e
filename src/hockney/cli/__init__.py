"""The command line: one module a verb, found by its name; options in, a call, a view out."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import NoReturn, Protocol

import click

from hockney import __version__
from hockney.base import endings
from hockney.base.errors import HockneyError
from hockney.base.limits import explained
from hockney.base.printable import guard_output, keep_descriptors, lost_output
from hockney.base.registry import Registry


class VerbModule(Protocol):
    command: click.Command


VERBS = Registry(__name__, "verb", VerbModule)

SECTIONS = {
    "Measure": {
        "pingpong": "Latency and bandwidth between two ranks.",
        "overheads": "What a message costs sender, wire and receiver (LogGP).",
        "pairs": "Many pairs at once: contention, and slow pairs.",
        "rma": "One-sided operations against messages: is put faster than send?",
        "congestion": "What a loaded network costs those who share it.",
        "cores": "Every pair of CPUs or nodes, as a map.",
        "fabric": "All pairs of many nodes: which node, switch or cable is slow?",
        "startup": "MPI_Init, first messages, new communicators and windows.",
        "collective": "Collectives by algorithm, number of ranks and size.",
        "halo": "Exchanges of every rank with its neighbours on a grid.",
        "overlap": "How much of a message hides behind computation.",
        "profile": "What a program of yours sends, and what that costs it.",
        "replay": "A benchmark of what a profiled program exchanged.",
    },
    "Understand": {
        "show": "The table of a result file, or its data as JSON.",
        "fit": "Fit models (Hockney, LogGP, segmented, ...) to result files.",
        "compare": "Test whether runs differ; exit status 1 when one is slower.",
        "explain": "Why two runs differ: settings, places, the machine, libraries.",
        "predict": "Predict messages and communication patterns from fitted models.",
        "reproduce": "Is a published claim true here? Measure it, and judge.",
        "history": "Trend and change points over many runs of a system.",
        "plot": "Draw figures.",
        "report": "Write one HTML page with figures, tables and data.",
    },
    "Exchange": {
        "import": "Read logs of OSU, IMB, NetPIPE and other benchmarks.",
        "export": "Write CSV, Parquet, OSU or IMB tables, SimGrid platforms, ...",
    },
    "Apply": {
        "calibrate": "Make a platform for SimGrid of this machine, with its error.",
        "tune": "Write decision rules for Open MPI, MPICH and Intel MPI.",
        "suite": "Run a plan of many measurements.",
        "watch": "Measure briefly for ever, and raise an alarm at a change.",
        "job": "Print or submit a batch script for nodes without Python.",
        "doctor": "Check whether this machine is ready to be measured.",
        "algorithms": "List the collective algorithms that this MPI can be made to use.",
    },
}
"""Sections of `hockney --help`, in the order of work, without an import of any verb. A verb that is
not named here is shown last, with the first sentence of its own help."""


class Verbs(click.Group):
    """Every module here with a `command` is a verb, imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return VERBS.names()

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        known = name in VERBS.built_in() or name in VERBS.names()
        return VERBS.find(name).command if known else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        known = {name for lines in SECTIONS.values() for name in lines}
        others = {
            name: command.get_short_help_str()
            for name in self.list_commands(ctx)
            if name not in known and (command := self.get_command(ctx, name))
        }
        for section, lines in {**SECTIONS, "Others": others}.items():
            if lines:
                with formatter.section(section):
                    formatter.write_dl(list(lines.items()))


CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.command(
    cls=Verbs,
    context_settings=CONTEXT,
    subcommand_metavar="VERB ...",
    epilog="hockney VERB --help shows the options of a verb and examples.",
)
@click.version_option(__version__, prog_name="hockney")
def cli() -> None:
    """Measure how MPI communicates, explain it by models, and apply the results."""


def main() -> NoReturn:
    """Runs a verb; shows our errors in plain words, without a traceback."""
    keep_descriptors()
    guard_output()
    # Records hold no cycles: looking for some among millions takes longer than reading them.
    gc.disable()
    status, lost = run(), lost_output()
    if lost is not None:
        click.echo(f"hockney: stdout cannot be written: {lost.strerror}", err=True)
    endings.AtEnd.all()
    endings.end_children()
    sys.exit(status or int(lost is not None))


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit status of a command; arguments: its words, those of the process by default."""
    try:
        # Without its standalone mode click returns the status that a verb ended with.
        ended = cli(arguments, prog_name="hockney", standalone_mode=False)
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
    except (OSError, MemoryError, ImportError, RuntimeError) as error:
        # A name that is too long, a directory that may not be read: the system's text is best.
        words = explained(error)
        if words is None and not isinstance(error, OSError):
            raise
        where = getattr(error, "filename", None)
        words = words or getattr(error, "strerror", None) or str(error)
        click.echo(f"hockney: {f'{where}: ' if where is not None else ''}{words}", err=True)
        return 1
