"""Time and memory of show, fit, export and compare on large files.

    python large_files.py run.jsonl [--size 1GB] [--keep DIRECTORY]

A large file is a real small one whose launches are repeated as further launches. Each repetition
moves all of its times by a few per cent, so that launches differ as real ones do.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

SPREAD = 0.03
"""Standard deviation of the logarithm of a launch's factor."""
VERBS = {
    "show": ("show", "{a}"),
    "fit": ("fit", "{a}"),
    "export": ("export", "{a}", "--to", "csv", "-o", os.devnull, "--force"),
    "compare": ("compare", "{a}", "{b}"),
}
_TIMES = re.compile(rb'("(?:ns|own_mean_ns|own_max_ns)":\[)([^\]]+)')
_REPETITIONS = re.compile(rb'"repetitions":(\d+)')


def scaled(line: bytes, factor: float) -> bytes:
    """The line of samples with all of its times multiplied. They stay whole nanoseconds of a round
    trip over the repetitions, with seven digits, as the engine writes them."""
    repetitions = _REPETITIONS.search(line)
    steps = 2.0 * int(repetitions[1]) if repetitions else 1.0

    def times(match: re.Match[bytes]) -> bytes:
        values = (round(float(value) * factor * steps) / steps for value in match[2].split(b","))
        return match[1] + ",".join(f"{value:.7g}" for value in values).encode()

    return _TIMES.sub(times, line)


def repeated(lines: list[bytes], size: int, seed: int) -> Iterator[bytes]:
    """The first line, then launches until there are `size` bytes. Eight variants of each line are
    made, and dealt out at random."""
    chance, written, number = np.random.default_rng(seed), len(lines[0]), 0
    launches: dict[int, list[bytes]] = {}
    for line in lines[1:]:
        record = json.loads(line)
        if "launch" in record:
            launches.setdefault(record["launch"], []).append(line)
    variants = [
        [
            [scaled(line, factor) for line in launch]
            for factor in np.exp(chance.normal(0, SPREAD, 8))
        ]
        for launch in launches.values()
    ]
    yield lines[0]
    while written < size:
        launch = variants[number % len(variants)][chance.integers(8)]
        text = re.sub(rb'"launch":\d+', b'"launch":%d' % number, b"".join(launch))
        written, number = written + len(text), number + 1
        yield text


def large_file(small: Path, path: Path, size: int, seed: int) -> None:
    with path.open("wb") as file:
        for part in repeated(small.read_bytes().splitlines(keepends=True), size, seed):
            file.write(part)


def measured(words: list[str]) -> tuple[float, float, float]:
    """Wall time in s; the largest memory in MiB of one process, and of all at once."""
    with tempfile.TemporaryFile() as errors:  # not a pipe, which nobody would read meanwhile
        started = time.monotonic()
        command = ["hockney", *words]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        most, ended = 0, 0
        while not ended:
            most = max(most, sum(_resident(pid) for pid in _tree(process.pid)))
            time.sleep(0.05)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall_s = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{words}: {errors.read().decode(errors='replace')}")
    largest = usage.ru_maxrss / 1024  # of it and its children
    return wall_s, largest, most / 2**20


def _tree(pid: int) -> list[int]:
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(descendant for child in below for descendant in _tree(int(child)))]


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("small", type=Path)
    parser.add_argument("--size", default="1GB", help="of the large file: 300MB, 1GB, ...")
    parser.add_argument(
        "--keep", type=Path, help="directory for the files, and where they are kept"
    )
    parser.add_argument("--verbs", default=",".join(VERBS))
    args = parser.parse_args()
    size = int(args.size[:-2]) * {"MB": 10**6, "GB": 10**9}[args.size[-2:]]
    with tempfile.TemporaryDirectory() as directory:
        folder = args.keep or Path(directory)
        files = {name: folder / f"{args.small.stem}-{args.size}-{name}.jsonl" for name in "ab"}
        for seed, path in enumerate(files.values()):
            if not path.exists():
                large_file(args.small, path, size, seed)
        print("| verb | s | MiB, largest process | MiB, all processes |\n|---|---|---|---|")
        for name in args.verbs.split(","):
            words = [word.format(**files) for word in VERBS[name]]
            wall_s, largest, every = measured(words)
            print(f"| {name} | {wall_s:.1f} | {largest:.0f} | {every:.0f} |", flush=True)


if __name__ == "__main__":
    main()
