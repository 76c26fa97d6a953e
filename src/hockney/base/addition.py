"""Calls what other packages add: their exceptions name the package and do not look like ours."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hockney.base.errors import HockneyError


class AdditionError(HockneyError):
    """What another package added raised an exception of its own."""

    def __init__(self, what: str, error: Exception) -> None:
        words = " ".join(str(error).split()) or "no reason given"
        self.why = f"{type(error).__name__}: {words}"
        super().__init__(f"{what} failed: {self.why}", "tell its authors, or uninstall it")

    def warn(self) -> None:
        print(f"hockney: warning: {self.message}; it is left out", file=sys.stderr)


class Addition:
    """A module of another package. Exceptions of its functions are AdditionErrors, except ours and
    the system's, which say what is wrong by themselves."""

    def __init__(self, module: object, what: str) -> None:
        """what: "model 'root' (its.module of its-package)"."""
        self._module, self._what = module, what

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._module, name)
        is_called = callable(member) and not inspect.isclass(member)
        return _guarded(member, self._what) if is_called else member


def _guarded(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with _named(what):
            returned = function(*arguments, **named)
        return _each(returned, what) if inspect.isgenerator(returned) else returned

    return call


def _each(values: Iterator[Any], what: str) -> Iterator[Any]:
    with _named(what):
        yield from values


@contextmanager
def _named(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        is_ours = type(error).__module__.partition(".")[0] == "hockney"
        if is_ours or isinstance(error, (OSError, MemoryError)):
            raise
        raise AdditionError(what, error) from error
