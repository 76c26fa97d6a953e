"""Programs that use sessions and never call MPI_Init."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from profiled_programs import build, profiled_by

from conftest import RunHockney
from hockney.run.mpis import Mpi

RANKS = 2
# One session: MPICH 5.0.2 hangs or aborts now and then where a second one follows it.
PROGRAM = """
#include <mpi.h>
static void go_on(MPI_Comm *comm, int *error, ...)
{
}
int main(void)
{
    MPI_Errhandler handler;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, none;
    int rank;
    double sum = 0.0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &none);
    MPI_Comm_create_errhandler(go_on, &handler);
    MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "nowhere", MPI_INFO_NULL, handler, 0);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (rank == 0)
        MPI_Send(&sum, 1, MPI_DOUBLE, 1, 0, comm);
    if (rank == 1)
        MPI_Recv(&sum, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
"""


@pytest.mark.long
def test_calls_in_communicators_of_sessions_are_counted(
    mpi: Mpi, hockney: RunHockney, tmp_path: Path
) -> None:
    source = tmp_path / "sessions.c"
    source.write_text(PROGRAM)
    try:
        program = build(mpi, tmp_path, source)
    except subprocess.CalledProcessError:
        pytest.skip("this MPI has no sessions")
    done, shown = profiled_by(mpi, hockney, tmp_path)(program, ranks=RANKS)
    assert done.status == 0, done.stderr
    counts = {
        (call["call"], call["communicator_size"], call["bytes"]): call["count"]
        for call in shown["calls"]
    }
    assert counts == {
        ("MPI_Comm_create_from_group", RANKS, 0): RANKS,
        ("MPI_Comm_create_from_group", None, 0): 2 * RANKS,
        ("MPI_Allreduce", RANKS, 8): 10 * RANKS,
        ("MPI_Send", RANKS, 8): 1,
        ("MPI_Recv", RANKS, 8): 1,
        ("MPI_Comm_free", RANKS, 0): RANKS,
    }
    assert [(rank["job"], rank["rank"], rank["end"]) for rank in shown["ranks"]] == [
        (0, rank, "finalized") for rank in range(RANKS)
    ]
    assert {(row["rank"], row["to_rank"]): row["bytes"] for row in shown["matrix"]} == {(0, 1): 8}
