"""What a figure is (description.py), and its renderers: files for papers (files.py, with looks.py
and lettering.py), the report's page (page.py with its script) and the terminal (terminal.py)."""

from __future__ import annotations

from hockney.base.units import format_seconds


def time_text(seconds: float | None, digits: int = 3) -> str:
    """Formats a time for figures and pages."""
    return format_seconds(seconds, digits).replace("us", "µs")
