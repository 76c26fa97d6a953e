"""How good rules are where nothing was measured: SimGrid's own selectors are the library, every
algorithm and size of a simulated cluster is known, and rules come from every second size.

Times are exact, so that whatever is lost is lost between the measured sizes. The oracle has
measured everything. Files of earlier runs in --directory are used again.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from hockney.analysis import Analysis
from hockney.analysis.best import Cell, cells_of
from hockney.records import read
from hockney.spec.workloads.collective import DEFAULT
from hockney.tuning.beyond import predicted_cells
from hockney.tuning.rules import reduce_to_rules

COLLECTIVES = "bcast,allreduce,allgather,alltoall,reduce_scatter_block"
LARGE = ("bcast", "allreduce")
"""Collectives whose sizes go to 1 MiB; those of the others are of one rank's block."""
SELECTORS = ("ompi", "mpich")


@dataclass(frozen=True)
class HeldOut:
    """A cell that no rule was made from."""

    ratio: float
    """The library's time over that of the rules."""
    best: float
    """The same of the fastest algorithm."""
    is_ruled: bool


def simulated(directory: Path, collective: str, ranks: int, selector: str) -> Path:
    """A run of the library's own decisions, or (without a selector) of all algorithms."""
    file = directory / f"{collective}-{ranks}-{selector or 'all'}.jsonl"
    if not file.exists():
        words = ["--algorithm", "default"] if selector else ["--algorithm", "all"]
        if selector:
            words += ["--cfg", f"smpi/coll-selector:{selector}"]
        sizes = "8..1MiB" if collective in LARGE else "8..64KiB"
        words += ["--platform", f"cluster:{ranks}", "--ranks", str(ranks), "--sizes", sizes]
        words += ["--budget", "3600s", "--timeout", "900s", "-q", "-o", str(file)]
        done = subprocess.run(["hockney", "collective", collective, *words], stdout=sys.stderr)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{collective} of {ranks} ranks could not be simulated")
    return file


def cells_in(directory: Path, collective: str, ranks: int, selector: str) -> list[Cell]:
    """All algorithms beside the decisions of one selector."""
    every = Analysis(read(simulated(directory, collective, ranks, ""))).estimates.headline
    own = Analysis(read(simulated(directory, collective, ranks, selector))).estimates.headline
    points = [p for p in every if p.algorithm != DEFAULT] + [
        p for p in own if p.algorithm == DEFAULT
    ]
    return cells_of(points, is_exact=True)


def held_out(cells: Sequence[Cell], first: int, beyond: bool) -> list[HeldOut]:
    """Rules from every second size, judged at the others."""
    ordered = sorted(cells, key=lambda cell: cell.bytes)
    measured, rest = ordered[first::2], ordered[1 - first :: 2]
    inside = [c for c in rest if measured[0].bytes < c.bytes < measured[-1].bytes]
    added = predicted_cells(measured, (), lambda *_: None) if beyond else []
    rules = reduce_to_rules([*measured, *added], lambda *_: {}).rules
    found = []
    for cell in inside:
        assert cell.default is not None
        own = cell.default.typical_s
        held = [r for r in rules if r.holds_for(cell.collective, cell.ranks, cell.bytes)]
        times = {one.name: one.point.typical_s for one in cell.contenders}
        tuned = times.get(held[0].name, math.inf) if held else own
        found.append(HeldOut(own / tuned, max(own / min(times.values()), 1.0), bool(held)))
    return found


def report(what: str, cells: Iterable[HeldOut]) -> None:
    found = list(cells)
    ruled = [one.ratio for one in found if one.is_ruled]
    possible = sum(math.log(one.best) for one in found)
    share = sum(math.log(one.ratio) for one in found) / possible if possible else 1.0
    worst = 1.0 / min((one.ratio for one in found), default=1.0)
    lost = sum(one.ratio < 1.0 / 1.02 for one in found)
    gained = f"{100.0 * share:.0f} % of the oracle's gain"
    mean = f"{geometric_mean(ruled):.2f}" if ruled else "-"
    print(
        f"{what:42} {len(found):4d} cells, {len(ruled):4d} ruled: {mean} times as fast; slower by "
        f"2 % or more: {lost}, at most {max(worst, 1.0):.3f} times; {gained}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", type=Path, required=True, help="for the simulated runs")
    parser.add_argument("--ranks", default="64,256,1024")
    parser.add_argument("--collectives", default=COLLECTIVES)
    asked = parser.parse_args()
    asked.directory.mkdir(parents=True, exist_ok=True)
    every: dict[bool, list[HeldOut]] = {False: [], True: []}
    for selector in SELECTORS:
        for ranks in map(int, asked.ranks.split(",")):
            for collective in asked.collectives.split(","):
                cells = cells_in(asked.directory, collective, ranks, selector)
                for beyond, found in every.items():
                    here = [one for first in (0, 1) for one in held_out(cells, first, beyond)]
                    found += here
                    rule = "predicted" if beyond else "measured"
                    report(f"{selector} {ranks} {collective}, {rule}", here)
    for beyond, found in every.items():
        report("all, with predicted cells" if beyond else "all, measured cells alone", found)


if __name__ == "__main__":
    main()
