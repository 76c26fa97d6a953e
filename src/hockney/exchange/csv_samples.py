"""Comma-separated values, a row a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockney.analysis.columns import sample_columns
from hockney.exchange.csv import text_of

if TYPE_CHECKING:
    from hockney.analysis import Analysis


def write(analysis: Analysis) -> bytes:
    return text_of(sample_columns(analysis.run))
