"""Options that several verbs share, each declared once; and those of every measuring verb."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hockney.base.units import parse_factor, parse_share
from hockney.cli._help import (
    COMMON,
    COMPARISON,
    OUTPUT,
    PLACEMENT,
    SIMULATION,
    Decorator,
    in_order,
    option,
    output_option,
    placement_option,
    sampling_option,
    workload_option,
)
from hockney.cli._option_groups import OUTLIERS, Times
from hockney.cli._parameters import (
    CPUS,
    FRACTION,
    HOSTS,
    LAUNCHES,
    PEERS,
    SECONDS,
    SIZE,
    SIZES,
    Named,
    Words,
    count_of,
)
from hockney.plan.memories import read_memories
from hockney.plan.placement import PLACES
from hockney.plan.variants import DEFAULT_TOLERANCE
from hockney.plan.workloads import BUFFERS

PATH = click.Path(path_type=Path)


def _launchers() -> list[str]:
    from hockney.run.schedulers import launcher_names

    return launcher_names()


def output(help: str, **attributes: Any) -> Decorator:
    return option("-o", "--output", type=PATH, help=help, **attributes)


def force(what: str, heading: str = OUTPUT) -> Decorator:
    return option("--force", is_flag=True, heading=heading, help=f"Overwrite {what}.")


def mpicc(what: str = "to measure", heading: str = PLACEMENT) -> Decorator:
    return option(
        "--mpicc",
        metavar="COMMAND",
        heading=heading,
        help=f"Compiler wrapper of the MPI {what}.",
        show_default="$MPICC, then mpicc on PATH",
    )


def memory_to_try(tries: str) -> Decorator:
    """The option --memory of verbs that try memories of accelerators instead of measuring."""
    return option(
        "--memory",
        type=Words("MEMORY ...", read_memories),
        several=True,
        heading=COMMON,
        help=tries,
    )


def sizes(default: str | None, more: str = "", shown: str | bool = True) -> Decorator:
    """The option --sizes; `more`: what its sizes are, `shown`: a default that depends on other
    options."""
    grid = "Message sizes: 0,8,1KiB; 1..4MiB by powers of two; 1..4e6x10 by tens; 1..1MiB/4 four "
    text = f"{grid}an octave. {more}".strip()
    return option(
        "--sizes", type=SIZES, metavar="LIST", default=default, show_default=shown, help=text
    )


def ranks(default: int | None, shown: str | bool = True) -> Decorator:
    return option(
        "-n",
        "ranks",
        type=count_of("ranks"),
        metavar="N",
        default=default,
        show_default=shown,
        help="Number of ranks to start.",
    )


def peers(what: str) -> Decorator:
    return workload_option("--peers", type=PEERS, metavar="I,J", default="0,1", help=what)


OVERSUBSCRIBE = placement_option(
    "--oversubscribe",
    is_flag=True,
    envvar="HOCKNEY_OVERSUBSCRIBE",
    help="Allow more ranks or threads than CPUs; the answer then says so. Also as "
    "HOCKNEY_OVERSUBSCRIBE=1.",
)
START_ON = placement_option(
    "--hosts",
    type=HOSTS,
    metavar="A,B,...",
    default="",
    help="Hosts to start on.",
)
SIMULATED = (
    option(
        "--platform",
        "platform_file",
        metavar="FILE|SHAPE",
        heading=SIMULATION,
        help="Simulate with SimGrid: a platform file, or a shape: fat-tree:64; cluster:2,lat=1us, "
        "whose messages take 4 us.",
    ),
    option(
        "--cfg",
        multiple=True,
        metavar="KEY:VALUE",
        heading=SIMULATION,
        help="A setting of the simulator. May be repeated.",
    ),
)
JSON = output_option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
LABEL = output_option("--label", metavar="TEXT", help="Name of this run in tables and figures.")
QUIET = output_option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print the answer alone: no progress, no notes.",
)


def _gate(text: str) -> str | float | Times:
    if text == OUTLIERS:
        return text
    return Times(parse_factor(text)) if text.endswith("x") else parse_share(text)


GATE = output_option(
    "--gate",
    is_flag=True,
    help="Print the gate's verdict first; exit status 1 when there is an outlier (a pair, a CPU, a "
    "node, a switch or a cable that is slower than its peers), 3 when that cannot be judged.",
)
PER_SWITCH = workload_option(
    "--per-switch",
    is_flag=True,
    help="Pair the nodes of each switch, on all switches at the same time, then every two switches "
    "node by node, and name a slow node, switch or cable: hockney fabric --per-switch.",
)
TOPOLOGY = placement_option(
    "--topology",
    metavar="FILE|slurm",
    help="Which nodes are on which switch: a topology.conf of Slurm, lines such as `leaf1 "
    "node[1-16]`, or what `scontrol show topology` or `ibnetdiscover` prints; for fabric --locate "
    "also a platform file of SimGrid.",
)


def _allow(ctx: click.Context, param: click.Parameter, value: int | None) -> None:  # noqa: ARG001
    from hockney.records.reading import allow

    if value is not None:
        allow(value)


MOST_INPUT = option(
    "--most-input",
    type=SIZE,
    metavar="SIZE",
    expose_value=False,
    callback=_allow,
    show_default="16GiB",
    help="Refuse larger files.",
)
EXPLAIN = option(
    "--explain", is_flag=True, help="Also print what columns hold, and the rules of verdicts."
)
TOLERANCE = option(
    "--tolerance", type=FRACTION, default="3%", help="Treat smaller differences as equal."
)

HISTORY = option(
    "--history",
    "past",
    multiple=True,
    type=PATH,
    metavar="PATH",
    help="Other runs of the system: files or directories. May be repeated.",
)


def host_memory(default: str | None = "what `hockney history` has read") -> Decorator:
    """Where earlier runs of the same question are kept, for verbs that judge by them."""
    return option(
        "--memory",
        type=PATH,
        metavar="FILE|DIR",
        help="Earlier runs of this host: a memory, which is made or added to, or a directory of "
        "runs, where it is kept.",
        show_default=default,
    )


BUDGET = "Wall time for all launches together; --launches N are all made."
HOW_MUCH = (
    option("--budget", type=SECONDS, default="10s", help=BUDGET),
    option(
        "--precision",
        type=FRACTION,
        default="1%",
        help="Stop when every median is within this by the first half of the launches.",
    ),
    output("Result file.", show_default="EXPERIMENT-HOST-TIME.jsonl", metavar="FILE"),
)
REST = (
    workload_option(
        "--buffers",
        type=click.Choice(BUFFERS),
        show_default="returned; separate for streams, collectives, layouts and --verify",
        help="What is sent. returned: from where the last message arrived; separate: from a buffer "
        "of its own; cold: from memory that is in no cache.",
    ),
    sampling_option(
        "--launches",
        type=LAUNCHES,
        default="5..",
        help="Starts of the MPI program: 5 exactly, 5.. at least, 5..20 between; always 1 when "
        "simulated.",
    ),
    sampling_option(
        "--over",
        type=SECONDS,
        help="Spread the launches evenly over this time, so that intervals cover its drift.",
    ),
    sampling_option(
        "--timeout",
        type=SECONDS,
        default="60s",
        help="End a launch that reports nothing for this long.",
    ),
    placement_option(
        "--place",
        type=click.Choice(PLACES),
        show_default="core; none when simulated",
        help="Pin neighbouring ranks to different parts. core, socket, numa, node: another one for "
        "each; spread: as far apart as possible; none: no pinning.",
    ),
    placement_option(
        "--cpus",
        type=CPUS,
        metavar="LIST",
        default="",
        help="CPU of each rank on a node, in rank order: 0,3 or 4-7.",
    ),
    OVERSUBSCRIBE,
    START_ON,
    placement_option(
        "--nodes",
        type=count_of("nodes"),
        metavar="N",
        help="Number of nodes to spread the ranks over.",
    ),
    placement_option(
        "--ranks-per-node",
        type=count_of("ranks per node"),
        metavar="N",
        help="Ranks on each node.",
    ),
    placement_option(
        "--without-bad-nodes",
        is_flag=True,
        help="Go on without nodes that make a launch fail or hang, with the ranks of the others; "
        "the answer then names them.",
    ),
    placement_option(
        "--launcher",
        type=Named(_launchers),
        show_default="the scheduler's inside a job, else mpiexec",
        help="What starts the ranks.",
    ),
    placement_option(
        "--launch",
        metavar="TEMPLATE",
        show_default="$HOCKNEY_LAUNCH",
        help="The command of any other launcher, such as 'aprun -n {ranks} {command}'; also "
        "{ranks_per_node}, {nodes} and {hosts}.",
    ),
    placement_option(
        "--broadcast",
        metavar="[DIRECTORY]",
        is_flag=False,
        flag_value="/tmp",
        help="Copy the engine to each node (no shared filesystem), to /tmp or DIRECTORY.",
    ),
    mpicc(),
    placement_option(
        "--engine",
        metavar="FILE",
        show_default="$HOCKNEY_ENGINE, else built",
        help="Use an engine that was built elsewhere, such as one for the standard ABI: no "
        "compiler is needed.",
    ),
    *SIMULATED,
    option(
        "--vary",
        multiple=True,
        metavar="KEY=V1,V2|@FILE",
        heading=COMPARISON,
        help="Measure variants side by side. KEY is an option (window, mpicc, ...) or env:NAME; "
        "repeat it for all combinations; use semicolons where values hold commas. A TOML FILE has "
        "a table for each variant.",
    ),
    option(
        "--tolerance",
        type=FRACTION,
        default=f"{100.0 * DEFAULT_TOLERANCE:g}%",
        heading=COMPARISON,
        help="Variants are the same where their ratio surely lies within this of 1.",
    ),
    option(
        "--gate",
        type=Words("fraction", _gate),
        metavar="[FRACTION|FACTORx]",
        is_flag=False,
        flag_value=OUTLIERS,
        heading=COMPARISON,
        help="Print a verdict first; exit status 1 when a variant is surely slower than the first "
        "by more than FRACTION; without one, when a pair, CPU, node, switch or cable is slower "
        "than its peers; of congestion, when a factor is surely above FACTOR, such as 3x. Exit "
        "status 3 when that cannot be judged.",
    ),
    output_option(
        "--resume",
        is_flag=True,
        help="Continue the result file if it exists: --budget is the total of all goes.",
    ),
    force("the result file"),
    LABEL,
    QUIET,
    JSON,
)


def measuring_options(case_s: float | None = None, case: str = "") -> Decorator:
    """Adds the options of all measuring verbs below a verb's own. case_s: the wall time for each
    case, where the budget depends on their number; case: what one is called."""
    budget, *others = HOW_MUCH
    if case_s is not None:
        shown = f"{case_s:g}s for each {case}"
        budget = option("--budget", type=SECONDS, help=BUDGET, show_default=shown)
    return in_order((budget, *others, *REST))
