"""Package recipes and the container's say the same as pyproject.toml, and tools can read them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conda_channel import CONDA_NAMES, Channel
from hockney import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
INTEGRATIONS = ROOT / "integrations"


def _needed() -> dict[str, str]:
    """Names and least versions of what hockney and its plots need; recipes have no extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pattern = re.compile(r"([\w-]+) >= ([\d.]+)")
    needed = [*project["dependencies"], *project["optional-dependencies"]["plot"]]
    return dict(pattern.match(line).groups() for line in needed)  # type: ignore[misc, union-attr]


@pytest.mark.long
def test_conda_recipe_is_read_by_its_builder_and_needs_the_same() -> None:
    rattler_build = pytest.importorskip("rattler_build")
    recipe = rattler_build.Stage0Recipe.from_file(str(INTEGRATIONS / "conda" / "recipe.yaml"))
    (rendered,) = recipe.render()
    assert rendered.recipe.package.version == __version__
    runs = {need.partition(",")[0] for need in rendered.recipe.to_dict()["requirements"]["run"]}
    needed = {f"{CONDA_NAMES.get(name, name)} >={least}" for name, least in _needed().items()}
    assert runs == needed | {"python >=3.10"}


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="its stand-in for python is one of Linux")
def test_conda_recipe_is_built_and_passes_its_tests(tmp_path: Path) -> None:
    """From a channel of stand-ins: no other can be reached from everywhere."""
    rattler_build = pytest.importorskip("rattler_build")
    channel = Channel(tmp_path / "channel")
    channel.add_python()
    for name in ("pip", "hatchling", "packaging", "click"):
        channel.add(name, whole=True)
    for name in _needed():
        channel.add(name, whole=False)
    recipe = rattler_build.Stage0Recipe.from_file(str(INTEGRATIONS / "conda" / "recipe.yaml"))
    (rendered,) = recipe.render()
    result = rendered.run_build(
        rattler_build.ToolConfiguration(test_strategy="native"),
        output_dir=channel.directory,
        channels=[],
    )
    (built,) = result.packages
    assert built.parent.name == "noarch"
    files = rattler_build.Package.from_file(built).files
    assert "site-packages/hockney/engine/main.c" in files
    assert not [name for name in files if name.endswith((".o", ".so"))]


def _spack_package(monkeypatch: pytest.MonkeyPatch) -> tuple[type, list[str], list[str]]:
    """The class, what it depends on and its versions, with Spack's directives in our hands."""
    dependencies: list[str] = []
    versions: list[str] = []

    def ignore(*_: Any, **__: Any) -> None:
        pass

    spack = ModuleType("spack.package")
    spack.__dict__.update(
        depends_on=lambda spec, **_: dependencies.append(spec),
        version=lambda name, **_: versions.append(name),
        variant=ignore,
        license=ignore,
        EnvironmentModifications=object,
    )
    python = ModuleType("spack_repo.builtin.build_systems.python")
    python.__dict__["PythonPackage"] = object
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    monkeypatch.setitem(sys.modules, python.__name__, python)
    names: dict[str, Any] = {}
    path = INTEGRATIONS / "spack" / "packages" / "hockney" / "package.py"
    exec(compile(path.read_text(), path, "exec"), names)
    return names["Hockney"], dependencies, versions


def test_spack_package_needs_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a stand-in of Spack's directives: Spack itself is no Python package."""
    package, dependencies, versions = _spack_package(monkeypatch)
    assert package.__doc__
    assert versions == [__version__]
    assert {"mpi", "python@3.10:", "py-hatchling"} < set(dependencies)
    for name, least in _needed().items():
        assert f"py-{name}@{least}:" in dependencies


def test_the_version_to_develop_with_spack_is_this_one() -> None:
    page = (ROOT / "docs" / "howto" / "other-tools.md").read_text()
    assert re.findall(r"hockney@=(\S+)", page) == [__version__]


@pytest.mark.long
def test_containerfile_has_no_fault_that_hadolint_knows() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    if not hadolint.exists():
        pytest.skip("hadolint is not installed")
    done = subprocess.run(
        [hadolint, INTEGRATIONS / "container" / "Containerfile"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
