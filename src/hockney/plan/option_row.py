"""What an option of the engine is: how it is read, which experiments accept it, and its usage."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from enum import Enum, auto

COLUMN, WIDTH = 25, 118
"""Column of the explanations in the usage, and the length of its lines."""


class OptionKind(Enum):
    """How an option is read, and the type of its value."""

    FLAG = auto()
    WORD = auto()
    """A word from the metavar, stored as its number; 0 is the default."""
    COUNT = auto()
    NUMBER = auto()
    TEXT = auto()
    HAND = auto()
    """Read by code of its own in options.c."""


@dataclass(frozen=True)
class OptionRow:
    name: str
    kind: OptionKind
    experiments: frozenset[str]
    help: str
    metavar: str = ""
    """Placeholder of the value in the usage; empty for an option without a value."""
    member: str = ""
    """Member of `struct options`; by default the name."""
    is_axis: bool = False
    """Whether the launch record has the option among its axes."""

    @property
    def usage(self) -> str:
        """The option's lines of the usage, each with a newline."""
        left = f"  --{self.name} {self.metavar}".rstrip()
        first = f"{left:<{COLUMN}}" if len(left) < COLUMN else f"{left}  "
        rest = " " * COLUMN
        lines = textwrap.wrap(
            self.help, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )
        return "\n".join(lines) + "\n"
