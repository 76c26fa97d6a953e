"""Modules that are found by their name have what their users rely on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from hockney.measure.algorithms import family_of
from hockney.measure.jobs import scheduler_named, scheduler_names
from hockney.measure.launchers import FAMILIES, launcher_named
from hockney.measure.mpi import Mpi
from hockney.registry import module_named
from hockney.tuning import FORMATS, format_named


class Wanted(Protocol):
    LENGTH: int

    def fits(self) -> bool: ...


@pytest.mark.parametrize("text", ["", "LENGTH = 1", "def fits(): ..."])
def test_a_module_that_lacks_something_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    package = f"package_{abs(hash(text))}"
    (tmp_path / package).mkdir()
    (tmp_path / package / "one.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TypeError, match="is no Wanted: it lacks"):
        module_named(package, "one", Wanted)


@pytest.mark.parametrize(
    ("find", "name"),
    [
        *((launcher_named, name) for name in (*FAMILIES, "srun", "flux")),
        *((scheduler_named, name) for name in scheduler_names()),
        *((format_named, name) for name in FORMATS),
    ],
)
def test_ours_have_it_all(find: Callable[[str], object], name: str) -> None:
    assert find(name) is not None


@pytest.mark.parametrize(
    ("family", "version"),
    [("hydra", "Hydra"), ("hydra", "Intel"), ("openmpi", ""), ("smpirun", "")],
)
def test_every_family_has_its_algorithms(tmp_path: Path, family: str, version: str) -> None:
    mpi = Mpi(tmp_path, tmp_path, family, version)
    assert family_of(mpi) is not None
