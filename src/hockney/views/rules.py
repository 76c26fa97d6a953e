"""The output of `hockney tune`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hockney.analysis.best import FASTER, TOLERANCE
from hockney.tuning.check import Check
from hockney.tuning.rules import Reduction
from hockney.units import format_size
from hockney.views.comparison import verdict_words
from hockney.views.table import aligned, microseconds


def rule_lines(reduction: Reduction) -> list[str]:
    rows = [["collective", "ranks", "from", "to", "algorithm", "cells", "times faster"]]
    for rule in reduction.rules:
        to = "any" if rule.to_bytes is None else format_size(rule.to_bytes)
        rows.append(
            [
                rule.collective,
                str(rule.ranks),
                format_size(rule.from_bytes),
                to,
                rule.name,
                str(len(reduction.covered(rule))),
                f"{reduction.times_faster(rule):.2f}",
            ]
        )
    count, cells = len(reduction.rules), len(reduction.cells)
    better = sum(cell.verdict == FASTER for cell in reduction.cells)
    return [
        aligned(rows),
        f"{count} rule{'s' * (count != 1)} with {100.0 * reduction.share:.1f} % of the gain; in "
        f"{better} of {cells} cells an algorithm is significantly faster than the library's "
        "own decision",
    ]


def checked_lines(check: Check) -> list[str]:
    """A row a cell, then what the rules did as a whole."""
    rows = [
        ["collective", "ranks", "bytes", "default", "tuned", "ratio", "95 % interval", "rule", ""]
    ]
    for one in check.cells:
        found = one.tuned.difference
        assert found is not None
        assert one.cell.default is not None
        known = found.low is not None and found.high is not None
        rows.append(
            [
                one.cell.collective,
                str(one.cell.ranks),
                str(one.cell.bytes),
                microseconds(one.cell.default.median_s),
                microseconds(one.tuned.point.median_s),
                f"{found.ratio:.3f}",
                f"{found.low:.3f} .. {found.high:.3f}" if known else "-",
                one.rule.name if one.rule else "-",
                verdict_words(found, TOLERANCE),
            ]
        )
    ratio = check.mean_ratio
    return [
        "medians in us; ratio tuned / default, launches as units\n",
        aligned(rows),
        "",
        f"where a rule holds ({len(check.ruled)} cells): "
        + ("-" if ratio is None else f"{1.0 / ratio:.2f} times as fast, geometric mean"),
        f"significantly slower than the library's own decision: {check.slower} of "
        f"{len(check.cells)} cells",
    ]


def checked_json(check: Check) -> dict[str, Any]:
    return {
        "cells": [
            {
                "collective": one.cell.collective,
                "ranks": one.cell.ranks,
                "bytes": one.cell.bytes,
                "default_median_s": one.cell.default.median_s if one.cell.default else None,
                "tuned_median_s": one.tuned.point.median_s,
                "rule": one.rule.algorithm if one.rule else None,
                "rule_segment_bytes": one.rule.segment_bytes if one.rule else None,
                **(asdict(one.tuned.difference) if one.tuned.difference else {}),
            }
            for one in check.cells
        ],
        "mean_ratio_where_a_rule_holds": check.mean_ratio,
        "slower": check.slower,
    }


def environment_lines(environment: Mapping[str, str]) -> list[str]:
    """Commands to copy into a shell."""
    return [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]


def rules_json(
    reduction: Reduction, environment: Mapping[str, str], proved: bool | None
) -> dict[str, Any]:
    return {
        "rules": [
            {
                "collective": rule.collective,
                "ranks": rule.ranks,
                "from_bytes": rule.from_bytes,
                "to_bytes": rule.to_bytes,
                "algorithm": rule.algorithm,
                "segment_bytes": rule.segment_bytes,
                "times_faster": reduction.times_faster(rule),
            }
            for rule in reduction.rules
        ],
        "share_of_gain": reduction.share,
        "environment": dict(environment),
        "read_by_the_library": proved,
    }
