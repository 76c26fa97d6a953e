"""Collects measured algorithms from result files: cells, and the variables that forced each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.best import CollectiveCell, Contender, is_collective, name_of
from hockney.infer.analysis.comparison.run_drift import RunDrift
from hockney.infer.memory.host import EarlierRun
from hockney.plan.workloads.collective import DEFAULT
from hockney.records import MpiFacts, Run
from hockney.run.mpis import RulesFormat
from hockney.tuning.groups import CellGroup, Drifts, by_layout, plain, robust_group
from hockney.tuning.layouts import NodeLayout, chosen
from hockney.tuning.rules import Settings

FORCING = ("OMPI_MCA_coll_tuned_", "MPIR_CVAR_", "I_MPI_ADJUST_")
"""Prefixes of the variables that choose algorithms."""


@dataclass(frozen=True)
class Measured:
    analyses: tuple[Analysis, ...]
    mpi: MpiFacts
    settings: dict[tuple[str, int, str], dict[str, str]]
    """Forcing variables, by collective, ranks and algorithm."""
    drifts: Drifts = field(default_factory=dict)
    """How much each pair of runs differs beyond its launches."""

    def settings_of(self, collective: str, ranks: int, algorithm: str) -> Settings:
        """Variables that forced an algorithm; of other numbers of ranks if this one was not
        measured."""
        exact = self.settings.get((collective, ranks, algorithm))
        if exact is not None:
            return exact
        others = (
            settings
            for (name, _, forced), settings in self.settings.items()
            if (name, forced) == (collective, algorithm)
        )
        return next(others, {})

    def groups(
        self, form: RulesFormat, layouts: Sequence[NodeLayout] | None, robust: bool
    ) -> list[CellGroup]:
        """Cells that get rules of their own. layouts: None to ignore them, empty for all that were
        measured. Raises UsageError where no gain of rules can be known."""
        if layouts is not None:
            groups = by_layout(
                self.analyses, self.drifts, chosen(self.analyses, layouts), form, robust
            )
        else:
            groups = [robust_group(self.analyses) if robust else plain(self.analyses, self.drifts)]
        cells = [cell for group in groups for cell in group.cells]
        if not cells:
            raise UsageError(
                "these files have no collectives",
                "measure them: hockney collective bcast --algorithm all",
            )
        if all(cell.default is None for cell in cells):
            raise UsageError(
                "the library's own decision was not measured, so the gain of rules is unknown",
                "measure it with the others: --algorithm all or --algorithm default,...",
            )
        return groups


def only(
    groups: Sequence[CellGroup], form: RulesFormat, version: str | None
) -> tuple[list[CellGroup], list[str]]:
    """The cells and algorithms that rules of this format can name for this version of the library,
    and a line for each of the others."""
    cells = [cell for group in groups for cell in group.cells]
    others = {cell.collective for cell in cells if cell.collective not in form.collectives}
    unsaid = {
        f"{cell.collective} by {contender.point.algorithm} with {what} of its own"
        for cell in cells
        for contender in cell.contenders
        if cell.collective not in others and (what := _unsayable(cell, contender, form, version))
    }

    def sayable(cell: CollectiveCell) -> CollectiveCell:
        kept = [each for each in cell.contenders if not _unsayable(cell, each, form, version)]
        return replace(cell, contenders=tuple(kept))

    kept = [
        replace(group, cells=tuple(sayable(c) for c in group.cells if c.collective not in others))
        for group in groups
    ]
    return kept, [*sorted(others), *sorted(unsaid)]


def _unsayable(
    cell: CollectiveCell, contender: Contender, form: RulesFormat, version: str | None
) -> str | None:
    """The parameters of an algorithm that rules of this format cannot set; None where they can set
    all."""
    point, name = contender.point, contender.point.algorithm or ""
    if point.radix is not None and not form.has_radix(cell.collective, name):
        return "a radix"
    if point.requests is not None and not form.has_requests(version, cell.collective, name):
        return "a number of requests"
    return None


def measured(analyses: Sequence[Analysis], earlier: Sequence[EarlierRun] = ()) -> Measured:
    """The measured algorithms of runs of one library. earlier: runs that show how much equal runs
    differ, where the library's own decision is in another file than an algorithm. Raises UsageError
    for copies of a run, which would count as another measurement."""
    by_id: dict[str, Analysis] = {}
    for analysis in analyses:
        same = by_id.setdefault(analysis.run.header.id, analysis)
        if same is not analysis:
            raise UsageError(
                f"{analysis.run.path} is the same run as {same.run.path}", "name each run once"
            )
    mpi, settings = library_of(analyses), _settings([analysis.run for analysis in analyses])
    return Measured(tuple(analyses), mpi, settings, RunDrift.of_each_two(analyses, earlier))


def points_of(analyses: Sequence[Analysis]) -> list[tuple[str, int, int]]:
    """Collective, ranks and bytes of all measured points, of any algorithm."""
    points = {
        (point.operation, point.ranks, point.bytes)
        for analysis in analyses
        for point in analysis.estimates.headline
        if is_collective(point) and not point.has_own_calls and point.groups is None
        if point.ranks is not None
    }
    if not points:
        raise UsageError(
            "these files have no collectives",
            "measure them: hockney collective bcast --algorithm all",
        )
    return sorted(points)


def library_of(analyses: Sequence[Analysis]) -> MpiFacts:
    """The only library of these runs."""
    runs = [analysis.run for analysis in analyses]
    known = [launch.mpi for run in runs for launch in run.launches]
    if not known:
        raise UsageError("these files have no launches: nothing was measured")
    if any(run.is_simulated for run in runs):
        raise UsageError("these runs were simulated, but rules are for a real MPI library")
    names = {(mpi.library, mpi.version) for mpi in known}
    if len(names) > 1:
        words = ", ".join(sorted(f"{library} {version}" for library, version in names))
        raise UsageError(
            f"these files are of different libraries: {words}", "tune each from its own files"
        )
    return known[0]


def _settings(runs: Iterable[Run]) -> dict[tuple[str, int, str], dict[str, str]]:
    settings: dict[tuple[str, int, str], dict[str, str]] = {}
    for run in runs:
        env = {launch.launch: launch.env for launch in run.launches}
        for samples in run.samples:
            if samples.peers or name_of(samples) == DEFAULT:
                continue
            key = (samples.operation, samples.known_ranks, name_of(samples))
            forced = {
                name: value
                for name, value in env.get(samples.launch, {}).items()
                if name.startswith(FORCING)
            }
            if settings.setdefault(key, forced) != forced:
                raise UsageError(
                    f"{key[0]} by {key[2]} with {key[1]} ranks was forced in different ways: "
                    f"{settings[key]} and {forced}",
                    "tune from files that force each algorithm in one way",
                )
    return settings
