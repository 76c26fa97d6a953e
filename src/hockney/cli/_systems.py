"""Reads the runs of a report: there may be thousands, but it describes and draws only a few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hockney import records
from hockney.cli._files import followed, warn, warn_of_cut
from hockney.infer.analysis import Analysis
from hockney.infer.index import Index
from hockney.infer.index.report_rows import REDUCED
from hockney.plan import plan_of
from hockney.records.reading import header_of

MOST_WHOLE = 20
"""Files of one experiment that the page describes and draws: each takes 0.1 MB and up to a second.
Others are rows of a table."""


def systems(files: Sequence[Path]) -> Iterator[Analysis]:
    """The first files of each experiment whole; the others as estimates, which are computed once a
    file. Runs that compare variants are no rows of a table, and always whole."""
    read: Counter[str] = Counter()
    index = Index.in_cache()
    for path in followed(files, "files read"):
        header = header_of(path)
        plan = plan_of(header.options) if header else None
        if header is None or read[header.experiment] < MOST_WHOLE or (plan and plan.comparison):
            analysis = Analysis(records.read(path))
        else:
            analysis = index.of(path, REDUCED).analysis(path)
        warn_of_cut(path, analysis.run.cut)
        read[analysis.run.header.experiment] += 1
        yield analysis
    index.close()
    warn(index.notes)
