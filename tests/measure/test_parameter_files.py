"""What parameter files set is recorded, as variables of the environment are."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import SHORT, RunHockney
from hockney import records
from hockney.base.confidential import may_be_stored
from hockney.run.measure.preparation import parameter_files
from hockney.run.measure.preparation.parameter_files import (
    OVERRIDING,
    USUAL,
    InFiles,
    held_in_files,
)
from hockney.run.mpis import FAMILIES, Control, Engine, Mpi
from hockney.run.mpis._controls import all_controls

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


def list_them(
    monkeypatch: pytest.MonkeyPatch, listed: dict[str, str], limits: list[float] | None = None
) -> None:
    """Open MPI lists these files. limits: gets the time limit of each start of the engine."""
    controls = {name: Control(name=name, value=value) for name, value in listed.items()}

    def all_controls(_engine: Engine, _env: object, timeout_s: float) -> dict[str, Control]:
        if limits is not None:
            limits.append(timeout_s)
        return controls

    monkeypatch.setattr(FAMILIES.find("openmpi"), "all_controls", all_controls)
    monkeypatch.setattr(parameter_files, "_listed", {})


def planted(family: str, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> tuple[Mpi, Engine]:
    """A library that reads these files, as its family finds them."""
    list_them(monkeypatch, {USUAL: ",".join(map(str, files))})
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
    assert held_in_files(mpi, engine, {}, 1.0) == InFiles({"~/params.conf": LINES[family]})
    file.unlink()
    assert held_in_files(mpi, engine, {}, 1.0) == InFiles({}), "which is known"


def test_the_files_of_libraries_below_open_mpi_are_read_beside_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PMIx' and PRRTE's lack the prefix, as Open MPI's do; a section of UCX's is for some CPUs."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(parameter_files, "SYSTEM_UCX", tmp_path)
    texts = {
        "home/.pmix/mca-params.conf": "ptl_tcp_if_include = eth0\n",
        "pmix-mca-params.conf": "ptl_tcp_if_include = eth1\n",
        "prte-mca-params.conf": "hwloc_default_binding_policy = core\n",
        "ucx.conf": "UCX_TLS=rc,sm\n[Some CPU]\nCPU model=Some\nUCX_RNDV_THRESH=8k\n",
        "named/ucx.conf": "UCX_TLS=tcp\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    mpi, engine = planted("openmpi", [tmp_path / "openmpi-mca-params.conf"], monkeypatch)
    held = held_in_files(mpi, engine, {"UCX_CONFIG_DIR": str(tmp_path / "named")}, 1.0)
    assert held is not None
    assert held.files == {
        "ucx.conf": {"UCX_TLS": "tcp"},
        "~/.pmix/mca-params.conf": {"PMIX_MCA_ptl_tcp_if_include": "eth0"},
        "pmix-mca-params.conf": {"PMIX_MCA_ptl_tcp_if_include": "eth1"},
        "prte-mca-params.conf": {"PRTE_MCA_hwloc_default_binding_policy": "core"},
    }
    assert list(held.files).index("~/.pmix/mca-params.conf") < list(held.files).index(
        "pmix-mca-params.conf"
    )


def test_a_tuned_setting_is_known_with_any_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "params.conf"
    file.write_text(TEXT)
    held = held_in_files(
        *planted("openmpi", [file], monkeypatch), {}, 1.0, {"OMPI_MCA_pml_command"}
    )
    assert held is not None
    assert held.files["params.conf"]["OMPI_MCA_pml_command"] == "/home/me/hunter2"


def test_a_file_that_overrides_the_environment_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("usual.conf", "over.conf"):
        (tmp_path / name).write_text("btl = self,tcp")
    mpi, engine = planted("openmpi", [tmp_path / "none"], monkeypatch)
    list_them(
        monkeypatch,
        {USUAL: f"{tmp_path / 'usual.conf'}", OVERRIDING: f"{tmp_path / 'over.conf'}"},
    )
    held = held_in_files(mpi, engine, {}, 1.0)
    assert held is not None
    assert list(held.files) == ["over.conf", "usual.conf"], "the first counts"
    assert held.recorded == {
        "parameter_files": held.files,
        "overriding_files": ["over.conf"],
    }


def test_files_that_a_library_does_not_list_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    mpi, engine = planted("openmpi", [Path("none")], monkeypatch)
    list_them(monkeypatch, {})
    assert held_in_files(mpi, engine, {}, 1.0) is None


def test_the_engine_lists_the_files_once_for_the_same_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[float] = []
    mpi, engine = planted("openmpi", [Path("none")], monkeypatch)
    list_them(monkeypatch, {USUAL: "none"}, limits)
    for env in ({}, {"OMPI_MCA_btl": "self"}, {"OMPI_MCA_mca_base_param_files": "x"}, {}):
        held_in_files(mpi, engine, env, 3.0)
    assert limits == [3.0, 3.0]


def test_other_lines_of_the_engines_output_are_no_controls(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    lines = ["warning: no device", "", "{}", "{torn", "[1]", '{"name": "btl", "value": "self"}']
    engine.write_text("#!/bin/sh\ncat <<'EOF'\n" + "\n".join(lines) + "\nEOF\n")
    engine.chmod(0o755)
    assert list(all_controls(Engine(engine), {})) == ["btl"]


@pytest.mark.parametrize(
    ("home", "path", "shown"),
    [
        ("/home/me", "/home/me/.openmpi/a.conf", "~/.openmpi/a.conf"),
        ("/", "/etc/mpich.conf", "/etc/mpich.conf"),
        ("/", "/home/me/a.conf", "a.conf"),
        ("/home/me", "/scratch/me/a.conf", "a.conf"),
        ("/home/me", "/opt/../scratch/me/a.conf", "a.conf"),
        ("/home/me", "/opt/ompi/etc/a.conf", "/opt/ompi/etc/a.conf"),
    ],
)
def test_the_path_of_a_file_names_no_user(
    home: str, path: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", home)
    assert parameter_files._shown(Path(path)) == shown


def test_a_line_with_a_long_value_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was searched again from each of its spaces."""
    file = tmp_path / "params.conf"
    file.write_text("btl = x" + 30_000 * " " + "x\npml = ob1")
    held = held_in_files(*planted("openmpi", [file], monkeypatch), {}, 1.0)
    assert held == InFiles({"params.conf": {"OMPI_MCA_pml": "ob1"}})


