"""Descriptions of figures as JSON, which figure.js draws on the report's page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import Any

SCRIPTS = ("scales.js", "panel.js", "cells.js", "bars.js", "figure.js")


def script() -> str:
    """The script that draws the figures; it defines the class Drawing."""
    here = files(__package__)
    return "".join(here.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS)


def plain(value: Any) -> Any:
    """Dataclasses (description.py) as values of JSON, without fields that have their default value;
    numbers that are not finite are null."""
    if is_dataclass(value):
        given = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: plain(item) for field, item in given if item != field.default}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value
