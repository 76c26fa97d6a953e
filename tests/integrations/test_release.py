"""Releases are the same whenever and wherever they are built, and work."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from hockney import __version__
from hockney.run.mpis import Mpi

ROOT = Path(__file__).parents[2]
EPOCH = "1767225600"
PARTS = (
    "src",
    "integrations",
    "README.md",
    "LICENSE",
    "Makefile",
    "pyproject.toml",
    "hatch_build.py",
    ".ci",
)


def copied(to: Path, clock_s: int = 1_600_000_000, closed: bool = False) -> Path:
    """A copy of the sources, last changed at that moment, perhaps readable by one user."""
    to.mkdir(parents=True)
    for name in PARTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, to / name)
    for path in to.rglob("*"):
        os.utime(path, (clock_s, clock_s))
        path.chmod(path.stat().st_mode & (0o700 if closed else 0o755))
    return to


def hashes(directory: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in directory.iterdir()
    }


def built(sources: Path) -> dict[str, str]:
    """Wheel, sdist and engine, in dist/."""
    env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    build = [sys.executable, "-m", "hatchling", "build", "-d", "dist"]
    subprocess.run(build, cwd=sources, env=env, check=True, capture_output=True)
    subprocess.run(["make", "engine-tarball"], cwd=sources, env=env, check=True)
    return hashes(sources / "dist")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources in which a release was built."""
    pytest.importorskip("hatchling")
    here = copied(tmp_path_factory.mktemp("release") / "one")
    built(here)
    return here


@pytest.mark.long
def test_wheel_sdist_and_engine_are_the_same_when_built_twice(
    sources: Path, tmp_path: Path
) -> None:
    first = hashes(sources / "dist")
    second = built(copied(tmp_path / "far" / "away" / "two", 1_700_000_000, closed=True))
    assert first == second
    assert {name.partition(__version__)[2] for name in first} == {
        "-py3-none-any.whl",
        ".tar.gz",
    }
    assert len(first) == 3


@pytest.mark.long
def test_an_installed_wheel_measures(sources: Path, tmp_path: Path) -> None:
    """In an environment of its own with what it asks for, and nothing of ours around it."""
    (wheel,) = (sources / "dist").glob("*.whl")
    env = {"PATH": os.environ["PATH"], "HOME": str(Path.home()), "PYTHON": sys.executable}
    install = ["sh", sources / ".ci" / "install", f"{wheel}[mpich]"]
    subprocess.run(install, cwd=tmp_path, env=env, check=True)
    tools = tmp_path / ".venv" / "bin"
    pingpong = [tools / "hockney", "pingpong", "--sizes", "8", "--budget", "1s", "--mpicc"]
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [*pingpong, tools / "mpicc", "-o", "a.jsonl"],
        cwd=tmp_path,
        env={**env, **cache},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("latency ")
    assert "pingpong: MPICH 5" in done.stdout
    assert list((tmp_path / "cache").rglob("hockney-engine"))


@pytest.mark.long
def test_the_engine_by_itself_is_built_and_runs_without_python(
    mpi: Mpi, sources: Path, tmp_path: Path
) -> None:
    (tarball,) = (sources / "dist").glob("hockney-engine-*.tar.gz")
    with tarfile.open(tarball) as archive:
        assert not [name for name in archive.getnames() if name.endswith(".py")]
        archive.extractall(tmp_path)
    here = tmp_path / f"hockney-engine-{__version__}"
    make = ["make", "-j2", f"MPICC={mpi.mpicc}", f"MPIEXEC={mpi.mpiexec}", f"PREFIX={tmp_path}"]
    # As everywhere, root must say that it means it.
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [*make, "check", "install"],
        cwd=here,
        env={**os.environ, **root, "PYTHONHOME": "/nonexistent"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "MiB/s" in done.stdout
    version = subprocess.run(
        [tmp_path / "bin" / "hockney-engine", "--version"], capture_output=True, text=True
    )
    assert version.stdout.startswith(f"hockney-engine {__version__} for ")


@pytest.mark.parametrize(
    ("given", "missing"), [("MPICC=nonesuch", "nonesuch"), ("MPICC=/no/mpicc -g", "/no/mpicc")]
)
def test_the_engine_by_itself_says_once_that_there_is_no_mpi(
    given: str, missing: str, tmp_path: Path
) -> None:
    make = ["make", "-j2", "-C", ROOT / "src/hockney/engine", f"OUT={tmp_path}", given]
    done = subprocess.run(make, capture_output=True, text=True)
    assert done.returncode == 2
    said = f"there is no {missing} on PATH: load an MPI's module, or make MPICC=/where/it/is/mpicc"
    assert done.stderr.count(said) == 1
    assert "No such file" not in done.stderr
