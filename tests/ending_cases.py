"""What may end which command when: the cases of tests/endings.py."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

HOCKNEY = (sys.executable, "-m", "hockney")
MARK, PRIVATE = "HOCKNEY_TEST_ENDINGS", "HOCKNEY_TEST_ENDINGS_PRIVATE"
"""Variables: one that all processes of a case inherit; one that is set in our own namespace."""
SHORT = ("--sizes", "8", "--budget", "0.6s", "--launches", "2", "--precision", "0.01%", "-q")
MEASURING = {
    "pingpong": ("pingpong", *SHORT),
    "pairs": ("pairs", "-n", "2", *SHORT),
    "collective": ("collective", "bcast", "-n", "2", *SHORT),
    "halo": ("halo", "-n", "2", "--grid", "1d", *SHORT),
    "vary": ("pingpong", "--vary", "env:A=1,2", "--sizes", "8", "--budget", "3s", "-q"),
}
WORKED_OUT = {
    "report": ("report", "run.jsonl", "-o", "OUT.html"),
    "plot": ("plot", "run.jsonl", "-o", "OUT.svg"),
    "csv": ("export", "run.jsonl", "--to", "csv-samples", "-o", "OUT.csv"),
    "goal": ("export", "profile.jsonl", "--to", "goal", "-o", "OUT.goal"),
    "import": ("import", "times.csv", "-o", "OUT.jsonl"),
    "otava": ("history", "run.jsonl", "--otava", "OUT"),
    "history": ("history", "run.jsonl", "-o", "OUT.png"),
    "fit": ("fit", "run.jsonl"),
}
STARTING = {
    "profile": ("profile", "-o", "OUT.jsonl", "--", "mpiexec", "-n", "2", "ENGINE", "pingpong"),
    "replay": ("replay", "profile.jsonl", "--launches", "2", "--repetitions", "1"),
    "doctor": ("doctor",),
    "suite": ("suite", "plan.toml", "-o", "OUT", "-q"),
}
VERBS = MEASURING | WORKED_OUT | STARTING
SIGNALS = ("TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "XCPU", "ALRM")


@dataclass
class Place:
    """The directories of a case, all new."""

    root: Path
    flags: str = ""
    """Additional flags of the compiler."""
    mark: str = field(default_factory=lambda: str(uuid.uuid4()))

    def __post_init__(self) -> None:
        for path in (self.work, self.temporary, self.cache, self.data):
            path.mkdir(parents=True)

    work = property(lambda self: self.root / "work")
    temporary = property(lambda self: self.root / "tmp")
    cache = property(lambda self: self.root / "cache")
    data = property(lambda self: self.root / "data")

    @property
    def env(self) -> dict[str, str]:
        variables = {**os.environ, MARK: self.mark, "TMPDIR": str(self.temporary)}
        variables |= {"XDG_CACHE_HOME": str(self.cache), "XDG_DATA_HOME": str(self.data)}
        variables["HOCKNEY_CFLAGS"] = f"{os.environ.get('HOCKNEY_CFLAGS', '')} {self.flags}".strip()
        variables["PATH"] = f"{Path(sys.prefix) / 'bin'}:{os.environ['PATH']}"
        variables["PYTHONPATH"] = str(Path(__file__).parent.parent / "src")
        return variables


@dataclass(frozen=True)
class Case:
    verb: str
    moment: str
    event: str

    @property
    def name(self) -> str:
        return f"{self.verb}, {self.moment}, {self.event}"


def heeds(process: int, place: Place) -> bool:  # noqa: ARG001
    """Whether a process has handlers of signals: before, it has done nothing."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        caught = next(line for line in lines if line.startswith("SigCgt:"))
        return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
    return False


def _has(text: bytes) -> Callable[[int, Place], bool]:
    def found(process: int, place: Place) -> bool:  # noqa: ARG001
        with suppress(OSError):
            return text in (place.work / "OUT.jsonl").read_bytes()
        return False

    return found


def _is_building(process: int, place: Place) -> bool:  # noqa: ARG001
    return any((place.cache / "hockney").glob(".building-*/.objects-*/*.o"))


MOMENTS: dict[str, Callable[[int, Place], bool] | float] = {
    "start": heeds,
    "build": _is_building,
    "launch 1": _has(b'"kind":"launch"'),
    "between": _has(b'"kind":"end"'),
    "last write": _has(b'"kind":"finish"'),
    "drawing": 0.4,
}
"""The moments of events: conditions, or seconds after the process has handlers of signals."""
LIMITS = {
    "file limit": "ulimit -f 16",
    "memory": "ulimit -v 400000",
    "little memory": "ulimit -v 150000",
    "descriptors": "ulimit -n 12",
    "few descriptors": "ulimit -n 5",
    "CPU time": "ulimit -S -t 1",
}
"""Commands of a shell that limit the verb after them."""
PROCESSES = ("prlimit", "--nproc=1")
"""A limit that holds for others than root."""
ANOTHER_USER = ("setpriv", "--reuid=65534", "--clear-groups")
DISK = "disk"


def can_limit_processes() -> bool:
    """Whether a user with that limit can start this Python: root's may be in root's home."""
    user = ANOTHER_USER if os.geteuid() == 0 else ()
    started = subprocess.run([*user, *HOCKNEY, "--version"], capture_output=True, cwd="/")
    return started.returncode == 0


def table() -> list[Case]:
    """All cases, in the order of the table."""
    cases = []
    at_start = [*LIMITS, *(["processes"] if can_limit_processes() else []), DISK, "time jump"]
    for verb in VERBS:
        moments = ["start", "drawing"]
        if verb in MEASURING:
            moments = list(MOMENTS)
        elif verb in ("profile", "replay", "doctor", "suite"):
            moments = ["start", "build", "drawing"]
        cases += [Case(verb, *rest) for rest in itertools.product(moments, SIGNALS)]
        cases += [Case(verb, "start", event) for event in at_start]
    return cases


@dataclass(frozen=True)
class Outcome:
    wrong: list[str]
    has_happened: bool = True
    """False where the command ended before the event."""

    @property
    def is_right(self) -> bool:
        return self.has_happened and not self.wrong


class Log:
    """The outcome of each case, one JSON object a line; the last of a case holds."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.outcomes: dict[str, Outcome] = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.outcomes[entry["case"]] = Outcome(entry["wrong"], entry["has_happened"])

    def add(self, case: Case, outcome: Outcome, seconds: float) -> None:
        self.outcomes[case.name] = outcome
        if self._path is not None:
            line = {"case": case.name, "seconds": round(seconds, 1), **asdict(outcome)}
            with self._path.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def is_right(self, case: Case) -> bool:
        return case.name in self.outcomes and self.outcomes[case.name].is_right


def counts(log: Log) -> Iterator[str]:
    """The number of cases, and of those that are right, by event and moment."""
    cases = table()
    moments = list(dict.fromkeys(case.moment for case in cases))
    yield " | ".join(["event", *moments])
    yield "|".join(["---"] * (1 + len(moments)))
    for event in dict.fromkeys(case.event for case in cases):
        cells = [event]
        for moment in moments:
            matching = [case for case in cases if (case.moment, case.event) == (moment, event)]
            right = sum(map(log.is_right, matching))
            cells.append(f"{right} of {len(matching)}" if matching else "")
        yield " | ".join(cells)
