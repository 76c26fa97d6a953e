"""What it costs to watch a large network: how long a look takes to analyse, to judge and to print,
how long the next process needs to go on, and what the directory holds.

    python watch_size.py --nodes 1024 --looks 10 100 1000

Looks are synthetic: one time of 8 bytes, in three launches of ten rounds, as --locate chooses them,
on switches of 32 nodes, each number with 1 % of noise from look to look, half an hour apart.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from hockney.cli._watcher import measured_look
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.history.readings import Reading
from hockney.infer.analysis.history.watch import Look, Watch
from hockney.infer.analysis.history.watch_state import resume, state_of
from hockney.records import LaunchRecord, PairTimes, Place, Record, RunRecord, encode, read
from hockney.run.measure.looks import append_look, read_looks
from hockney.run.measure.parts_file import PartsFile
from hockney.show.history.metrics import prometheus
from hockney.show.history.watch_lines import look_line

LAUNCHES, ROUNDS, OF_SWITCH = 3, 10, 32
BEGAN = datetime(2026, 1, 5, tzinfo=timezone.utc)
MEASURED = 5
"""The newest looks, of which the median time counts."""


def result_file(path: Path, nodes: int) -> None:
    """A result file as of a look that locates."""
    random = np.random.default_rng(1)
    lines: list[Record] = [
        RunRecord(
            schema=2,
            hockney="0.2.0",
            id="f",
            experiment="fabric",
            label="network",
            started=BEGAN.isoformat(),
        )
    ]
    places = [
        Place(rank=i, host=f"node{i:04d}", topology=f"core.leaf{i // OF_SWITCH:03d}.node{i:04d}")
        for i in range(nodes)
    ]
    for number in range(LAUNCHES):
        lines.append(LaunchRecord(launch=number, places=places))
        peers = np.concatenate([random.permutation(nodes) for _ in range(ROUNDS)]).reshape(-1, 2)
        switches = peers // OF_SWITCH
        ns = np.where(switches[:, 0] == switches[:, 1], 2000.0, 3000.0)
        ns *= random.lognormal(0.0, 0.01, len(ns))
        times = PairTimes(
            launch=number,
            pass_number=number,
            visit=0,
            visits=ROUNDS,
            operation="pingpong",
            bytes=[8],
            peers=peers.ravel().tolist(),
            ns=[np.round(ns, 1).tolist()],
        )
        lines.append(times)
    path.write_bytes(b"".join(encode(line) + b"\n" for line in lines))


def looks_like(first: Look, count: int) -> Iterator[Look]:
    random = np.random.default_rng(2)
    for number in range(1, count + 1):
        noise = random.lognormal(0.0, 0.01, len(first.readings)).tolist()
        readings = tuple(
            Reading(reading.series, reading.value * factor)
            for reading, factor in zip(first.readings, noise, strict=True)
        )
        started = (BEGAN + number * timedelta(minutes=30)).isoformat()
        file = f"look-{number:06d}.jsonl"
        yield replace(first, number=number, started=started, file=file, readings=readings)


def opened_s(directory: Path) -> float:
    """How long the next process needs until it could look."""
    began, parts = time.perf_counter(), PartsFile(directory)
    watch = Watch(0.01, parts.of)
    looks, _ = read_looks(directory, lambda *_: None, parts)
    count = resume(watch, looks, (directory / "state.npz").read_bytes())
    assert count == len(looks)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1024)
    parser.add_argument("--looks", type=int, nargs="*", default=[10, 100, 1000])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as kept:
        directory = Path(kept)
        file = directory / "result.jsonl"
        result_file(file, args.nodes)
        size, began = file.stat().st_size, time.perf_counter()
        first = measured_look(1, Analysis(read(file)), 9.0)
        analysed_s = time.perf_counter() - began
        assert first is not None
        file.unlink()
        print(
            f"{args.nodes} nodes: {len(first.readings)} numbers a look; a result file of "
            f"{size / 1e6:.2f} MB is read and analysed in {analysed_s:.2f} s"
        )
        parts = PartsFile(directory)
        watch, looks = Watch(0.01, parts.of), []
        judged, said, longest = [0.0], [0.0], 0.0
        for look in looks_like(first, max(args.looks)):
            began = time.perf_counter()
            looks.append(append_look(directory, look, parts))
            shown = watch.take(looks[-1])
            if any(0 <= count - look.number < MEASURED for count in args.looks):
                (directory / "state.npz").write_bytes(state_of(watch, looks))
            judged.append(time.perf_counter() - began)
            longest = max(longest, judged[-1])
            if shown.changes:
                print(f"look {look.number} has an alarm")
            if any(0 <= count - look.number < MEASURED for count in args.looks):
                began = time.perf_counter()
                assert shown.watched is not None
                _ = look_line(shown.watched), prometheus(watch)
                said.append(time.perf_counter() - began)
            if look.number not in args.looks:
                continue
            sizes = {path.name: path.stat().st_size / 1e6 for path in directory.iterdir()}
            print(
                f"after {look.number} looks: judged in {np.median(judged[-MEASURED:]):.3f} s "
                f"(at most {longest:.2f} s), said in {np.median(said[-MEASURED:]):.3f} s, "
                f"opened in {opened_s(directory):.2f} s; "
                + ", ".join(f"{name} {MB:.2f} MB" for name, MB in sorted(sizes.items()))
                + f", result files {look.number * size / 1e6:.0f} MB"
            )
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


if __name__ == "__main__":
    main()
