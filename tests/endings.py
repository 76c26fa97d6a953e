"""Whatever may end a command, at any moment: python tests/endings.py [--sample N] [WORD ...]

One table of verbs, moments and events. For each: the status and the words of the end; what is on
the disk, in the temporary folder, in the cache, in /dev/shm and among the processes afterwards; and
that the next command works. As root it runs in a mount namespace of its own. WORDs choose cases by
their names, such as `pingpong disk`. With --log it can be continued, and ends with counts by moment
and event.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ending_cases import (
    ANOTHER_USER,
    DISK,
    HOCKNEY,
    LIMITS,
    MARK,
    MEASURING,
    MOMENTS,
    PRIVATE,
    PROCESSES,
    SIGNALS,
    VERBS,
    Case,
    Log,
    Outcome,
    Place,
    counts,
    heeds,
    table,
)

PATIENCE_S, POLL_S, TRIES = 300.0, 0.005, 3
PLAN = """name = "two"
[[run]]
verb = "pingpong"
sizes = "8"
budget = "1s"
matrix.place = ["core", "none"]
"""
STATUSES = (0, 1, 2, 130)
VERDICTS = {"doctor": 1, "history": 3, "otava": 3}
"""Statuses other than 0 with which verbs end well: one run of a history is too few to judge."""
NO_WORDS = ("Traceback", "Exception ignored", "core dumped")


def _engine_of(record: Path) -> Path:
    """The engine that this run started: a cache may hold those of several MPIs."""
    entries = map(json.loads, record.read_text().splitlines())
    command = next(entry["command"] for entry in entries if entry["kind"] == "launch")
    return next(Path(word) for word in command if Path(word).name == "hockney-engine")


class Endings:
    """Runs cases, with one cache of built engines that each gets a copy of."""

    def __init__(self, root: Path, engines: Path | None, verbs: set[str]) -> None:
        self._root = root
        self._numbers = itertools.count()
        self._model = Place(root / "model")
        self._prepare(engines, verbs)

    def _prepare(self, engines: Path | None, verbs: set[str]) -> None:
        """Makes the files that cases of these verbs read, and builds the engines that the given
        cache lacks."""
        place = self._model
        if engines is not None:
            kept = shutil.ignore_patterns("*.lock", "index.*", ".*")
            shutil.copytree(engines, place.cache / "hockney", ignore=kept)
        run = ("pingpong", "--sizes", "0,8,1KiB,64KiB", "--budget", "0.5s", "-q", "-o", "run.jsonl")
        self._must_work(run)
        (place.root / "engine").write_bytes(_engine_of(place.work / "run.jsonl").read_bytes())
        (place.root / "engine").chmod(0o755)
        if verbs & {"goal", "profile", "replay"}:
            program = (str(place.root / "engine"), "pingpong", "--seconds=1")
            words = ("-q", "-o", "profile.jsonl", "--", "mpiexec", "-n", "2", *program)
            self._must_work(("profile", "--trace", "--force", *words))
        if "replay" in verbs:
            self._must_work(("replay", "profile.jsonl", "--launches", "1"))
        rows = "".join(f"{8 + i},{1 + i / 100}\n" for i in range(3000))
        (place.work / "times.csv").write_text(f"bytes,time_us\n{rows}")
        (place.work / "plan.toml").write_text(PLAN)

    def _must_work(self, words: tuple[str, ...]) -> None:
        """Makes files that cases read. It tries again: a launcher may fail by chance, and hockney
        restarts its own, but not that of a program which it profiles."""
        place = self._model
        for _ in range(TRIES):
            if self._start(place, words).wait() == 0:
                return
            print(f"endings: {words}: {(place.root / 'err').read_text()}", file=sys.stderr)
        raise SystemExit(f"endings: it failed {TRIES} times")

    def run(self, case: Case) -> Outcome:
        # Unoptimised, an engine is built in half the time.
        flags = "-O0" if case.moment == "build" else ""
        place = Place(self._root / str(next(self._numbers)), flags)
        shutil.copytree(self._model.work, place.work, dirs_exist_ok=True)
        if case.moment != "build":
            shutil.copytree(self._model.cache, place.cache, dirs_exist_ok=True)
        shared = set(_shared())
        try:
            process = self._start(place, self._words(case), case)
            has_happened = self._happens(case, place, process)
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_S)
            wrong = list(self._wrong(case, place, process, shared))
            return Outcome([*wrong, *self._next(case, place)], has_happened)
        finally:
            _kill(place)
            if case.event == DISK and os.path.ismount(place.work):
                subprocess.run(["umount", "-l", str(place.work)], check=True)
            shutil.rmtree(place.root, ignore_errors=True)

    def _words(self, case: Case) -> tuple[str, ...]:
        engine = str(self._model.root / "engine")
        words = VERBS[case.verb]
        if case.verb in MEASURING:
            words = (*words, "-o", "OUT.jsonl")
        return tuple(engine if word == "ENGINE" else word for word in words)

    def _start(
        self, place: Place, words: tuple[str, ...], case: Case | None = None
    ) -> subprocess.Popen[bytes]:
        command: tuple[str, ...] = (*HOCKNEY, *words)
        env = place.env
        event = case.event if case else ""
        if event in LIMITS:
            command = ("sh", "-c", f'{LIMITS[event]}; exec "$@"', "sh", *command)
        if event == "processes":
            user = ANOTHER_USER if os.geteuid() == 0 else ()
            command = (*PROCESSES, *user, *command)
            if user:
                for path in (place.root, *place.root.rglob("*")):
                    os.chown(path, 65534, 65534, follow_symlinks=False)
        if event == DISK:
            _fill(place)
        if event == "time jump":
            env = {**env, "LD_PRELOAD": str(self._clock()), "HOCKNEY_TEST_STEP": "/proc/version"}
        with (place.root / "out").open("wb") as out, (place.root / "err").open("wb") as err:
            return subprocess.Popen(
                command, cwd=place.work, env=env, stdout=out, stderr=err, start_new_session=True
            )

    def _clock(self) -> Path:
        library = self._model.root / "clock.so"
        if not library.exists():
            source = Path(__file__).parent / "measure" / "stepped_clock.c"
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        return library

    def _happens(self, case: Case, place: Place, process: subprocess.Popen[bytes]) -> bool:
        """Waits for the moment, and sends the signal; False where the command was faster."""
        if case.event not in SIGNALS:
            return True
        moment = MOMENTS[case.moment]
        condition = heeds if isinstance(moment, float) else moment
        until = time.monotonic() + PATIENCE_S
        while (
            process.poll() is None
            and not condition(process.pid, place)
            and time.monotonic() < until
        ):
            time.sleep(POLL_S)
        if isinstance(moment, float):
            time.sleep(moment)
        if process.poll() is not None:
            return False
        process.send_signal(signal.Signals[f"SIG{case.event}"])
        return True

    def _wrong(
        self, case: Case, place: Place, process: subprocess.Popen[bytes], shared: set[str]
    ) -> Iterator[str]:
        status, err = process.poll(), (place.root / "err").read_text(errors="replace")
        own = case.verb == "profile"  # the program's status
        if status is None:
            yield "it hangs"
        elif status not in (*STATUSES, VERDICTS.get(case.verb)) and not (own and status > 0):
            yield f"status {status}: {err[-300:]}"
        is_verdict = own or status == VERDICTS.get(case.verb)
        if status not in (0, None) and not err.strip() and not is_verdict:
            yield f"status {status} without a word"
        yield from (f"{word} in: {err[-1500:]}" for word in NO_WORDS if word in err)
        yield from (f"left in TMPDIR: {path.name}" for path in place.temporary.iterdir())
        cache = place.cache / "hockney"
        left = [*cache.glob(".building-*"), *cache.glob("*.lock"), *cache.glob("*/.*")]
        yield from (f"left in the cache: {path.name}" for path in left)
        yield from (f"left in the directory: {path.name}" for path in place.work.glob(".hockney*"))
        yield from (f"process left: {words}" for words in _processes(place))
        yield from (f"left in /dev/shm: {name}" for name in _shared() if name not in shared)
        yield from _cut(place)

    def _next(self, case: Case, place: Place) -> Iterator[str]:
        """Checks that the same command works again, where it ended badly without --force too. The
        remaining budget may be too little to compare on a busy machine."""
        if case.event == DISK and os.path.ismount(place.work):
            subprocess.run(["mount", "-o", "remount,size=64m", str(place.work)], check=True)
        words = self._words(case)
        is_there = list(place.work.glob("OUT*"))
        if (case.verb in MEASURING and is_there) or (case.verb == "suite" and is_there):
            words = (*words, "--resume")
        elif is_there and case.verb not in ("fit", "replay", "doctor"):
            words = (words[0], "--force", *words[1:])
        for more in ((), ("--resume", "--budget", "60s")):
            try:
                status = self._start(place, (*words, *more)).wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                yield "the next command hangs"
                return
            err = (place.root / "err").read_text(errors="replace")
            if "with a larger --budget" not in err:
                break
        if status not in (0, VERDICTS.get(case.verb)):
            yield f"the next command: status {status}: {err[-600:]}"


def _fill(place: Place) -> None:
    """Makes the work directory a disk with little room."""
    kept = place.root / "kept"
    shutil.copytree(place.work, kept)
    used = sum(-(-path.stat().st_size // 4096) * 4 for path in kept.iterdir())
    size = f"size={used + 8}k"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(place.work)], check=True)
    shutil.copytree(kept, place.work, dirs_exist_ok=True)


def _cut(place: Place) -> Iterator[str]:
    """Files with their final names that are incomplete."""
    for path in place.work.rglob("OUT*"):
        if path.is_dir():
            continue
        content = path.read_bytes()
        if not content:
            yield f"{path.name} is empty"
        elif path.suffix == ".jsonl":
            for line in content.splitlines():
                with suppress(ValueError):
                    json.loads(line)
                    continue
                yield f"{path.name} has half a line"
        elif path.suffix in (".html", ".svg") and not content.rstrip().endswith(b">"):
            yield f"{path.name} is cut"


def _marked(place: Place) -> Iterator[Path]:
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{MARK}={place.mark}".encode() in environ.read_bytes().split(b"\0"):
                yield environ.parent


def _processes(place: Place) -> list[str]:
    """Processes of the case that still run 20 s after the end."""
    for _ in range(200):
        if not list(_marked(place)):
            return []
        time.sleep(0.1)
    commands = []
    for process in _marked(place):
        with suppress(OSError):
            commands.append((process / "cmdline").read_text().replace("\0", " ")[:120])
    return commands


def _kill(place: Place) -> None:
    for process in _marked(place):
        with suppress(OSError):
            os.kill(int(process.name), signal.SIGKILL)


def _shared() -> list[str]:
    """Files in shared memory: of this namespace only, where there is one."""
    if not os.environ.get(PRIVATE):
        return []
    return [path.name for path in Path("/dev/shm").iterdir()]


def _privately() -> None:
    """Starts over in a mount namespace with a /dev/shm of its own, where that is possible."""
    if os.geteuid() != 0 or os.environ.get(PRIVATE) or not shutil.which("unshare"):
        return
    script = 'mount -t tmpfs tmpfs /dev/shm && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, *sys.argv]
    os.environ[PRIVATE] = "1"
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).returncode == 0:
        os.execvp(command[0], command)
    del os.environ[PRIVATE]


def chosen(words: list[str], sample: int | None, seed: int) -> list[Case]:
    cases = [case for case in table() if all(word in case.name.split(", ") for word in words)]
    if not os.environ.get(PRIVATE):
        cases = [case for case in cases if case.event != DISK]
    if sample is not None and sample < len(cases):
        cases = random.Random(seed).sample(cases, sample)
    return cases


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--sample", type=int, help="so many cases, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", type=Path, help="a cache of hockney with what is built")
    parser.add_argument("--seconds", type=float, help="begin no further case after that time")
    parser.add_argument("--log", type=Path, help="appended to; what is right there is not tried")
    arguments = parser.parse_args()
    _privately()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # temporary files are removed
    log = Log(arguments.log)
    cases = chosen(arguments.words, arguments.sample, arguments.seed)
    cases = [case for case in cases if not log.is_right(case)]
    cases.sort(key=lambda case: (case.moment == "build", case.verb == "vary"))  # the longest last
    tried = wrong = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="endings-") as name:
        Path(name).chmod(0o755)
        endings = Endings(Path(name), arguments.engines, {case.verb for case in cases})
        for case in cases:
            if arguments.seconds is not None and time.monotonic() - began > arguments.seconds:
                break
            began_case = time.monotonic()
            outcome = endings.run(case)
            log.add(case, outcome, time.monotonic() - began_case)
            tried += 1
            wrong += bool(outcome.wrong)
            for words in outcome.wrong:
                print(f"{case.name}: {words}", flush=True)
            if not outcome.has_happened:
                print(f"{case.name}: the command was faster", flush=True)
    print(f"{tried} of {len(cases)} cases, {wrong} wrong", flush=True)
    if arguments.log is not None:
        print("\n".join(counts(log)))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
