"""Intel MPI: variables I_MPI_ADJUST_X=ID:SIZES@RANKS;... as a file for `source`.

What no range fits is decided by the library. It tells nobody what it has taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hockney.errors import HockneyError
from hockney.measure.build import Engine
from hockney.tuning.rules import Rule

SUFFIXES = ("",)
COLLECTIVES = frozenset(
    {
        "allgather",
        "allreduce",
        "alltoall",
        "barrier",
        "bcast",
        "gather",
        "reduce",
        "scan",
        "scatter",
    }
)
LARGEST_BYTES = 2**31 - 1


def render(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    variables: dict[str, list[str]] = {}
    for rule in rules:
        name = f"I_MPI_ADJUST_{rule.collective.upper()}"
        variables.setdefault(name, []).append(_range(rule, name))
    lines = [f"export {name}='{';'.join(ranges)}'" for name, ranges in variables.items()]
    return {"": "\n".join(["# Written by hockney tune", *lines]) + "\n"}


def _range(rule: Rule, name: str) -> str:
    number = rule.setting(name)
    if number is None or not number.isdecimal():
        raise HockneyError(
            f"{rule.collective} by {rule.name}: its launches do not tell {name} as a number",
            "measure it with `hockney collective`, which forces algorithms by that",
        )
    to = LARGEST_BYTES if rule.to_bytes is None else rule.to_bytes
    return f"{number}:{rule.from_bytes}-{to}@{rule.ranks}-{rule.ranks}"


def with_fault(files: Mapping[str, str]) -> None:
    """None: there is no file that the library would read."""


def environment(path: Path) -> dict[str, str]:
    """What sourcing the file sets."""
    exports = (line.removeprefix("export ") for line in path.read_text().splitlines())
    pairs = (line.partition("=") for line in exports if not line.startswith("#"))
    return {name: value.strip("'") for name, _, value in pairs}


def controls(path: Path) -> dict[str, str | None]:  # noqa: ARG001
    """None: Intel MPI has no control variables for them."""
    return {}
