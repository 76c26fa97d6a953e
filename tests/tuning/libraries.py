"""The libraries whose rules are tried: the tested one, and the system's."""

from __future__ import annotations

import shutil

import pytest

from conftest import tested_mpicc
from hockney.measure.mpi import find_mpi
from hockney.mpis import Mpi

SYSTEM = ("mpicc.openmpi", "mpicc.mpich")
"""Wrappers as Debian names them."""


def _found() -> list[Mpi]:
    names = (tested_mpicc(), *(name for name in SYSTEM if shutil.which(name)))
    return [find_mpi(name) for name in names]


def _name(mpi: Mpi) -> str:
    return f"{mpi.mpicc.name}-{mpi.launcher_version.split()[-1]}"


INSTALLED = [pytest.param(mpi, id=_name(mpi)) for mpi in _found()]
OPEN_MPIS = [param for param in INSTALLED if param.values[0].family == "openmpi"]  # type: ignore[union-attr]
MPICHS = [param for param in INSTALLED if param.values[0].family == "mpich"]  # type: ignore[union-attr]
