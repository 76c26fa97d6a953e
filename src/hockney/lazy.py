"""Libraries and modules that take long to load, loaded when they are first used.

They are named at the top of a module, with its other imports. Modules of hockney are also imported
under `if TYPE_CHECKING`, for their types.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class _Lazy(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def lazy(module: str) -> Any:
    """A proxy for the module of that name."""
    return _Lazy(module)
