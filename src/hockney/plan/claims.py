"""What a claim is: a published statement, how to measure it, and what must come out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TIME, BANDWIDTH, PARAMETER, PATH = "time", "bandwidth", "parameter", "path"
RATIO, EXPONENT, BEST = "ratio", "exponent", "best"
SIMPLE: dict[str, tuple[str, ...]] = {
    TIME: (),
    BANDWIDTH: (),
    PARAMETER: ("model", "name"),
    PATH: ("path",),
}
"""Quantities that a ratio may be made of, with their keys besides `measure` and axes."""
WHAT: dict[str, tuple[str, ...]] = {
    **SIMPLE,
    RATIO: ("of", "over"),
    EXPONENT: ("take", "against"),
    BEST: (),
}
MODEL = "hockney"
PROGRAM = "hockney"


@dataclass(frozen=True)
class ClaimMeasure:
    """One measurement that a claim needs: the words of a measuring verb, under a name."""

    name: str
    words: tuple[str, ...]

    @property
    def command(self) -> str:
        return shlex.join([PROGRAM, *self.words])

    @property
    def is_simulated(self) -> bool:
        return any(word.split("=")[0] == "--platform" for word in self.words)


@dataclass(frozen=True)
class Quantity:
    """What is taken from the measurements, one of WHAT."""

    what: str
    measure: str
    axes: Mapping[str, Any]
    """Values of axes that choose points."""
    take: str = TIME
    against: str | None = None
    model: str = MODEL
    name: str | None = None
    """A parameter of the model; or the algorithm that is claimed to be the best."""
    path: str | None = None
    of: Quantity | None = None
    over: Quantity | None = None


@dataclass(frozen=True)
class ClaimedRange:
    """The range in which the quantity must lie: infinite where it has no end. Of the best
    algorithm: that of its time over the fastest other's."""

    low: float
    high: float
    text: str
    """As the file has it: "1 ± 3 %", "at least 2"."""


@dataclass(frozen=True)
class Requires:
    """What a measurement needs; 0, None or False where the claim does not ask for it."""

    cpus: int = 0
    nodes: int = 0
    mpi: str | None = None
    simgrid: bool = False


@dataclass(frozen=True)
class Claim:
    name: str
    claim: str
    source: str
    measures: tuple[ClaimMeasure, ...]
    quantity: Quantity
    expected: ClaimedRange
    requires: Requires


def unit_of(quantity: Quantity) -> str:
    """ "s" or "B/s"; empty for a number of neither."""
    name = quantity.name if quantity.what == PARAMETER else quantity.path or quantity.what
    if quantity.what in (RATIO, EXPONENT, BEST) or name is None:
        return ""
    if name == TIME or name.endswith("_s"):
        return "s"
    return "B/s" if name == BANDWIDTH or name.endswith("_Bps") else ""
