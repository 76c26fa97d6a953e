"""What ranks tell each other outside of timings goes along trees of the engine's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hockney.measure.build import SOURCES
from hockney.mpis import Mpi

CHECK = Path(__file__).with_name("tree_check.c")
PARTS = ("tree.c", "check.c", "json.c", "records.c")
FLAGS = ("-std=c11", "-O2", "-D_GNU_SOURCE", '-DHOCKNEY_VERSION="check"', f"-I{SOURCES}")
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" radical="0-{last}" suffix="" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
"""


def build(mpicc: str | Path, program: Path) -> None:
    sources = [CHECK, *(SOURCES / part for part in PARTS)]
    subprocess.run([mpicc, *FLAGS, "-o", program, *sources, "-lm"], check=True)


def output_of(command: list[str | Path], directory: Path) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=directory,
        env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_worlds_of_up_to_seven_real_ranks(mpi: Mpi, tmp_path: Path) -> None:
    build(mpi.mpicc, tmp_path / "tree")
    crowd = ["--oversubscribe"] if mpi.family == "openmpi" else []
    assert output_of([mpi.mpiexec, *crowd, "-n", "7", tmp_path / "tree"], tmp_path) == "7"


@pytest.mark.skipif(shutil.which("smpicc") is None, reason="SimGrid's smpicc is not installed")
def test_worlds_of_up_to_seventy_simulated_ranks(tmp_path: Path) -> None:
    ranks = 70
    build("smpicc", tmp_path / "tree")
    (tmp_path / "platform.xml").write_text(PLATFORM.format(last=ranks - 1))
    (tmp_path / "hosts").write_text("".join(f"node-{rank}\n" for rank in range(ranks)))
    command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts"]
    assert output_of([*command, tmp_path / "tree"], tmp_path) == str(ranks)
