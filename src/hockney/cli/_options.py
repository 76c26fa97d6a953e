"""The options that every measuring verb has, and the question that they make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hockney.cli._parameters import HOSTS, LAUNCHES, SECONDS, SHARE
from hockney.measure.checks import PLACES
from hockney.measure.launchers import launcher_names
from hockney.measure.question import Question

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS = (
    click.option(
        "--launches",
        type=LAUNCHES,
        default="5..",
        show_default=True,
        help="Starts of the MPI program: 5 exactly, 5.. at least, 5..20 between.",
    ),
    click.option(
        "--precision",
        type=SHARE,
        default="1%",
        show_default=True,
        help="Stop when every median is known to within this.",
    ),
    click.option(
        "--budget",
        type=SECONDS,
        default="10s",
        show_default=True,
        help="Wall time that all launches may take.",
    ),
    click.option(
        "--over",
        type=SECONDS,
        help="Spread the launches over this time, with rests: intervals then tell of all of it.",
    ),
    click.option(
        "--timeout",
        type=SECONDS,
        default="60s",
        show_default=True,
        help="End a launch that is silent for so long.",
    ),
    click.option(
        "--place",
        type=click.Choice(PLACES),
        default=None,
        help="Neighbouring ranks on different cores, sockets, NUMA domains or nodes, spread "
        "as far as possible, or not pinned.  [default: core]",
    ),
    click.option("--cpus", metavar="LIST", help="CPU of each rank of a node: 0,3 or 4-7."),
    click.option(
        "--mpicc", help="Compiler wrapper of the MPI to measure.  [default: $MPICC, mpicc]"
    ),
    click.option("--hosts", type=HOSTS, metavar="LIST", default="", help="Start on hosts: a,b."),
    click.option("--nodes", type=click.IntRange(1), help="Spread the ranks over so many nodes."),
    click.option("--ranks-per-node", type=click.IntRange(1), help="Ranks on each of them."),
    click.option(
        "--launcher",
        type=click.Choice(launcher_names()),
        help="What starts the ranks.  [default: that of the job this is in, mpiexec]",
    ),
    click.option(
        "--broadcast",
        metavar="[DIRECTORY]",
        is_flag=False,
        flag_value="/tmp",
        help="Send the engine into a directory of each node (/tmp), which share none.",
    ),
    click.option(
        "--platform",
        "platform_file",
        metavar="FILE|SHAPE",
        help="Simulate on a SimGrid platform, or on a shape such as fat-tree:64.",
    ),
    click.option("--cfg", multiple=True, metavar="KEY:VALUE", help="A setting for the simulator."),
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        help="Result file.  [default: EXPERIMENT-HOST-TIME.jsonl]",
    ),
    click.option("--resume", is_flag=True, help="Go on with the result file, if it is there."),
    click.option("--force", is_flag=True, help="Overwrite the result file."),
    click.option("--label", help="What to call this run in tables and figures."),
    click.option("-q", "--quiet", is_flag=True, help="No progress and no notes."),
    click.option("--json", "as_json", is_flag=True, help="Results as JSON."),
)


def measuring_options(command: Command) -> Command:
    """Adds OPTIONS below a verb's own."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def was_given(option: str) -> bool:
    source = click.get_current_context().get_parameter_source(option)
    return source != click.core.ParameterSource.DEFAULT


def ranks_by_nodes(options: dict[str, Any]) -> int | None:
    """Nodes with so many ranks each; None where not both are said."""
    nodes = options["nodes"] or len(options["hosts"])
    return nodes * options["ranks_per_node"] if nodes and options["ranks_per_node"] else None


def question_of(options: dict[str, Any], **own: Any) -> Question:
    """The question of a verb: what OPTIONS say, and its own part."""
    least, most = options["launches"]
    if options["platform_file"] and not was_given("launches"):
        least = most = 1  # simulated launches do not differ
    return Question(
        least_launches=least,
        most_launches=most,
        precision=options["precision"],
        budget_s=options["budget"],
        over_s=options["over"],
        timeout_s=options["timeout"],
        place=options["place"] or ("none" if options["platform_file"] else "core"),
        cpus=options["cpus"],
        hosts=options["hosts"],
        nodes=options["nodes"],
        ranks_per_node=options["ranks_per_node"],
        launcher=options["launcher"],
        broadcast=options["broadcast"],
        platform=options["platform_file"],
        cfg=options["cfg"],
        **own,
    )
