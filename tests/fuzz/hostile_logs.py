"""Logs of other programs that are hostile: changes to the numbers, words, columns and lines of
excerpts, and to the file as a whole."""

from __future__ import annotations

import gzip
import json
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import verbs
import zstandard
from hostile_lines import Change, again, order, other_bytes, without
from hostile_results import SAMPLES, VALUES

from excerpts import EXCERPTS
from hockney import records
from hockney.foreign.programs import reader_names
from hockney.infer.estimate.summaries import value_of

NAMES = tuple(EXCERPTS)
READERS = tuple(reader_names())
MOST_SHOWN = 3
"""Results shown of one log, which may hold many experiments."""
MOST_PLACES = 20
"""Numbers of a line that are changed at once."""
MOST_SEEN = 5000
"""Only so many bytes of a line change: making a file must be faster than reading."""
NUMBERS = (
    b"nan",
    b"-nan",
    b"inf",
    b"-inf",
    b"N/A",
    b"-",
    b"0",
    b"-0",
    b"-1",
    b"-8.5",
    b"1",
    b"00012",
    b"1e400",
    b"1e999999999999999999999",
    b"1e-400",
    b"1e308",
    b"9" * 30,
    b"9" * 400,
    b"9" * 5000,
    b"0." + b"0" * 50 + b"1",
    b"2147483648",
    b"4611686018427387905",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551616",
    b"1e15",
    b"1e18",
    b"1.2.3",
    b"1,5",
    b"0x10",
    b"1_000",
    b"12e",
    b".",
    "١٢٣".encode(),
    "１２".encode(),
    "²".encode(),
    "½".encode(),
    b"1e5",
    b"8.0",
    b"+8",
)
WORDS = (
    b"",
    b"#",
    b"# ",
    b"--",
    b",",
    b'"',
    b"'",
    b"{",
    b"[",
    b"<b>",
    b"\\ud800",
    b"%",
    b"(us)",
    b"t_avg[usec]",
    b"#bytes",
    b"Size",
    b"Rank",
    b"Group",
    b"/../..",
    b"a" * 300,
    b"\xff",
    b"\xc3",
    "é".encode(),
    "\u2028".encode(),
    "\u202e".encode(),
    b"\x00",
    b"\x0b",
    b"\x0c",
    b"\x1b[31m",
    b"\x85",
    b"\r",
    b"\t",
)
PREFIXES = (b"[1,0]<stdout>:", b"0: ", b"[0] ", b"2024-05-01T12:00:00.5Z stdout F ", b"  ", b"\t")
_NUMBER = re.compile(rb"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[^\s,]+")


LARGE_BYTES = 4 << 20
"""A larger log takes ten seconds to import: the first two ways read it as the others do."""


words_of = verbs.words_of


def attempt(number: int, name: str, words: str, directory: Path) -> None:
    """Imports the file of that number made of that excerpt, as whatever it looks like, as what it
    was made of and as something else, and does with the results what the words say."""
    log, original = directory / "some.log", directory / "other.log"
    log.write_bytes(hostile(number, name))
    original.write_text(EXCERPTS[name][1])
    chance = random.Random(f"{number} format")
    format, other = EXCERPTS[name][0], chance.choice(READERS)
    known: list[bytes] = []
    ways = [
        (str(log),),
        ("--as", format, "--bytes", "8", "--join", str(original), str(log)),
        ("--as", format, "--bytes", "8", str(log)),
        ("--as", other, "--operation", "asked", "--label", "other", str(log)),
    ]
    for way in ways if log.stat().st_size < LARGE_BYTES else ways[:2]:
        results = Path(tempfile.mkdtemp(dir=directory))
        verbs.command("import", *way, "-o", str(results))
        for path in sorted(results.iterdir())[:MOST_SHOWN]:
            _, _, content = path.read_bytes().partition(b"\n")
            if content not in known:
                known.append(content)
                _check(path)
                verbs.show(path)
                verbs.hockney(words, path, SAMPLES["imported"], directory)


def _check(path: Path) -> None:
    """Checks that all that was imported is there when it is read again."""
    run = records.read(path)
    assert run.cut is None, run.cut
    assert all(value_of(summary) is not None for summary in run.summaries)


def hostile(number: int, name: str) -> bytes:
    """The file of that number, made of that excerpt."""
    chance = random.Random(number)
    lines = EXCERPTS[name][1].encode().splitlines(keepends=True)
    for _ in range(chance.choice((0, 1, 1, 2, 5, 20))):
        change = chance.choice(CHANGES)
        change(chance, lines)
    content = b"".join(lines)
    if chance.random() < 0.15:
        content = chance.choice(WHOLE)(chance, content)
    return content


def _number(chance: random.Random, lines: list[bytes]) -> None:
    """Another number in a line; sometimes for all of it, or in the same place of all lines."""
    at = chance.randrange(len(lines))
    digits = _NUMBER.findall(lines[at], 0, MOST_SEEN)
    if not digits:
        return
    which, new, far = chance.randrange(len(digits)), chance.choice(NUMBERS), chance.random()
    for number in range(len(lines)) if far < 0.3 else [at]:
        for place in range(MOST_PLACES) if 0.3 <= far < 0.5 else [which]:
            lines[number] = _put(_NUMBER, lines[number], place, new)


