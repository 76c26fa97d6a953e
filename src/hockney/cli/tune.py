"""hockney tune: decision rules for the user's MPI, from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.cli import _options
from hockney.cli._help import COMMON, check_used, option, verb
from hockney.cli._parameters import COUNTS, LAUNCHES, SECONDS, Named
from hockney.plan import Placement
from hockney.run.mpis import Rule, RulesFormat, format_for, format_named, format_names

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.algorithms.best import CollectiveCell
    from hockney.infer.memory.host import EarlierRun
    from hockney.tuning.groups import CellGroup
    from hockney.tuning.measured import Measured
    from hockney.tuning.rules import Tuned


CHECK = "With --check and --settings"
SETTINGS = "With --settings"
SIZES_ALONE = "sizes"
"""Value of --beyond without numbers of ranks."""
DEPLOYED = (".sh", ".mca-params.conf", ".mpich.conf", ".lua", ".tcl")
"""Suffixes of what --deploy writes beside rules."""
MEASURED = ("pingpong", "pairs")
"""Verbs whose messages settings are tuned for."""
ALWAYS_USED = ("output", "force", "mpicc", "quiet", "as_json")
USED = {
    "with --settings": ("settings", "budget", "deploy"),
    "with --check": ("check", "form", "launches", "budget"),
    "with --profile": ("profile", "check", "form", "launches", "budget", "explain", "deploy"),
    "without --check": (
        *("form", "layouts", "robust", "beyond", "explain", "deploy"),
        *("past", "memory"),
    ),
}
"""The parameters that each use of the verb takes beside ALWAYS_USED."""


@verb(
    "hockney tune bcast.jsonl allreduce.jsonl              # show the rules",
    "hockney tune bcast.jsonl -o rules.conf                # write them",
    "hockney tune nodes2.jsonl nodes4.jsonl -o rules.json --format openmpi-json --layouts",
    "hockney tune monday.jsonl friday.jsonl --robust --explain",
    "hockney tune --check bcast.jsonl rules.conf           # measure with and without them",
    "hockney tune --profile p.jsonl -o rules --check -- mpiexec -n 4 ./app",
    "hockney tune pingpong --settings auto -o settings     # thresholds and ways of copying",
    "hockney tune pingpong --settings btl_sm_eager_limit=4096,32768  # Open MPI 5 (4: vader)",
)
@click.argument("words", nargs=-1, metavar="FILE... | pingpong | pairs")
@_options.output(
    "File for the rules, or for the settings; with --check the result file.", metavar="FILE"
)
@option(
    "--format",
    "form",
    type=Named(format_names),
    show_default="what the measured library reads",
    help="Format of the rules.",
)
@option(
    "--layouts",
    is_flag=False,
    flag_value="all",
    metavar="[NODESxRANKS,...]",
    help="Rules by layout: nodes and ranks per node, such as 2x1,4x32; without a value, as the "
    "last word, all that were measured.",
)
@option(
    "--robust",
    is_flag=True,
    help="Only rules that hold in every measured pattern of arrival, and in each of several files.",
)
@option(
    "--beyond",
    is_flag=False,
    flag_value=SIZES_ALONE,
    metavar="[RANKS]",
    help="Also rules between the measured sizes, and for these numbers of ranks, where predictions "
    "show that no more than 2 % can be lost; such rules are marked.",
)
@option("--explain", is_flag=True, help="Show the gain, the evidence and the reason of each rule.")
@option(
    "--check",
    is_flag=True,
    help="Measure with and without the rules, by blocks: the last of FILES is a file of rules, by "
    "any program.",
)
@option(
    "--launches",
    type=LAUNCHES,
    default="8..",
    heading=CHECK,
    help="Blocks: starts of the MPI program with the rules, and as many without.",
)
@option(
    "--budget",
    type=SECONDS,
    show_default="as long as it takes to show a difference",
    heading=CHECK,
    help="Wall time for all launches together; --launches N are all made.",
)
@option(
    "--settings",
    multiple=True,
    metavar="auto|NAME=V1,V2",
    heading=SETTINGS,
    help="Settings of messages to try with `tune pingpong` or `tune pairs`: control variables that "
    "the library lists by MPI_T, UCX_... and FI_...; may be repeated. Options of that verb "
    "come after --.",
)
@option(
    "--deploy",
    is_flag=True,
    help="Also write environment modules (Lua, Tcl) and lines for system-wide files, next to -o.",
)
@option(
    "--profile",
    type=_options.PATH,
    metavar="FILE",
    help="Measure the collectives that a profiled program uses and write rules for them; with "
    "--check -- COMMAND, run the program with and without these.",
)
@_options.HISTORY
@_options.host_memory()
@_options.mpicc("that was measured", COMMON)
@_options.force("the output")
@_options.MOST_INPUT
@_options.QUIET
@_options.JSON
def command(words: tuple[str, ...], check: bool, **options: Any) -> None:
    """Write decision rules for the measured MPI, for cases where another algorithm is
    significantly faster than the library's choice.

    The fewest rules that give 99 % of the gain. The library is started with them before they are
    written; without -o they are only shown. --check measures with and without any file of rules:
    exit status 1 where something is surely slower, or a launch failed, and 3 where too little was
    measured to judge anything. pingpong or pairs with --settings finds settings of messages
    instead.
    """
    from hockney.cli._files import load
    from hockney.cli._memory import earlier_runs
    from hockney.cli._tune_check import check_rules
    from hockney.cli._tune_profile import check_program, measured_for
    from hockney.cli._tune_settings import tune_settings

    if options["profile"] is not None:
        use = "with --profile"
        check_used(use, *ALWAYS_USED, *USED[use])
        form = _tune(measured_for(words, check, options), [], options)
        if check and form is not None:
            check_program(words, form.environment(options["output"].absolute()), options)
        return
    if not words:
        raise click.UsageError("no files: give results of hockney collective, or --profile")
    _check_together(words[0] in MEASURED, check, options)
    if options["settings"]:
        tune_settings(words, options)
        return
    files = [Path(word) for word in words]
    results = files[:-1] if check else files
    if not results:
        raise click.UsageError("--check needs result files, then the file of rules")
    analyses = [load(file) for file in results]
    if check:
        check_rules(files[-1], analyses, options)
        return
    past, memory = options["past"], options["memory"]
    known = earlier_runs(files, past, memory, analyses) if len(files) > 1 else []
    _tune(analyses, known, options)


def _check_together(is_verb: bool, check: bool, options: dict[str, Any]) -> None:
    """Refuses options that belong to another use of this verb."""
    if is_verb != bool(options["settings"]):
        raise click.UsageError("settings are tuned by: hockney tune pingpong --settings auto")
    use = "with --settings" if is_verb else "with --check" if check else "without --check"
    check_used(use, *ALWAYS_USED, *USED[use])


def _predicted(
    group: CellGroup, measured: Measured, options: dict[str, Any]
) -> list[CollectiveCell]:
    """The predicted cells that --beyond asks for."""
    from hockney.tuning.beyond import model_of, predicted_cells

    beyond = options["beyond"]
    if beyond is None:
        return []
    ranks = [] if beyond == SIZES_ALONE else COUNTS.convert(beyond, None, None)
    if ranks and options["layouts"] is not None:
        raise click.UsageError("--beyond RANKS: rules by layout are for measured ranks alone")
    cells = predicted_cells(group.cells, ranks, model_of(measured.analyses))
    unknown = sorted({*ranks} - {cell.ranks for cell in (*cells, *group.cells)})
    if unknown and not options["quiet"]:
        words = ", ".join(map(str, unknown))
        click.echo(
            f"note: --beyond {words}: nothing is predicted: predictions need two measured numbers "
            "of ranks, and reach above the larger by the factor between them",
            err=True,
        )
    return cells


def _tune(
    analyses: Sequence[Analysis], known: Sequence[EarlierRun], options: dict[str, Any]
) -> RulesFormat | None:
    """Makes rules, shows and writes them; returns their format, None where none is justified."""
    from hockney.show.tuning.rules import notes_of
    from hockney.tuning.crossfit import confirmed
    from hockney.tuning.layouts import parse_layouts
    from hockney.tuning.measured import measured, only
    from hockney.tuning.rules import Tuned, for_group

    runs = measured(analyses, known)
    form = format_named(options["form"] or format_for(runs.mpi.library, runs.mpi.version))
    layouts = None if options["layouts"] is None else parse_layouts(options["layouts"])

    def groups_of(some: Measured) -> tuple[list[CellGroup], list[str]]:
        return only(some.groups(form, layouts, options["robust"]), form, runs.mpi.version)

    groups, others = groups_of(runs)
    if not options["quiet"]:
        # A program's collectives are measured once: their runs need not be alike.
        drifts = () if options["profile"] else runs.drifts.values()
        left_out = dict.fromkeys(note for drift in drifts for note in drift.notes)
        for note in (*notes_of(groups, others, form, runs.mpi), *left_out):
            click.echo(f"note: {note}", err=True)
    tuned = Tuned(
        tuple(
            for_group(group, runs.settings_of, _predicted(group, runs, options)) for group in groups
        )
    )
    tuned = confirmed(tuned, runs, lambda some: groups_of(some)[0])
    _put_out(runs, tuned, form, options)
    return form if tuned.rules else None


def _put_out(measured: Measured, tuned: Tuned, form: RulesFormat, options: dict[str, Any]) -> None:
    from hockney.show.tables.as_json import dumps
    from hockney.show.tuning.rules import environment_lines, explained_lines, rule_lines, rules_json
    from hockney.tuning.reasons import explained
    from hockney.tuning.settings_files import deployed, write

    output = options["output"]
    if options["deploy"] and output is None:
        raise click.UsageError("--deploy writes files next to the rules: name these with -o")
    if output is not None and not output.name:
        raise click.UsageError(f"{output} is a directory: name a file in it with -o")
    if output is not None and not options["force"]:
        suffixes = (*form.suffixes, *(DEPLOYED if options["deploy"] else ()))
        for file in (output.with_name(output.name + suffix) for suffix in suffixes):
            if file.exists():
                raise click.UsageError(f"{file} exists: name another, or overwrite with --force")
    rules = tuned.rules
    environment: dict[str, str] = {}
    proved = None
    if output is not None and rules:
        environment, proved = _write(rules, measured, form, output, options["mpicc"])
        if options["deploy"]:
            for file in write(output, deployed(environment), options["force"]):
                click.echo(f"wrote {file}", err=True)
    reasons = (
        [reason for each in tuned.reductions for reason in explained(each)]
        if options["explain"]
        else []
    )
    if options["as_json"]:
        click.echo(dumps(rules_json(tuned, environment, proved, reasons)))
    else:
        click.echo("\n".join(rule_lines(tuned)))
        for reason in reasons:
            click.echo("\n" + "\n".join(explained_lines(reason)))
        if environment:
            click.echo("\n" + "\n".join(environment_lines(environment)))
    if not rules:
        more = "; more --launches may show where one is" if tuned.undecided else ""
        click.echo(f"no rule is justified, and nothing was written{more}", err=True)


def _write(
    rules: list[Rule], measured: Measured, form: RulesFormat, output: Path, mpicc: str | None
) -> tuple[dict[str, str], bool | None]:
    """Writes the rules; returns the environment in which the library reads them, and whether that
    is proved."""
    from hockney.tuning.rules_trial import measured_mpi, write_tried

    first = measured.analyses[0].run
    mpi, engine = measured_mpi(measured.mpi, first, Placement(mpicc=mpicc))
    proved = write_tried(form, rules, output, measured.mpi, mpi, engine)
    reads = "and reads all of it" if proved else "but does not report whether it reads it"
    click.echo(f"wrote {output}: the library starts with it {reads}", err=True)
    return form.environment(output), proved
