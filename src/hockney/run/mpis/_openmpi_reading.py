"""Reads files of dynamic rules for Open MPI as its own readers do, but with the line of each
mistake: the library drops a whole file, or a rule of it, silently."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hockney.plan.bounds import is_whole
from hockney.plan.held_rules import HeldRule, check_no_overlap, wrong_in
from hockney.plan.json_rules import named_json

OWN_DECISION = "0"
WITH_REQUESTS = 2
"""The version of the classic file whose rows may end with a limit of requests."""
VERSION = re.compile(r"rule-file-version-(\d{1,18})(?!\d)")
COLLTYPES = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier"),
    *("bcast", "exscan", "gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block"),
    *("scan", "scatter", "scatterv", "neighbor_allgather", "neighbor_allgatherv"),
    *("neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"),
)
"""Collectives in the order of their numbers (COLLTYPE in
ompi/mca/coll/base/coll_base_functions.h)."""
DISTRIBUTIONS = ("any", "one-per-node", "single-node")
OF_RANKS = ("comm_size_min", "comm_size_max", "comm_rank_distribution", "rules")
OF_SIZES = ("msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs", "bine_imp")
"""Keys that Open MPI 6 reads in a rule of its JSON; it ignores others. The last is in its newest
schema."""
NO_LIMIT = ("inf", "Inf", "INF")
OTHER_NAMES = {
    "reducescatter": "reduce_scatter",
    "reducescatterblock": "reduce_scatter_block",
    "segsize": "seg_size",
}
"""Names in its schema and its converter that its reader does not know, with those that it knows."""


_Row = tuple[int, int, int, int, int]
"""Smallest size, algorithm, line, fan-out and limit of requests; 0 for the algorithm's own, and for
none."""


class _Numbers:
    """The numbers of a classic file, each with its line; # begins a comment."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.line = path, 1
        match = VERSION.match(text)
        self.version = int(match[1]) if match else 1
        self._words = self._each(text[match.end() :] if match else text)
        self._ahead: tuple[int, str] | None = None

    def _each(self, text: str) -> Iterator[tuple[int, str]]:
        for line, words in enumerate(text.splitlines(), start=1):
            for word in words.partition("#")[0].split():
                yield line, word

    def next(self, what: str) -> int:
        token = self._ahead or next(self._words, None)
        self._ahead = None
        if token is None:
            raise wrong_in(self.path, self.line, f"the file ends where {what} should be")
        self.line, word = token
        if VERSION.fullmatch(word):
            advice = (
                "the library takes it at the very beginning of the file alone, without a comment"
            )
            raise wrong_in(self.path, self.line, f"{word!r} is not {what}", advice)
        if not is_whole(word) or (len(word) > 1 and word.startswith("0")):
            raise wrong_in(
                self.path,
                self.line,
                f"{word[:40]!r} is not {what}",
                "write whole numbers without leading zeros, which would be octal",
            )
        return int(word)

    def next_of_line(self, what: str) -> int | None:
        """The next number of the same line; None where the line has no more."""
        self._ahead = next(self._words, None)
        return self.next(what) if self._ahead and self._ahead[0] == self.line else None

    def check_end(self) -> None:
        rest = self._ahead or next(self._words, None)
        if rest is not None:
            raise wrong_in(
                self.path, rest[0], f"{rest[1]!r} is after the last rule", "check the counts"
            )


def read_classic(path: Path, scaled: frozenset[str]) -> list[HeldRule]:
    """The rules of a classic file; scaled: the collectives whose sizes count the blocks of all
    ranks."""
    words = _Numbers(path, path.read_text())
    rules: list[HeldRule] = []
    for _ in range(words.next("the number of collectives")):
        number = words.next("the number of a collective")
        if number >= len(COLLTYPES):
            raise wrong_in(path, words.line, f"there is no collective {number}")
        collective = COLLTYPES[number]
        sections: list[tuple[int, list[_Row]]] = []
        for _ in range(words.next("how many numbers of ranks follow")):
            ranks = words.next("a number of ranks")
            _check_ascends(path, words.line, "number of ranks", [at for at, _ in sections], ranks)
            rows: list[_Row] = []
            for _ in range(words.next("how many sizes follow")):
                size = words.next("a size")
                line = words.line
                _check_ascends(path, line, "size", [row[0] for row in rows], size)
                if not rows and size != 0:
                    raise wrong_in(path, line, f"the first size is {size}", "it must be 0")
                algorithm = words.next("an algorithm")
                fanout = words.next("a fan-out")
                words.next("a segment size")
                requests = None
                if words.version >= WITH_REQUESTS:
                    requests = words.next_of_line("a number of requests")
                rows.append((size, algorithm, line, fanout, requests or 0))
            sections.append((ranks, rows))
        rules += _held(collective, sections, collective in scaled)
    words.check_end()
    return rules


def _check_ascends(path: Path, line: int, what: str, before: list[int], value: int) -> None:
    if before and value <= before[-1]:
        raise wrong_in(path, line, f"the {what} {value} does not ascend: {before[-1]} is before it")


