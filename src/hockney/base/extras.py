"""Packages that an installation may lack: those of pyproject.toml's extras."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from hockney.base.errors import UsageError


@contextmanager
def extra(name: str, otherwise: str = "") -> Iterator[None]:
    """Raises UsageError where an import in this block fails: how to install the extra, and what
    works without it."""
    try:
        yield
    except ImportError as error:
        # Environments that uv made have no pip, as in a clone.
        pip = (
            "pip" if find_spec("pip") else f"in a clone: sh .ci/install {error.name}; else: uv pip"
        )
        advice = f"{pip} install 'hockney[{name}]'"
        raise UsageError(
            f"this needs {error.name}, which is not installed", f"{advice}{otherwise}"
        ) from error
