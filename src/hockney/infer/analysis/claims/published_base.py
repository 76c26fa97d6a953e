"""The base of published systems that comes with hockney, and the user's additions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from hockney.base.errors import UsageError
from hockney.base.home import user_directory

SHARED_MEMORY, TCP = "shared memory", "TCP/IP"
UNKNOWN_NETWORK = "unknown network"
"""The network of a figure or run that does not name it."""
HALF_ROUND_TRIP = "half of a round trip"
OUR_LINE = "hockney's line"
"""Method: the line that `fit` draws through times of a log."""
THEIR_LINE = "a line by others"
SIZES = (0, 8, 1024, 65536, 1 << 20, 1 << 22)
"""Bytes at which times are kept: ends of the curve, and what most programs print between them."""
OWN_BASE = "HOCKNEY_PUBLISHED"
"""Environment variable: the user's own base, instead of the usual place."""


class PublishedNumber(msgspec.Struct, frozen=True):
    quantity: str
    """Quantity: time_s (one way, at `bytes`), alpha_s or r_inf_Bps (of a line)."""
    bytes: int | None
    value: float


class PublishedSystem(msgspec.Struct, frozen=True, kw_only=True):
    """One system between two ranks, with the numbers of its source; None where it gives none."""

    system: str
    transport: str
    """The class of networks that it is compared in."""
    detail: str | None = None
    """The processor, or the generation of the network."""
    library: str | None = None
    date: str | None = None
    method: str
    """Method of measurement: numbers of different methods are not compared."""
    definition: str
    source: str
    numbers: tuple[PublishedNumber, ...]


class PublishedFigure(msgspec.Struct, frozen=True):
    """One number of a system."""

    system: str
    transport: str
    quantity: str
    bytes: int | None
    value: float
    definition: str
    source: str
    method: str = HALF_ROUND_TRIP
    detail: str | None = None
    library: str | None = None
    date: str | None = None


def published_figures() -> tuple[PublishedFigure, ...]:
    """Figures of the base and of the user's own. Raises UsageError if the latter are damaged."""
    return _figures(published_systems()) + _figures(own_systems())


@cache
def published_systems() -> tuple[PublishedSystem, ...]:
    text = Path(__file__).with_name("published.json").read_bytes()
    return tuple(msgspec.json.decode(text, type=list[PublishedSystem]))


def own_base() -> Path:
    """The file that holds the user's own systems; it need not be there. Raises FileNotFoundError
    where no directory for it is known."""
    named = os.environ.get(OWN_BASE)
    if named:
        return Path(named)
    return user_directory("XDG_DATA_HOME", ".local/share") / "hockney" / "published.json"


def own_systems() -> tuple[PublishedSystem, ...]:
    try:
        path = own_base()
        return tuple(msgspec.json.decode(path.read_bytes(), type=list[PublishedSystem]))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: no base of published systems: {error}", "repair it, or move it away"
        ) from error


def encoded(systems: Sequence[PublishedSystem]) -> bytes:
    """The content of a base: one system a line."""
    lines = b",\n".join(msgspec.json.encode(system) for system in systems)
    return b"[\n" + lines + b"\n]\n"


def _figures(systems: Sequence[PublishedSystem]) -> tuple[PublishedFigure, ...]:
    return tuple(
        PublishedFigure(
            system.system,
            system.transport,
            number.quantity,
            number.bytes,
            number.value,
            system.definition,
            system.source,
            system.method if number.quantity == "time_s" else line,
            system.detail,
            system.library,
            system.date,
        )
        for system in systems
        # Ours is through half round trips, unless the source draws one itself.
        for line in [OUR_LINE if system.method == HALF_ROUND_TRIP else system.method]
        for number in system.numbers
    )
