"""Runs `make test` many times in a row, half of them beside a busy loop, and counts what failed.

    python tests/always_green.py --runs 20 --busy 10

Each run is one line; the status is 1 if any run failed. The output of each run is kept in
build/always_green/.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build" / "always_green"
CLOSING = re.compile(r"^=*\s*(\d+ (?:passed|failed).*? in [\d.]+s).*$", re.MULTILINE)
"""pytest's last line."""


@contextmanager
def busy_loop(wanted: bool) -> Iterator[None]:
    """One process that never rests, while the run lasts."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if wanted else None
    try:
        yield
    finally:
        if process is not None:
            process.kill()
            process.wait()


def run_once(number: int, busy: bool) -> bool:
    """Runs `make test`, prints one line about it, and returns whether it was green."""
    log = LOGS / f"{number}.log"
    began = time.strftime("%H:%M:%S")
    with busy_loop(busy), log.open("wb") as output:
        status = subprocess.run(
            ["make", "test"], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False
        ).returncode
    text = log.read_text(errors="replace")
    closing = CLOSING.findall(text)
    failed = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR "))]
    kind = "busy" if busy else "quiet"
    print(f"{number:3} {began} {kind:5} status {status}  {closing[-1] if closing else 'no end'}")
    print("".join(f"      {line}\n" for line in failed), end="", flush=True)
    return status == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--busy", type=int, default=10, help="how many run beside a busy loop")
    asked = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    # Quiet and busy ones take turns, so that a change of the machine meets both.
    kinds = [number * asked.busy // asked.runs for number in range(asked.runs + 1)]
    green = [
        run_once(number, busy=kinds[number] > kinds[number - 1])
        for number in range(1, asked.runs + 1)
    ]
    print(f"{sum(green)} of {len(green)} runs green")
    return 0 if all(green) else 1


if __name__ == "__main__":
    sys.exit(main())
