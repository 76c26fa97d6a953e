"""The options that every measuring verb has, and what they say: sampling, placement, output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from hockney.cli._parameters import CPUS, HOSTS, LAUNCHES, SECONDS, SHARE, Named
from hockney.lazy import lazy
from hockney.spec import Placement, Sampling
from hockney.spec.placement import OLD_LAUNCHERS, PLACES
from hockney.spec.workloads import BUFFERS, Buffers

schedulers = lazy("hockney.schedulers")
Decorator = Callable[[Callable[..., Any]], Any]
OLD_NAMES: dict[str, Buffers] = {"two_buffers": "separate", "cold_cache": "cold"}
"""Options that --buffers has taken the place of, with what they stand for."""

BUDGET = click.option(
    "--budget",
    type=SECONDS,
    default="10s",
    show_default=True,
    help="Wall time that all launches may take.",
)
OPTIONS = (
    click.option(
        "--buffers",
        type=click.Choice(BUFFERS),
        help="Messages are sent on from where they arrived; received into another buffer than they "
        "are sent from; or walk through more than the last cache.  [default: returned; separate "
        "for streams, collectives and --verify]",
    ),
    click.option("--two-buffers", is_flag=True, hidden=True, help="Old name: --buffers separate."),
    click.option("--cold-cache", is_flag=True, hidden=True, help="Old name: --buffers cold."),
    click.option(
        "--launches",
        type=LAUNCHES,
        default="5..",
        show_default=True,
        help="Starts of the MPI program: 5 exactly, 5.. at least, 5..20 between; 1 if simulated.",
    ),
    click.option(
        "--precision",
        type=SHARE,
        default="1%",
        show_default=True,
        help="Stop when every median is known to within this.",
    ),
    BUDGET,
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
        "as far as possible, or not pinned.  [default: core; none where simulated]",
    ),
    click.option(
        "--cpus",
        type=CPUS,
        metavar="LIST",
        default="",
        help="CPU of each rank of a node: 0,3 or 4-7.",
    ),
    click.option(
        "--mpicc", help="Compiler wrapper of the MPI to measure.  [default: $MPICC, mpicc]"
    ),
    click.option("--hosts", type=HOSTS, metavar="LIST", default="", help="Start on hosts: a,b."),
    click.option("--nodes", type=click.IntRange(1), help="Spread the ranks over so many nodes."),
    click.option("--ranks-per-node", type=click.IntRange(1), help="Ranks on each of them."),
    click.option(
        "--launcher",
        type=Named(lambda: schedulers.launcher_names(), OLD_LAUNCHERS),
        help="What starts the ranks.  [default: that of the job this is in, mpiexec]",
    ),
    click.option(
        "--broadcast",
        metavar="[DIRECTORY]",
        is_flag=False,
        flag_value="/tmp",
        help="Copy the engine to each node, into a directory (/tmp): no shared file system.",
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


def measuring_options(budget: Decorator = BUDGET) -> Decorator:
    """Adds OPTIONS below a verb's own; `budget` stands in for a verb with another default."""

    def decorate(command: Callable[..., Any]) -> Any:
        for option in reversed(OPTIONS):
            command = (budget if option is BUDGET else option)(command)
        return command

    return decorate


@dataclass(frozen=True)
class Output:
    """Where the answers go, and how they are shown."""

    path: Path | None
    """None: a name that is made up."""
    label: str | None
    force: bool
    resume: bool
    quiet: bool
    as_json: bool
    gate: bool
    """Outliers are exit status 1."""
    layout: str | None
    """The table of a classic program; None: that of the preset, or ours."""


@dataclass(frozen=True)
class Common:
    """What the options of all measuring verbs say, apart from their output."""

    sampling: Sampling
    placement: Placement
    """With the usual number of ranks: a verb says how many take part."""
    buffers: Buffers | None
    """None: those that the operation usually has."""
    given: frozenset[str]
    """Parameters that the user gave, by the names that verbs have for them."""

    def ranks_by_nodes(self) -> int | None:
        """Nodes with so many ranks each; None where not both are given."""
        nodes, each = self.placement.node_count, self.placement.ranks_per_node
        return nodes * each if nodes and each else None

    def given_among(self, *names: str) -> list[str]:
        """Which of these the user gave, as options."""
        return [f"--{name.replace('_', '-')}" for name in names if name in self.given]


def common_of(context: click.Context, options: dict[str, Any]) -> Common:
    """Takes the options of OPTIONS, but for the output's, out of those of a verb."""
    default = click.core.ParameterSource.DEFAULT
    given = frozenset(name for name in options if context.get_parameter_source(name) != default)
    take = options.pop
    least, most = take("launches")
    platform, place = take("platform_file"), take("place")
    if platform and "launches" not in given:
        least = most = 1  # simulated launches do not differ
    sampling = Sampling(
        least_launches=least,
        most_launches=most,
        precision=take("precision"),
        budget_s=take("budget") or 0.0,  # a verb that has no default decides by its cases
        over_s=take("over"),
        timeout_s=take("timeout"),
    )
    placement = Placement(
        place=place or ("none" if platform else "core"),
        cpus=take("cpus"),
        hosts=take("hosts"),
        nodes=take("nodes"),
        ranks_per_node=take("ranks_per_node"),
        launcher=take("launcher"),
        mpicc=take("mpicc"),
        broadcast=take("broadcast"),
        platform=platform,
        cfg=take("cfg"),
    )
    return Common(sampling, placement, _buffers(options, given), given)


def output_of(options: dict[str, Any]) -> Output:
    """Takes the output's options out of those of a verb; some have a gate or a layout."""
    take = options.pop
    return Output(
        path=take("output"),
        label=take("label"),
        force=take("force"),
        resume=take("resume"),
        quiet=take("quiet"),
        as_json=take("as_json"),
        gate=take("gate", False),
        layout=take("layout", None),
    )


def _buffers(options: dict[str, Any], given: frozenset[str]) -> Buffers | None:
    """--buffers, or what its old names stand for."""
    chosen: Buffers | None = options.pop("buffers")
    asked = [name for name in OLD_NAMES if options.pop(name)]
    if len(asked) + ("buffers" in given) > 1:
        raise click.UsageError(
            "--buffers is one choice: --two-buffers and --cold-cache are old names of its values"
        )
    for name in asked:
        chosen = OLD_NAMES[name]
        click.echo(
            f"note: --{name.replace('_', '-')} is the old name of --buffers {chosen}", err=True
        )
    return chosen
