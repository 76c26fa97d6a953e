"""Measures every rate of coverage, false alarms and power that the pages state.

    python claims.py                   # all of them; some minutes
    python claims.py NAME...           # some of them again
    python claims.py --list

Each claim is a simulation in a claims_*.py beside this file. The results go into docs/claims.json,
and the page docs/claims.md is made from it. A test fails where a page states another figure.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from itertools import groupby
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path
from typing import Any

from claim import Claim, Rate

HERE = Path(__file__).parent
RESULTS = HERE.parent / "docs" / "claims.json"
PAGE = HERE.parent / "docs" / "claims.md"
SEED = 2026
HEADING = "| case | stated | measured | interval | count |"
INTRODUCTION = """# Claims

Every rate of coverage, false alarms and power that these pages state, as simulations with a known
truth measured it: how often the claimed event occurred, of how many simulated measurements, with
the exact 95 % interval of that rate (Clopper and Pearson 1934). `python benchmarks/claims.py` makes
this page and [claims.json](claims.json).""".splitlines()


def claims() -> dict[str, Claim]:
    """All claims by name, in the order of the files and of their lists."""
    by_name: dict[str, Claim] = {}
    for path in sorted(HERE.glob("claims_*.py")):
        for claim in importlib.import_module(path.stem).CLAIMS:
            if claim.name in by_name:
                raise ValueError(f"{path.name}: a second claim named {claim.name}")
            by_name[claim.name] = claim
    return by_name


def measure(name: str, times: float) -> dict[str, Any]:
    """Runs one claim's simulation, with so many times its own number of repetitions."""
    claim = claims()[name]
    rate = Rate(*claim.run(max(1, round(claim.n * times)), SEED))
    return {
        "name": claim.name,
        "where": claim.where,
        "stated": claim.stated,
        "at_most": claim.at_most,
        "at_least": claim.at_least,
        "count": rate.count,
        "n": rate.n,
        "rate": rate.fraction,
        "interval": rate.interval,
        "date": datetime.now(UTC).date().isoformat(),
    }


def anchor(name: str) -> str:
    """The end of a link to a claim, after the #."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def page(results: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The lines of docs/claims.md: a table for each page and section that states something."""
    yield from INTRODUCTION
    for where, group in groupby(results.values(), key=itemgetter("where")):
        yield from ("", f"## {where}", "", HEADING, "|---|---|---|---|---|")
        yield from map(_row, group)


def _row(result: Mapping[str, Any]) -> str:
    low, high = (100 * limit for limit in result["interval"])
    return (
        f'| <a id="{anchor(result["name"])}"></a>{result["name"]} | {result["stated"]} '
        f"| {100 * result['rate']:.3g} % | {low:.3g} to {high:.3g} % "
        f"| {result['count']} of {result['n']} |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="claims (default: all)")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--times", type=float, default=1.0, help="so many times the repetitions")
    parser.add_argument("--workers", type=int, default=2, help="claims at the same time")
    args = parser.parse_args()
    known = claims()
    if args.list:
        print("\n".join(known))
        return 0
    if unknown := set(args.names) - set(known):
        parser.error(f"no such claim: {', '.join(sorted(unknown))}")
    results = {r["name"]: r for r in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
    names = args.names or list(known)
    refuted = []
    # Threads of the linear algebra wait for each other longer than these small matrices take; only
    # a process that is started afresh reads this.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ProcessPoolExecutor(args.workers, get_context("spawn")) as workers:
        for result in workers.map(measure, names, [args.times] * len(names)):
            results[result["name"]] = result
            rate = Rate(result["count"], result["n"])
            is_refuted = rate.refutes(result["at_most"], result["at_least"])
            refuted += [result["name"]] if is_refuted else []
            print(
                f"{result['name']}: {100 * rate.fraction:.3g} % of {rate.n}"
                f"{'  NOT AS CLAIMED' if is_refuted else ''}",
                flush=True,
            )
            _write([results[name] for name in known if name in results])
    return 1 if refuted else 0


def _write(ordered: list[dict[str, Any]]) -> None:
    """After each claim: an interrupted run loses none that was measured."""
    RESULTS.write_text(json.dumps(ordered, indent=1) + "\n")
    PAGE.write_text("\n".join(page({result["name"]: result for result in ordered})) + "\n")


if __name__ == "__main__":
    sys.exit(main())
