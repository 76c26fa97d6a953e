"""Layouts of classic programs, as files."""

from __future__ import annotations

from hockney.records import Run


def rendered(name: str, run: Run) -> bytes:
    from hockney.estimate import estimate
    from hockney.views.layouts import render

    return (render(name, run, estimate(run)) + "\n").encode()
