"""Runs `make test` many times in a row, some of them disturbed, and counts what failed.

    python tests/always_green.py --runs 20 --busy 10 --frozen 5

A busy run has a process beside it that never rests. In a frozen one, a process of the tests, chosen
at random, is stopped for a moment again and again, as on a machine that others share: this finds
tests that depend on time without waiting for a bad day. Each run is one line; the status is 1 if
any run failed. The output of each run is kept in build/always_green/.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import kill
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build" / "always_green"
CLOSING = re.compile(r"^=*\s*(\d+ (?:passed|failed).*? in [\d.]+s).*$", re.MULTILINE)
"""pytest's last line."""
RUNS_S, STOPPED_S = (0.02, 0.2), (0.05, 0.5)
"""How long all processes run between two freezes, and how long one is stopped."""


@contextmanager
def busy_loop() -> Iterator[None]:
    """One process that never rests, while the run lasts."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def descendants(root: int) -> list[int]:
    """The processes that `root` has started, and theirs."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    processes = [root]
    for process in processes:
        processes += children.get(process, [])
    return processes[1:]


@contextmanager
def freezes(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Stops one descendant of `process` after another for a moment."""
    ended = threading.Event()
    chance = random.Random()

    def freeze() -> None:
        while not ended.wait(chance.uniform(*RUNS_S)):
            descendant = chance.choice(descendants(process.pid) or [0])
            with suppress(OSError):
                if descendant:
                    kill(descendant, signal.SIGSTOP)
                    ended.wait(chance.uniform(*STOPPED_S))
                    kill(descendant, signal.SIGCONT)

    thread = threading.Thread(target=freeze)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def run_once(number: int, kind: str) -> bool:
    """Runs `make test`, prints one line about it, and returns whether it was green."""
    log = LOGS / f"{number}.log"
    began = time.strftime("%H:%M:%S")
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["make", "test"], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
        )
        disturbed = {"busy": busy_loop, "frozen": lambda: freezes(process)}
        if kind in disturbed:
            with disturbed[kind]():
                process.wait()
        status = process.wait()
    text = log.read_text(errors="replace")
    closing = CLOSING.findall(text)
    failed = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR "))]
    print(f"{number:3} {began} {kind:6} status {status}  {closing[-1] if closing else 'no end'}")
    print("".join(f"      {line}\n" for line in failed), end="", flush=True)
    return status == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--busy", type=int, default=10, help="how many run beside a busy loop")
    parser.add_argument("--frozen", type=int, default=0, help="in how many processes are stopped")
    arguments = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    subprocess.run(["make", "--quiet", ".venv/.installed"], cwd=ROOT, check=True)
    kinds = ["busy"] * arguments.busy + ["frozen"] * arguments.frozen
    kinds += ["quiet"] * (arguments.runs - len(kinds))
    # In a random order, so that a change of the machine meets all.
    random.Random(1).shuffle(kinds)
    green = [run_once(number, kind) for number, kind in enumerate(kinds, 1)]
    print(f"{sum(green)} of {len(green)} runs green")
    return 0 if all(green) else 1


if __name__ == "__main__":
    sys.exit(main())
