"""Writes rules for Open MPI: the classic file of dynamic rules, and the JSON of version 6."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hockney.run.mpis import Engine, Rule
from hockney.run.mpis._openmpi_parameters import fanout_of, number_of, segment_of
from hockney.run.mpis._openmpi_reading import COLLTYPES

COLLECTIVE_NUMBERS = {
    name: COLLTYPES.index(name)
    for name in (
        *("allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce"),
        *("reduce_scatter_block", "scan", "scatter"),
    )
}
"""The collectives that rules can name, with the library's numbers."""
SEEN_OF_ALL_RANKS = frozenset(
    {"allgather", "alltoall", "gather", "reduce_scatter_block", "scatter"}
)
"""Collectives whose rules count the blocks of all ranks together."""
NO_SUCH_ALGORITHM = 99
VERSION_WITH_REQUESTS = "rule-file-version-2"
"""First line of a classic file in whose rows a limit of requests may follow the segment size (from
5.0 on)."""
OWN_DECISION = "0 0 0 0"
ANY_DISTRIBUTION = "any"
DISTRIBUTIONS = ("single-node", "one-per-node", ANY_DISTRIBUTION)
"""Distributions of ranks over nodes that Open MPI 6 distinguishes; the special ones first."""
OWN_RULE = {"msg_size_min": 0, "msg_size_max": "inf", "alg": 0}
"""The rule that leaves all sizes to the library."""


def scale_of(rule: Rule) -> int:
    """The factor from the sizes of a rule to those that the library sees."""
    return rule.ranks if rule.collective in SEEN_OF_ALL_RANKS else 1


