"""What begins with an underscore belongs to its package: no module outside imports it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import hockney

SOURCES = Path(hockney.__file__).parent


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Each by its dotted name."""
    for path in sorted(SOURCES.rglob("*.py")):
        parts = ("hockney", *path.relative_to(SOURCES).with_suffix("").parts)
        yield ".".join(parts).removesuffix(".__init__"), ast.parse(path.read_text("utf-8"))


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
    """What a module imports of another package's private parts."""
    found = []
    for name in names:
        owner = owner_of(name) if name.startswith("hockney.") else None
        if owner is not None and not f"{module}.".startswith(f"{owner}."):
            found.append(f"{module}: {name}")
    return found


def test_no_module_imports_private_parts_of_another_package() -> None:
    assert [line for name, tree in modules() for line in foreign(name, imported(tree))] == []


def test_a_private_import_is_seen() -> None:
    names = ("hockney.a._b", "hockney.a._b.c", "hockney.a.b._c", "hockney.a.b", "x._y")
    assert len(foreign("hockney.other", iter(names))) == 3
    assert foreign("hockney.a.b", iter(names)) == []
