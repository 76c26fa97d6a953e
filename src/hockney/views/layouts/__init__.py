"""Tables as the classic programs print them: one file a layout, found by its name.

A layout module has one function, `render(run, estimates) -> str`.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # names are asked for at every start, numbers only after a run
    from hockney.estimate.points import Estimates
    from hockney.records import Run


def layout_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def render(name: str, run: Run, estimates: Estimates) -> str:
    """The run in the layout of that name."""
    text = importlib.import_module(f"hockney.views.layouts.{name}").render(run, estimates)
    assert isinstance(text, str)
    return text
