"""A result file for Python: its analysis, with data frames, shown in a notebook."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hockney import records
from hockney.base.extras import extra
from hockney.base.units import format_rate, format_seconds
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.columns import Columns, is_float, point_columns, sample_columns
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.fit import Fit
from hockney.plan.axes import method_text
from hockney.show.experiments import parts_of
from hockney.show.one_run.fits import model_lines
from hockney.show.tables.table import between

if TYPE_CHECKING:
    import pandas


def load(file: str | PathLike[str]) -> Result:
    """The result file; raises hockney.base.errors.HockneyError where it is none."""
    return Result(records.read(Path(file)))


class Result(Analysis):
    """The analysis of a result file, with data frames, which shows itself in a notebook."""

    def __repr__(self) -> str:
        return "\n\n".join(filter(None, parts_of(self, False)))

    @cached_property
    def points(self) -> pandas.DataFrame:
        """A row a point of the headline state; times in seconds, unknown ones missing."""
        return _frame(point_columns(self.estimates.headline))

    @cached_property
    def samples(self) -> pandas.DataFrame:
        """A row a sample, in seconds; empty where only statistics are known."""
        return _frame(sample_columns(self))

    def fit(self, model: str = "hockney", **axes: Any) -> ShownFit:
        """As Analysis.fit; the fit shows itself."""
        return ShownFit(**vars(super().fit(model, **axes)), label=self.label)

    def _repr_html_(self) -> str:
        warnings = "".join(f"<li>{html.escape(warning.text)}</li>" for warning in self.warnings)
        title = html.escape(f"{self.run.header.experiment}: {self.label}")
        return f"<p><b>{title}</b></p>{_table(self.estimates.own())}<ul>{warnings}</ul>"


@dataclass(frozen=True, repr=False)
class ShownFit(Fit):
    """A fit that shows itself under the name of its run."""

    label: str = ""

    def __repr__(self) -> str:
        return "\n".join([self.label, *model_lines(self)])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def _frame(columns: Columns) -> pandas.DataFrame:
    with extra("pandas", otherwise="; .estimates works without"):
        import pandas
    numbers = {name: float for name in columns if is_float(name)}
    return pandas.DataFrame(columns).astype(numbers)


def _table(points: Sequence[PointEstimate]) -> str:
    cells: dict[str, Callable[[PointEstimate], str]] = {
        "operation": lambda p: " ".join(filter(None, (p.operation, method_text(p)))),
        "ranks": lambda p: "-" if p.ranks is None else str(p.ranks),
        "bytes": lambda p: str(p.bytes),
        "statistic": lambda p: p.statistic,
        "time": lambda p: format_seconds(p.typical_s),
        "confidence interval": lambda p: between(p.interval, format_seconds) or "-",
        "bandwidth": lambda p: format_rate(p.bandwidth_Bps),
        "launches": lambda p: str(p.launches),
    }
    heading = "".join(f"<th>{name}</th>" for name in cells)
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{html.escape(text(point))}</td>" for text in cells.values())
        + "</tr>"
        for point in points
    )
    return f"<table><thead><tr>{heading}</tr></thead><tbody>{rows}</tbody></table>"
