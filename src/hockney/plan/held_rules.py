"""Decision rules parsed from a rules file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.plan.axes import algorithm_text

ANY, SINGLE_NODE, ONE_PER_NODE = "any", "single-node", "one-per-node"
"""Layouts that rules may be for."""
Range = tuple[int, int | None]
"""First and last number, inclusive; None for no upper limit."""


@dataclass(frozen=True)
class HeldRule:
    """A rule for some numbers of ranks and sizes of a collective."""

    collective: str
    ranks: Range
    bytes: Range
    """Sizes as the library counts them."""
    algorithm: str
    """The library's name or number of the algorithm."""
    line: int
    of_all_ranks: bool = False
    """Whether the library counts the blocks of all ranks together."""
    layout: str = ANY
    """The layouts of ranks on nodes for which it holds."""
    per_node: Range = (0, None)
    """The ranks per node for which it holds."""
    radix: int | None = None
    """Radix; None if the file sets none, or the algorithm has none."""
    requests: int | None = None
    """Most messages in flight; None if the file sets no limit, or the algorithm has none."""
    suffix: str = ""
    """Suffix of the rule's file if several files make the rules; empty for the first."""
    is_own: bool = False
    """Whether it leaves the decision to the library, whatever rules follow."""

    @property
    def place(self) -> str:
        """ "line 12", or ".posix, line 12"."""
        return f"{self.suffix}, line {self.line}" if self.suffix else f"line {self.line}"

    @property
    def choice(self) -> str:
        """ "tree", or "tree, radix 4"."""
        return algorithm_text(self.algorithm, None, self.radix, self.requests)

    def holds_for(self, collective: str, ranks: int, bytes_: int) -> bool:
        size = bytes_ * (ranks if self.of_all_ranks else 1)
        is_of = self.collective == collective and self.holds_for_ranks(ranks)
        return is_of and _within(self.bytes, size)

    def holds_for_ranks(self, ranks: int) -> bool:
        return _within(self.ranks, ranks)

    def holds_on(self, nodes: int, per_node: int) -> bool:
        """Whether it holds for ranks that are spread so over nodes."""
        kinds = {ANY, SINGLE_NODE if nodes == 1 else ANY, ONE_PER_NODE if per_node == 1 else ANY}
        return self.layout in kinds and _within(self.per_node, per_node)

    def edges(self, ranks: int, step: int = 1) -> list[int]:
        """The sizes on both sides of the rule's limits, counted as the collective's bytes are,
        which are multiples of `step`."""
        unit = step * (ranks if self.of_all_ranks else 1)
        first, last = self.bytes
        begin = -(-first // unit) * step
        sizes = [begin - step, begin] if begin > 0 else []
        if last is not None:
            end = last // unit * step
            sizes += [end, end + step]
        return sizes

    @property
    def text(self) -> str:
        """ "bcast, 2 to 8 ranks, from 64 B"."""
        size = range_text(*self.bytes, format_size)
        return f"{self.collective}, {range_text(*self.ranks, str)} ranks, {size}"


def range_text(first: int, last: int | None, word: Callable[[int], str]) -> str:
    """ "2 to 8", "2", or "from 2"."""
    if last is None:
        return f"from {word(first)}"
    return word(first) if first == last else f"{word(first)} to {word(last)}"


def _within(limits: Range, value: int) -> bool:
    first, last = limits
    return first <= value and (last is None or value <= last)


def wrong_in(path: Path, line: int, what: str, advice: str = "") -> UsageError:
    """An error in a file of rules."""
    return UsageError(f"{path}:{line}: {what}", advice)


def check_no_overlap(path: Path, rules: Iterable[HeldRule]) -> None:
    """Raises UsageError where two rules hold for the same ranks and size: libraries silently ignore
    the second."""
    earlier: dict[tuple[str, str], list[HeldRule]] = {}
    for rule in rules:
        others = earlier.setdefault((rule.collective, rule.layout), [])
        for other in others:
            if _overlap(rule.ranks, other.ranks) and _overlap(rule.bytes, other.bytes):
                raise wrong_in(
                    path,
                    rule.line,
                    f"this rule ({rule.text}) overlaps that in line {other.line} ({other.text})",
                    "the library would take the first: give each size to one rule",
                )
        others.append(rule)


def _overlap(limits: Range, other: Range) -> bool:
    return _within(limits, other[0]) or _within(other, limits[0])


def rule_for(
    rules: Sequence[HeldRule], collective: str, ranks: int, bytes_: int
) -> HeldRule | None:
    """The first rule that matches, as libraries take it."""
    return next((rule for rule in rules if rule.holds_for(collective, ranks, bytes_)), None)
