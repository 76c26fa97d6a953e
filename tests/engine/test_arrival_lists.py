"""Lists of --fractions, which have a number for each rank."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine_checks import build_check
from hockney.run.mpis import Mpi

RANKS = 100_000
MOST_S = 20.0
"""Reading the list once for each of the ranks takes minutes."""


@pytest.fixture(scope="module")
def program(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    check = Path(__file__).with_name("arrival_check.c")
    return build_check(mpi.mpicc, check, tmp_path_factory.mktemp("arrival") / "arrival")


def test_a_list_of_many_ranks_is_read_once(program: Path, tmp_path: Path) -> None:
    each = [f"{rank / RANKS:g}" for rank in range(RANKS)]
    (tmp_path / "list").write_text(",".join(each))
    done = subprocess.run(
        [program, f"@{tmp_path}/list", str(RANKS)],
        capture_output=True,
        text=True,
        timeout=MOST_S,
        check=True,
    )
    assert done.stdout.split() == each
