"""Reads MPICH's selection trees as rules, with the line of each decision.

Rules are those for calls as they are measured: within one communicator, by ranks without threads,
and with reductions that the library knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hockney.base.errors import HockneyError, UsageError
from hockney.plan.bounds import is_whole
from hockney.plan.held_rules import HeldRule, wrong_in
from hockney.plan.json_rules import Name, named_json
from hockney.run.mpis import Engine
from hockney.run.mpis._mpich_node import BY_MESSAGES, NO_THREADS, NODE_SUFFIX, THREADS, node_tree
from hockney.run.mpis._mpich_own import library_tree

RANGES = {
    "comm_size": "ranks",
    "comm_avg_ppn": "per_node",
    "avg_msg_size": "bytes",
    "total_msg_size": "bytes",
}
"""Keys of conditions, with the ranges of a rule that they limit."""
LIMIT = re.compile(rf"({'|'.join(RANGES)})(<=|<|=)(\d+|any|pow2|node_comm_size)")
LEAF = re.compile(r"(?:algorithm|composition)=(.*)")
K = "k="
"""The parameter of an algorithm that is its radix."""
OWN_NAME = re.compile(r"(?:MPIR_[A-Za-z_]*?_(?:intra|allcomm)|MPIDI_POSIX_mpi_[a-z]+)_(\w+)")
"""MPIR_Bcast_intra_binomial is the algorithm `binomial`."""
OTHER_CALLS = ("comm_type=inter", "is_op_built_in=no", "is_commutative=no", THREADS)


def read_trees(path: Path) -> list[HeldRule]:
    """The decisions of one file. Only conditions on ranks, also per node, and on sizes are read:
    rules below others hold for part of the range that they give."""
    return held_in_tree(path, path.read_text())


def read_rules(path: Path) -> list[HeldRule]:
    """The decisions of the first file and of a node's. The device's file shows only which of the
    two the library reads."""
    on_node = path.with_name(path.name + NODE_SUFFIX)
    return read_trees(path) + (_of_node(read_trees(on_node)) if on_node.exists() else [])


def own_decisions(engine: Engine) -> list[HeldRule]:
    """The library's own decisions, as read_rules() reads a file's."""
    rules = held_in_tree(engine.path, json.dumps(library_tree(engine, "algorithm=")))
    with suppress(HockneyError):  # a library without decisions for a node
        rules += _of_node(held_in_tree(engine.path, json.dumps(node_tree(engine))))
    return rules


def _of_node(rules: Sequence[HeldRule]) -> list[HeldRule]:
    return [replace(rule, suffix=NODE_SUFFIX) for rule in rules]


def held_in_tree(path: Path, text: str) -> list[HeldRule]:
    """The decisions in a tree; path: the name of the text in messages."""
    tree = named_json(path, text)
    if not isinstance(tree, dict) or not any(key.startswith("collective=") for key in tree):
        raise wrong_in(path, 1, 'there are no collectives ("collective=...")')
    start = HeldRule("", (1, None), (0, None), "", 1)
    rules = ((rule, (rule.ranks, rule.bytes, rule.per_node)) for rule in _below(path, tree, start))
    return [  # without those whose ranges earlier branches cover
        rule
        for rule, ranges in rules
        if all(last is None or first <= last for first, last in ranges)
    ]


def _below(
    path: Path, tree: Mapping[Name, Any], here: HeldRule, below_no_threads: bool = False
) -> Iterator[HeldRule]:
    """The leaves in order. A limit holds from the end of the one before it."""
    starts = {field: getattr(here, field)[0] for field in RANGES.values()}
    _check_reached(path, list(tree))
    for key, below in tree.items():
        if leaf := LEAF.fullmatch(key):
            own = OWN_NAME.fullmatch(leaf[1])
            name, radix = own[1] if own else leaf[1], _radix(path, key.line, below)
            yield replace(here, algorithm=name, line=key.line, radix=radix)
            continue
        if not isinstance(below, dict):
            raise wrong_in(path, key.line, f"{str(key)!r} has no decisions below it")
        inner = here
        if key == THREADS and below_no_threads:
            yield replace(here, algorithm=BY_MESSAGES, line=key.line)
        if key in OTHER_CALLS:
            continue
        if key.startswith("collective="):
            inner = replace(here, collective=key.partition("=")[2])
        elif limit := LIMIT.fullmatch(key):
            field, last = RANGES[limit[1]], _last(limit)
            known = [end for end in (last, getattr(here, field)[1]) if end is not None]
            changed: dict[str, Any] = {field: (starts[field], min(known, default=None))}
            if field == "bytes":
                changed["of_all_ranks"] = limit[1] == "total_msg_size"
            inner = replace(here, **changed)
            starts[field] = starts[field] if last is None else last + 1
        yield from _below(path, below, inner, below_no_threads or key == NO_THREADS)


def _check_reached(path: Path, keys: Sequence[Name]) -> None:
    """Raises UsageError for a branch behind one that holds wherever it does."""
    highest: dict[str, tuple[int, Name]] = {}
    for at, key in enumerate(keys):
        limit = LIMIT.fullmatch(key)
        if limit is None:
            continue
        if limit[3] == "any" and at + 1 < len(keys):
            raise _never_reached(path, keys[at + 1], key)
        last = _last(limit)
        if last is None or limit[2] == "=":
            continue
        if limit[1] in highest and last <= highest[limit[1]][0]:
            raise _never_reached(path, key, highest[limit[1]][1])
        highest[limit[1]] = (last, key)


def _never_reached(path: Path, key: Name, by: Name) -> UsageError:
    return wrong_in(
        path,
        key.line,
        f"{str(key)!r} is never reached: {str(by)!r} in line {by.line} holds before it",
        "the library takes the first that holds: write limits in ascending order, any last",
    )


def _radix(path: Path, line: int, parameters: Any) -> int | None:
    """The radix in a decision's parameters; None where it has none."""
    named = [key for key in parameters if key.startswith(K)] if isinstance(parameters, dict) else []
    if not named:
        return None
    value = named[0].removeprefix(K)
    if not is_whole(value) or int(value) < 1:
        raise wrong_in(path, line, f"{str(named[0])[:40]!r} is not a radix", "write k=2, or more")
    return int(value)


def _last(limit: re.Match[str]) -> int | None:
    if not is_whole(limit[3]):  # no number, or more than any size
        return None
    return int(limit[3]) - (limit[2] == "<")
