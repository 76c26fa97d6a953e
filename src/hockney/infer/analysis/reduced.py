"""A run without its samples, as a table of hundreds of runs keeps it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.findings import DecidingFinding
from hockney.infer.estimate import Estimates
from hockney.records import End, LaunchRecord, PathRecord, Run, RunRecord


class Reduced(msgspec.Struct, frozen=True):
    """The stored part of an analysis."""

    header: RunRecord
    launches: list[LaunchRecord]
    """The first launch in full, of the others the numbers, and the libraries of variants."""
    ends: list[End]
    cut: str | None
    estimates: Estimates
    """Estimates without the state of each round."""
    of_every_launch: Estimates | None
    """Estimates of every launch; None if they are the same."""
    findings: list[DecidingFinding]
    """Findings that follow from the run alone."""
    paths: list[PathRecord] = []
    """What carried the messages of the first launch."""

    @classmethod
    def of(cls, analysis: Analysis) -> Reduced:
        """Computes the estimates and the findings, and drops all else."""
        run, own, every = analysis.run, analysis.estimates, analysis.of_every_launch
        return cls(
            run.header,
            [*run.launches[:1], *map(_numbered, run.launches[1:])],
            run.ends,
            run.cut,
            _without_rounds(own),
            None if every is own else _without_rounds(every),
            list(analysis.findings_by_itself),
            [path for path in run.paths if path.launch == run.launches[0].launch],
        )

    def analysis(self, path: Path) -> Analysis:
        """The analysis of the run in that file, with only these estimates."""
        run = Run(
            self.header,
            path=path,
            cut=self.cut,
            launches=self.launches,
            ends=self.ends,
            paths=self.paths,
        )
        every = self.of_every_launch or self.estimates
        return Analysis.of_estimates(run, self.estimates, every, self.findings)


def _numbered(launch: LaunchRecord) -> LaunchRecord:
    if launch.variant is None:
        return LaunchRecord(launch=launch.launch)
    return LaunchRecord(launch=launch.launch, variant=launch.variant, mpi=launch.mpi)


def _without_rounds(estimates: Estimates) -> Estimates:
    return replace(estimates, states=replace(estimates.states, rounds={}))
