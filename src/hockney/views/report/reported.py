"""What the report shows of one file, as `show --json` and `fit --json` have it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from hockney.analysis import Analysis
from hockney.analysis.diagnose import Finding
from hockney.errors import HockneyError
from hockney.fitting.fit import Fit
from hockney.views.as_json import fit_json, run_json
from hockney.views.experiments import view_of
from hockney.views.warnings import warning_lines

MODELS = ("hockney", "segmented")
"""What a report fits to one curve, in this order."""
MOST_DIAGNOSED = 50_000
"""Visits; the search for periods in more of them takes longer than the rest of the report."""


class Reported:
    """One file with its label."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.label = analysis.label
        self.run = analysis.run

    @cached_property
    def fits(self) -> tuple[Fit, ...]:
        """Those of MODELS that the data allow; empty where there are several curves."""
        fits = []
        for name in MODELS:
            try:
                fits.append(self.analysis.fit(name))
            except HockneyError:
                continue
        return tuple(fits)

    @cached_property
    def warnings(self) -> list[str]:
        return warning_lines(self.analysis)

    @cached_property
    def show(self) -> dict[str, Any]:
        """The output of `hockney show --json`."""
        fields = view_of(self.analysis).fields(self.analysis, False)
        return {"run": run_json(self.analysis), **fields, "warnings": self.warnings}

    @cached_property
    def fit(self) -> dict[str, Any]:
        """The output of `hockney fit --json` for all of MODELS."""
        file = str(self.run.path)
        return {"fits": [{"label": self.label, "file": file, **fit_json(f)} for f in self.fits]}

    @cached_property
    def findings(self) -> list[Finding] | None:
        """None where there are more than MOST_DIAGNOSED visits."""
        return self.analysis.diagnosis if len(self.run.samples) <= MOST_DIAGNOSED else None
