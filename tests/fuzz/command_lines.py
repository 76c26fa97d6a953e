"""Hostile command lines, made of the verbs, options and examples that the program itself lists."""

from __future__ import annotations

import atexit
import json
import os
import random
import shlex
import shutil
import signal
import sys
import time
import traceback
import uuid
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from hostile_results import SAMPLES

from excerpts import EXCERPTS
from hockney import cli
from long_runs import OF_THE_LIBRARY

NAMES = ("-",)
"""No sample: all of them lie in the directory where a command line is run."""
ODD = (
    "",
    " ",
    "0",
    "1",
    "-1",
    "2",
    "1e400",
    "1e400s",
    "1e308h",
    "nan",
    "inf",
    "9" * 30,
    "9" * 5000,
    "0-999999999",
    "0,0",
    "1..",
    "..1",
    "1..0",
    "5..2",
    "4GiB..",
    "1..9EiB",
    "1KiB..1MiB/0",
    "1..4MiBx1",
    "2,4,...,999999999999",
    "2..99999999999",
    "x" * 300,
    "x" * 5000,
    "/proc",
    ".",
    "..",
    "/dev/null",
    "/dev/full",
    "/nonexistent/x",
    "a\nb",
    "\x1b[2J",
    "caf\udce9",
    "\u202e",
    "%s",
    "{}",
    "--",
    "-",
    "é",
    "1%",
    "100%",
    "0.0001%",
    "10ms",
    "0s",
    "8,,8",
    "fat-tree:0",
    "fat-tree:99999999",
    "latency=0x",
    "halo3d:ranks=0,bytes=8",
    "2026-13-45",
    "²",
    "١",
    "0x10",
    "1_000",
    "+1",
    "1e3",
    "true",
    "false",
    "{",
    "[[run]]",
    "$(id)",
    ";",
    "*",
    "~",
    "a=b",
    ":",
    ",",
    "all",
    "default",
    "none",
    "run.jsonl",
    "plan.toml",
)
"""Values that nobody means, and some that nearly anybody could."""
USUAL = {
    "sizes": "8,1KiB",
    "size": "8",
    "time": "1s",
    "fraction": "5%",
    "launches": "1",
    "ranks": "0,1",
    "CPUs": "0,1",
    "hosts": "",
    "integer": "2",
    "integer range": "2",
    "float": "1",
    "text": "8",
}
"""Values that are right for a type of option."""
PLAN = '[[run]]\nverb = "pingpong"\nsizes = "8"\nbudget = "50ms"\nlaunches = "1"\n'
FILES = ("run.jsonl", "plan.toml", "log.txt", "p.jsonl", "runs", "run.jsonl")
"""Files of the directory in which a command line is run; all may be overwritten."""
WORDS = {
    "profile": ("true", "false", "mpiexec", "-n", "2", "--", "nothing-of-this-name", "run.jsonl"),
    "tune": ("pingpong", "pairs", "--", *FILES),
}
"""Arguments of verbs that take other words than files."""
REDIRECTED = (">/dev/full", ">&-", "2>&-", "|true")
"""Last words of some command lines, as in a shell: a full device, streams that are closed, and a
reader that has gone."""
HANG_S = 300.0
"""Longest run of a command line: all have the shortest budget. It is counted in polls, since a hang
may use no CPU time, and a machine that stands still must not count."""
GRACE_S = 30.0
SHORT = {"--budget": "50ms", "--launches": "1", "--timeout": "20s", "--repetitions": "1"}
"""Options that measuring verbs are given before all others."""
FEWER = {"--multi": ("-n", "4")}
"""Options added to another: eight ranks on two CPUs that other work holds as well take tens of
milliseconds a message."""
MARK = "HOCKNEY_TEST_FUZZ"
"""A variable by which processes that a command line left behind are found."""
POLL_S = 0.02


@cache
def _verbs() -> dict[str, click.Command]:
    context, verbs = click.Context(cli.cli), cli.Verbs()
    by_name = {name: verbs.get_command(context, name) for name in verbs.list_commands(context)}
    return {name: verb for name, verb in sorted(by_name.items()) if verb is not None}


@cache
def _examples() -> dict[str, list[str]]:
    """Values of each option in the examples of all verbs."""
    by_option = defaultdict(list)
    for verb in _verbs().values():
        for example in getattr(verb, "examples", ()):
            words = shlex.split(example, comments=True)
            for word, following in pairwise(words):
                if word.startswith("-") and not following.startswith("-"):
                    by_option[word].append(following)
    return by_option


def words_of(number: int) -> str:
    """The command line of that number, as JSON: a verb with up to five of its options, each with a
    value that it offers, one of the examples or an odd one."""
    chance = random.Random(number)
    name = chance.choice(list(_verbs()))
    params = _verbs()[name].params
    options = [param for param in params if isinstance(param, click.Option)]
    words = [name]
    known = {word for option in options for word in option.opts}
    words += [word for name in SHORT if name in known for word in (name, SHORT[name])]
    for param in params:
        if isinstance(param, click.Argument) and chance.random() < 0.95:
            count = chance.choice((1, 1, 1, 2, 3))
            words += [_value(param, chance, WORDS.get(name, FILES)) for _ in range(count)]
    needed = [option for option in options if option.required]
    for option in (*needed, *chance.choices(options, k=chance.randint(0, 5))):
        words.append(chance.choice((*option.opts, *option.secondary_opts)))
        has_value = not option.is_flag and (option.flag_value is None or chance.random() < 0.5)
        if has_value:
            words.append(_value(option, chance))
        words += FEWER.get(option.opts[0], ())
    if chance.random() < 0.05:
        words.insert(chance.randrange(len(words) + 1), chance.choice(ODD))
    if chance.random() < 0.1:
        words.append(chance.choice(REDIRECTED))
    return json.dumps(words)


