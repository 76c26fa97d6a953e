"""Finds modules of a package by name, and what other packages add by entry points.

A registry checks what it loads against a protocol. An incomplete module of hockney raises
TypeError; an incomplete addition of another package is ignored with a warning."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeGuard, TypeVar

from hockney.base.errors import UsageError

if TYPE_CHECKING:
    from importlib import metadata

P = TypeVar("P")
Part = TypeVar("Part")
Kind = Callable[..., P]
"""A protocol, as a class."""


class Registry(Generic[P]):
    """The modules of `package` that satisfy `protocol`; `kind` is what messages call them.

    Modules whose names begin with an underscore are excluded. With `parts`, a module must satisfy
    at least one of these protocols completely. Other packages add entry points to `group`, where
    there is one; hockney's own names take precedence. `separator` replaces underscores of modules
    in names."""

    def __init__(
        self,
        package: str,
        kind: str,
        protocol: Kind[P],
        *,
        parts: tuple[Kind[Any], ...] = (),
        group: str | None = None,
        separator: str = "-",
    ) -> None:
        self.package, self.kind, self.protocol, self.parts = package, kind, protocol, parts
        self.group, self.separator = group, separator
        self._ours: dict[str, P] = {}
        self._offering: dict[Kind[Any], dict[str, Any]] = {}

    def names(self) -> list[str]:
        """All names, as users write them; loads additions of other packages."""
        return sorted([*self._modules, *self._others])

    def built_in(self) -> list[str]:
        """Names of the package's own modules, without loading them."""
        return list(self._modules)

    @cached_property
    def _modules(self) -> dict[str, str]:
        """The package's own modules, by name."""
        modules = pkgutil.iter_modules(importlib.import_module(self.package).__path__)
        names = [module.name for module in modules if module.name[0] != "_"]
        return {name.replace("_", self.separator): f"{self.package}.{name}" for name in names}

    def find(self, name: str) -> P:
        """The module of that name; raises UsageError if it is unknown."""
        if name in self._ours:
            return self._ours[name]
        if name in self._modules:
            path = self._modules[name]
            self._ours[name] = self._checked(importlib.import_module(path), path)
            return self._ours[name]
        if name in self._others:
            return self._others[name]
        raise UsageError(
            f"there is no {self.kind} called {name!r}", f"there are {', '.join(self.names())}"
        )

    def all(self) -> dict[str, P]:
        """All modules, by name."""
        return {name: self.find(name) for name in self.names()}

    def offering(self, part: Kind[Part]) -> dict[str, Part]:
        """The modules that satisfy one of the parts, by name."""
        if part not in self._offering:  # to inspect all functions takes longer than to read a file
            every = self.all().items()
            self._offering[part] = {name: module for name, module in every if offers(module, part)}
        return self._offering[part]

    @cached_property
    def _others(self) -> dict[str, P]:
        """Additions of other packages; their errors are only warnings."""
        additions: dict[str, P] = {}
        for entry in _entry_points(self.group) if self.group and _is_added_to() else ():
            where = f"{entry.value} of {entry.dist.name if entry.dist else 'an unknown package'}"
            try:
                if entry.name in {*self._modules, *additions}:
                    raise TypeError(f"there is another {self.kind} of this name")
                additions[entry.name] = self._checked(self._addition(entry, where), where)
            except Exception as error:  # whatever another package's module raises
                words = " ".join(str(error).split()) or "no reason given"
                print(
                    f"hockney: warning: {self.kind} {entry.name!r} ({where}) is ignored: "
                    f"{type(error).__name__}: {words}",
                    file=sys.stderr,
                )
        return additions

    def _addition(self, entry: metadata.EntryPoint, where: str) -> object:
        from hockney.base.addition import Addition

        return Addition(entry.load(), f"{self.kind} {entry.name!r} ({where})")

    def _checked(self, module: object, where: str) -> P:
        wrong = [*_wrong(module, self.protocol)]
        offered = [part for part in self.parts if self._has_own(module, part)]
        for part in offered:
            wrong += _wrong(module, part)
        if self.parts and not offered:
            wrong.append("offers none of " + ", ".join(map(_name, self.parts)))
        if wrong or not offers(module, self.protocol):
            raise TypeError(f"{where} is not a valid {self.kind}: {'; '.join(wrong)}")
        return module

    def _has_own(self, module: object, part: Kind[Any]) -> bool:
        """True if it has a member that only this part has, and so must satisfy the whole part."""
        others = {name for other in self.parts if other is not part for name in _members(other)}
        return any(hasattr(module, name) for name in _members(part) if name not in others)


def _entry_points(group: str) -> Iterable[metadata.EntryPoint]:
    from importlib import metadata

    return metadata.entry_points(group=group)


@cache
def _is_added_to() -> bool:
    """True if any installed package has entry points for hockney. Loading and searching
    importlib.metadata would take as long as the rest of `hockney --help`."""
    return any("[hockney." in text for place in sys.path for text in _entry_points_in(place))


def _entry_points_in(place: str) -> Iterator[str]:
    """What the packages in a directory declare, as far as it can be read: Python goes past other
    places in its path, too."""
    with suppress(OSError, ValueError), os.scandir(place or ".") as entries:
        for entry in entries:
            if entry.name.endswith(".dist-info"):
                file = f"{entry.path}/entry_points.txt"
                with suppress(OSError), open(file, encoding="utf-8", errors="replace") as opened:
                    yield opened.read()


def offers(module: object, protocol: Kind[Part]) -> TypeGuard[Part]:
    """True if an object satisfies a protocol."""
    return not [*_wrong(module, protocol)]


def _wrong(module: object, protocol: Kind[Any]) -> Iterator[str]:
    """Yields members that are missing, and functions that do not take the protocol's arguments."""
    for name, member in _members(protocol).items():
        if not hasattr(module, name):
            yield f"it lacks {name} ({_name(protocol)})"
        elif inspect.isfunction(member):
            _, *expected = inspect.signature(member).parameters.values()  # without self
            problem = _call_problem(getattr(module, name), expected)
            if problem:
                words = inspect.Signature(expected)
                yield f"{name} cannot be called as {name}{words} ({_name(protocol)}): {problem}"


def _call_problem(function: object, expected: list[inspect.Parameter]) -> str | None:
    if not callable(function):
        return "it is not a function"
    named = {p.name: None for p in expected if p.kind is p.KEYWORD_ONLY}
    positional = [None for p in expected if p.kind is not p.KEYWORD_ONLY]
    try:
        inspect.signature(function).bind(*positional, **named)
    except TypeError as error:
        return str(error)
    return None


@cache
def _members(protocol: Kind[Any]) -> dict[str, Any]:
    """Public members of a protocol and its bases."""
    members: dict[str, Any] = {}
    for base in inspect.getmro(protocol) if inspect.isclass(protocol) else ():
        members |= dict.fromkeys(vars(base).get("__annotations__", {}))
        members |= {name: value for name, value in vars(base).items() if name[0] != "_"}
    return {name: value for name, value in members.items() if name[0] != "_"}


def _name(protocol: Kind[Any]) -> str:
    return getattr(protocol, "__name__", str(protocol))