def _word(chance: random.Random, lines: list[bytes]) -> None:
    """Another word: a hostile one, or one of another log."""
    at = chance.randrange(len(lines))
    place = chance.randrange(len(_WORD.findall(lines[at], 0, MOST_SEEN)) + 1)
    other = EXCERPTS[chance.choice(NAMES)][1].encode()
    new = chance.choice(WORDS) if chance.random() < 0.6 else chance.choice(_WORD.findall(other))
    everywhere = chance.random() < 0.2
    for number in range(len(lines)) if everywhere else [at]:
        lines[number] = _put(_WORD, lines[number], place, new)


def _put(pattern: re.Pattern[bytes], line: bytes, place: int, new: bytes) -> bytes:
    """The line with `new` in place of the pattern's match number `place`; unchanged if it has
    fewer."""
    for number, match in enumerate(pattern.finditer(line, 0, MOST_SEEN)):
        if number == place:
            return line[: match.start()] + new + line[match.end() :]
    return line


def _column(chance: random.Random, lines: list[bytes]) -> None:
    """A column less, again, or in another place; in one line, or from there on."""
    at, how = chance.randrange(len(lines)), chance.randrange(3)
    here, there = chance.randrange(8), chance.randrange(8)
    last = at + 1 if chance.random() < 0.5 else len(lines)
    for number in range(at, last):
        cells = _WORD.findall(lines[number], 0, MOST_SEEN)
        if here >= len(cells):
            continue
        cell = cells[here] if how == 1 else cells.pop(here)
        if how:
            cells.insert(there, cell)
        lines[number] = (b"," if b"," in lines[number] else b"  ").join(cells) + b"\n"


def _long(chance: random.Random, lines: list[bytes]) -> None:
    """A piece of a line so often that the line is long."""
    at = chance.randrange(len(lines))
    line = lines[at].rstrip(b"\n")
    if line:
        start = chance.randrange(len(line))
        piece = line[start : start + chance.choice((1, 1, 2, 5, 30))]
        times = chance.choice((40, 1000, 3900, 5000, 100_000)) // len(piece)
        lines[at] = line[:start] + piece * times + line[start + len(piece) :] + b"\n"


def _many(chance: random.Random, lines: list[bytes]) -> None:
    """A table of many rows, whose first number ascends."""
    at = chance.randrange(len(lines))
    row = lines[at][:MOST_SEEN]
    rows = (_put(_NUMBER, row, 0, b"%d" % n) for n in range(chance.choice((50, 50, 3000))))
    lines[at : at + 1] = [b"".join(rows)]


def _prefix(chance: random.Random, lines: list[bytes]) -> None:
    start, prefix = chance.randrange(len(lines)), chance.choice(PREFIXES)
    lines[start:] = [prefix * chance.choice((1, 1, 100)) + line for line in lines[start:]]


def _join(chance: random.Random, lines: list[bytes]) -> None:
    """Another log behind, before or between."""
    other = EXCERPTS[chance.choice(NAMES)][1].encode().splitlines(keepends=True)
    if chance.random() < 0.3:
        mixed = [(chance.random(), line) for line in other]
        mixed += [(chance.random(), line) for line in lines]
        lines[:] = [line for _, line in sorted(mixed)]
    else:
        at = chance.choice((0, len(lines), chance.randrange(len(lines) + 1)))
        lines[at:at] = other


def _json(chance: random.Random, lines: list[bytes]) -> None:
    """Another value somewhere in a log that is JSON."""
    try:
        document: Any = json.loads(b"".join(lines))
    except (ValueError, RecursionError):
        return _number(chance, lines)
    where = document
    while isinstance(where, dict | list) and where:
        keys = sorted(where) if isinstance(where, dict) else range(len(where))
        key = chance.choice(keys)
        if not isinstance(where[key], dict | list) or chance.random() < 0.2:
            where[key] = chance.choice(VALUES)
            break
        where = where[key]
    lines[:] = json.dumps(document, indent=1).encode().splitlines(keepends=True)
    return None


CHANGES: tuple[Change, ...] = (
    _number,
    _number,
    _number,
    _number,
    _word,
    _word,
    _column,
    _column,
    order,
    again,
    without,
    other_bytes,
    _long,
    _many,
    _prefix,
    _join,
    _json,
)


def _cut(chance: random.Random, content: bytes) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _compressed(chance: random.Random, content: bytes) -> bytes:
    packed = chance.choice((gzip.compress(content, mtime=0), zstandard.compress(content)))
    return _cut(chance, packed)


def _encoded(chance: random.Random, content: bytes) -> bytes:
    name = chance.choice(("utf-16", "utf-32", "utf-8-sig", "utf-7"))
    return content.decode(errors="replace").encode(name)


def _line_ends(chance: random.Random, content: bytes) -> bytes:
    end = chance.choice((b"\r\n", b"\r", b"\n\n", b"", b"\n\r", b"\x0c", b"\x00", b"\x1e"))
    return content.replace(b"\n", end)


def _often(chance: random.Random, content: bytes) -> bytes:
    """Many times, up to what an importer takes."""
    room = min((32 << 20) // (len(content) + 1), 200_000 // (content.count(b"\n") + 1))
    return content * min(chance.choice((2, 2, 2, 100, 100, 1000, 1000, room)), room)


WHOLE = (_cut, _cut, _compressed, _encoded, _line_ends, _line_ends, _often)