def _value(param: click.Parameter, chance: random.Random, files: Sequence[str] = FILES) -> str:
    if chance.random() < 0.4:
        return chance.choice(ODD)
    names = [name for name in param.opts if name not in SHORT]  # an example may take half an hour
    examples = [value for name in names for value in _examples()[name]]
    offered = list(getattr(param.type, "choices", ())) or examples
    usual = USUAL.get(param.type.name)
    return chance.choice([*offered, *([usual] if usual is not None and files is FILES else files)])


def attempt(_number: int, _name: str, words: str, directory: Path) -> None:
    """Runs the command line in a process of its own: it ends in time with status 0, 1 or 2, with a
    reason where it refuses, and leaves no traceback, no process and no temporary file."""
    here, temporary = directory / "here", directory / "tmp"
    for place in (here, temporary, here / "runs"):
        place.mkdir()
    shutil.copy(SAMPLES["sizes"], here / "run.jsonl")
    shutil.copy(SAMPLES["collective"], here / "runs" / "bcast.jsonl")
    shutil.copy(SAMPLES["profile"], here / "p.jsonl")
    (here / "plan.toml").write_text(PLAN)
    (here / "log.txt").write_text(EXCERPTS["osu bcast"][1])
    mark = f"{MARK}={uuid.uuid4()}"
    child = os.fork()
    if not child:
        os._exit(_run(json.loads(words), here, temporary, mark))
    status = _end_of(child)
    stdout, stderr = ((directory / name).read_text(errors="replace") for name in ("out", "err"))
    assert status is not None, f"no end within {HANG_S:.0f} s: {stderr[-2000:]}"
    assert "Traceback" not in stderr, stderr[-4000:]
    is_programs = json.loads(words)[0] == "profile" and status > 2
    is_undecided = status == 3 and json.loads(words)[0] == "watch"
    assert status in (0, 1, 2) or is_programs or is_undecided, f"status {status}: {stderr[-2000:]}"
    heard = json.loads(words)[-1] != "2>&-"
    assert status != 2 or stderr.strip() or not heard, "refused without a word"
    is_verdict = json.loads(words)[0] == "doctor" and json.loads(words)[-1] == "|true"
    has_words = (stdout + stderr).strip() or is_verdict
    assert status != 1 or has_words or not heard, "failed without a word"
    files = [path.name for path in temporary.iterdir()]
    strange = [name for name in files if not name.startswith(OF_THE_LIBRARY)]
    assert not strange, f"left behind: {strange}"
    left = _marked(mark)
    assert not left, f"left behind: processes {left}"


def _run(words: list[str], here: Path, temporary: Path, mark: str) -> int:
    """Runs `hockney WORDS` in this process: Python and its modules are loaded already."""
    os.setsid()
    os.chdir(here)
    name, _, value = mark.partition("=")
    os.environ.update({name: value, "TMPDIR": str(temporary)})
    os.environ["XDG_DATA_HOME"] = str(here)  # where `history --publish` writes
    for number, place in enumerate((os.devnull, here.parent / "out", here.parent / "err")):
        os.dup2(os.open(place, os.O_RDWR | os.O_CREAT, 0o600), number)
    words = words[:-1] if (redirected := words[-1]) in REDIRECTED else words
    if redirected in REDIRECTED:
        _redirect(redirected)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = _stream(1)
    sys.stderr = _stream(2)
    sys.argv = ["hockney", *words]
    atexit._clear()  # what the parent asked for
    try:
        cli.main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = 99
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    return status


def _redirect(way: str) -> None:
    """Does with stdout or stderr what a shell does."""
    if way == ">/dev/full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    elif way == "|true":
        read, write = os.pipe()
        os.dup2(write, 1)
        os.close(read)
        os.close(write)
    else:
        os.close(2 if way.startswith("2") else 1)


def _stream(number: int) -> Any:
    """stdout or stderr as Python opens them: None where the descriptor is closed."""
    try:
        return open(
            number, "w", closefd=False, encoding="utf-8", buffering=1 if number == 2 else -1
        )
    except OSError:
        return None


def _end_of(child: int) -> int | None:
    """The exit status, or a signal's number below 0; None where it had to be killed."""
    for _ in range(int(HANG_S / POLL_S)):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(POLL_S)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _marked(mark: str) -> list[str]:
    """Processes that have the variable and do not end within a grace period."""
    deadline = time.monotonic() + GRACE_S
    while True:
        left = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if mark.encode() in environ.read_bytes().split(b"\0"):
                    left.append(environ.parent.name)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(POLL_S)
