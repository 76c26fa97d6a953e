"""A self-contained section: an answer, figures and tables."""

from __future__ import annotations

from dataclasses import dataclass

from hockney.show.report.sections import ShownFigure
from hockney.show.report.tables import ReportTable


@dataclass(frozen=True)
class PlainSection:
    id: str
    title: str
    answer: tuple[str, ...]
    findings: tuple[str, ...]
    figures: tuple[ShownFigure, ...]
    tables: tuple[ReportTable, ...]
    facts: tuple[tuple[str, str], ...]
