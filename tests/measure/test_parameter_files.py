"""What parameter files set is recorded, as variables of the environment are."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import SHORT, RunHockney
from hockney import records
from hockney.base.confidential import may_be_stored
from hockney.run.measure import parameter_files
from hockney.run.measure.parameter_files import held_in_files
from hockney.run.mpis import FAMILIES, Control, Engine, Mpi

TEXT = """
# a comment = 1
btl_vader_eager_limit = 512   # why
MPIR_CVAR_CH4_CMA_ENABLE=0
oob_secret_token = 12
pml_command = /home/me/hunter2
not a line
"""
LINES = {
    "openmpi": {"OMPI_MCA_btl_vader_eager_limit": "512"},
    "mpich": {"MPIR_CVAR_CH4_CMA_ENABLE": "0"},
}


def planted(family: str, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> tuple[Mpi, Engine]:
    """A library that reads these files, as its family finds them."""
    listed = {"mca_base_param_files": ",".join(map(str, files))}
    found = {name: Control(name=name, value=value) for name, value in listed.items()}
    monkeypatch.setattr(FAMILIES.find("openmpi"), "all_controls", lambda *_: found)
    monkeypatch.setattr(parameter_files, "SYSTEM_MPICH", files[0])
    mpi = Mpi(Path("mpicc"), Path("mpiexec"), family, "hydra", "1")
    return mpi, Engine(Path("engine"))


@pytest.mark.parametrize("family", sorted(LINES))
def test_known_settings_of_a_librarys_files_are_found(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "params.conf"
    file.write_text(TEXT)
    mpi, engine = planted(family, [file, tmp_path / "none"], monkeypatch)
    assert held_in_files(mpi, engine, {}) == {"~/params.conf": LINES[family]}
    if family == "openmpi":
        asked = held_in_files(mpi, engine, {}, {"OMPI_MCA_pml_command"})["~/params.conf"]
        assert asked["OMPI_MCA_pml_command"] == "/home/me/hunter2", "it is tuned, and not stored"


def test_a_file_without_an_end_is_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "params.conf"
    file.write_text("".join(f"btl_a{number}_size = 1\n" for number in range(10_000)))
    mpi, engine = planted("openmpi", [file], monkeypatch)
    [settings] = held_in_files(mpi, engine, {}).values()
    assert len(settings) == parameter_files.MOST_LINES


@pytest.mark.parametrize(
    "name", sorted({name for f in FAMILIES.all().values() for s in f.SETTINGS for name in s})
)
def test_settings_that_are_tuned_are_known_to_the_record(name: str) -> None:
    prefix = "" if name.startswith(("MPIR_", "MPICH_", "I_MPI_")) else "OMPI_MCA_"
    assert may_be_stored(prefix + name, "1")


def test_a_run_records_what_the_users_file_sets(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "hockney.run.measure.execution.held_for", lambda _: {"~/a.conf": LINES["mpich"]}
    )
    done = hockney("pingpong", *SHORT, "-o", "run.jsonl")
    assert done.status == 0, done.stderr
    header = records.read(tmp_path / "run.jsonl").header
    assert header.environment["parameter_files"] == {"~/a.conf": LINES["mpich"]}
