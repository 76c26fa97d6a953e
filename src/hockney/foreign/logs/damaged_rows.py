"""Finds the rows that a message or a cut damaged, in the logs of all programs.

A row that was read shows what those beside it look like: a line that has a part of it, and that no
table has, is a row that is lost. What a program knows of its own rows goes first: lines that a note
names are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import LONGEST_SHOWN, LogTable, is_written_size

LEAST_WORDS = 5
"""Least words and numbers of a row that is recognised by half of them, wherever it is."""
LEAST_EQUAL = 4
"""Least of them that a line must have."""
MOST_SHAPES = 20
"""Most kinds of rows that are looked for in a log."""
MOST_REMEMBERED = 1000
_NUMBER = "0"
_TOKENS = re.compile(
    r"(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\b(?:nan|inf)\b)|[^\W\d_]+", re.IGNORECASE
)
_SEPARATOR = re.compile(r"\s*(?:[#@].*|[^A-Za-z\d]*)")
"""A line between two blocks of rows."""
_DIGITS = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_ELAPSED = re.compile(r"[\d.]+user [\d.]+system |\d+inputs\+\d+outputs ")
"""What GNU time prints, right below the rows of a program."""
_GLUED = re.compile(r"(?P<row>(?:.*\s)?\d[\d.]*)[A-Za-z\[(<*]")
"""A row up to where other text breaks one of its numbers."""
_BEGINNINGS = tuple(".0123456789")


@dataclass(frozen=True)
class RowShape:
    """What a row looks like: its words and numbers, and its first and last cell."""

    tokens: tuple[str, ...]
    first: str

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.tokens) - {_NUMBER}

    def is_begun_by(self, text: str) -> bool:
        """True if a line begins as this row does, or is a part of its first word."""
        cells, tokens = text.split(maxsplit=1), _tokens(text)
        if not tokens:
            return False
        if self.tokens[0] != _NUMBER:
            is_part = len(cells) == 1 and self.tokens[0].startswith(tokens[0])
            return is_part or tokens[0] == self.tokens[0]
        if tokens[0] != _NUMBER:
            return False
        shape = _DIGITS.sub(_NUMBER, cells[0])
        same = shape == self.first or (len(cells) == 1 and self.first.startswith(shape))
        glued = cells[0][:1].isdigit() and _GLUED.match(cells[0]) and not is_written_size(cells[0])
        return bool(same or glued)

    def is_broken_between(self, above: str, below: str) -> bool:
        """True if a line breaks off in a number of this row, or in its first word: its rest is in
        the line below."""
        rest, word = (_tokens(below) or ("",))[0], self.tokens[0]
        if word != _NUMBER and len(rest) < len(word) and word.endswith(rest):
            return above.lstrip().startswith(word[: -len(rest)])
        return below.lstrip()[:1] in _BEGINNINGS and self.is_broken_in(above)

    def is_broken_in(self, text: str) -> bool:
        """True if a line breaks off in a number of this row."""
        glued = _GLUED.match(text)
        tokens = _tokens(glued["row"]) if glued else ()
        is_size = is_written_size(text.split()[0]) if tokens else False
        return (
            0 < len(tokens) < max(len(self.tokens), 2)
            and not is_size
            and (tokens == self.tokens[: len(tokens)])
        )

    def is_ended_by(self, text: str) -> bool:
        """True if a line ends in all cells of this row of numbers, some of which have decimals."""
        width = len(self.tokens)
        last = [match[0] for match in _TOKENS.finditer(text)][1 - width :]
        return (
            not self.words
            and width > 1
            and _tokens(text)[-width:] == self.tokens
            and any("." in number for number in last)
        )


@dataclass
class _Known:
    """The rows of a log, and the lines that are read or named already."""

    owners: dict[int, LogTable] = field(default_factory=dict)
    """The table of each row that was read."""
    rows: dict[RowShape, LogTable] = field(default_factory=dict)
    lines: set[int] = field(default_factory=set)

    def is_rest(self, log: Log, line: int) -> bool:
        """True if a row may be the rest of one that breaks off in the line above it."""
        if line < 2 or line - 1 in self.owners:
            return False
        above, text = log.whole_line(line - 1), log.whole_line(line)
        return any(row.is_broken_between(above, text) for row in self.rows)


def note_damaged_rows(log: Log, tables: Sequence[LogTable]) -> None:
    """Notes lines that no table has, but that have a part of a row: half of its words, or next to
    rows its beginning or its end. Takes back rows that are the rest of a broken one."""
    known = _known(log, tables)
    for table in tables:
        lines = dict.fromkeys(row.line for row in table.rows if row.line)
        rests = [line for line in lines if known.is_rest(log, line)]
        table.take_back(log, rests, "it may be the rest of the row above it")
    for block in _blocks(log):
        beside = {line: known.owners[line] for line in block if line in known.owners}
        rows: dict[RowShape, LogTable] = {}
        for line, table in beside.items():
            _add(log, [line], table, rows)
        for line in block:
            text = log.whole_line(line)
            is_known = line in known.owners or line in known.lines or _ELAPSED.match(text)
            if is_known or not any(map(str.isalnum, text)):
                continue
            if (like := _like(text, rows, known.rows)) is not None:
                like.drop(log, line, f"a row that is damaged: {text.strip()[:LONGEST_SHOWN]}")


def _known(log: Log, tables: Sequence[LogTable]) -> _Known:
    known = _Known()
    for table in tables:
        known.lines.update(table.named, table.passed_over)
        known.lines.update([log.last] if table.cut else [])
        lines = dict.fromkeys(row.line for row in table.rows if row.line)
        known.owners.update(dict.fromkeys(lines, table))
        _add(log, lines, table, known.rows)
    return known


def _add(log: Log, lines: Iterable[int], table: LogTable, rows: dict[RowShape, LogTable]) -> None:
    """Adds what the rows in these lines look like, up to MOST_SHAPES."""
    for line in lines:
        if len(rows) >= MOST_SHAPES:
            return
        text = log.whole_line(line)
        if tokens := _tokens(text):
            rows.setdefault(RowShape(tokens, _DIGITS.sub(_NUMBER, text.split()[0])), table)


@lru_cache(maxsize=MOST_REMEMBERED)  # messages between rows resemble each other
def _has_half(row: RowShape, tokens: tuple[str, ...]) -> bool:
    """True if half of a row is in a line, with a word."""
    least = max((len(row.tokens) + 1) // 2, LEAST_EQUAL)
    if len(tokens) < least or row.words.isdisjoint(tokens):
        return False
    block = SequenceMatcher(None, tokens, row.tokens, autojunk=False).find_longest_match()
    return block.size >= least and set(tokens[block.a : block.a + block.size]) != {_NUMBER}


@lru_cache(maxsize=2)  # a line meets one shape after the other
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_NUMBER if match.lastgroup else match[0] for match in _TOKENS.finditer(text))


def _blocks(log: Log) -> Iterator[list[int]]:
    """Lines without an empty line or a comment between them."""
    block: list[int] = []
    for line in range(1, len(log.lines) + 1):
        if _SEPARATOR.fullmatch(log.whole_line(line)):
            yield block
            block = []
        else:
            block.append(line)
    yield block


def _like(
    text: str, beside: dict[RowShape, LogTable], every: dict[RowShape, LogTable]
) -> LogTable | None:
    """The table of which a line has a part of a row."""
    tokens = _tokens(text)
    for row, table in beside.items():
        if row.is_begun_by(text) or row.is_ended_by(text):
            return table
    large = (each for each in every.items() if len(each[0].tokens) >= LEAST_WORDS)
    return next((of for row, of in large if _NUMBER in tokens and _has_half(row, tokens)), None)
