"""Hostile input: python tests/fuzz/fuzz.py --seconds 1800 [--seed 1] [--what results|logs|...]

Each number makes one file out of a real one, or one command line. Result files are shown, and
another verb reads them; logs of other programs are imported, and what comes of them is read in the
same way. Command lines of hockney, and of the engine under sanitizers, are run. There must be an
answer, or an error of ours. A traceback, a warning of numpy's, more than --slow seconds of CPU
time, more than MEMORY_BYTES or verbs.RESIDENT_BYTES, what a sanitizer reports and whatever a
command line leaves behind is a find; it goes into seeds.txt, which the tests read for ever after.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))  # as in the tests: the excerpts are there

import command_lines  # noqa: E402
import engine_options  # noqa: E402
import hostile_logs  # noqa: E402
import hostile_results  # noqa: E402
import verbs  # noqa: E402

MEMORY_BYTES = 4 << 30
KINDS = {
    "results": hostile_results,
    "logs": hostile_logs,
    "commands": command_lines,
    "engine": engine_options,
}


@dataclass(frozen=True)
class Case:
    """The file of that number, made of that sample, and what is done with it besides showing it; or
    a command line."""

    what: str
    number: int
    sample: str
    words: str

    def __str__(self) -> str:
        """The case as a line of seeds.txt."""
        return f"{self.what} {self.number}; {self.sample}; {self.words}"


def cases(what: str, first: int) -> Iterator[Case]:
    names = KINDS[what].NAMES
    for number in count(first):
        yield Case(what, number, names[number % len(names)], KINDS[what].words_of(number))


def seeds() -> list[Case]:
    """Cases that once failed."""
    lines = [line.split("; ") for line in (HERE / "seeds.txt").read_text().splitlines()]
    return [Case(first.split()[0], int(first.split()[1]), *more[:2]) for first, *more in lines]


def find(case: Case) -> str | None:
    """The traceback of reading a case's file; None if nothing is wrong."""
    with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
        # numpy's: a result is no number, and nobody checked.
        warnings.simplefilter("error", RuntimeWarning)
        try:
            KINDS[case.what].attempt(case.number, case.sample, case.words, Path(directory))
        except KeyboardInterrupt:
            raise
        except BaseException:
            return traceback.format_exc()
    return None


def find_outliers(case: Case) -> str | None:
    """The result of find() in a process of its own: its memory is that of this file only, and a
    crash is a failure too."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        with os.fdopen(write, "w") as pipe:
            pipe.write(find(case) or "")
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        wrong = pipe.read()
    _, status = os.waitpid(child, 0)
    return wrong or (f"ended by signal {status}" if status else None)


def used() -> tuple[float, int]:
    """CPU seconds of all of these, and the most bytes that one of them took."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--what", choices=KINDS, default="results")
    options.add_argument("--seconds", type=float, default=60.0, help="of CPU time")
    options.add_argument("--seed", type=int, default=1, help="the first number")
    options.add_argument("--slow", type=float, default=20.0, help="CPU seconds of a verb: a find")
    arguments = options.parse_args()
    verbs.ALLOWED.seconds = arguments.slow
    if arguments.what == "engine":
        engine_options.load()
    else:  # the shadow memory of a sanitizer is larger than any limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        verbs.load()
    finds: list[Case] = []
    done = 0
    for done, case in enumerate(cases(arguments.what, arguments.seed)):  # noqa: B007
        if used()[0] > arguments.seconds:
            break
        wrong = find_outliers(case)
        if wrong:
            finds.append(case)
            print(f"{case}\n{wrong}", flush=True)
    seconds, most = used()
    tried = f"{done} {arguments.what} from number {arguments.seed} on"
    words = f"{tried} in {seconds:.0f} s, {len(finds)} finds, at most {most >> 20} MiB"
    print(words, *finds, sep="\n")
    sys.exit(1 if finds else 0)


if __name__ == "__main__":
    main()
