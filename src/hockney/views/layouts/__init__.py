"""Tables as the classic programs print them: one file a layout, found by its name.

A layout module has one function, `render(run, points) -> str`, the table of one curve, and `ONLY`,
the one experiment whose table it is, where it is not for all.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

from hockney.errors import AskedWronglyError

if TYPE_CHECKING:  # names are asked for at every start, numbers only after a run
    from hockney.analysis import Analysis
    from hockney.estimate.points import PointEstimate
    from hockney.records import Run


def layout_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def render(name: str, analysis: Analysis) -> str:
    """The run in the layout of that name: a table for each of its curves, without the floor."""
    from hockney.estimate.points import by_curve

    layout = importlib.import_module(f"hockney.views.layouts.{name}")
    only, experiment = getattr(layout, "ONLY", None), analysis.run.header.experiment
    if only not in (None, experiment):
        raise AskedWronglyError(f"the layout {name} is that of {only}, this is {experiment}")
    curves = by_curve(analysis.estimates.own())
    return "\n".join(layout.render(analysis.run, points) for points in curves.values())


def needed(point: PointEstimate, field: str) -> float:
    """What a layout prints of a point; it is an error that the data do not carry it."""
    value = getattr(point, field)
    if isinstance(value, float):
        return value
    raise AskedWronglyError(
        f"this layout prints {field}, which is not known at {point.bytes} bytes",
        "choose another layout, or export to csv",
    )


def counts(run: Run) -> dict[int, int]:
    """How often each size was exchanged, in all samples or as an imported log gives it."""
    found: dict[int, int] = {}
    for samples in run.samples:
        found[samples.bytes] = found.get(samples.bytes, 0) + samples.repetitions * len(samples.ns)
    imported = {s.bytes: s.repetitions for s in run.summaries if s.repetitions is not None}
    return imported | found


def count_of(repetitions: dict[int, int], point: PointEstimate) -> int:
    """Of a point's size; it is an error that it is not known."""
    if point.bytes in repetitions:
        return repetitions[point.bytes]
    raise AskedWronglyError(
        f"this layout prints how often {point.bytes} bytes were exchanged, which is not known",
        "choose another layout, or export to csv",
    )
