"""What is found by its name: the modules of a package, and what other packages add by entry points.

A registry checks what it loads against the protocol that its users rely on. A module of ours that
lacks something raises TypeError; what another package adds is then left out, with a warning.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any, Generic, TypeGuard, TypeVar

from hockney.errors import AskedWronglyError
from hockney.lazy import lazy_imports

with lazy_imports():
    from importlib import metadata

P = TypeVar("P")
Part = TypeVar("Part")
Kind = Callable[..., P]
"""A protocol, as a class."""


class Registry(Generic[P]):
    """The modules of `package`, each a `kind` (a word) that has all of `protocol`.

    Modules whose name begins with an underscore are shared by the others. Where there are `parts`,
    a module offers one of these protocols or more, each whole. Outside packages add to it by entry
    points of `group`, "hockney." and the package's last name unless given; a name of ours goes
    before theirs. `separator` stands in names where modules have an underscore.
    """

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
        self.group = group or f"hockney.{package.rpartition('.')[2]}"
        self.separator = separator
        self._ours: dict[str, P] = {}

    def names(self) -> list[str]:
        """All of them, as users write them; loads those of other packages."""
        return sorted([*self._modules, *self._others])

    def built_in(self) -> list[str]:
        """The modules of the package; loads none of them."""
        return list(self._modules)

    @cached_property
    def _modules(self) -> dict[str, str]:
        """Their paths, by name."""
        modules = pkgutil.iter_modules(importlib.import_module(self.package).__path__)
        names = [module.name for module in modules if module.name[0] != "_"]
        return {name.replace("_", self.separator): f"{self.package}.{name}" for name in names}

    def find(self, name: str) -> P:
        """The one of that name; raises AskedWronglyError where there is none."""
        if name in self._ours:
            return self._ours[name]
        if name in self._modules:
            path = self._modules[name]
            self._ours[name] = self._checked(importlib.import_module(path), path)
            return self._ours[name]
        if name in self._others:
            return self._others[name]
        raise AskedWronglyError(
            f"there is no {self.kind} called {name!r}", f"there are {', '.join(self.names())}"
        )

    def all(self) -> dict[str, P]:
        """Every one, by name."""
        return {name: self.find(name) for name in self.names()}

    def offering(self, part: Kind[Part]) -> dict[str, Part]:
        """Those that offer one of the parts, by name."""
        return {name: found for name, found in self.all().items() if offers(found, part)}

    @cached_property
    def _others(self) -> dict[str, P]:
        """What other packages add. Nothing that is wrong with one of them ends the program."""
        found: dict[str, P] = {}
        for entry in metadata.entry_points(group=self.group) if _is_added_to() else ():
            where = f"{entry.value} of {entry.dist.name if entry.dist else 'an unknown package'}"
            try:
                if entry.name in {*self._modules, *found}:
                    raise TypeError(f"there is another {self.kind} of this name")
                found[entry.name] = self._checked(entry.load(), where)
            except Exception as error:  # whatever another's module raises
                words = " ".join(str(error).split()) or "no reason given"
                print(
                    f"hockney: warning: {self.kind} {entry.name!r} ({where}) is left out: "
                    f"{type(error).__name__}: {words}",
                    file=sys.stderr,
                )
        return found

    def _checked(self, found: object, where: str) -> P:
        wrong = [*_wrong(found, self.protocol)]
        offered = [part for part in self.parts if self._has_own(found, part)]
        for part in offered:
            wrong += _wrong(found, part)
        if self.parts and not offered:
            wrong.append("offers none of " + ", ".join(map(_name, self.parts)))
        if wrong or not offers(found, self.protocol):
            raise TypeError(f"{where} is no {self.kind}: {'; '.join(wrong)}")
        return found

    def _has_own(self, found: object, part: Kind[Any]) -> bool:
        """Whether it has a member that no other part has: then it must have that part whole."""
        others = {name for other in self.parts if other is not part for name in _members(other)}
        return any(hasattr(found, name) for name in _members(part) if name not in others)


@cache
def _is_added_to() -> bool:
    """Whether any installed package has entry points of ours. importlib.metadata takes as long to
    load and to find none as all the rest of `hockney --help`."""
    files = (
        f"{entry.path}/entry_points.txt"
        for path in sys.path
        if os.path.isdir(path or ".")
        for entry in os.scandir(path or ".")
        if entry.name.endswith(".dist-info")
    )
    return any("[hockney." in _content(file) for file in files if os.path.exists(file))


def _content(file: str) -> str:
    with open(file, encoding="utf-8", errors="replace") as opened:
        return opened.read()


def offers(found: object, protocol: Kind[Part]) -> TypeGuard[Part]:
    """Whether an object has all that a protocol asks for."""
    return not [*_wrong(found, protocol)]


def _wrong(found: object, protocol: Kind[Any]) -> Iterator[str]:
    """What it lacks of a protocol, and which of its functions cannot be called as asked."""
    for name, member in _members(protocol).items():
        if not hasattr(found, name):
            yield f"it lacks {name} ({_name(protocol)})"
        elif inspect.isfunction(member):
            _, *expected = inspect.signature(member).parameters.values()  # without self
            problem = _call_problem(getattr(found, name), expected)
            if problem:
                words = inspect.Signature(expected)
                yield f"{name} cannot be called as {name}{words} ({_name(protocol)}): {problem}"


def _call_problem(function: object, expected: list[inspect.Parameter]) -> str | None:
    if not callable(function):
        return "it is no function"
    named = {p.name: None for p in expected if p.kind is p.KEYWORD_ONLY}
    positional = [None for p in expected if p.kind is not p.KEYWORD_ONLY]
    try:
        inspect.signature(function).bind(*positional, **named)
    except TypeError as error:
        return str(error)
    return None


def _members(protocol: Kind[Any]) -> dict[str, Any]:
    """The public names of a protocol and of those that it extends."""
    found: dict[str, Any] = {}
    for base in inspect.getmro(protocol) if inspect.isclass(protocol) else ():
        found |= dict.fromkeys(vars(base).get("__annotations__", {}))
        found |= {name: value for name, value in vars(base).items() if name[0] != "_"}
    return {name: value for name, value in found.items() if name[0] != "_"}


def _name(protocol: Kind[Any]) -> str:
    return getattr(protocol, "__name__", str(protocol))
