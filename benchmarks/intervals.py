"""Whether stated 95 % intervals hold the grand median of many runs in one state."""

from __future__ import annotations

import argparse

import numpy as np
from common import CLASSES, hockney


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=None)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3.0, help="wall time of a run")
    parser.add_argument("--over", type=float, help="wall time to spread a run's launches over")
    asked = parser.parse_args()
    runs = []
    for _ in range(asked.runs):
        arguments = ["--budget", f"{asked.seconds}s"]
        arguments += ["--over", f"{asked.over}s"] if asked.over else []
        runs.append(hockney(*arguments, *(["--mpicc", asked.mpicc] if asked.mpicc else [])))
    groups = _by_state(runs)
    print(
        f"{asked.runs} runs of {asked.seconds} s; states (hand-over ns: runs): "
        f"{ {ns: len(members) for ns, members in groups.items()} }"
    )
    for name, (first, last) in CLASSES.items():
        held = total = 0
        stated = []
        for members in groups.values():
            if len(members) < 5:
                continue
            for size in members[0]:
                if not first <= size <= last:
                    continue
                points = [points[size] for points in members if size in points]
                grand = float(np.median([point["median_s"] for point in points]))
                for point in points:
                    if point["low_s"] is not None:
                        total += 1
                        held += point["low_s"] <= grand <= point["high_s"]
                        stated.append(point["confidence"])
        if total:
            print(
                f"{name:7s} {held} of {total} intervals hold it: {100 * held / total:.1f} % "
                f"(stated {100 * np.mean(stated):.1f} %)"
            )


def _by_state(runs: list[dict]) -> dict[int, list[dict]]:
    """Points by size of each run's headline, grouped by the hand-over's cluster."""
    groups: dict[int, list[dict]] = {}
    for run in runs:
        ns = 1e9 * (run["run"]["states"][0]["handover_s"] or 1.0)
        points = {p["bytes"]: p for p in run["points"] if p["operation"] == "pingpong"}
        known = next((key for key in groups if abs(np.log(ns / key)) < 0.25), round(ns))
        groups.setdefault(known, []).append(points)
    return groups


if __name__ == "__main__":
    main()
