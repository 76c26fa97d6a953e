"""Exports a run in the format of another program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hockney.base.errors import UsageError
from hockney.foreign.programs import (
    PROGRAMS,
    ColumnWriter,
    OrderWriter,
    TableWriter,
    Writer,
    writer_names,
)
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.points import PointEstimate, by_curve
from hockney.plan.axes import AXES, grouped
from hockney.profiling.order import Order


def write(
    analysis: Analysis, name: str, all_columns: bool = False, columns: Sequence[str] = ()
) -> bytes:
    """The content of the file: in the program's own format, or as its table. all_columns: with
    those that have no value. columns: names of those to write; empty for the usual ones."""
    if all_columns or columns:
        option = "--columns" if columns else "--all-columns"
        writers = PROGRAMS.offering(ColumnWriter)
        if name not in writers:
            raise UsageError(f"{option}: not of {name}", f"write {', '.join(writers)}")
        return writers[name].write_columns(analysis, columns)
    writer = PROGRAMS.offering(Writer).get(name)
    if writer is not None:
        return writer.write(analysis)
    if name not in writer_names():
        raise UsageError(f"{name} cannot be written", f"known are {', '.join(writer_names())}")
    return (render(name, analysis) + "\n").encode()


def order_files(order: Order, name: str, file: str) -> Iterable[tuple[str, str]]:
    """The order of a program's calls as files: names and contents, that of `file` first."""
    return PROGRAMS.offering(OrderWriter)[name].write_order(order, file)


def render(name: str, analysis: Analysis) -> str:
    """The run as the program's table for each curve, without the floor. Raises UsageError where
    nothing in several tables would tell them apart."""
    layout = PROGRAMS.offering(TableWriter)[name]
    experiment = analysis.run.header.experiment
    if layout.ONLY not in (None, experiment):
        raise UsageError(f"the layout {name} is for {layout.ONLY}, not for {experiment}")
    points = analysis.estimates.own()
    if layout.ONLY is not None:
        _check_one_table(name, points)
    curves = by_curve(points)
    return "\n".join(layout.layout(analysis.run, points) for points in curves.values())


def _check_one_table(name: str, points: Sequence[PointEstimate]) -> None:
    """Raises UsageError if the points differ in more than their size, which these layouts show
    alone."""
    tables = list(grouped(points, "bytes").values())
    if len(tables) > 1:
        firsts = [table[0] for table in tables]
        names = [axis for axis in AXES if len({getattr(point, axis) for point in firsts}) > 1]
        different = ", ".join(axis.replace("_", " ") for axis in names if axis != "bytes")
        raise UsageError(
            f"the layout {name} cannot show how these {len(tables)} tables differ: {different}",
            "export to osu or csv",
        )
