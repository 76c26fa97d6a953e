"""hockney calibrate: a platform for SimGrid in one command, with its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.base.errors import UsageError
from hockney.base.units import format_percent
from hockney.cli import _options
from hockney.cli._help import option, verb
from hockney.cli._parameters import SECONDS

if TYPE_CHECKING:
    from hockney.foreign.exchange.calibration import Deviation, PatternError, Scatter
    from hockney.infer.analysis import Analysis

PARTS = 4
"""Parts of the budget: messages with their switches, overheads, and two patterns."""
PATTERNS = {
    "exchange": ("pairs", "--operation", "exchange"),
    "stream": ("pairs", "--operation", "stream", "--window", "8"),
}
LEAST_BUDGET_S = 8.0
"""Least budget (s): each part has launches of two ranks, which take some 0.3 s to start."""
MOST_VALIDATED = 12
"""Most held-out sizes at which patterns are measured, spread over all."""


@verb(
    "hockney calibrate -o machine.xml",
    "hockney calibrate --hosts a,b --budget 5min -o machine.xml --json",
    "hockney calibrate -n 2 --platform cluster:2 -o platform.xml",
)
@option("-n", "--ranks", default=2, show_default=True, help="Ranks: two, the ends of a link.")
@option("--platform", metavar="SHAPE", help="Calibrate a simulated machine, as a test.")
@option("--mpicc", metavar="COMMAND", help="Compiler wrapper of the MPI to calibrate for.")
@option("--hosts", metavar="A,B", help="The two hosts.")
@option("--sizes", default="1..4MiB/2", show_default=True, help="Message sizes.")
@option(
    "--budget",
    "budget_s",
    type=SECONDS,
    default="60s",
    show_default=True,
    help="Time to measure; simulating comes on top.",
)
@_options.output("Platform file to write.", show_default="platform.xml", metavar="FILE")
@_options.force("the file")
@_options.QUIET
@_options.JSON
def command(
    ranks: int, output: Path | None, force: bool, quiet: bool, as_json: bool, **options: Any
) -> None:
    """Measure messages, their switches and overheads, write SimGrid's platform file, and simulate
    on it what it was not made of: every third size, exchanges and streams.

    The validation error is the median relative error of the worst of the three patterns. It needs
    SimGrid's smpicc.
    """
    from hockney.base.outputs import check_place
    from hockney.base.units import format_seconds
    from hockney.foreign.exchange.calibration import noise_of
    from hockney.run.measure.toolchain.mpi import find_mpi
    from hockney.show.tables.as_json import dumps

    if ranks != 2:
        raise UsageError(f"-n {ranks}: a link has two ends", "leave -n out, or give 2")
    if options["budget_s"] < LEAST_BUDGET_S and options["platform"] is None:
        raise UsageError(
            f"--budget {format_seconds(options['budget_s'])}: a platform of this machine takes "
            f"{format_seconds(LEAST_BUDGET_S)} at least",
            f"give --budget {format_seconds(LEAST_BUDGET_S)} or more",
        )
    find_mpi(simulated=True)
    path = output or Path("platform.xml")
    check_place(path, force)
    deviations, messages = _calibrated(path, force, options, quiet)
    if as_json:
        click.echo(dumps(_json(path, deviations, messages)))
    else:
        click.echo("\n".join(_lines(path, deviations, noise_of(messages))))


def _calibrated(
    path: Path, force: bool, options: dict[str, Any], quiet: bool
) -> tuple[list[Deviation], Analysis]:
    """Writes the platform; returns its errors, and the messages that it was made of."""
    from hockney.base.outputs import write_output
    from hockney.base.temporary import temporary_directory
    from hockney.foreign.exchange.calibration import deviations, held_out

    machine = _machine(options)
    sizes = ("--sizes", options["sizes"])
    with temporary_directory("hockney-") as directory:
        run = _Runs(directory, options["budget_s"] / PARTS, quiet)
        messages = run.measure("pingpong", "--refine", *sizes, *machine)
        overheads = run.measure("overheads", *sizes, *machine)
        content = platform_within(options["budget_s"], messages, overheads)
        write_output(path, content, force)
        held_out_B = held_out([point.bytes for point in messages.estimates.own()])
        on_it = ("-n", "2", "--platform", str(path.absolute()))
        errors = deviations(
            "ping-pong", messages, run.measure("pingpong", *_sizes(held_out_B), *on_it)
        )
        some = _sizes(spread_over(held_out_B))
        for pattern, words in PATTERNS.items():
            real = run.measure(*words, *some, *machine)
            errors += deviations(pattern, real, run.measure(*words, *some, *on_it))
    return errors, messages


def spread_over(sizes: Sequence[int]) -> list[int]:
    """MOST_VALIDATED of the sizes, as far apart as can be; all where there are no more."""
    count = min(len(sizes), MOST_VALIDATED)
    return [sizes[i * len(sizes) // count] for i in range(count)]


def platform_within(budget_s: float, messages: Analysis, overheads: Analysis) -> bytes:
    """The platform file; it has no overheads if there was no time for these, so that the messages
    measured before are not lost. Raises UsageError where the sizes are too few."""
    from hockney.base.units import format_seconds
    from hockney.cli._files import warn
    from hockney.foreign.exchange.calibration import calibrated

    try:
        return calibrated(messages, overheads)
    except UsageError as error:
        if len({point.bytes for point in messages.estimates.own()}) < 2:
            raise
        budget = format_seconds(budget_s, 3)
        warn(
            [
                f"--budget {budget} is too short for overheads, which are 0 in the platform: "
                f"{error.message}; give a larger one"
            ]
        )
        return calibrated(messages, None)


def _machine(options: dict[str, Any]) -> list[str]:
    """The options of the machine, as measuring verbs have them."""
    given = [(name, options[name]) for name in ("platform", "mpicc", "hosts")]
    return ["-n", "2", *(word for name, value in given if value for word in (f"--{name}", value))]


def _sizes(sizes: Sequence[int]) -> tuple[str, str]:
    return "--sizes", ",".join(map(str, sizes))


class _Runs:
    """Measures one plan after the other, into files of a directory that is removed."""

    def __init__(self, directory: Path, budget_s: float, quiet: bool) -> None:
        self._directory, self._budget, self._quiet = directory, f"{budget_s:g}s", quiet
        self._count = 0

    def measure(self, *words: str) -> Analysis:
        from hockney.cli._measure import whole
        from hockney.cli._verb import ask
        from hockney.run.measure.execution import Target

        self._count += 1
        plan = ask([*words, "--budget", self._budget]).plan
        target = Target(self._directory / f"{self._count}.jsonl", force=True)
        return whole(plan, target, self._quiet, f"{words[0]}: ")


def _json(path: Path, deviations: Sequence[Deviation], messages: Analysis) -> dict[str, Any]:
    from hockney.foreign.exchange.calibration import errors_of, noise_of, validation_error

    return {
        "platform": str(path),
        "validation_error": validation_error(deviations),
        "largest_error": max((deviation.error for deviation in deviations), default=None),
        "patterns": errors_of(deviations),
        "points": [{**asdict(deviation), "error": deviation.error} for deviation in deviations],
        "noise": asdict(noise_of(messages)),
        "switches": len(messages.run.switches),
    }


def _lines(path: Path, deviations: Sequence[Deviation], noise: Scatter) -> list[str]:
    from hockney.base.units import format_seconds, format_size
    from hockney.foreign.exchange.calibration import pattern_errors, validation_error
    from hockney.show.tables.table import TableColumn, table_text

    whole = validation_error(deviations)
    if whole is None:
        return [f"wrote {path}; nothing was held out, so that its error is unknown"]
    columns: list[TableColumn[PatternError]] = [
        TableColumn("pattern", lambda row: row.pattern),
        TableColumn("sizes", lambda row: row.sizes),
        TableColumn("median error", lambda row: row.median, format_percent),
        TableColumn("largest error", lambda row: row.worst.error, format_percent),
        TableColumn("at", lambda row: row.worst.bytes, format_size),
        TableColumn("measured", lambda row: format_seconds(row.worst.measured_s, 3)),
        TableColumn("simulated", lambda row: format_seconds(row.worst.simulated_s, 3)),
    ]
    return [
        f"wrote {path}; validation error {format_percent(whole)} (the worst pattern's median; "
        f"{len(deviations)} held-out times)",
        table_text(columns, pattern_errors(deviations)),
        *_noise_line(noise),
    ]


def _noise_line(noise: Scatter) -> list[str]:
    """The scatter that the simulation lacks: it repeats each time exactly."""
    parts = [
        f"{format_percent(part)} {where}"
        for part, where in (
            (noise.within_launches, "within a launch"),
            (noise.between_launches, "between launches"),
        )
        if part is not None
    ]
    if not parts:
        return []
    return [f"the machine's times scatter by {', '.join(parts)}; the platform's do not"]
