"""Definitions for --explain: how a sample is made, and what each column of a table holds."""

from __future__ import annotations

import re

from hockney.infer.analysis import Analysis
from hockney.infer.estimate.quantiles import FEW_RULE
from hockney.infer.estimate.sketch import SAMPLES_FOR_P99
from hockney.show.experiments import view_of

COLUMNS = {
    "bytes": "size of a message",
    "pairs": "pairs of ranks that exchange messages at the same time",
    "launches": "starts of the MPI program; left out where all rows have as many",
    "min": "smallest sample",
    "median": "the median over launches of each launch's median",
    "completion": "the median over launches of the median of the samples",
    "interval": f"confidence interval of the median over launches, and its half-width; {FEW_RULE}",
    "p99": f"99 % quantile inside a launch; it takes {SAMPLES_FOR_P99} samples in a launch",
    "max": "largest sample",
    "MiB/s": "size over median, in MiB (1048576 bytes) a second",
    "all MiB/s": "sum over the pairs where all communicate for the same time; where each sends "
    "as many as the others, over the time of the slowest pair",
    "messages/s": "messages of all pairs together",
    "floor": "half of a round trip of one cache line between the two cores, without MPI",
    "MPI/floor": "median over floor",
    "95 % of other runs": "interval for another run's median, by how much equal runs differ",
    "own mean": "mean over ranks of their own durations, as other suites print it",
    "own max": "longest of the ranks' own durations",
    "median pair": "median of the pairs",
    "slowest pair": "the slowest pair of each visit",
    "slowdown": "a pair's time over its time alone, in the same run",
    "best pair": "the pair with the smallest median",
    "worst pair": "the pair with the largest median",
    "p99.9": "99.9 % quantile; left out where launches have too few samples for it",
    "load": "bytes that all aggressors together exchanged in a second",
    "alone": "without load or computation, in the same rounds",
    "loaded": "under load, in the same rounds",
    "factor": "loaded over alone, of medians in the same launch",
    "hidden": "fraction of the time alone that disappears behind computation as long as it",
    "host overhead": "time in which the rank could not compute",
    "predicted": "message by message, from single messages of the same launches",
    "ratio": "time over that of what it is compared with, in the same launches or blocks",
    "two-sided": "the two-sided exchange of the same size, in the same launches",
    "verdict": "by a test at 95 % for all rows together; unknown: neither faster, slower nor same",
    "shows from": "smaller differences could not have been shown",
    "adjusted": "less what the compute probe explains, as cores computed at other speeds",
    "blocks": "launches of each variant next to each other, which are compared",
    "at most": "largest time over that of the fastest algorithm, over the patterns of arrival",
    "o_s": "overhead of a send: time in the call",
    "o_r": "overhead of a receive whose message is there",
    "gap": "from one message of a train to the next",
    "of it": "fraction of the whole",
    "std/mean": "standard deviation over mean",
}
"""What columns hold, by their headings."""


def explained(analysis: Analysis, shown: str) -> list[str]:
    """How samples of this run are made, and the columns of the tables in the text `shown`."""
    lines = [*view_of(analysis).definitions(analysis)]
    lines += [f"{name}: {words}" for name, words in COLUMNS.items() if _heads(name, shown)]
    return ["what the numbers are", *(f"  {line}" for line in lines)]


def _heads(name: str, shown: str) -> bool:
    """Whether a table has a column of that heading: a cell between runs of spaces, before which an
    interval may have its confidence."""
    cell = rf"(^|  )(\d+ % )?{re.escape(name)}(  |$)"
    return any(re.search(cell, line) for line in shown.splitlines())
