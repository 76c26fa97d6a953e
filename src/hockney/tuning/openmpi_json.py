"""Open MPI 6: rules as JSON (docs/tuning-apps/tuned_dynamic_file_schema.json).

The first rule that fits is taken, ends are inclusive, and what no rule fits is decided by the
library. The key of the segment size is seg_size, which the schema leaves out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hockney.measure.build import Engine
from hockney.tuning import openmpi
from hockney.tuning.rules import Rule

SUFFIXES = ("",)
COLLECTIVES = openmpi.COLLECTIVES


def render(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    return {"": _file({collective: _sections(rules, collective) for collective in _names(rules)})}


def with_fault(files: Mapping[str, str]) -> None:
    """None: the library leaves out the rule that it does not understand, and says nothing."""


def environment(path: Path) -> dict[str, str]:
    return openmpi.environment(path)


def controls(path: Path) -> dict[str, str | None]:
    return openmpi.controls(path)


def _names(rules: Sequence[Rule]) -> list[str]:
    return list(dict.fromkeys(rule.collective for rule in rules))


def _sections(rules: Sequence[Rule], collective: str) -> list[dict[str, Any]]:
    of_it = [rule for rule in rules if rule.collective == collective]
    return [
        {
            "comm_size_min": ranks,
            "comm_size_max": ranks,
            "comm_rank_distribution": "any",
            "rules": [_rule(rule) for rule in of_it if rule.ranks == ranks],
        }
        for ranks in sorted({rule.ranks for rule in of_it})
    ]


def _rule(rule: Rule) -> dict[str, Any]:
    scale = openmpi.scale_of(rule)
    return {
        "msg_size_min": scale * rule.from_bytes,
        "msg_size_max": "inf" if rule.to_bytes is None else scale * (rule.to_bytes + 1) - 1,
        "alg": openmpi.number_of(rule),
        "faninout": openmpi.fanout_of(rule),
        "seg_size": openmpi.segment_of(rule),
        "reqs": 0,
    }


def _file(collectives: dict[str, list[dict[str, Any]]]) -> str:
    rules = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return json.dumps(rules, indent=2) + "\n"
