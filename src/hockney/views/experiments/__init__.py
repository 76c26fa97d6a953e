"""How the results of each experiment are shown: one file an experiment, found by its name.

A view has two functions: `parts(analysis, all_states)`, what a terminal shows, as pieces of text
with an empty line between them; and `fields(analysis, all_states)`, what the JSON holds beside
"run" and "warnings". An experiment without a file is shown as pingpong is.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, Protocol, cast

from hockney.analysis import Analysis
from hockney.records import Run

USUAL = "pingpong"


class View(Protocol):
    def parts(self, analysis: Analysis, all_states: bool) -> list[str]: ...

    def fields(self, analysis: Analysis, all_states: bool) -> dict[str, Any]: ...


def view_of(run: Run) -> View:
    """The view of the run's experiment; of all imported ones the same."""
    if run.header.source is not None:
        return cast(View, importlib.import_module(f"{__name__}.imported"))
    known = {module.name for module in pkgutil.iter_modules(__path__)}
    name = run.header.experiment if run.header.experiment in known else USUAL
    return cast(View, importlib.import_module(f"{__name__}.{name}"))
