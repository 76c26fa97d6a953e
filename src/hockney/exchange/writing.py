"""A run in the format of another program."""

from __future__ import annotations

from dataclasses import replace

from hockney.errors import AskedWronglyError
from hockney.estimate import estimate
from hockney.estimate.points import Estimates, by_curve
from hockney.programs import PROGRAMS, Layout, Writer, writer_names
from hockney.records import Run


def write(run: Run, name: str) -> bytes:
    """The content of the file: the program's own, or its table."""
    writer = PROGRAMS.offering(Writer).get(name)
    if writer is not None:
        return writer.write(run)
    if name not in writer_names():
        raise AskedWronglyError(f"{name} is not written", f"known are {', '.join(writer_names())}")
    return (render(name, run, estimate(run)) + "\n").encode()


def render(name: str, run: Run, estimates: Estimates) -> str:
    """The run in the layout of that program: a table for each of its curves, without the floor."""
    layout = PROGRAMS.offering(Layout)[name]
    experiment = run.header.experiment
    if layout.ONLY not in (None, experiment):
        raise AskedWronglyError(f"the layout {name} is that of {layout.ONLY}, this is {experiment}")
    curves = by_curve(estimates.own())
    return "\n".join(
        layout.layout(run, replace(estimates, points=tuple(points))) for points in curves.values()
    )
