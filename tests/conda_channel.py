"""A conda channel of what is installed here: a recipe is built and tested without any other."""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CONDA_NAMES = {"matplotlib": "matplotlib-base", "msgspec": "msgspec-python"}
"""conda-forge's names of distributions, where they differ."""


class Channel:
    """Packages in a directory, in which rattler-build also looks for what it needs."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._staged = directory.parent / "staged"
        self._known: set[str] = set()

    def add_python(self) -> None:
        """The interpreter that runs this, made to believe it is installed in its prefix."""
        base = Path(sys.executable).resolve()
        here = self._staged / "python"
        (here / "bin").mkdir(parents=True)
        for name in ("python", "python{}.{}".format(*sys.version_info)):
            (here / "bin" / name).symlink_to(base)
        (here / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
        version = "{}.{}.{}".format(*sys.version_info)
        self._assemble("python", version, "linux-64", here, build="0_cpython")

    def add(self, name: str, whole: bool) -> None:
        """A distribution and what it needs: whole, or only its metadata, for `pip check`."""
        name = canonicalize_name(name)
        if name in self._known:
            return
        self._known.add(name)
        here = self._staged / name / "site-packages"
        here.mkdir(parents=True)
        needs = ["python"]
        try:
            package = distribution(name)
        except PackageNotFoundError:  # for another version of Python: tomli
            (here / f"{name}.txt").write_text("not needed here\n")
            self._assemble(name, "99", "noarch", here.parent, needs)
            return
        for line in package.requires or ():
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                self.add(need.name, whole)
                needs.append(CONDA_NAMES.get(need.name, canonicalize_name(need.name)))
        for file in package.files or ():
            if ".." in file.parts or file.suffix == ".pyc":
                continue
            if whole or file.parts[0].endswith(".dist-info"):
                (here / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), here / file)
        self._assemble(CONDA_NAMES.get(name, name), package.version, "noarch", here.parent, needs)

    def _assemble(
        self,
        name: str,
        version: str,
        platform: str,
        files: Path,
        needs: list[str] | None = None,
        build: str = "0",
    ) -> None:
        rattler_build: Any = pytest.importorskip("rattler_build")
        rattler_build.assemble_package(
            name,
            version,
            platform,
            build,
            self.directory / platform,
            files_dir=files,
            depends=needs,
            noarch="python" if platform == "noarch" else None,
            compression_level=1,
        )
