"""Measure how MPI communicates, explain it by models, and put the answer to use."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hockney.result import Result

__version__ = "0.2.0"


def load(file: str | PathLike[str]) -> Result:
    """Loads a result file with its points, samples and fits, as a hockney.result.Result."""
    from hockney.result import load as load_result

    return load_result(file)
