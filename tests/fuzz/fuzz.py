"""Hostile result files: python tests/fuzz/fuzz.py --seconds 1800 [--seed 1]

Each number makes one file out of a real one, by changes to its bytes, its values and its keys, and
`hockney show` must read it: an answer, or an error of ours. A traceback, more than SLOW_S or more
than MEMORY_BYTES is a find; its number goes into seeds.txt, which the tests read for ever after.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

from hockney.errors import HockneyError

HERE = Path(__file__).parent
SLOW_S = 20
MEMORY_BYTES = 4 << 30
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 0.0, -0.0, -1.5, 1e-320,
    1e308, -1e308, "", "x", "\x1b[2J", "\u202e", "a" * 10_000, [], [0], [None], [1e308] * 50, {},
    {"a": {"b": []}}, [[]], "8", "nan", [-1, 0], [0, 10**9],
)  # fmt: skip
WORDS = ("pingpong", "copy", "handover", "failed", "interrupted", "warm", "cold", "bcast", "/etc")


def hostile(seed: int, text: bytes) -> bytes:
    """The file of that number."""
    chance = random.Random(seed)
    lines = text.splitlines(keepends=True)
    lines = lines[: chance.choice((1, 2, 5, 40, len(lines)))]
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        change = chance.choice(CHANGES)
        change(chance, lines)
    return b"".join(lines)


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
    """Into the value itself, or into a member of it."""
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


def _order(chance: random.Random, lines: list[bytes]) -> None:
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[at], lines[to] = lines[to], lines[at]


def _again(chance: random.Random, lines: list[bytes]) -> None:
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines) * chance.choice((1, 30)))


def _without(chance: random.Random, lines: list[bytes]) -> None:
    if len(lines) > 1:
        del lines[chance.randrange(len(lines))]


def _bytes(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    line = bytearray(lines[at])
    for _ in range(chance.choice((1, 3, 30))):
        if line:
            line[chance.randrange(len(line))] = chance.randrange(256)
    lines[at] = bytes(line)


def _deep(chance: random.Random, lines: list[bytes]) -> None:
    nested = b"[" * chance.choice((100, 100_000))
    lines.insert(chance.randrange(len(lines) + 1), b'{"kind":"end","launch":' + nested + b"\n")


CHANGES: tuple[Callable[[random.Random, list[bytes]], None], ...] = (
    _value, _value, _value, _value, _key, _order, _again, _without, _bytes, _deep,
)  # fmt: skip


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def show(path: Path) -> None:
    """All that is made of a result file."""
    from hockney import records
    from hockney.cli._present import show_diagnosis, show_json, show_run
    from hockney.estimate import estimate

    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        run = records.read(path)
        estimates = estimate(run)
        show_json(run, estimates, all_states=True, diagnose=True)
        show_run(run, estimates, all_states=True)
        show_diagnosis(run)


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {SLOW_S} s")

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(SLOW_S)
    try:
        yield
    finally:
        signal.alarm(0)


def find(seed: int, text: bytes) -> str | None:
    """What is wrong with how the file of that number is read; None when nothing is."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "run.jsonl"
        path.write_bytes(hostile(seed, text))
        try:
            with _alarm():
                show(path)
        except HockneyError:
            return None
        except BaseException:
            return traceback.format_exc()
    return None


def sample() -> bytes:
    """The real file that all of them are made of."""
    return (HERE / "sample.jsonl").read_bytes()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--seed", type=int, default=1, help="the first number")
    asked = options.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    text, seed = sample(), asked.seed
    finds = []
    until = time.process_time() + asked.seconds
    while time.process_time() < until:
        wrong = find(seed, text)
        if wrong:
            finds.append(seed)
            print(f"{seed}: {wrong}", flush=True)
        seed += 1
    print(f"{seed - asked.seed} files, {len(finds)} finds: {finds}")
    sys.exit(1 if finds else 0)


if __name__ == "__main__":
    main()
