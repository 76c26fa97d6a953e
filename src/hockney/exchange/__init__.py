"""Other programs' formats: one file each, found by its name.

A module that reads has `recognise(log)`, the line in which the log shows the format or None,
and `read(log)`, the tables of the log; `HEADED` is False where a table has no heading, so that any
columns of numbers may look like it. A module that writes has `write(analysis)`, the content of the
file. A format may do both. Nothing else names a module; those that begin with an underscore are
shared.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from hockney.errors import AskedWronglyError

if TYPE_CHECKING:  # names are asked for at every start, the rest to read or write
    from hockney.analysis import Analysis
    from hockney.exchange._log import Log
    from hockney.exchange._table import Table

TOLD = 5
"""Reasons why nothing could be read: more say no more."""


def format_names() -> list[str]:
    """As the command line says them."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if module.name[0] != "_"]
    return sorted(name.replace("_", "-") for name in names)


def _module(name: str) -> Any:
    return importlib.import_module(f"hockney.exchange.{name.replace('-', '_')}")


def _that(can: str) -> dict[str, Any]:
    """The modules that can `read` or `write`."""
    return {name: _module(name) for name in format_names() if hasattr(_module(name), can)}


def recognise(log: Log) -> str:
    """The one format of a log."""
    found: dict[bool, dict[str, int]] = {True: {}, False: {}}
    for name, module in _that("read").items():
        line = module.recognise(log)
        if line is not None:
            found[getattr(module, "HEADED", True)][name] = line
    # A heading says more than columns that happen to fit.
    formats = found[True] or found[False]
    if not formats:
        raise AskedWronglyError(
            f"{log.path}: no table of a known format in {len(log.lines)} lines",
            f"known are {', '.join(_that('read'))}; name one with --as",
        )
    if len(formats) > 1:
        where = ", ".join(f"{name} (line {line})" for name, line in formats.items())
        raise AskedWronglyError(
            f"{log.path} could be {where}", "choose with --as; for both, import it twice"
        )
    return next(iter(formats))


def read(log: Log, name: str) -> list[Table]:
    """All tables that have rows."""
    from hockney.exchange._table import TooLargeError

    readers = _that("read")
    if name not in readers:
        raise AskedWronglyError(f"{name} is not read", f"known are {', '.join(readers)}")
    try:
        tables: list[Table] = readers[name].read(log)
    except TooLargeError as error:
        raise AskedWronglyError(
            f"{log.path}: {error}", "cut the tables out of the log, and import them one by one"
        ) from error
    if any(table.rows for table in tables):
        return tables
    notes = [note for table in tables for note in table.notes]
    words = [f"{log.path}: no table of {name} with a row that can be read", *notes[:TOLD]]
    raise AskedWronglyError("\n  ".join(words))


def write(analysis: Analysis, name: str) -> bytes:
    """The run in that format."""
    writers = _that("write")
    if name not in writers:
        raise AskedWronglyError(f"{name} is not written", f"known are {', '.join(writers)}")
    content: bytes = writers[name].write(analysis)
    return content
