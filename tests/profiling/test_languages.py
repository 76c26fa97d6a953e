"""Programs in Fortran, by each of its three bindings, and in Python, under the MPIs at hand."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from conftest import RunHockney, first_of
from hockney.run.measure.toolchain.mpi import Mpi, find_mpi
from hockney.run.mpis import family_of

PROGRAM = """program known
{use}
  implicit none
{include}
  integer :: rank, other, i{error}
  {request} :: requests(2)
  real(8) :: data(100)
  call MPI_Init({alone})
  call MPI_Comm_rank(MPI_COMM_WORLD, rank{last})
  other = ieor(rank, 1)
  do i = 1, 50
    if (rank == 0) then
      call MPI_Send(data, 10, MPI_REAL8, other, 0, MPI_COMM_WORLD{last})
    else
      call MPI_Recv(data, 100, MPI_REAL8, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE{last})
    end if
    call MPI_Irecv(data, 100, MPI_REAL8, other, 1, MPI_COMM_WORLD, requests(1){last})
    call MPI_Isend(data(50), 5, MPI_REAL8, other, 1, MPI_COMM_WORLD, requests(2){last})
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE{last})
    call MPI_Allreduce(MPI_IN_PLACE, data, 3, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD{last})
  end do
  call MPI_Finalize({alone})
end program
"""
OLD = {"request": "integer", "error": ", error", "alone": "error", "last": ", error"}
NEW = {"request": "type(MPI_Request)", "error": "", "alone": "", "last": ""}
BINDINGS = {
    "mpif.h": {"use": "", "include": "  include 'mpif.h'", **OLD},
    "mpi": {"use": "  use mpi", "include": "", **OLD},
    "mpi_f08": {"use": "  use mpi_f08", "include": "", **NEW},
}
KNOWN = {
    ("MPI_Send", 80): 50,
    ("MPI_Recv", 80): 50,
    ("MPI_Irecv", 40): 100,
    ("MPI_Isend", 40): 100,
    ("MPI_Waitall", 0): 100,
    ("MPI_Allreduce", 24): 100,
}
PYTHON = """import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
other = comm.rank ^ 1
data = np.zeros(100)
for _ in range(50):
    if comm.rank == 0:
        comm.Send(data[:10], other, 0)
    else:
        comm.Recv(data, source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
    requests = [comm.Irecv(data, other, 1), comm.Isend(data[50:55], other, 1)]
    MPI.Request.Waitall(requests)
    comm.Allreduce(MPI.IN_PLACE, data[:3])
"""
CASES = [(mpi, binding) for binding in reversed(BINDINGS) for mpi in ("openmpi", "mpich")]


@pytest.mark.long
@pytest.mark.long
@pytest.mark.parametrize(("mpi", "binding"), CASES)
def test_fortran_is_counted_once(
    hockney: RunHockney, tmp_path: Path, mpi: str, binding: str
) -> None:
    compiler = shutil.which(f"mpifort.{mpi}")
    if compiler is None or shutil.which("gfortran") is None:
        pytest.skip(f"no Fortran compiler of {mpi}")
    source, program = tmp_path / "known.f90", tmp_path / "known"
    source.write_text(PROGRAM.format(**BINDINGS[binding]))
    words = ["-w", "-fallow-argument-mismatch", "-o", program, source]
    subprocess.run([compiler, *words], check=True)
    assert counted(hockney, find_mpi(f"mpicc.{mpi}"), program) == KNOWN


OWN_MPICH = Path(sys.prefix, "bin", "mpicc"), Path(sys.prefix, "lib", "libmpi.so.12")


# mpi4py's wheel takes the library of either family that is named.
@pytest.mark.parametrize(
    ("mpicc", "library"),
    first_of([OWN_MPICH, ("mpicc.openmpi", "libmpi.so.40")]),
    ids=["mpich", "openmpi"],
)
def test_python_is_counted_once(
    hockney: RunHockney, tmp_path: Path, mpicc: str | Path, library: str | Path
) -> None:
    if shutil.which(mpicc) is None:
        pytest.skip(f"{mpicc} is not installed")
    program = tmp_path / "known.py"
    program.write_text(PYTHON)
    env = {"MPI4PY_LIBMPI": str(library)}
    assert counted(hockney, find_mpi(str(mpicc)), sys.executable, program, env=env) == KNOWN


def counted(
    hockney: RunHockney, mpi: Mpi, *program: str | Path, env: Mapping[str, str] | None = None
) -> dict[tuple[str, int], int]:
    """Number of times that two ranks of a program make each call of each size."""
    command = ("--", str(mpi.mpiexec), "-n", "2", *map(str, program))
    env = {**family_of(mpi).environment(mpi), **(env or {})}
    hockney.ok("profile", "--mpicc", mpi.mpicc, "-o", "p.jsonl", *command, env=env)
    shown = hockney("show", "p.jsonl", "--json").json
    return {(row["call"], row["bytes"]): row["count"] for row in shown["calls"]}
