"""Each row of each format, damaged in every way that logs show: it is read all the same, a warning
has its line, or the log is refused. A new format is tested as soon as it has an excerpt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from reading import NAME, log, value_of

from excerpts import EXCERPTS
from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.programs import reader_names

MESSAGE = "[n1:47] UCX  WARN  network device 12"
BREAK = "srun: error: n1"
PARTS, LEAST = 6, 1
DIGITS = {"hpcc": 3}
"""Digits that count where the same result is printed twice, once with fewer."""
ELSEWHERE = {("data frame", "decimal commas"), ("matrix", "decimal commas")}
"""Damages that make the other rows ambiguous: the warnings are about those."""

Numbers = Counter[tuple[str, int, tuple[int, ...], str, str]]


def damaged(row: str) -> Iterator[tuple[str, str]]:
    """Texts in place of a row, with what has happened to it."""
    yield "behind a message", MESSAGE + row
    yield "behind a word", f"progress:{row.lstrip()}"
    yield "before a message", f"{row}{BREAK}"
    yield "behind a control character", f"\0{row}"
    yield "decimal commas", re.sub(r"(\d)\.(\d)", r"\1,\2", row)
    end = last_number(row)
    for part in range(1, PARTS):
        place = len(row) * part // PARTS
        yield "around a message", f"{row[:place]}{BREAK}{row[place:]}"
        yield "broken by a line", f"{row[:place]}{BREAK}\n{row[place:]}"
        if part > LEAST and place <= end and has_words(row[:place]):
            yield "cut", row[:place]


def last_number(row: str) -> int:
    """Where the last number of a row begins: nobody knows whether digits of it are missing."""
    places = [match.start() for match in re.finditer(r"(?<![\w.])\d[\d.]*(?:e[-+]?\d+)?", row)]
    return places[-1] if places else len(row)


def has_words(text: str) -> bool:
    """True unless only the label of a row is left, or nothing."""
    [line] = log_of(text, NAME).lines or [""]
    return re.search(r"\w", re.sub(r"^\s*\d+:", "", line)) is not None


def outcome(format: str, text: str, has_size: bool) -> tuple[Numbers, set[str]]:
    """The numbers of a log, and its warnings."""
    read = log_of(text, NAME) if has_size else log(text)
    found = reading.read(read, reading.recognise(read))
    digits = DIGITS.get(format, 17)
    numbers = Numbers(
        (table.operation, row.bytes, row.peers, row.statistic, f"{value_of(row):.{digits - 1}e}")
        for table in found
        for row in table.rows
    )
    dropped = {f"line {line} is ignored" for table in found for line in table.dropped}
    notes = {note for table in found for note in [*table.notes, *filter(None, [table.cut])]}
    return numbers, notes | dropped


def shows_its_size(text: str) -> bool:
    read = log_of(text, NAME)
    try:
        return bool(reading.read(read, reading.recognise(read)))
    except UsageError:
        return False


def rows_of(text: str) -> tuple[list[int], bool]:
    """The lines of the rows, and True; in documents of JSON, where nothing shows them, those of
    numbers with decimals."""
    read = log(text)
    found = reading.read(read, reading.recognise(read))
    lines = sorted({row.line for table in found for row in table.rows if row.line})
    decimals = (n for n, row in enumerate(text.split("\n"), 1) if re.search(r"\d\.\d", row))
    return lines or [*decimals], bool(lines)


def test_every_format_has_an_excerpt() -> None:
    assert {format for format, _ in EXCERPTS.values()} == {*reader_names()}


@pytest.mark.parametrize("name", EXCERPTS)
def test_a_damaged_row_is_read_named_or_refused(name: str) -> None:
    format, text = EXCERPTS[name]
    has_size = shows_its_size(text)
    known, usual = outcome(format, text, has_size)
    lines = text.split("\n")
    rows, are_lines = rows_of(text)
    for line in rows:
        for damage, row in damaged(lines[line - 1]):
            changed = "\n".join([*lines[: line - 1], row, *lines[line:]])
            try:
                numbers, warned = outcome(format, changed, has_size)
            except UsageError:
                continue
            if numbers == known:
                continue
            case = f"{damage}: {row!r}"
            assert not numbers - known, f"{case}: {numbers - known}"
            fresh = " ".join(warned - usual)
            place = rf"\bline (?:{line}|{line + 1})\b" if are_lines else "."
            is_named = re.search(place, fresh)
            assert is_named or (name, damage) in ELSEWHERE, f"{case}: {fresh}"
