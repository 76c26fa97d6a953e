"""One engine, built for the standard ABI, under every library that has it, without a compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunHockney
from engine_checks import build_check
from hockney import __version__
from hockney.base.errors import UsageError
from hockney.records.reading import read
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.measure.toolchain.prebuilt import STANDARD_LIBRARY, prebuilt_engine
from hockney.run.mpis import Mpi

WRAPPER = Path(sys.prefix) / "bin" / "mpicc_abi"
NAMES = {"mpich": "MPICH", "intel": "Intel MPI"}
TOOLS = ("sh", "bash", "env", "dirname", "uname", "expr", "sed", "cat")
SHORT = ("--sizes", "8", "--budget", "0.3s", "--launches", "1", "-q")


@pytest.fixture(scope="module")
def prebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built with the wrapper of the embedded MPICH, wherever it will run."""
    if not WRAPPER.exists():
        pytest.skip("the embedded MPI has no wrapper for the standard ABI")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOCKNEY_CFLAGS", "-O0")  # nobody times it
        engine = build_engine(find_mpi(str(WRAPPER)))
    return Path(shutil.copy(engine.path, tmp_path_factory.mktemp("prebuilt") / "hockney-engine"))


@pytest.fixture
def library(mpi: Mpi) -> Mpi:
    """The MPI under test, where it has the standard ABI."""
    if not any((mpi.mpiexec.parent.parent / "lib").glob(STANDARD_LIBRARY)):
        pytest.skip("this MPI has no library with the standard ABI")
    return mpi


@pytest.fixture
def no_compiler(mpi: Mpi, tmp_path: Path) -> dict[str, str]:
    """A PATH with the launcher, whose directory may have a wrapper, and without a compiler."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).symlink_to(shutil.which(name) or "/bin/false")
    return {"PATH": f"{mpi.mpiexec.parent}:{tools}", "MPICC": ""}


@pytest.mark.long
def test_it_measures_without_a_compiler_and_knows_its_library(
    hockney: RunHockney, library: Mpi, prebuilt: Path, no_compiler: dict[str, str], tmp_path: Path
) -> None:
    words = ("pingpong", *SHORT, "-o", "run.jsonl")
    hockney.refused(*words, env=no_compiler, because="--engine")
    hockney.ok(*words, "--engine", str(prebuilt), env=no_compiler)
    mpi = read(tmp_path / "run.jsonl").launches[0].mpi
    assert (mpi.library, mpi.abi) == (NAMES[library.family], "standard 1.0")
    assert mpi.version is not None
    assert mpi.version in (mpi.description or "")


@pytest.mark.long
def test_the_environment_names_one_for_every_verb(
    hockney: RunHockney, library: Mpi, prebuilt: Path, no_compiler: dict[str, str]
) -> None:
    done = hockney("doctor", env={**no_compiler, "HOCKNEY_ENGINE": str(prebuilt)})
    assert "the engine was built elsewhere" in done.stdout
    assert f"launch of two ranks   {NAMES[library.family]}" in done.stdout


@pytest.mark.long
def test_errors_come_back_whatever_the_header_calls_their_handler(
    library: Mpi, prebuilt: Path, tmp_path: Path
) -> None:
    """MPI_ERRORS_RETURN has other values in other headers of the ABI: an engine that relied on it
    would be ended here."""
    source = Path(__file__).parents[1] / "engine" / "errors_check.c"
    program = build_check(WRAPPER, source, tmp_path / "errors")
    env = prebuilt_engine(library, prebuilt).env
    done = subprocess.run(
        [library.mpiexec, "-n", "2", program],
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
        env={**os.environ, **env},
    )
    assert (done.returncode, done.stdout) == (0, "1 1\n"), done.stderr


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (None, "there is no such file"),
        ("", "it may not be executed"),
        ("echo 'hockney-engine 0.0.1 for MPICH'", f"and this is hockney {__version__}"),
        ("echo hello", "is hello, and"),
        ("echo 'libmpi_abi.so.1: cannot open' >&2; exit 127", "libmpi_abi.so.1: cannot open"),
    ],
    ids=["missing", "not executable", "old", "other", "no library"],
)
def test_a_file_that_does_not_serve_is_refused(
    mpi: Mpi, tmp_path: Path, script: str | None, words: str
) -> None:
    path = tmp_path / "engine"
    if script is not None:
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755 if script else 0o644)
    if script == "":
        path.chmod(0o644)
    with pytest.raises(UsageError, match="--engine") as refused:
        prebuilt_engine(mpi, path)
    assert words in refused.value.message


def test_simulations_take_none(hockney: RunHockney) -> None:
    hockney.refused(
        *("pingpong", "--engine", "x", "--platform", "cluster:2"),
        *SHORT,
        because="leave out --engine or --platform",
    )
