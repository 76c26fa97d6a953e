"""Messages between ranks outside of timings go along trees of the engine's own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine_checks import build_check
from hockney.run.mpis import Mpi, family_of
from platforms import cluster
from starting import mpi_command

CHECK = Path(__file__).with_name("tree_check.c")


def output_of(command: Sequence[str], directory: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=directory,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_worlds_of_up_to_seven_real_ranks(mpi: Mpi, tmp_path: Path) -> None:
    build_check(mpi.mpicc, CHECK, tmp_path / "tree")
    family = family_of(mpi)
    command = mpi_command(mpi, 7, [str(tmp_path / "tree")])
    assert output_of(command, tmp_path, family.environment(mpi)) == "7"


@pytest.mark.simgrid
@pytest.mark.long
def test_worlds_of_up_to_seventy_simulated_ranks(tmp_path: Path) -> None:
    ranks = 70
    build_check("smpicc", CHECK, tmp_path / "tree")
    (tmp_path / "platform.xml").write_text(cluster(ranks, 1e-6, 1e9))
    (tmp_path / "hosts").write_text("".join(f"node-{rank}\n" for rank in range(ranks)))
    command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts"]
    assert output_of([*command, str(tmp_path / "tree")], tmp_path, {}) == str(ranks)
