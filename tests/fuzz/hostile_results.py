"""Result files that are hostile: changes to the bytes, values and keys of real ones."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import verbs
import zstandard
from hostile_lines import Change, again, order, other_bytes, without

DIRECTORY = Path(__file__).parent / "samples"
SAMPLES = {
    **{path.stem: path for path in sorted(DIRECTORY.glob("*.jsonl"))},
    "by-hand": DIRECTORY / "by-hand.txt",
    "profile": DIRECTORY / "profiles" / "known_calls.jsonl",
}
"""One of each experiment, records of an engine that was started by hand, and a profile of a
program."""
NAMES, BY_HAND = tuple(SAMPLES), "by-hand"
COMPRESSED_SHARE = 0.1
VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    2**31,
    2**53,
    2**63,
    2**64,
    -(2**63),
    10**30,
    0.0,
    -0.0,
    -1.5,
    1e-320,
    1e308,
    -1e308,
    "",
    "x",
    "\x1b[2J",
    "\u202e",
    "a" * 10_000,
    [],
    [0],
    [None],
    [1e308] * 50,
    {},
    {"a": {"b": []}},
    [[]],
    "8",
    "nan",
    [-1, 0],
    [0, 10**9],
)
WORDS = ("pingpong", "copy", "handover", "failed", "interrupted", "warm", "cold", "bcast", "/etc")


def words_of(number: int) -> str:
    """The verb that reads the file of that number, besides `show`."""
    return verbs.words_of(number, NAMES[number % len(NAMES)])


def attempt(number: int, name: str, words: str, directory: Path) -> None:
    """Reads the file of that number made of that sample, and does with it what the words say."""
    text = hostile(number, SAMPLES[name].read_bytes())
    if name == BY_HAND:  # the engine writes no spaces, by which its records are found
        text = text.replace(b'": ', b'":').replace(b', "', b',"').replace(b"}, {", b"},{")
    path = directory / "run.jsonl"
    chance = random.Random(f"{number} compressed")
    if chance.random() < COMPRESSED_SHARE:
        path, text = path.with_suffix(".jsonl.zst"), _compressed(chance, text)
    path.write_bytes(text)
    verbs.show(path)
    verbs.hockney(words, path, SAMPLES[name], directory)


def hostile(number: int, text: bytes) -> bytes:
    """The file of that number."""
    chance = random.Random(number)
    lines = text.splitlines(keepends=True)
    lines = lines[: chance.choice((1, 2, 5, 40, len(lines)))]
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        change = chance.choice(CHANGES)
        change(chance, lines)
    return b"".join(lines)


def _compressed(chance: random.Random, text: bytes) -> bytes:
    """Compresses the file: whole, cut, or with other bytes in it."""
    packed = [zstandard.compress(text)]
    if chance.random() < 0.3:
        other_bytes(chance, packed)
    end = chance.choice((len(packed[0]), chance.randrange(len(packed[0]))))
    return packed[0][:end]


def _value(chance: random.Random, lines: list[bytes]) -> None:
    """Another value somewhere in a record; often the same in all records of its kind."""
    at = chance.randrange(len(lines))
    record = _record(lines[at])
    if not record:
        return
    key = chance.choice(sorted(record))
    new = chance.choice((*VALUES, *WORDS))
    kind = record.get("kind")
    everywhere = chance.random() < 0.5
    for number in range(len(lines)) if everywhere else [at]:
        other = _record(lines[number])
        if other and (number == at or other.get("kind") == kind):
            _put(chance, other, key, new)
            lines[number] = json.dumps(other).encode() + b"\n"


def _put(chance: random.Random, record: dict[str, Any], key: str, new: Any) -> None:
    """Replaces the value of a key, or a member of that value."""
    inside = record.get(key)
    if isinstance(inside, list) and inside and chance.random() < 0.7:
        inside[chance.randrange(len(inside))] = new
    elif isinstance(inside, dict) and inside and chance.random() < 0.7:
        inside[chance.choice(sorted(inside))] = new
    else:
        record[key] = new


def _key(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    record = _record(lines[at])
    if record:
        del record[chance.choice(sorted(record))]
        lines[at] = json.dumps(record).encode() + b"\n"


def _deep(chance: random.Random, lines: list[bytes]) -> None:
    nested = b"[" * chance.choice((100, 100_000))
    lines.insert(chance.randrange(len(lines) + 1), b'{"kind":"end","launch":' + nested + b"\n")


CHANGES: tuple[Change, ...] = (
    _value,
    _value,
    _value,
    _value,
    _key,
    order,
    again,
    without,
    other_bytes,
    _deep,
)


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