def test_a_file_without_an_end_is_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "params.conf"
    file.write_text("".join(f"btl_a{number}_size = 1\n" for number in range(10_000)))
    mpi, engine = planted("openmpi", [file], monkeypatch)
    held = held_in_files(mpi, engine, {}, 1.0)
    assert held is not None
    [settings] = held.files.values()
    assert len(settings) == parameter_files.MOST_LINES


@pytest.mark.parametrize(
    "name", sorted({name for f in FAMILIES.all().values() for s in f.SETTINGS for name in s})
)
def test_settings_that_are_tuned_are_known_to_the_record(name: str) -> None:
    prefix = "" if name.startswith(("MPIR_", "MPICH_", "I_MPI_")) else "OMPI_MCA_"
    assert may_be_stored(prefix + name, "1")


@pytest.mark.parametrize("files", [{"~/a.conf": LINES["mpich"]}, {}, None])
def test_a_run_records_what_the_users_files_set_or_that_they_set_nothing(
    files: dict[str, dict[str, str]] | None,
    hockney: RunHockney,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = None if files is None else InFiles(files)
    monkeypatch.setattr("hockney.run.measure.execution.held_for", lambda _: held)
    hockney.ok("pingpong", *SHORT, "-o", "run.jsonl")
    header = records.read(tmp_path / "run.jsonl").header
    assert header.environment.get("parameter_files") == files
