"""The libraries whose rules are tried: the tested one, and the system's."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from conftest import tested_mpicc
from hockney.run.measure.toolchain.mpi import find_mpi, why_not_whole
from hockney.run.mpis import Mpi

SYSTEM = ("mpicc.openmpi", "mpicc.mpich")
"""Wrappers as Debian names them."""


def _found() -> list[Mpi]:
    paths = (shutil.which(name) for name in SYSTEM)
    whole = [path for path in paths if path and not why_not_whole(Path(path))]
    return [find_mpi(name) for name in (tested_mpicc(), *whole)]


def _name(mpi: Mpi) -> str:
    return f"{mpi.mpicc.name}-{mpi.launcher_version.split()[-1]}"


def _params(family: str | None = None) -> list[Any]:
    """All but the tested one are long: each has an engine to build."""
    tested, *others = _found()
    marked = [(tested, ()), *((mpi, (pytest.mark.long,)) for mpi in others)]
    return [
        pytest.param(mpi, id=_name(mpi), marks=marks)
        for mpi, marks in marked
        if family in (None, mpi.family)
    ]


INSTALLED = _params()
OPEN_MPIS = _params("openmpi")
MPICHS = _params("mpich")
