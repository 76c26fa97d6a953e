"""Command lines made of the verbs and options that the program itself lists."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from hockney.cli import Verbs

SAMPLE = Path(__file__).parent / "samples" / "sizes.jsonl"
ODD = (
    "", " ", "0", "1", "-1", "2", "1e400", "1e400s", "1e308h", "nan", "inf", "9" * 30, "9" * 5000,
    "0-999999999", "0,0", "1..", "..1", "1..0", "5..2", "4GiB..", "1..9EiB", "1KiB..1MiB/0",
    "1..4MiBx1", "2,4,...,999999999999", "2..99999999999", "x" * 300, "x" * 5000, "/", ".", "..",
    "/dev/null", "/dev/full", "/nonexistent/x", "a\nb", "\x1b[2J", "caf\udce9", "\u202e", "%s",
    "{}", "--", "-", "é", "1%", "100%", "0.0001%", "10ms", "0s", "8,,8", "fat-tree:0",
    "fat-tree:99999999", "latency=0x", "halo3d:ranks=0,bytes=8", "2026-13-45",
    "all", "default", "none",
)  # fmt: skip
"""Values that nobody means, and some that nearly anybody could."""
USUAL = {
    "sizes": "8,1KiB", "size": "8", "time": "1s", "fraction": "5%", "launches": "1", "ranks": "0,1",
    "CPUs": "0,1", "hosts": "", "integer": "2", "integer range": "2", "float": "1", "text": "8",
}  # fmt: skip
"""Values that are right for a type of option."""
RESULT = "run.jsonl"
"""The name of a result file in the directory where all is done: it may be overwritten."""
HANG_S = 120.0
"""No command line here measures longer than that: all have the shortest budget."""
LONGEST = ("suite", "doctor")
"""Verbs that take their time whatever they are asked."""
SHORT = ("--budget", "50ms", "--launches", "1", "--timeout", "20s")


def command_lines(seed: int) -> Iterator[list[str]]:
    """Verbs with one to three of their options, each with a value that it offers or an odd one."""
    chance, context = random.Random(seed), click.Context(Verbs())
    verbs = {
        name: verb
        for name in Verbs().list_commands(context)
        if name not in LONGEST and (verb := Verbs().get_command(context, name)) is not None
    }
    while True:
        name = chance.choice(sorted(verbs))
        params = verbs[name].params
        options = [param for param in params if isinstance(param, click.Option)]
        short = SHORT if any("--timeout" in option.opts for option in options) else ()
        words = [name, *short]
        for param in params:
            if isinstance(param, click.Argument) and chance.random() < 0.9:
                words += [_value(param, chance) for _ in range(chance.choice((1, 1, 2)))]
        needed = [option for option in options if option.required]
        for option in (*needed, *chance.sample(options, min(len(options), chance.randint(1, 3)))):
            words.append(max(option.opts, key=len))
            if not option.is_flag:
                words.append(_value(option, chance))
        yield words


def _value(param: click.Parameter, chance: random.Random) -> str:
    offered = getattr(param.type, "choices", ()) or [USUAL.get(param.type.name, RESULT)]
    is_file = isinstance(param, click.Argument) and param.type.name == "path"
    return chance.choice(offered if chance.random() < (0.9 if is_file else 0.6) else ODD)


def find(words: list[str], directory: Path) -> str | None:
    """What is wrong with how the program answers; None where nothing is."""
    shutil.copy(SAMPLE, directory / RESULT)
    command = [sys.executable, "-m", "hockney", *map(os.fsencode, words)]
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, timeout=HANG_S)
    except subprocess.TimeoutExpired:
        return f"no end within {HANG_S:.0f} s"
    if b"Traceback" in done.stderr or done.returncode not in (0, 1, 2):
        return f"status {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}"
    return None


if __name__ == "__main__":
    here = Path.cwd()
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(first, first + count):
        line = next(command_lines(number))
        wrong = find(line, here)
        if wrong is not None:
            print(number, line, wrong, sep="\n", end="\n\n", flush=True)
