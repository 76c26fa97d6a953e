"""Layouts of classic programs, as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hockney.analysis import Analysis


def rendered(name: str, analysis: Analysis) -> bytes:
    from hockney.views.layouts import render

    return (render(name, analysis) + "\n").encode()
