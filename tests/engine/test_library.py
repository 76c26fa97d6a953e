"""What libraries say of themselves, as the engine and the family of an MPI take it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine_checks import SOURCES
from hockney.run.mpis import Mpi, family_of_library

SAYS = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "library.h"

int MPI_Get_library_version(char *text, int *length)
{
    *length = (int)fread(text, 1, MPI_MAX_LIBRARY_VERSION_STRING - 1, stdin);
    text[*length] = '\0';
    return MPI_SUCCESS;
}

int main(void)
{
    const char *name = library_name(), *version = library_version();
    printf("%s|%s", name ? name : "-", version ? version : "-");
    return 0;
}
"""
LIBRARIES = [
    ("MPICH Version:      4.2.1\nMPICH Device: ch4:ofi\nMPICH ABI: 16:1:4\n", "MPICH", "4.2.1"),
    (
        "MPI VERSION    : CRAY MPICH version 8.1.21 (ANL base 3.4a2)\nMPI BUILD INFO : Mon\n",
        "Cray MPICH",
        "8.1.21",
    ),
    ("MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date : x\n", "MVAPICH2", "2.3.7"),
    ("MVAPICH Version:\t3.0\nMVAPICH Release date: x\n", "MVAPICH", "3.0"),
    (
        "MPICH Version:\t4.1.1\nMPICH Device:\tpsp\n=== ParaStation MPI 5.9.2-1 ===\n"
        "Version(PSMPI):\t5.9.2-1+pscom-5.6\n",
        "ParaStation MPI",
        "5.9.2-1",
    ),
    ("Intel(R) MPI Library 2021.6 for Linux* OS\n", "Intel MPI", "2021.6"),
    ("Open MPI v4.1.1, package: Open MPI builder@x, ident: 4.1.1\n", "Open MPI", "4.1.1"),
    ("Open MPI 10.4.0.3, IBM Spectrum MPI 10.04.00.03rtm4\n", "Spectrum MPI", "10.04.00.03rtm4"),
    ("FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)\n", "Fujitsu MPI", "4.0.0"),
    ("HPE MPT 2.23  08/26/20 02:54:49\n", "HPE MPT", "2.23"),
    ("HPE HMPT 2.23  08/26/20 02:54:49\n", "HPE MPT", "2.23"),
    ("Acme MPI 7\n", "-", "-"),
]


@pytest.fixture(scope="module")
def asks(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("library")
    source, program = directory / "says.c", directory / "says"
    source.write_text(SAYS)
    sources = [source, SOURCES / "library.c", SOURCES / "check.c"]
    parts = ["-std=c11", "-D_GNU_SOURCE", f"-I{SOURCES}", *map(str, sources)]
    subprocess.run([mpi.mpicc, *parts, "-o", program], check=True)
    return program


@pytest.mark.parametrize(("text", "name", "version"), LIBRARIES)
def test_a_library_is_known_by_what_it_says(asks: Path, text: str, name: str, version: str) -> None:
    done = subprocess.run([asks], input=text, capture_output=True, text=True, check=True)
    assert done.stdout == f"{name}|{version}"
    assert (family_of_library(name) == "other") == (name == "-")
