"""What `hockney tune` says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hockney.estimate.best import Cell
from hockney.tuning.rules import Reduction, Rule
from hockney.units import format_size
from hockney.views.table import aligned


def covered(rule: Rule, cells: Sequence[Cell]) -> list[Cell]:
    """The measured cells in which a rule holds."""
    return [
        cell
        for cell in cells
        if (cell.collective, cell.ranks) == (rule.collective, rule.ranks)
        and rule.from_bytes <= cell.bytes
        and (rule.to_bytes is None or cell.bytes <= rule.to_bytes)
    ]


def times_faster(rule: Rule, cells: Sequence[Cell]) -> float:
    """The library's own time over the rule's, geometric mean over the cells in which it holds."""
    logs = [
        -math.log(one.difference.ratio)
        for cell in covered(rule, cells)
        for one in cell.contenders
        if one.name == rule.algorithm and one.difference is not None
    ]
    return math.exp(sum(logs) / len(logs))


def rule_lines(reduction: Reduction, cells: Sequence[Cell]) -> list[str]:
    rows = [["collective", "ranks", "from", "to", "algorithm", "cells", "times faster"]]
    for rule in reduction.rules:
        to = "any" if rule.to_bytes is None else format_size(rule.to_bytes)
        rows.append(
            [rule.collective, str(rule.ranks), format_size(rule.from_bytes), to, rule.algorithm,
             str(len(covered(rule, cells))), f"{times_faster(rule, cells):.2f}"]
        )  # fmt: skip
    count = len(reduction.rules)
    better = sum(cell.is_beyond_noise for cell in cells)
    return [
        aligned(rows),
        f"{count} rule{'s' * (count != 1)} with {100.0 * reduction.share:.1f} % of the gain; in "
        f"{better} of {len(cells)} cells an algorithm is faster than the library's own decision "
        "beyond noise",
    ]


def environment_lines(environment: Mapping[str, str]) -> list[str]:
    """To be copied into a shell."""
    return [f"export {name}='{value}'" for name, value in environment.items()]


def rules_json(
    reduction: Reduction, cells: Sequence[Cell], environment: Mapping[str, str], proved: bool | None
) -> dict[str, Any]:
    return {
        "rules": [
            {
                "collective": rule.collective,
                "ranks": rule.ranks,
                "from_bytes": rule.from_bytes,
                "to_bytes": rule.to_bytes,
                "algorithm": rule.algorithm,
                "times_faster": times_faster(rule, cells),
            }
            for rule in reduction.rules
        ],
        "share_of_gain": reduction.share,
        "environment": dict(environment),
        "read_by_the_library": proved,
    }
