"""Imports that are carried out when what they name is first used.

They stand at the top of a module, where its dependencies are looked for:

    with lazy_imports():
        from scipy.stats import rankdata

What is imported so can be called, has its attributes, and may stand in isinstance(); nothing else.
Type checkers and linters see an ordinary import.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hockney.base.errors import UsageError

EXTRAS = {"matplotlib": "plot"}
"""Packages that an installation may lack, and the extra that brings each."""


class _Name:
    """Stands for a name that a module defines, or for the module itself."""

    def __init__(self, module: str, name: str | None = None) -> None:
        self._module, self._name = module, name

    def _load(self) -> Any:
        try:
            if self._name is None:
                return __import__(self._module)
            return getattr(__import__(self._module, fromlist=(self._name,)), self._name)
        except ModuleNotFoundError as error:
            extra = EXTRAS.get(error.name or "")
            if extra is None:
                raise
            raise UsageError(
                f"this needs {error.name}, which is not installed",
                f"pip install 'hockney[{extra}]'",
            ) from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._load()(*args, **kwargs)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._load())


class _Module:
    """The stand-in that `from MODULE import NAME` takes names from."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> _Name:
        return _Name(self._module, name)


@contextmanager
def lazy_imports() -> Iterator[None]:
    """Defers the imports of its block: each is `import NAME` or `from MODULE import NAME`."""

    def deferred(name: str, globals: Any, locals: Any, names: Any, level: int) -> Any:  # noqa: ARG001
        return _Module(name) if names else _Name(name)

    usual: Any = builtins.__import__
    builtins.__import__ = deferred  # type: ignore[assignment]
    try:
        yield
    finally:
        builtins.__import__ = usual
