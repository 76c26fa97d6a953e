"""Modules that are found by their name, checked against the protocol that their users rely on."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeVar, cast

P = TypeVar("P")


def module_named(package: str, name: str, protocol: Callable[..., P]) -> P:
    """The module `package.name`; raises TypeError where it lacks a member of `protocol`."""
    module = importlib.import_module(f"{package}.{name}")
    members = {*vars(protocol), *vars(protocol).get("__annotations__", {})}
    lacking = sorted(
        member for member in members if not member.startswith("_") and not hasattr(module, member)
    )
    if lacking:
        raise TypeError(f"{module.__name__} is no {protocol.__name__}: it lacks {lacking}")
    return cast(P, module)
