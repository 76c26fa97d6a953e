"""hockney algorithms: what the collectives of the MPI at hand can be made to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hockney.cli import _options
from hockney.cli._help import COMMON, option, verb
from hockney.plan.workloads.collective import COLLECTIVES

if TYPE_CHECKING:
    from hockney.run.mpis import Algorithm, Family


@verb(
    "hockney algorithms",
    "hockney algorithms bcast allreduce --mpicc /opt/openmpi/bin/mpicc",
)
@click.argument("collectives", nargs=-1)
@option("--collective", "names", metavar="NAME[,NAME...]", help="Only these collectives.")
@_options.memory_to_try(
    "Try instead which collectives work with buffers in memory of accelerators: pinned, managed, "
    "device."
)
@_options.mpicc("to look at; smpicc for SimGrid's", COMMON)
@_options.JSON
def command(
    collectives: tuple[str, ...],
    names: str | None,
    memory: str | None,
    mpicc: str | None,
    as_json: bool,
) -> None:
    """List the algorithms of COLLECTIVES, or of all, that this MPI library can be made to use.

    The list comes from the library itself. --json adds the variables that force each algorithm.
    """
    from hockney.plan import Placement
    from hockney.run.measure.preparation.setup import mpi_of
    from hockney.run.measure.studies.algorithm_names import checked_collectives
    from hockney.run.measure.toolchain.mpi import library_of
    from hockney.run.mpis import family_of
    from hockney.show.tables.as_json import dumps

    named = [name for text in (*collectives, names or "") for name in text.split(",") if name]
    chosen = checked_collectives(named) if named else list(COLLECTIVES)
    if memory is not None:
        from hockney.cli._present import end_tried
        from hockney.run.measure.preparation.tried_memories import try_collectives

        end_tried(try_collectives(mpicc, memory, chosen), as_json)
        return
    mpi, engine = mpi_of(Placement(mpicc=mpicc))
    family = family_of(mpi)
    # A program of SimGrid reports nothing without smpirun.
    library = library_of(engine) or next(iter(family.LIBRARIES), None)
    algorithms = family.discover(mpi, engine, chosen)
    if as_json:
        about = {"library": library, "mpicc": str(mpi.mpicc)}
        click.echo(
            dumps({"mpi": about, "algorithms": [_as_json(family, each) for each in algorithms]})
        )
        return
    click.echo(f"{library or 'unknown MPI'} of {mpi.mpicc}\n")
    click.echo(_table(family, algorithms))
    for collective in chosen:
        if collective not in {each.collective for each in algorithms}:
            click.echo(f"{collective}: no algorithm can be forced", err=True)


def _as_json(family: Family, algorithm: Algorithm) -> dict[str, object]:
    from hockney.run.mpis import OWN_PARAMETERS

    forcing = family.forcing(algorithm.collective, algorithm, OWN_PARAMETERS)
    return {
        "collective": algorithm.collective,
        "algorithm": algorithm.name,
        "own_name": algorithm.own_name,
        "segmented": family.is_segmented(algorithm),
        "radix": algorithm.radix.control if algorithm.radix else None,
        "requests": algorithm.requests.control if algorithm.requests else None,
        "env": dict(forcing.env),
        "cfg": list(forcing.cfg),
    }


def _table(family: Family, algorithms: list[Algorithm]) -> str:
    """A table with a row for each algorithm."""
    rows = [("collective", "algorithm", "the library's name", "segments", "radix", "requests")]
    for each in algorithms:
        segmented = "yes" if family.is_segmented(each) else "-"
        own = each.own_name if each.own_name != each.name else "-"
        radix = "yes" if each.radix else "-"
        requests = "yes" if each.requests else "-"
        rows.append((each.collective, each.name, own, segmented, radix, requests))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
