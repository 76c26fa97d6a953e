"""The engine's files depend on each other in one direction."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import hockney

ENGINE = Path(hockney.__file__).parent / "engine"


def includes(folder: Path) -> dict[str, set[str]]:
    """The units that each unit includes; a unit is a header with its source."""
    included: dict[str, set[str]] = {}
    for file in sorted(folder.rglob("*.[ch]")):
        unit = str(file.relative_to(folder).with_suffix(""))
        for name in re.findall(r'^#include "([^"]+\.h)"', file.read_text(), re.MULTILINE):
            other = (file.parent / name).resolve().relative_to(folder.resolve()).with_suffix("")
            included.setdefault(unit, set()).add(str(other))
    return {unit: others - {unit} for unit, others in included.items()}


def order(folder: Path) -> list[str]:
    """All units, each after those that it includes; raises CycleError."""
    return list(TopologicalSorter(includes(folder)).static_order())


def test_no_two_files_of_the_engine_need_each_other() -> None:
    units = order(ENGINE)
    assert len(units) > 80
    assert units.index("check") < units.index("records") < units.index("run") < units.index("main")


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.h").touch()
    (tmp_path / "a.c").write_text('#include "a.h"\n#include "b.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    with pytest.raises(CycleError):
        order(tmp_path)
