"""A factor: something that differs between two runs, and what it is known to do to times."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from hockney.infer.analysis.comparison.effects import FORMS, Form, Limits

UNSET = "not set"


class Kind(IntEnum):
    """How specific a factor is. Of factors that explain as much, the most specific is named."""

    SETTING = 0
    """A setting whose effect was recorded."""
    CONDITION = 1
    """A condition of the machine whose size was recorded."""
    TRACE = 2
    """A change that was recorded, without a setting that explains it."""
    QUESTION = 3
    """Something else was measured."""
    SYSTEM = 4
    """Another library or processor: it may do anything."""
    UNKNOWN = 5
    """A setting whose effect nothing recorded shows: it is never named, but can be tried."""


@dataclass(frozen=True)
class Restored:
    """How to restore one factor of B's plan to what it was in A: a field of its workload or
    placement, or a variable (None where A had none)."""

    part: str
    """workload, placement or variable."""
    name: str
    value: Any
    now: str | None = None
    """The value of a variable in B; None if it had none."""


@dataclass(frozen=True)
class DifferingFactor:
    name: str
    values: tuple[str, str]
    """In A and in B."""
    kind: Kind
    evidence: str = ""
    """What was recorded that shows its effect."""
    forms: tuple[Form, ...] = (FORMS["any"],)
    limits: Limits = field(default_factory=Limits)
    why_not: str = ""
    """Why it can explain no difference of times; empty if it can."""
    change: Restored | None = None


def text_of(value: object) -> str:
    """A value of a setting, for people."""
    if value is None or value in ((), ""):
        return UNSET
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
