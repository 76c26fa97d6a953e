"""The metadata of a wheel, and the content of it and its tests."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hockney import __version__

ROOT = Path(__file__).parents[2]
PERMISSIVE = r"\b(MIT|BSD|0BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|HPND|MPICH)\b"
"""Licences of what users install. MPICH has one of its own, which is permissive."""
OF_TOOLS = rf"{PERMISSIVE}|\b(L?GPL|MPL|Mozilla Public License|Unlicense)"
"""Licences of what only developers run: nothing of it is passed on or linked."""
LOCKS = sorted((ROOT / ".ci").glob("*.txt"))


def licence_of(name: str) -> str:
    """All that a distribution says of its licence; not the whole text of one."""
    metadata = distribution(name).metadata
    of_classes = [line for line in metadata.get_all("Classifier") or () if "License ::" in line]
    named = metadata.get("License-Expression") or (metadata.get("License") or "")[:80]
    return "; ".join([named, *of_classes])


def required(name: str, seen: set[str]) -> Iterator[str]:
    """All that is installed with a distribution."""
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        needed = canonicalize_name(requirement.name)
        if needed in seen or (
            requirement.marker and not requirement.marker.evaluate({"extra": ""})
        ):
            continue
        seen.add(needed)
        yield needed
        yield from required(needed, seen)


def test_what_users_install_is_permissively_licensed() -> None:
    names = list(required("hockney", set()))
    assert "numpy" in names
    wrong = {
        name: licence for name in names if not re.search(PERMISSIVE, licence := licence_of(name))
    }
    assert wrong == {}


def test_what_developers_install_has_a_known_licence() -> None:
    names = {canonicalize_name(package.metadata["Name"]) for package in distributions()}
    wrong = {
        name: licence for name in names if not re.search(OF_TOOLS, licence := licence_of(name))
    }
    assert wrong == {}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_what_ci_installs_is_pinned_by_hash_and_from_nowhere_in_particular(lock: Path) -> None:
    text = lock.read_text()
    assert not re.search(r"https?:|file:|(^|\s)--?(index|extra|find|trusted|i|f)\b|(^|\s)/", text)
    blocks = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip())
    assert blocks
    for block in blocks:
        assert re.match(r"[\w.-]+==[\w.]+", block), block
        assert "--hash=sha256:" in block, block


def test_what_ci_installs_is_all_that_we_ask_for() -> None:
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / ".ci/python.txt").read_text(), re.M))
    requirements = [Requirement(line) for line in distribution("hockney").requires or ()]
    for requirement in requirements:
        extra = (
            re.search(r"extra == [\"']([\w-]+)", str(requirement.marker))
            if requirement.marker
            else None
        )
        if requirement.name == "hockney" or (
            extra and extra[1] not in ("mpich", "test", "packaging")
        ):
            continue
        if requirement.marker and not requirement.marker.evaluate(
            {"extra": extra[1] if extra else "", "python_version": "3.11"}
        ):
            continue
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), (
            requirement
        )


@pytest.mark.long
def test_a_wheel_holds_its_bill_of_materials(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    sources = tmp_path / "sources"  # hatchling writes beside them
    for name in ("src", "README.md", "LICENSE", "pyproject.toml", "hatch_build.py"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        sources.mkdir(exist_ok=True)
        copy(ROOT / name, sources / name)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=sources, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        name = f"hockney-{__version__}.dist-info/sboms/hockney.cdx.json"
        bill = json.loads(archive.read(name))
        assert name in archive.read(f"hockney-{__version__}.dist-info/RECORD").decode()
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["version"] == __version__
    needed = {
        component["name"] for component in bill["components"] if component["scope"] == "required"
    }
    requirements = [Requirement(line) for line in distribution("hockney").requires or ()]
    ours = [
        requirement for requirement in requirements if "extra" not in str(requirement.marker or "")
    ]
    assert needed == {requirement.name for requirement in ours}
    references = {component["bom-ref"] for component in bill["components"]}
    assert set(bill["dependencies"][0]["dependsOn"]) <= references
