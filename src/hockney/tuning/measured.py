"""Collects measured algorithms from result files: cells, and the variables that forced each."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from hockney.analysis import Analysis
from hockney.analysis.best import Cell, cells_of, name_of
from hockney.errors import AskedWronglyError
from hockney.records import Mpi, Run
from hockney.spec.workloads.collective import DEFAULT
from hockney.tuning.rules import Settings

FORCING = ("OMPI_MCA_coll_tuned_", "MPIR_CVAR_", "I_MPI_ADJUST_")
"""Prefixes of the variables that choose algorithms."""


@dataclass(frozen=True)
class Measured:
    cells: tuple[Cell, ...]
    mpi: Mpi
    settings: dict[tuple[str, int, str], dict[str, str]]
    """Forcing variables, by collective, ranks and algorithm."""

    def only(self, collectives: Container[str]) -> tuple[Measured, list[str]]:
        """The cells of these collectives, and the names of the others."""
        kept = tuple(cell for cell in self.cells if cell.collective in collectives)
        others = {cell.collective for cell in self.cells if cell.collective not in collectives}
        return replace(self, cells=kept), sorted(others)

    def settings_of(self, collective: str, ranks: int, algorithm: str) -> Settings:
        return self.settings.get((collective, ranks, algorithm), {})


def measured(analyses: Sequence[Analysis]) -> Measured:
    """All cells of runs of one library, which must include the library's own decision."""
    runs = [one.run for one in analyses]
    mpi = _one_library(runs)
    cells = cells_of(point for one in analyses for point in one.estimates.headline)
    if not cells:
        raise AskedWronglyError(
            "these files have no collectives",
            "measure them: hockney collective bcast --algorithm all",
        )
    if all(cell.default is None for cell in cells):
        raise AskedWronglyError(
            "the library's own decision was not measured, so the gain of rules is unknown",
            "measure it with the others: --algorithm all or --algorithm default,...",
        )
    return Measured(tuple(cells), mpi, _settings(runs))


def _one_library(runs: Sequence[Run]) -> Mpi:
    known = [launch.mpi for run in runs for launch in run.launches]
    if not known:
        raise AskedWronglyError("these files have no launches: nothing was measured")
    if any(run.is_simulated for run in runs):
        raise AskedWronglyError("these runs were simulated, but rules are for a real MPI library")
    names = {(mpi.library, mpi.version) for mpi in known}
    if len(names) > 1:
        words = ", ".join(sorted(f"{library} {version}" for library, version in names))
        raise AskedWronglyError(
            f"these files are of different libraries: {words}", "tune each from its own files"
        )
    return known[0]


def _settings(runs: Iterable[Run]) -> dict[tuple[str, int, str], dict[str, str]]:
    found: dict[tuple[str, int, str], dict[str, str]] = {}
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
            if found.setdefault(key, forced) != forced:
                raise AskedWronglyError(
                    f"{key[0]} by {key[2]} with {key[1]} ranks was forced in different ways: "
                    f"{found[key]} and {forced}",
                    "tune from files that force each algorithm in one way",
                )
    return found