def _held(
    collective: str, sections: list[tuple[int, list[_Row]]], scaled: bool
) -> Iterator[HeldRule]:
    """The rules of a collective. A number of ranks holds up to the next one, the first also below;
    so do sizes."""
    for place, (ranks, rows) in enumerate(sections):
        last = sections[place + 1][0] - 1 if place + 1 < len(sections) else None
        for at, (size, algorithm, line, fanout, requests) in enumerate(rows):
            to = rows[at + 1][0] - 1 if at + 1 < len(rows) else None
            if str(algorithm) != OWN_DECISION:
                first = ranks if place else 1
                held = HeldRule(collective, (first, last), (size, to), str(algorithm), line, scaled)
                yield replace(held, radix=fanout or None, requests=requests or None)


def read_json(path: Path, scaled: frozenset[str]) -> list[HeldRule]:
    """Rules of Open MPI 6 (docs/tuning-apps/tuned_dynamic_file_schema.json)."""
    text = path.read_text()
    content = named_json(path, text)
    if not isinstance(content, dict) or not isinstance(content.get("collectives"), dict):
        raise wrong_in(path, 1, "there are no collectives", "Open MPI 6 reads {'collectives': ...}")
    lines = _lines_of(text, r'"alg"\s*:')
    rules = []
    for collective, sections in content["collectives"].items():
        if collective not in COLLTYPES:
            [line, *_] = [*_lines_of(text, re.escape(json.dumps(collective)) + r"\s*:"), 1]
            what = f"{collective!r} is not a collective of coll/tuned, which ignores the file"
            raise wrong_in(path, line, what, _instead(collective))
        start = next(_lines_of(text, re.escape(json.dumps(collective)) + r"\s*:"), 1)
        listed = _listed(path, start, collective, sections)
        for section in listed:
            _check_names(path, text, section, OF_RANKS)
            for rule in _listed(path, start, "rules", section.get("rules", [])):
                line = next(lines, 1)
                _check_names(path, text, rule, OF_SIZES)
                held = _of_json(path, line, collective, section, rule, collective in scaled)
                rules.append(replace(held, is_own=held.algorithm in (OWN_DECISION, "ignore")))
            if section is not listed[-1]:  # the first that fits decides, though no rule of it may
                rest = _of_json(path, start, collective, section, {"alg": OWN_DECISION}, False)
                rules.append(replace(rest, is_own=True))
    check_no_overlap(path, [rule for rule in rules if not rule.is_own])
    return rules


def _listed(path: Path, line: int, name: str, entries: Any) -> list[dict[str, Any]]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise wrong_in(path, line, f"{name} is not a list of objects", "write [{...}, {...}]")
    return entries


def _check_names(path: Path, text: str, of: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in of:
        if name not in known:
            line = next(_lines_of(text, re.escape(json.dumps(name)) + r"\s*:"), 1)
            what = f"{name!r} is a name that Open MPI ignores"
            raise wrong_in(path, line, what, _instead(name) or f"it reads {', '.join(known)}")


def _instead(name: str) -> str:
    return f"its reader calls it {OTHER_NAMES[name]}" if name in OTHER_NAMES else ""


def _of_json(
    path: Path,
    line: int,
    collective: str,
    section: Mapping[str, Any],
    rule: Mapping[str, Any],
    scaled: bool,
) -> HeldRule:
    layout = section.get("comm_rank_distribution", "any")
    if layout not in DISTRIBUTIONS:
        raise wrong_in(
            path,
            line,
            f"{layout!r} is not a distribution of ranks",
            f"they are {', '.join(DISTRIBUTIONS)}",
        )
    if "alg" not in rule:
        raise wrong_in(path, line, f"a rule for {collective} names no algorithm (alg)")
    ranks = _limits(path, line, section, "comm_size")
    sizes = _limits(path, line, rule, "msg_size")
    fanout, requests = rule.get("faninout", 0), rule.get("reqs", 0)
    if not isinstance(fanout, int) or fanout < 0:
        raise wrong_in(path, line, f"{fanout!r} is not a fan-out (faninout)")
    if not isinstance(requests, int) or requests < 0:
        raise wrong_in(path, line, f"{requests!r} is not a number of requests (reqs)")
    held = HeldRule(collective, ranks, sizes, str(rule["alg"]), line, scaled, layout)
    return replace(held, radix=fanout or None, requests=requests or None)


def _limits(path: Path, line: int, of: Mapping[str, Any], what: str) -> tuple[int, int | None]:
    first, last = of.get(f"{what}_min", 0), of.get(f"{what}_max", "inf")
    last = None if last in NO_LIMIT else last
    known = isinstance(first, int) and (last is None or isinstance(last, int))
    if not known or (last is not None and last < first):
        raise wrong_in(path, line, f"{what} from {first!r} to {last!r} is not a range")
    return first, last


def _lines_of(text: str, pattern: str) -> Iterator[int]:
    """The lines of all matches."""
    return (text.count("\n", 0, match.start()) + 1 for match in re.finditer(pattern, text))
