"""Reads rules for Intel MPI: its variables in a file for `source`, and its tuning trees."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hockney.plan.bounds import LARGEST_INT, LONGEST_NUMBER, is_whole
from hockney.plan.held_rules import HeldRule, check_no_overlap, wrong_in
from hockney.plan.json_rules import Name, named_json

EXPORT = re.compile(r"\s*(?:export\s+|set\s+)?I_MPI_ADJUST_(\w+)=(.*)")
NUMBER = rf"(\d{{1,{LONGEST_NUMBER}}})"
RANGE = re.compile(rf"{NUMBER}(?::(?:{NUMBER}-{NUMBER})?(?:@{NUMBER}-{NUMBER})?)?")
"""The form of a rule: ID[:SIZES][@RANKS]"""
RANGES = {"ppn": "per_node", "comm_size": "ranks", "msg_size": "bytes"}
"""Keys of a tree, with the ranges of a rule that they limit."""
ANY = "-1"
"""Value of a limit in a tree: no limit."""


def read_variables(path: Path, collectives: Collection[str]) -> list[HeldRule]:
    rules: list[HeldRule] = []
    for line, words in enumerate(path.read_text().splitlines(), start=1):
        assigned = EXPORT.fullmatch(words.partition("#")[0].rstrip())
        if assigned is None:
            continue
        collective = assigned[1].lower()
        if collective not in collectives:
            raise wrong_in(
                path, line, f"I_MPI_ADJUST_{assigned[1]} is not about a known collective"
            )
        everywhere: list[HeldRule] = []
        for text in assigned[2].strip("'\" ").split(";"):
            match = RANGE.fullmatch(text.strip())
            if match is None:
                raise wrong_in(
                    path, line, f"{text[:40]!r} is not an algorithm", "write ID:SIZES@RANKS;..."
                )
            rule = _of_range(collective, match, line)
            (everywhere if match[2] is None and match[4] is None else rules).append(rule)
        check_no_overlap(path, [rule for rule in rules if rule.line == line])
        rules += everywhere  # what holds elsewhere
    if not rules:
        raise wrong_in(path, 1, "there is no I_MPI_ADJUST_... in it")
    return rules


def _of_range(collective: str, match: re.Match[str], line: int) -> HeldRule:
    ranks, sizes = (int(match[4] or 1), match[5]), (int(match[2] or 0), match[3])
    return HeldRule(
        collective,
        (ranks[0], int(ranks[1]) if ranks[1] else None),
        (sizes[0], int(sizes[1]) if sizes[1] and int(sizes[1]) < LARGEST_INT else None),
        match[1],
        line,
    )


def read_tree(path: Path, collectives: Collection[str]) -> list[HeldRule]:
    """A tree of mpitune (coll=, ppn=, comm_size=, comm_id=, msg_size=, NAME=ID). A file that is not
    text (.dat) holds rules that only the library can read: an empty list."""
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return []
    tree = named_json(path, text)
    if not isinstance(tree, dict):
        raise wrong_in(path, 1, 'there are no collectives ("coll=...")')
    known = {name.lower() for name in collectives}
    return list(_below(path, tree, HeldRule("", (1, None), (0, None), "", 1), known))


def _below(
    path: Path, tree: Mapping[Name, Any], here: HeldRule, known: Collection[str]
) -> Iterator[HeldRule]:
    """The rules of a branch. A limit of sizes or ranks, also per node, holds from the end of the
    one before it; -1 is any."""
    starts = {field: getattr(here, field)[0] for field in RANGES.values()}
    for key, below in tree.items():
        name, _, value = key.partition("=")
        inner = here
        if name == "coll":
            if value.lower() not in known:
                raise wrong_in(path, key.line, f"{value!r} is not a known collective")
            inner = replace(here, collective=value.lower())
        elif name in RANGES:
            field = RANGES[name]
            last = _limit(path, key, value, starts[field])
            changed: dict[str, Any] = {field: (starts[field], last)}
            inner = replace(here, **changed)
            starts[field] = starts[field] if last is None else last + 1
        elif name.lower() == here.collective:
            if not value.isdecimal():
                raise wrong_in(path, key.line, f"{value!r} is not the number of an algorithm")
            yield replace(here, algorithm=value, line=key.line)
            continue
        if isinstance(below, dict):
            yield from _below(path, below, inner, known)


def _limit(path: Path, key: Name, value: str, first: int) -> int | None:
    """The upper limit in a key of the tree; None for any."""
    if value == ANY:
        return None
    if not is_whole(value):
        raise wrong_in(
            path, key.line, f"{value[:40]!r} is not a limit", f"write a number, or {ANY}"
        )
    if int(value) < first:
        raise wrong_in(
            path,
            key.line,
            f"{str(key)!r} is never reached: an earlier limit holds up to {first - 1}",
            "write limits in ascending order",
        )
    return int(value)
