"""Libraries and modules that take long to load, loaded when they are first used.

They are named at the top of a module, where its dependencies stand; a module of ours under
`if TYPE_CHECKING` as well, for its types.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class _Lazy(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def lazy(module: str) -> Any:
    """Stands for the module of that name."""
    return _Lazy(module)
