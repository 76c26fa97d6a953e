from __future__ import annotations

import os
from pathlib import Path

import pytest

from hockney.base.errors import UsageError
from hockney.run.measure.toolchain.mpi import find_mpi, kind_of

HYDRA = "HYDRA build details:\n    Version:                                 4.2.1\n"
INTEL = "Intel(R) MPI Library for Linux* OS, Version 2021.13 Build 20240701\n"
OPEN = "mpirun (Open MPI) 5.0.6\n\nReport bugs to https://www.open-mpi.org/community/help/\n"
ORTE = "mpiexec.openmpi (OpenRTE) 4.1.4\n"


def command(path: Path, says: str = "") -> Path:
    """An executable that prints something."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ncat <<'EOF'\n{says}EOF\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MPICC", raising=False)
    monkeypatch.setattr("sys.prefix", str(tmp_path / "no-environment"))
    monkeypatch.setenv("PATH", f"{tmp_path}/shell")
    (tmp_path / "shell").mkdir()
    for tool in ("sh", "cat"):
        (tmp_path / "shell" / tool).symlink_to(f"/bin/{tool}")


def install(directory: Path, says: str = HYDRA) -> Path:
    command(directory / "mpiexec", says)
    return command(directory / "mpicc")


def test_the_order_is_option_variable_path_embedded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    embedded = install(tmp_path / "embedded" / "bin")
    monkeypatch.setattr("sys.prefix", str(tmp_path / "embedded"))
    assert find_mpi().mpicc == embedded
    on_path = install(tmp_path / "on-path")
    monkeypatch.setenv("PATH", f"{on_path.parent}:{os.environ['PATH']}")
    assert find_mpi().mpicc == on_path
    variable = install(tmp_path / "variable")
    monkeypatch.setenv("MPICC", str(variable))
    assert find_mpi().mpicc == variable
    option = install(tmp_path / "option")
    assert find_mpi(str(option)).mpicc == option
    monkeypatch.chdir(option.parent)
    assert find_mpi("./" + option.name).mpicc == option, "one engine, however it is named"


@pytest.mark.parametrize(
    ("says", "kind", "version"),
    [
        (HYDRA, "hydra", "4.2.1"),
        (INTEL, "intel", "2021.13"),
        (OPEN, "openmpi", "5.0.6"),
        (ORTE, "openmpi", "4.1.4"),
        ("mpiexec version 1.2.12 revision 13b1e8e\n", "pals", "1.2.12"),
        ("mpiexec 5.1.62-1\n", "parastation", "5.1.62-1"),
        ("Acme runner 7\n", "standard", "Acme runner 7"),
    ],
)
def test_launchers_are_told_apart_by_their_words(
    tmp_path: Path, says: str, kind: str, version: str
) -> None:
    launcher_kind, words = kind_of(command(tmp_path / "mpiexec", says))
    assert launcher_kind == kind
    assert version in words


def test_a_launcher_with_the_wrappers_suffix_comes_first(tmp_path: Path) -> None:
    """Debian has mpicc.mpich and mpicc.openmpi side by side, with links from the plain names."""
    binaries = tmp_path / "bin"
    for suffix, says in (("mpich", HYDRA), ("openmpi", ORTE)):
        command(binaries / f"mpicc.{suffix}")
        command(binaries / f"mpiexec.{suffix}", says)
    (binaries / "mpiexec").symlink_to(binaries / "mpiexec.mpich")
    assert find_mpi(str(binaries / "mpicc.mpich")).family == "mpich"
    assert find_mpi(str(binaries / "mpicc.openmpi")).mpiexec == binaries / "mpiexec.openmpi"


def test_where_the_wrappers_links_lead_is_looked_at(tmp_path: Path) -> None:
    """Debian's alternatives: mpicc -> alternatives -> mpicc.openmpi, the launcher elsewhere."""
    real = tmp_path / "real"
    command(real / "mpicc.openmpi")
    command(real / "mpiexec.openmpi", ORTE)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpicc").symlink_to(real / "mpicc.openmpi")
    assert find_mpi(str(tmp_path / "bin" / "mpicc")).mpiexec == real / "mpiexec.openmpi"


def test_without_any_mpi_it_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="no mpicc") as error:
        find_mpi()
    assert "pip install 'hockney[mpich]'" in str(error.value)


def test_a_wrapper_that_is_not_there_is_named_with_its_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match="--mpicc nonesuch: no such command"):
        find_mpi("nonesuch")
    monkeypatch.setenv("MPICC", "alsonone")
    with pytest.raises(UsageError, match=r"\$MPICC alsonone: no such command"):
        find_mpi()


def test_a_wrapper_needs_no_launcher(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone = str(command(tmp_path / "alone" / "cc"))
    assert find_mpi(alone).mpiexec is None
    beside = command(tmp_path / "on-path" / "mpiexec", HYDRA)
    monkeypatch.setenv("PATH", f"{beside.parent}:{os.environ['PATH']}")
    assert find_mpi(alone).mpiexec == beside


def test_in_a_job_that_starts_ranks_no_launcher_is_missed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(tmp_path / "embedded" / "bin")
    monkeypatch.setattr("sys.prefix", str(tmp_path / "embedded"))
    alone = command(tmp_path / "alone" / "mpicc")
    command(tmp_path / "alone" / "srun")
    monkeypatch.setenv("PATH", f"{alone.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    assert find_mpi().mpicc == alone


def test_cc_is_the_wrapper_of_a_cray(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = command(tmp_path / "bin" / "cc")
    monkeypatch.setenv("PATH", f"{compiler.parent}:{os.environ['PATH']}")
    with pytest.raises(UsageError, match="no MPI found"):
        find_mpi()
    monkeypatch.setenv("CRAY_MPICH_DIR", "/opt/cray")
    assert find_mpi().mpicc == compiler


def test_simulation_without_simgrid_is_refused() -> None:
    with pytest.raises(UsageError, match="no smpicc"):
        find_mpi(simulated=True)


NO_HEADER = "t.c:1:10: fatal error: mpi.h: No such file or directory"
NO_LIBRARY = "/usr/bin/ld: cannot find -lmpi: No such file or directory"


def broken(path: Path, says: str) -> Path:
    """A wrapper that cannot compile."""
    command(path, f"{says}\n")
    path.write_text(f"{path.read_text()}exit 1\n")
    return path


@pytest.mark.parametrize(
    ("says", "note"),
    [
        (NO_HEADER, "cannot compile, as mpi.h is missing"),
        ("t.c:1:10: fatal error: 'mpi.h' file not found", "cannot compile, as mpi.h is missing"),
        (NO_LIBRARY, "cannot compile, as -lmpi is missing"),
        ("gcc: command not found", "cannot compile"),
        (None, "has no mpiexec in its directory"),
    ],
)
def test_an_mpi_on_path_that_is_not_whole_gives_way_to_the_embedded_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, says: str | None, note: str
) -> None:
    embedded = install(tmp_path / "embedded" / "bin")
    half = tmp_path / "half"
    if says is None:
        command(half / "mpicc")
    else:
        install(half)
        broken(half / "mpicc", says)
    monkeypatch.setenv("PATH", f"{half}:{os.environ['PATH']}")
    assert find_mpi().mpicc == half / "mpicc", "there is no other"
    monkeypatch.setattr("sys.prefix", str(tmp_path / "embedded"))
    mpi = find_mpi()
    assert mpi.mpicc == embedded
    assert mpi.notes[0].startswith(f"{half}/mpicc {note}: the embedded MPI is measured")
    if says is not None:
        assert find_mpi(str(half / "mpicc")).notes == (), "asked for"
