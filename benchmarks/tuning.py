"""How good rules are where nothing was measured: SimGrid's own selectors are the library, every
algorithm and size of a simulated cluster is known, and rules come from every second size (--every).

Times are exact, so that whatever is lost is lost between the measured sizes. The oracle has
measured everything. Each algorithm is simulated in a run of its own, whose file in --directory is
used again; --pieces SECONDS makes as many as end in that time, and judges nothing while some are
left. An algorithm that takes longer than --longest is left out, and named; one that would is ended
at its smallest size, which is simulated alone first. What all algorithms deliver is verified, which
takes no simulated time: one that is wrong in SimGrid may seem fast.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RLIMIT_CPU, setrlimit
from statistics import geometric_mean

from hockney.base.units import parse_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.best import CollectiveCell, cells_of
from hockney.plan import Placement
from hockney.records import read
from hockney.run.measure.preparation.setup import mpi_of
from hockney.run.mpis.smpi import discover
from hockney.tuning.beyond import predicted_cells
from hockney.tuning.rules import reduce_to_rules

COLLECTIVES = "bcast,allreduce,allgather,alltoall,reduce_scatter_block"
WHOLE = ("bcast", "allreduce")
"""Collectives whose sizes go to LARGEST; the sizes of others are of one rank's block."""
SMALLEST, LARGEST, LARGEST_BLOCK = 8, 2**20, 2**16
MOST_BYTES = 2**30
"""Most bytes of the buffers of all ranks of an allgather, which lie in this machine's memory."""
SELECTORS = ("ompi", "mpich")
LONGEST_S = 100
"""Most CPU time of one algorithm at all sizes."""
LEAST_GAIN = 1e-3
"""Least mean gain of the oracle (logarithm) that counts: below it the selector takes the fastest
algorithm."""
SHORTEST_S = 4
"""Most CPU time of the smallest size: the start of 1,024 simulated ranks takes 1 s of it."""


@dataclass(frozen=True)
class HeldOut:
    """A cell that no rule was made from."""

    ratio: float
    """The library's time over that of the rules."""
    best: float
    """The library's time over that of the fastest algorithm."""
    is_ruled: bool


