"""Wheel and source distribution, built, installed into a clean environment and run."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S
from hockney import __version__

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.long


def _run(*command: str | Path, cwd: Path) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=TEST_TIMEOUT_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both, the wheel from the source distribution as an installer would."""
    directory = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--outdir", directory, cwd=ROOT)
    return directory


def test_wheel_holds_the_engine_and_nothing_but_the_package(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "hockney/engine/operations/pingpong.c" in names
    assert "hockney/plans/acceptance.toml" in names
    assert all(name.startswith(("hockney/", f"hockney-{__version__}.dist-info/")) for name in names)


def test_source_distribution_holds_what_a_check_needs(built: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "LICENSE", "tests/conftest.py", "docs/index.md", "mkdocs.yml"} <= names


def test_wheel_installs_cleanly_and_measures(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "clean", with_pip=True)
    here = tmp_path / "clean" / "bin"
    _run(here / "python", "-m", "pip", "install", "-q", f"{wheel}[mpich]", cwd=tmp_path)
    assert __version__ in _run(here / "hockney", "--version", cwd=tmp_path)
    mpicc = ("--mpicc", str(here / "mpicc"))
    asked = ("--sizes", "8", "--launches", "1", "--budget", "1s", "-q", "-o", "run.jsonl")
    _run(here / "hockney", "pingpong", *mpicc, *asked, cwd=tmp_path)
    _run(here / "hockney", "report", "run.jsonl", "-o", "report.html", cwd=tmp_path)
    assert "</html>" in (tmp_path / "report.html").read_text()
