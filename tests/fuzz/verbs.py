"""Verbs that users apply to a file, within limits: an answer, or an error of ours."""

from __future__ import annotations

import os
import random
import resource
import shlex
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import click

from hockney.base.errors import HockneyError
from hockney.cli import cli
from hockney.foreign.programs import layout_names, writer_names
from hockney.infer.models import MODELS
from hockney.run.mpis import format_names
from hockney.show.figures import FIGURES

HANG_S = 300.0
"""Most CPU time of a verb (s): other work of the machine does not count. The slowest file ever
found takes 10 s: a slow machine stays below the limit, and what never ends is still found."""
RESIDENT_BYTES = 3 << 30
"""Most memory of this process: the JSON of the largest log, of 32 MiB and 200,000 lines."""

MESSAGES = Path(__file__).parent / "samples" / "sizes.jsonl"

WITH_RESULT = (
    "compare RUN RUN",
    "compare RUN RUN --json",
    "compare RUN SAMPLE -o OUT.svg --force",
    "compare SAMPLE RUN",
    "explain RUN SAMPLE",
    "explain SAMPLE RUN --json",
    "fit RUN --model auto",
    "fit RUN SAMPLE --model auto --json",
    "fit RUN --ordinary",
    *(f"fit RUN --model {name}" for name in MODELS.names()),
    *(f"export RUN --to {name} -o OUT --force" for name in writer_names()),
    "report RUN -o OUT --force",
    "report RUN SAMPLE --history SAMPLE -o OUT --force",
    "history RUN",
    "history RUN SAMPLE --together --json",
    "history RUN SAMPLE --openmetrics",
    "history RUN SAMPLE --together -o OUT.svg --force",
    "show RUN --gate --history SAMPLE",
    "show RUN --model-from MESSAGES",
    "show SAMPLE --model-from RUN --json",
    *(f"show RUN --format {name}" for name in layout_names()),
    "predict RUN --bytes 0,8,1MiB --pattern halo3d:ranks=64,bytes=8 --what-if latency=0.5x",
    "predict RUN --pattern bcast:binomial,ranks=64,bytes=1MiB --json",
    *(f"tune RUN --format {name}" for name in format_names()),
    "tune RUN --json",
    *(
        f"plot RUN --what {name} -o OUT.svg --force"
        for name in FIGURES.names()
        if name not in ("collective-model", "variants")
    ),
    "plot RUN SAMPLE --extremes -o OUT.png --force",
    "plot RUN MESSAGES --what collective-model -o OUT.svg --force",
)
"""RUN is the hostile file, SAMPLE what it was made of, MESSAGES one of ping-pongs, OUT a file that
may be written."""
WITH_PROFILE = (
    "show RUN",
    "predict --profile RUN --on MESSAGES",
    "predict --profile RUN --on MESSAGES --what-if latency=0.5x --json",
    "replay RUN --launches 1 --repetitions 1 --mpicc /dev/null",
    "compare RUN RUN",
    "explain RUN MESSAGES",
)
"""RUN is a hostile profile. Its mix is made, and is not replayed: there is no such MPI."""


@dataclass
class Allowed:
    seconds: float = HANG_S
    """Most CPU time of each verb (s)."""


ALLOWED = Allowed()
"""Limits that fuzz.py sets lower than the tests do."""


class TooMuchError(BaseException):
    """Not an Exception: `except Exception` must not catch it."""


def load() -> None:
    """All that verbs load when they need it, so that it is not loaded again for each file."""
    with tempfile.TemporaryDirectory() as directory:
        for words in WITH_RESULT:
            hockney(words, MESSAGES, MESSAGES, Path(directory))


def words_of(number: int, sample: str = "") -> str:
    """The verb that reads the file of that number, besides `show`."""
    verbs = WITH_PROFILE if sample == "profile" else WITH_RESULT
    return random.Random(f"verb {number}").choice(verbs)


def show(path: Path) -> None:
    """Shows all tables of a result file."""
    for words in ("show RUN --all-states --diagnose", "show RUN --all-states --diagnose --json"):
        hockney(words, path)


def hockney(words: str, run: Path, sample: Path = Path(), directory: Path = Path()) -> bool:
    """Runs a verb, and says whether it answered; raises what is no error of ours, and
    TooMuchError."""
    known = {"RUN": run, "SAMPLE": sample, "MESSAGES": MESSAGES, "OUT": directory / "out"}
    return command(*(_replaced(word, known) for word in shlex.split(words)))


def _replaced(word: str, known: dict[str, Path]) -> str:
    name, dot, suffix = word.partition(".")
    return f"{known[name]}{dot}{suffix}" if name in known else word


def command(*words: str) -> bool:
    """Runs a verb of these words, and returns whether it answered."""
    with (
        Path(os.devnull).open("w", encoding="utf-8", errors="backslashreplace") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
        _limits(),
        suppress(HockneyError, click.ClickException),
    ):
        cli(list(words), prog_name="hockney", standalone_mode=False)
        return True
    return False


@contextmanager
def _limits() -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooMuchError(f"more than {ALLOWED.seconds:.0f} s")

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, ALLOWED.seconds)
    began, before = time.process_time(), resident_bytes()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    took, after = time.process_time() - began, resident_bytes()
    if took > ALLOWED.seconds:
        raise TooMuchError(f"{took:.0f} s")
    if before <= RESIDENT_BYTES < after:
        raise TooMuchError(f"{after >> 20} MiB")


def resident_bytes() -> int:
    """The most that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
