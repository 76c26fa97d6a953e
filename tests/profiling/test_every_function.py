"""The recorder stands before every function of the MPI at hand that matters: by its mpi.h."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hockney.run.measure.toolchain.build import build_recorder
from hockney.run.mpis import Mpi

EXCEPTIONS = {
    "a query of a handle, an attribute or a status, which asks no other rank": (
        r"\w+_(c2f|f2c|c2f08|f082c|f2f08|f082f|toint|fromint)"
        r"|Status_\w+|Test_cancelled|Get_(count|elements)\w*"
        r"|(Comm|Win|Type)_(get|set|delete)_attr|(Comm|Win|Type)_(create|free)_keyval"
        r"|Keyval_\w+|Attr_\w+|(Comm|Win|Type)_(get|set)_name|(Comm|Win|File|Session)_get_\w+|Session_set_info"
        r"|Comm_(compare|group|rank|remote_group|remote_size|size|test_inter)"
        r"|Group_\w+|Win_shared_query\w*|Topo_test|Graphdims_get|Graph_get|Graph_neighbors\w*"
        r"|Cartdim_get|Cart_(coords|get|rank|shift)|Dist_graph_neighbors\w*|Dims_create"
    ),
    "a computation of ranks that makes no communicator": r"(Cart|Graph)_map",
    "a datatype, or data moved within the rank": (
        r"Type_\w+|Pack\w*|Unpack\w*|Op_\w+|Reduce_local\w*|Register_datarep\w*"
    ),
    "memory, addresses and the environment of the rank": (
        r"Alloc_mem|Free_mem|A(ddress|int_\w+)|Get_(address|version|library_version)"
        r"|Get_(processor_name|hw_resource_info)|Wtime|Wtick|Initialized|Finalized|Query_thread"
        r"|Is_thread_main|Info_\w+|Abi_\w+"
    ),
    "error handling": (
        r"Errhandler_\w+|Error_\w+|(Add|Remove)_error_\w+|\w+_(call|create|set)_errhandler"
    ),
    "a request that the program itself completes, or gives up": r"Grequest_\w+|Cancel",
    "names of ports: of a server, not of a rank": r"(Open|Close)_port|\w+ublish_name|Lookup_name",
    "a file without a communicator": r"File_delete",
    "the tools' interface": r"T_\w+",
}
"""Functions that are not recorded, and why."""


def prototypes(mpi: Mpi) -> set[str]:
    """The functions that its mpi.h declares, without MPI_."""
    words = [mpi.mpicc, "-E", "-P", "-include", "mpi.h", "-x", "c", "/dev/null"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b(?:int|double|MPI_Aint)\s+MPI_([A-Z]\w*)\s*\(", text))


@pytest.fixture(scope="module")
def recorder(mpi: Mpi) -> Path:
    return build_recorder(mpi)[0]


def wrapped(recorder: Path, prefix: str) -> set[str]:
    words = ["nm", "-D", "--defined-only", recorder]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return set(re.findall(rf" T {prefix}_(\w+)", text))


def test_every_function_is_recorded_or_excepted_with_a_reason(mpi: Mpi, recorder: Path) -> None:
    declared, known = prototypes(mpi), wrapped(recorder, "MPI")
    assert len(declared) > 300
    pattern = re.compile("|".join(EXCEPTIONS.values()))
    missing = {name for name in declared - known if not pattern.fullmatch(name)}
    assert missing == set()


def test_both_names_are_recorded_and_none_that_the_library_lacks(mpi: Mpi, recorder: Path) -> None:
    """A program may ask whether its library has a function."""
    known = wrapped(recorder, "MPI")
    assert known == wrapped(recorder, "PMPI")
    assert known <= prototypes(mpi)


def test_no_exception_is_recorded_after_all(recorder: Path) -> None:
    pattern = re.compile("|".join(EXCEPTIONS.values()))
    forgets = {"Type_free", "Comm_set_name"}  # what is remembered of a handle is dropped there
    recorded = {name for name in wrapped(recorder, "MPI") if pattern.fullmatch(name)}
    assert recorded == forgets
