"""The output of `hockney show --diagnose`: each finding with the sizes at which it was found."""

from __future__ import annotations

from itertools import groupby

from hockney.base.units import first_few, format_size, how_many
from hockney.infer.analysis.conditions.diagnose import ADVICE, Diagnosis, Finding

MOST_LISTED = 4
"""Sizes listed for one kind; the rest is counted."""


def diagnosis_lines(diagnosis: Diagnosis) -> list[str]:
    if diagnosis.not_possible:
        return [f"diagnosis: not possible, as {diagnosis.not_possible}"]
    if not diagnosis.findings:
        looked_for = "cold start, modes, gaps, drift, bursts, long times, period or autocorrelation"
        return [f"diagnosis: no {looked_for} was found"]
    lines = ["diagnosis:"]
    for what, group in groupby(diagnosis.findings, key=lambda finding: finding.what):
        findings = list(group)
        points = f" at {how_many(len(findings), 'point')}"
        lines.append(f"  {what}{'' if findings[0].bytes is None else points}")
        words = [f"{each.operation}, {_size(each)}: {each.words}" for each in findings]
        few = first_few(words, MOST_LISTED)
        lines += [f"    {line}" for line in (*few, f"-> {ADVICE[what]}")]
    return lines


def _size(finding: Finding) -> str:
    return "all sizes" if finding.bytes is None else format_size(finding.bytes)