@dataclass(frozen=True)
class Piece:
    """One algorithm at all sizes, or the decisions of a selector."""

    collective: str
    ranks: int
    how: str
    step: int = 2
    """Factor between sizes."""
    largest: int = LARGEST

    @property
    def name(self) -> str:
        coarser = f"-x{self.step}" if self.step != 2 else ""
        fewer = f"-to-{self.largest}" if self.largest != LARGEST else ""
        return f"{self.collective}-{self.ranks}-{self.how}{coarser}{fewer}"

    @property
    def sizes(self) -> list[int]:
        block = min(LARGEST_BLOCK, MOST_BYTES // self.ranks**2)
        largest = min(LARGEST if self.collective in WHOLE else block, self.largest)
        count = int(math.log(largest // SMALLEST, self.step) + 1e-9) + 1
        return [SMALLEST * self.step**i for i in range(count)]

    def words(self, sizes: Sequence[int]) -> list[str]:
        words = [self.collective, "--platform", f"cluster:{self.ranks}", "-n", str(self.ranks)]
        words += ["--sizes", ",".join(map(str, sizes))]
        if self.how in SELECTORS:
            return [*words, "--cfg", f"smpi/coll-selector:{self.how}"]
        return [*words, "--algorithm", self.how]

    def simulate(self, directory: Path, longest_s: int) -> None:
        """Simulates into a file of results, or an empty one if it is wrong or takes too long. A
        selector takes other algorithms at other sizes: its smallest shows nothing of these."""
        part = directory / f"{self.name}.part"
        first_s = max(longest_s // len(self.sizes), SHORTEST_S)
        probes = self.how not in SELECTORS and first_s < longest_s
        ends = not probes or self._ends(self.sizes[:1], part, first_s)
        if not (ends and self._ends(self.sizes, part, longest_s)):
            part.write_text("")
        part.replace(directory / f"{self.name}.jsonl")

    def _ends(self, sizes: Sequence[int], file: Path, longest_s: int) -> bool:
        """Whether these sizes are simulated within a CPU time."""
        budget = ["--budget", "3600s", "--timeout", "900s", "-q"]
        command = ["hockney", "collective", *self.words(sizes), *budget, "--verify", "--force"]
        done = subprocess.run(
            [*command, "-o", str(file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: setrlimit(RLIMIT_CPU, (longest_s, longest_s)),
        )
        return done.returncode == 0


def pieces_of(collective: str, ranks: int, step: int, largest: int) -> list[Piece]:
    mpi, engine = mpi_of(Placement(platform="cluster:2"))
    names = [algorithm.name for algorithm in discover(mpi, engine, [collective])]
    return [Piece(collective, ranks, name, step, largest) for name in (*SELECTORS, *names)]


def simulate(
    pieces: Iterable[Piece], directory: Path, seconds: float, longest_s: int
) -> list[Piece]:
    """Simulates pieces; returns those that are left when the time is over."""
    begun = time.monotonic()
    todo = [piece for piece in pieces if not (directory / f"{piece.name}.jsonl").exists()]
    while todo and time.monotonic() - begun < seconds:
        todo[0].simulate(directory, longest_s)
        print(f"{time.monotonic() - begun:.0f} s {todo.pop(0).name}", file=sys.stderr, flush=True)
    return todo


def cells_in(directory: Path, pieces: Sequence[Piece], selector: str) -> list[CollectiveCell]:
    """All algorithms beside the decisions of one selector."""
    points = []
    for piece in pieces:
        file = directory / f"{piece.name}.jsonl"
        if file.stat().st_size and (piece.how == selector or piece.how not in SELECTORS):
            points += Analysis(read(file)).estimates.headline
    return cells_of(points, is_exact=True)


def held_out(
    cells: Sequence[CollectiveCell], first: int, every: int, beyond: bool
) -> list[HeldOut]:
    """Makes rules from some of the sizes, and judges them at the others between them."""
    ordered = sorted(cells, key=lambda cell: cell.bytes)
    measured = ordered[first::every]
    rest = [cell for number, cell in enumerate(ordered) if (number - first) % every]
    inside = [c for c in rest if measured[0].bytes < c.bytes < measured[-1].bytes]
    added = predicted_cells(measured, (), lambda *_: None) if beyond else []
    rules = reduce_to_rules([*measured, *added], lambda *_: {}).rules
    judged = []
    for cell in inside:
        assert cell.default is not None
        own = cell.default.typical_s
        held = [r for r in rules if r.holds_for(cell.collective, cell.ranks, cell.bytes)]
        times = {contender.name: contender.point.typical_s for contender in cell.contenders}
        tuned = times.get(held[0].name, math.inf) if held else own
        judged.append(HeldOut(own / tuned, max(own / min(times.values()), 1.0), bool(held)))
    return judged


def report(what: str, cells: Iterable[HeldOut]) -> None:
    judged = list(cells)
    if not judged:
        return
    ruled = [cell.ratio for cell in judged if cell.is_ruled]
    possible = sum(math.log(cell.best) for cell in judged)
    kept = sum(math.log(cell.ratio) for cell in judged)
    worst = 1.0 / min(cell.ratio for cell in judged)
    lost = sum(cell.ratio < 1.0 / 1.02 for cell in judged)
    gained = f"{100.0 * kept / possible:.0f} % of the oracle's gain" if possible else ""
    if possible < len(judged) * LEAST_GAIN:
        gained = "the oracle gains nothing"
    mean = f"{geometric_mean(ruled):.2f}" if ruled else "-"
    print(
        f"{what:42} {len(judged):4d} cells, {len(ruled):4d} ruled: {mean} times as fast; slower by "
        f"2 % or more: {lost}, at most {max(worst, 1.0):.3f} times; {gained}",
        flush=True,
    )


def too_long(directory: Path, pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces that failed, were wrong, or took too long."""
    return [piece for piece in pieces if not (directory / f"{piece.name}.jsonl").stat().st_size]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", type=Path, required=True, help="for the simulated runs")
    parser.add_argument("--ranks", default="64,256,1024")
    parser.add_argument("--collectives", default=COLLECTIVES)
    parser.add_argument("--step", type=int, default=2, help="factor between sizes")
    parser.add_argument("--every", type=int, default=2, help="rules come from one size in so many")
    parser.add_argument("--largest", type=parse_size, default=LARGEST, help="size")
    parser.add_argument("--longest", type=int, default=LONGEST_S, help="CPU seconds")
    parser.add_argument("--pieces", type=float, default=math.inf, metavar="SECONDS")
    args = parser.parse_args()
    args.directory.mkdir(parents=True, exist_ok=True)
    studies = [
        pieces_of(collective, ranks, args.step, args.largest)
        for ranks in map(int, args.ranks.split(","))
        for collective in args.collectives.split(",")
    ]
    pieces = (piece for each in studies for piece in each)
    left = simulate(pieces, args.directory, args.pieces, args.longest)
    if left:
        raise SystemExit(f"{len(left)} pieces are left")
    every: dict[bool, list[HeldOut]] = {False: [], True: []}
    for selector in SELECTORS:
        for pieces in studies:
            if selector in {piece.how for piece in too_long(args.directory, pieces)}:
                continue  # nothing to compare with
            cells = cells_in(args.directory, pieces, selector)
            for beyond, judged in every.items():
                firsts = range(min(args.every, len(cells)))
                here = [o for first in firsts for o in held_out(cells, first, args.every, beyond)]
                judged += here
                rule = "predicted" if beyond else "measured"
                report(f"{selector} {pieces[0].ranks} {pieces[0].collective}, {rule}", here)
    for beyond, judged in every.items():
        report("all, with predicted cells" if beyond else "all, measured cells alone", judged)
    for pieces in studies:
        for piece in too_long(args.directory, pieces):
            print(f"left out: {piece.name}")


if __name__ == "__main__":
    main()
