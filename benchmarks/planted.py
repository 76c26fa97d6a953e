"""Whether gates find planted faults: hits, misses, false alarms and "not judged", with n.

Times of pairs are computed from the links of each network (tests/planted_networks.py), with noise
of each launch, and go to the engine that fabric, cores and pairs share.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from claim import Rate

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from planted_networks import FAULTS, SHAPES, can_be_known, outcome, planted

OUTCOMES = ("right", "missed", "false", "not judged")

Cell = tuple[str, str, str]
"""The planted fault, the noise, and whether the fault can be known."""


def cases(nodes: Sequence[int], seeds: int) -> Iterator[tuple[str, int, str, str, bool, int]]:
    for shape, count, fault in itertools.product(SHAPES, nodes, FAULTS):
        topologies = (False, True) if shape in ("tree", "fat-tree") else (False,)
        for verb, known in itertools.product(("fabric", "pairs"), topologies):
            for seed in range(seeds):
                yield shape, count, fault, verb, known, seed


def judged_case(case: tuple[str, int, str, str, bool, int, float, int]) -> tuple[Cell, str] | None:
    shape, nodes, fault, verb, known, seed, noise, launches = case
    network = planted(shape, nodes, fault, seed)
    if network is None:
        return None
    verdict = outcome(network, verb, noise, 1 if noise == 0.0 else launches, known, seed)
    kind = "nothing" if fault == "none" else "1.2x" if "1.2x" in fault else "2x"
    knowable = {True: "yes", False: "no", None: "may decline"}[can_be_known(network, verb)]
    return (kind, f"{100.0 * noise:g} %", knowable), verdict


def show(counts: dict[Cell, Counter[str]]) -> None:
    print(f"{'planted':>8} {'noise':>6} {'knowable':>12} {'n':>6}  " + "  ".join(OUTCOMES))
    for cell, outcomes in sorted(counts.items()):
        n = outcomes.total()
        each = "  ".join(f"{Rate(outcomes[name], n)!s:>24}" for name in OUTCOMES)
        print(f"{cell[0]:>8} {cell[1]:>6} {cell[2]:>12} {n:>6}  {each}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="*", default=[8, 16, 64, 256])
    parser.add_argument("--noise", type=float, nargs="*", default=[0.0, 0.03, 0.1])
    parser.add_argument("--launches", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3600.0, help="stop after that long")
    parser.add_argument("--list", action="store_true", help="print each case that is not right")
    args = parser.parse_args()
    every = [
        (*case, noise, args.launches)
        for case in cases(args.nodes, args.seeds)
        for noise in args.noise
    ]
    every.sort(key=lambda case: case[5])  # the first seed of all, then the second
    counts: dict[Cell, Counter[str]] = {}
    end = time.monotonic() + args.seconds
    with ProcessPoolExecutor(args.processes) as pool:
        for case, judged in zip(every, pool.map(judged_case, every, chunksize=20), strict=True):
            if time.monotonic() > end:
                pool.shutdown(cancel_futures=True)
                break
            if judged is None:
                continue
            counts.setdefault(judged[0], Counter())[judged[1]] += 1
            if args.list and judged[1] in ("missed", "false"):
                print(*case, *judged, flush=True)
    show(counts)


if __name__ == "__main__":
    main()
