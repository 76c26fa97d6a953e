"""Slow parts of the network or of its nodes, however they were found, and the verdict on all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from hockney.base.units import format_ratio, format_size
from hockney.infer.analysis.network.boards import Doubt
from hockney.infer.analysis.network.outlier_rule import EXACT, p_words
from hockney.infer.analysis.network.part_words import counted


@dataclass(frozen=True, kw_only=True)
class SlowPart(ABC):
    """A part that is slower than its peers. What only one way to find it knows is in its class
    there (outliers.py, network_faults.py, located.py)."""

    USUAL: ClassVar[str] = "the others"
    """Whose time a gate compares it with."""

    what: str
    """Kind: node, place, process or pair; group, for nodes near each other but slow to all others;
    uplink, for the links of a switch to others; switch, for its inside; cable, for two switches."""
    names: tuple[str, ...]
    """Names of nodes, or of one or two switches; ranks with their nodes."""
    bytes: int
    """The size that shows it most."""
    ratio: float
    """Its time over the usual one, at that size."""

    @property
    @abstractmethod
    def words(self) -> str:
        """ "node n3 is slow"."""

    @property
    @abstractmethod
    def number(self) -> str:
        """The ratio, and how sure it is."""

    @property
    def reference(self) -> str:
        """What its time is compared with."""
        return "its peers"

    @property
    def title(self) -> str:
        """What a gate calls it."""
        return self.words

    @property
    def over(self) -> str:
        """ "1.5 times the others at 8 B"."""
        return f"{format_ratio(self.ratio)} times {self.USUAL} at {format_size(self.bytes)}"


@dataclass(frozen=True, kw_only=True)
class TestedPart(SlowPart):
    """A part that a test shows to be slow (outlier_rule.py)."""

    LOOK: ClassVar[str] = "launch"
    """What shows it or not: a launch or a pass."""

    p: float | None
    """p, corrected for all candidates of its kind; None of simulated times, which are exact."""
    agreeing: int
    """Number of launches or passes that show it."""
    looks: int
    """Number of those that measured it."""

    @property
    def shown_in(self) -> str:
        """ "4 of 5 passes"."""
        only = f"the only {self.LOOK}"
        return f"{self.agreeing} of {self.looks} {self.LOOK}es" if self.looks > 1 else only

    @property
    def sure(self) -> str:
        return f"{p_words(self.p)}, in {self.shown_in}"

    @property
    def number(self) -> str:
        p = EXACT if self.p is None else f"p {self.p:.2g}"
        ratio = f"{format_ratio(self.ratio)} times at {format_size(self.bytes)}"
        return f"{ratio} ({p}, {self.shown_in})"


Part = TypeVar("Part", bound=SlowPart, covariant=True)


@dataclass(frozen=True)
class Verdict(Generic[Part]):
    """What is slow, and why something could not be judged."""

    slow: tuple[Part, ...]
    """Those that explain most first."""
    judged: Mapping[str, int]
    """Number of parts of each kind that were judged; empty if none could be."""
    doubts: tuple[Doubt, ...] = ()

    @property
    def judged_words(self) -> str:
        """ "24 nodes and 15 cables"."""
        return counted(self.judged)