def render_classic(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    """The file of dynamic rules of Open MPI 4.1 and 5 (coll_tuned_dynamic_file.c).

    The file holds numbers; # begins a comment. The first message size for each number of ranks must
    be 0, and sizes must ascend; any mistake makes the library ignore the whole file silently. A
    number of ranks applies up to the next one, the first also below; algorithm 0 is the library's
    own decision. Open MPI 6 reads this format too, but takes the numbers of ranks as upper limits.
    """
    collectives = list(dict.fromkeys(rule.collective for rule in rules))
    has_requests = any(rule.requests is not None for rule in rules)
    first = f"{VERSION_WITH_REQUESTS} " if has_requests else ""
    lines = [
        f"{first}# Decision rules for Open MPI's coll/tuned, written by hockney tune",
        f"{len(collectives)} # collectives",
    ]
    for collective in collectives:
        lines += _collective(collective, [rule for rule in rules if rule.collective == collective])
    return {"": "\n".join(lines) + "\n"}


def with_fault(files: Mapping[str, str]) -> dict[str, str]:
    """Adds a rule at the end: the barrier, with an algorithm that does not exist. A library that
    has read the whole file fails in MPI_Barrier."""
    text = re.sub(r"(?m)^(\d+)", lambda count: str(int(count[1]) + 1), files[""], count=1)
    barrier = f"{COLLECTIVE_NUMBERS['barrier']}\n1\n1\n1\n0 {NO_SUCH_ALGORITHM} 0 0\n"
    return {"": text + barrier}


def environment_of_rules(path: Path) -> dict[str, str]:
    """Reads the rules, and disables components that would ignore them."""
    return {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(path.resolve()),
        "OMPI_MCA_coll": "^han,hcoll,ucc",
    }


def controls(path: Path) -> dict[str, str | None]:
    """Control variables and the values that they must have for the rules to be in use."""
    return {
        "coll_tuned_use_dynamic_rules": "true",
        "coll_tuned_dynamic_rules_filename": str(path.resolve()),
    }


def _collective(collective: str, rules: Sequence[Rule]) -> list[str]:
    """The lines of one collective. Rules apply to the measured numbers of ranks only; the library
    decides for all others."""
    measured = sorted({rule.ranks for rule in rules})
    sections: dict[int, list[str]] = {}
    if measured[0] > 1:
        sections[1] = [OWN_DECISION]
    for ranks in measured:
        sections[ranks] = _rows([rule for rule in rules if rule.ranks == ranks])
        sections.setdefault(ranks + 1, [OWN_DECISION])
        if ranks + 1 in measured:
            del sections[ranks + 1]
    lines = [f"{COLLECTIVE_NUMBERS[collective]} # {collective}", f"{len(sections)} # ranks"]
    for ranks, rows in sorted(sections.items()):
        own = " and more" if rows == [OWN_DECISION] else ""
        lines += [f"{ranks} # ranks{own}", f"{len(rows)} # sizes", *rows]
    return lines


def _rows(rules: Sequence[Rule]) -> list[str]:
    """Rows of smallest size, algorithm, fan-out and segment size."""
    rows: dict[int, str] = {0: OWN_DECISION}
    for rule in sorted(rules, key=lambda rule: rule.from_bytes):
        scale = scale_of(rule)
        begin = scale * rule.from_bytes
        words = " ".join(rule.name.split())  # a comment ends with its line
        numbers = [begin, number_of(rule), fanout_of(rule), segment_of(rule)]
        if rule.requests is not None:
            numbers.append(rule.requests)
        rows[begin] = f"{' '.join(map(str, numbers))} # {words}"
        if rule.to_bytes is not None:
            end = scale * (rule.to_bytes + 1)
            rows[end] = f"{end} 0 0 0"
    return [row for _, row in sorted(rows.items())]


def render_json(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    """Rules for Open MPI 6 (docs/tuning-apps/tuned_dynamic_file_schema.json).

    The first matching rule applies, limits are inclusive, and the library decides where no rule
    matches. Older versions of the schema lack seg_size, which the reader takes: it is written where
    it says something. The schema spells reduce_scatter_block as reducescatterblock, which the
    reader does not know.
    """
    collectives = {
        collective: _sections([rule for rule in rules if rule.collective == collective])
        for collective in dict.fromkeys(rule.collective for rule in rules)
    }
    content = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return {"": json.dumps(content, indent=2) + "\n"}


def _sections(rules: Sequence[Rule]) -> list[dict[str, Any]]:
    """The first section that fits the ranks and their distribution applies, so that those of any
    distribution come last. Where they were measured with some layout, the other two distributions
    are left to the library."""
    sections = []
    for ranks in sorted({rule.ranks for rule in rules}):
        by_kind: dict[str, list[Rule]] = {kind: [] for kind in DISTRIBUTIONS}
        for rule in (rule for rule in rules if rule.ranks == ranks):
            kind = distribution_of(rule.nodes, rule.per_node) if rule.nodes else ANY_DISTRIBUTION
            by_kind[kind].append(rule)
        has_layout = any(rule.nodes is not None for rule in by_kind[ANY_DISTRIBUTION])
        for kind, held in by_kind.items():
            rows = [_rule(rule) for rule in held]
            if has_layout and not rows:
                rows = [OWN_RULE]
            if rows:
                limits = {"comm_size_min": ranks, "comm_size_max": ranks}
                sections.append({**limits, "comm_rank_distribution": kind, "rules": rows})
    return sections


def distribution_of(nodes: int | None, per_node: int | None) -> str:
    """Open MPI 6's name of a layout."""
    if nodes == 1:
        return "single-node"
    return "one-per-node" if per_node == 1 else ANY_DISTRIBUTION


def _rule(rule: Rule) -> dict[str, Any]:
    scale, segment = scale_of(rule), segment_of(rule)
    fields = {
        "msg_size_min": scale * rule.from_bytes,
        "msg_size_max": "inf" if rule.to_bytes is None else scale * (rule.to_bytes + 1) - 1,
        "alg": number_of(rule),
        "faninout": fanout_of(rule),
        "reqs": rule.requests or 0,
    }
    return fields | ({"seg_size": segment} if segment else {})
