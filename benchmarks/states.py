"""Whether labels of rounds agree with 1,000 core-to-core latencies before and after each round."""

from __future__ import annotations

import argparse
import json

import numpy as np
from common import CLASSES, lines_of_judged_launches, spread

from hockney import records
from hockney.base.units import parse_sizes
from hockney.infer.estimate import estimate
from hockney.infer.estimate.states import cluster, find_states
from hockney.plan import sizes_of
from hockney.records import Run, RunRecord

SIZES = sizes_of(parse_sizes("1..4MiB"))


def run_once(mpicc: str | None, launches: int, seconds: float) -> tuple[Run, dict]:
    """A run, and the judge's two core-to-core latencies (ns) of each (launch, round)."""
    run = Run(RunRecord(schema=1, hockney="", id="", started="", experiment="pingpong"))
    judged: dict[tuple[int, int], list[float]] = {}
    for launch, lines in enumerate(lines_of_judged_launches(SIZES, mpicc, launches, seconds)):
        for line in lines:
            record = records.decode(line)
            if record is not None:
                run.add(record)
            elif b'"judge"' in line:
                truth = json.loads(line)
                judgements = judged.setdefault((launch, truth["round"]), [])
                judgements.append(float(np.median(truth["ns"])))
    return run, judged


def agreement(run: Run, judged: dict) -> tuple[int, int]:
    """The number of rounds whose two judgements are in one cluster of all of them, and of those the
    rounds whose state is that cluster: the nearest to its core-to-core latency."""
    keys = [key for key, pair in judged.items() if len(pair) == 2]
    truth = np.array([ns for key in keys for ns in judged[key]])
    labels = cluster(truth)
    centres = np.array([np.log(np.median(truth[labels == n])) for n in range(labels.max() + 1)])
    states = find_states(run)
    nearest = {
        state.id: int(np.argmin(np.abs(centres - np.log(1e9 * (state.handover_s or 1.0)))))
        for state in states.states
    }
    agreed = right = 0
    for key, (before, after) in zip(keys, labels.reshape(-1, 2).tolist(), strict=True):
        if before != after or before < 0:
            continue
        agreed += 1
        ours = states.of(*key)
        right += ours is not None and nearest[ours] == before
    return agreed, right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=None)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1.5)
    args = parser.parse_args()
    agreed = right = changed = rounds = 0
    by_state: dict[int, dict[int, list[float]]] = {}
    for _ in range(args.runs):
        run, judged = run_once(args.mpicc, 8, args.seconds / 8)
        counts = agreement(run, judged)
        agreed, right = agreed + counts[0], right + counts[1]
        estimates = estimate(run)
        changed += estimates.states.changed
        rounds += len(judged)
        for point in estimates.points:
            ns = 1e9 * (estimates.state(point.state).handover_s or 1.0)
            known = next((key for key in by_state if abs(np.log(ns / key)) < 0.25), round(ns))
            sizes = by_state.setdefault(known, {})
            if point.launches >= 3:
                sizes.setdefault(point.bytes, []).append(point.median_s)
    print(
        f"{args.runs} runs, {rounds} rounds: the judge agrees with itself on {agreed}, "
        f"the label is right on {100 * right / max(agreed, 1):.1f} % of them; "
        f"{changed} rounds set aside"
    )
    for ns, sizes in sorted(by_state.items()):
        spreads = {size: spread(values) for size, values in sizes.items() if len(values) >= 4}
        if spreads:
            runs = max(len(values) for values in sizes.values())
            each = {
                name: f"{100 * np.median([s for b, s in spreads.items() if a <= b <= z]):.2f} %"
                for name, (a, z) in CLASSES.items()
            }
            print(
                f"state {ns} ns, {runs} runs: IQR/median of medians, typical size "
                f"{100 * np.median(list(spreads.values())):.2f} % {each}"
            )


if __name__ == "__main__":
    main()
