"""What a figure is (description.py), and its two renderers: files for papers (files.py) and the
report's page (page.py with its script)."""

from __future__ import annotations

from hockney.base.units import format_seconds


def time_text(seconds: float | None) -> str:
    """Formats a time for figures."""
    return format_seconds(seconds, 3).replace("us", "µs")
