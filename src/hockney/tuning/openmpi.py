"""Open MPI 4.1 and 5: the classic file of dynamic rules (coll_tuned_dynamic_file.c).

All numbers; a # begins a comment. The first message size of each number of ranks must be 0, sizes
ascend, and whatever is wrong anywhere makes the library drop the whole file without a word. A
number of ranks holds up to the next one, the first also below; algorithm 0 is the library's own
decision. Open MPI 6 reads this format as well, but takes the numbers of ranks as ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hockney.errors import HockneyError
from hockney.measure.build import Engine
from hockney.tuning.rules import Rule

COLLECTIVE_NUMBERS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "barrier": 6,
    "bcast": 7,
    "gather": 9,
    "reduce": 11,
    "reduce_scatter_block": 13,
    "scan": 14,
    "scatter": 15,
}
"""COLLTYPE in ompi/mca/coll/base/coll_base_functions.h."""
COLLECTIVES = frozenset(COLLECTIVE_NUMBERS)
SEEN_OF_ALL_RANKS = frozenset(
    {"allgather", "alltoall", "gather", "reduce_scatter_block", "scatter"}
)
"""Collectives whose size in a rule is that of all ranks' blocks together."""
WITH_FANOUT = frozenset({"bcast", "reduce"})
CHAIN_FANOUT = "4"
"""coll_tuned_X_algorithm_chain_fanout unless set; a rule without it makes the chain a pipeline."""
NO_SUCH_ALGORITHM = 99
SUFFIXES = ("",)
OWN_DECISION = "0 0 0 0"


def number_of(rule: Rule) -> int:
    """The library's number of the algorithm, as it was forced when it was measured."""
    return int(_setting(rule, "", None))


def fanout_of(rule: Rule) -> int:
    if rule.collective not in WITH_FANOUT:
        return 0
    return int(_setting(rule, "_chain_fanout", CHAIN_FANOUT))


def segment_of(rule: Rule) -> int:
    return int(_setting(rule, "_segmentsize", "0"))


def _setting(rule: Rule, what: str, otherwise: str | None) -> str:
    name = f"OMPI_MCA_coll_tuned_{rule.collective}_algorithm{what}"
    value = rule.setting(name, otherwise)
    if value is None or not value.isdecimal():
        raise HockneyError(
            f"{rule.collective} by {rule.name}: its launches do not tell {name} as a number",
            "measure it with `hockney collective`, which forces algorithms by number",
        )
    return value


def scale_of(rule: Rule) -> int:
    """From the sizes of a rule to those that the library sees."""
    return rule.ranks if rule.collective in SEEN_OF_ALL_RANKS else 1


def render(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    collectives = list(dict.fromkeys(rule.collective for rule in rules))
    lines = [
        "# Decision rules for Open MPI's coll/tuned, written by hockney tune",
        f"{len(collectives)} # collectives",
    ]
    for collective in collectives:
        lines += _collective(collective, [rule for rule in rules if rule.collective == collective])
    return {"": "\n".join(lines) + "\n"}


def with_fault(files: Mapping[str, str]) -> dict[str, str]:
    """One more collective at the end: the barrier, by an algorithm that is none. A library that
    has read all of it fails in MPI_Barrier."""
    text = re.sub(r"(?m)^(\d+)", lambda count: str(int(count[1]) + 1), files[""], count=1)
    barrier = f"{COLLECTIVE_NUMBERS['barrier']}\n1\n1\n1\n0 {NO_SUCH_ALGORITHM} 0 0\n"
    return {"": text + barrier}


def environment(path: Path) -> dict[str, str]:
    """Other components, which know nothing of the rules, aside."""
    return {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(path.resolve()),
        "OMPI_MCA_coll": "^han,hcoll,ucc",
    }


def controls(path: Path) -> dict[str, str | None]:
    """Control variables of the library, and what they must be when it has been told."""
    return {
        "coll_tuned_use_dynamic_rules": "true",
        "coll_tuned_dynamic_rules_filename": str(path.resolve()),
    }


def _collective(collective: str, rules: Sequence[Rule]) -> list[str]:
    """Rules hold for the measured numbers of ranks alone: before, between and behind them the
    library decides."""
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
    """Size from which on, algorithm, fan-out, segment size."""
    rows: dict[int, str] = {0: OWN_DECISION}
    for rule in sorted(rules, key=lambda rule: rule.from_bytes):
        scale = scale_of(rule)
        begin = scale * rule.from_bytes
        words = " ".join(rule.name.split())  # a comment ends with its line
        rows[begin] = f"{begin} {number_of(rule)} {fanout_of(rule)} {segment_of(rule)} # {words}"
        if rule.to_bytes is not None:
            end = scale * (rule.to_bytes + 1)
            rows[end] = f"{end} 0 0 0"
    return [row for _, row in sorted(rows.items())]
