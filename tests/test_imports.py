"""Names with an underscore belong to their package: no module outside imports them. Views import
nothing that computes."""

from __future__ import annotations

import ast
import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import hockney
from hockney.base.errors import UsageError

SOURCES = Path(hockney.__file__).parent
COMPUTING = ("hockney.infer", "hockney.tuning")
ALLOWED = frozenset(
    {
        "hockney.infer.estimate.interval.high_of",
        "hockney.infer.estimate.interval.interval_words",
        "hockney.infer.estimate.interval.low_of",
        "hockney.infer.analysis.conditions.between.states_apart",
        "hockney.infer.analysis.algorithms.best.arrived",
        "hockney.infer.analysis.algorithms.best.is_collective",
        "hockney.infer.analysis.algorithms.best.name_of",
        "hockney.infer.analysis.algorithms.collectives.collectives_of",
        "hockney.infer.analysis.comparison.compare.compare",  # of two runs: no Analysis keeps it
        "hockney.infer.analysis.network.contention.over_pairs",
        "hockney.infer.analysis.network.outlier_rule.p_words",
        "hockney.infer.analysis.samples.distribution",
        "hockney.infer.analysis.samples.groups_of",
        "hockney.infer.analysis.samples.sampled",
        "hockney.infer.analysis.samples.sampled_sizes",
        "hockney.infer.estimate.points.by_curve",
        "hockney.infer.estimate.points.statistic_of",
    }
)
"""Functions that views may call: they name and choose, or work on what an option chose."""


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Each by its dotted name."""
    return [(_name_of(path), ast.parse(path.read_text("utf-8"))) for path in SOURCES.rglob("*.py")]


def _name_of(path: Path) -> str:
    parts = ("hockney", *path.relative_to(SOURCES).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def imported(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def owner_of(name: str) -> str | None:
    """The package whose private part a name is; None where all of it is public."""
    parts = name.split(".")
    private = [part.startswith("_") and not part.endswith("__") for part in parts]
    return ".".join(parts[: private.index(True)]) if any(private) else None


def foreign(module: str, names: Iterator[str]) -> list[str]:
    """Private parts of another package that a module imports."""
    parts = []
    for name in names:
        owner = owner_of(name) if name.startswith("hockney.") else None
        if owner is not None and not f"{module}.".startswith(f"{owner}."):
            parts.append(f"{module}: {name}")
    return parts


def test_no_module_imports_private_parts_of_another_package() -> None:
    assert [line for name, tree in modules() for line in foreign(name, imported(tree))] == []


def test_a_private_import_is_seen() -> None:
    names = ("hockney.a._b", "hockney.a._b.c", "hockney.a.b._c", "hockney.a.b", "x._y")
    assert len(foreign("hockney.other", iter(names))) == 3
    assert foreign("hockney.a.b", iter(names)) == []


def _object(module: ModuleType, name: str) -> object:
    """A name that a module defines, or the module of that name in a package."""
    if not hasattr(module, name):
        return import_module(f"{module.__name__}.{name}")
    return getattr(module, name)


def computing(names: Iterator[str]) -> list[str]:
    """Functions and modules among these names that compute, which views must not import."""
    computing_names = []
    for name in names:
        module, _, last = name.rpartition(".")
        if name.split(".")[0] == "scipy":
            computing_names.append(name)
        elif module.startswith(COMPUTING) and name not in ALLOWED:
            imported_object = _object(import_module(module), last)
            if inspect.isfunction(imported_object) or inspect.ismodule(imported_object):
                computing_names.append(name)
    return computing_names


def test_views_import_nothing_that_computes() -> None:
    views = [(name, tree) for name, tree in modules() if name.startswith("hockney.show")]
    assert len(views) > 40
    assert {name: bad for name, tree in views if (bad := computing(imported(tree)))} == {}


@pytest.mark.parametrize(
    ("name", "computes"),
    [
        ("hockney.infer.predict.ranking.rank", True),
        ("hockney.infer.models.max_rate", True),
        ("hockney.infer.fitting.fit.curve_of", True),
        ("scipy.stats", True),
        ("hockney.infer.fitting.fit.Fit", False),
        ("hockney.base.units.format_size", False),
    ],
)
def test_what_computes_is_seen(name: str, computes: bool) -> None:
    assert (computing(iter([name])) == [name]) == computes


def test_a_package_that_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in ("files", "axes"):
        monkeypatch.delitem(sys.modules, f"hockney.show.drawing.{name}", raising=False)
    with pytest.raises(UsageError, match="needs matplotlib") as refused:
        import_module("hockney.show.drawing.files")
    assert str(refused.value.advice).endswith("pip install 'hockney[plot]'")


def test_no_two_classes_have_one_name() -> None:
    names = Counter(
        node.name for _, tree in modules() for node in tree.body if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_modules_have_one_name_only_where_they_are_found_by_it() -> None:
    """A verb, its experiment, its view and its figure are found by one name (CONTRIBUTING.md);
    folders may have the name of the one whose conclusions they show."""
    found_by_name = ("cli", "workloads", "experiments", "figures", "programs")
    names = Counter(
        path.stem for path in SOURCES.rglob("*.py") if path.parent.name not in found_by_name
    )
    del names["__init__"]
    assert [name for name, count in names.items() if count > 2] == []
