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
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from claim import Claim
from scipy.stats import binomtest

HERE = Path(__file__).parent
RESULTS = HERE.parent / "docs" / "claims.json"
PAGE = HERE.parent / "docs" / "claims.md"
SEED = 2026
INTRODUCTION = """# Claims

Every rate of coverage, false alarms and power that these pages state, as simulations with a known
truth measured it: how often the claimed event occurred, of how many simulated measurements, with
the exact 95 % interval of that rate (Clopper and Pearson 1934). `python benchmarks/claims.py` makes
this page and [claims.json](claims.json).""".splitlines()


@dataclass(frozen=True)
class Rate:
    """A fraction of n repetitions, with its exact 95 % interval (Clopper and Pearson 1934)."""

    count: int
    n: int

    @property
    def fraction(self) -> float:
        return self.count / self.n

    @property
    def interval(self) -> tuple[float, float]:
        exact = binomtest(self.count, self.n).proportion_ci(method="exact")
        return float(exact.low), float(exact.high)

    def refutes(self, at_most: float | None, at_least: float | None) -> bool:
        """True if the whole interval is on the wrong side of a limit."""
        low, high = self.interval
        return (at_most is not None and low > at_most) or (at_least is not None and high < at_least)


def claims() -> dict[str, Claim]:
    """All claims by name, in the order of the files and of their lists."""
    found: dict[str, Claim] = {}
    for path in sorted(HERE.glob("claims_*.py")):
        for claim in importlib.import_module(path.stem).CLAIMS:
            if claim.name in found:
                raise ValueError(f"{path.name}: a second claim named {claim.name}")
            found[claim.name] = claim
    return found


def measure(claim: Claim, n: int) -> dict[str, Any]:
    rate = Rate(*claim.run(n, SEED))
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


def page(results: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The lines of docs/claims.md."""
    yield from INTRODUCTION
    for name, result in results.items():
        low, high = result["interval"]
        yield from ("", f"## {name}", "", f"{result['stated']} ({result['where']})", "")
        yield (
            f"**{100 * result['rate']:.1f} %**: {result['count']} of {result['n']}, interval "
            f"{100 * low:.1f} to {100 * high:.1f} %{_wanted(result)}, {result['date']}."
        )


def _wanted(result: Mapping[str, Any]) -> str:
    limits = [(result["at_most"], "at most"), (result["at_least"], "at least")]
    return "".join(f", {words} {100 * limit:.4g} % claimed" for limit, words in limits if limit)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="claims (default: all)")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--times", type=float, default=1.0, help="so many times the repetitions")
    asked = parser.parse_args()
    known = claims()
    if asked.list:
        print("\n".join(known))
        return 0
    if unknown := set(asked.names) - set(known):
        parser.error(f"no such claim: {', '.join(sorted(unknown))}")
    results = {r["name"]: r for r in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
    wrong = []
    for name in asked.names or known:
        claim = known[name]
        result = results[name] = measure(claim, max(1, round(claim.n * asked.times)))
        refuted = Rate(result["count"], result["n"]).refutes(claim.at_most, claim.at_least)
        wrong += [name] if refuted else []
        print(
            f"{name}: {100 * result['rate']:.1f} % of {result['n']}"
            f"{'  NOT AS CLAIMED' if refuted else ''}",
            flush=True,
        )
        ordered = {name: results[name] for name in known if name in results}
        RESULTS.write_text(json.dumps(list(ordered.values()), indent=1) + "\n")
        PAGE.write_text("\n".join(page(ordered)) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
