"""Makes what a plan's launches need: the MPI, the engine on its nodes, and the files they read.

A plan with variants has a setup for each, as their MPIs and nodes may differ."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hockney.base.errors import HockneyError, UsageError
from hockney.plan import Case, Placement, Plan
from hockney.run.measure.launches.nodes import check_hosts, engine_on_nodes
from hockney.run.measure.preparation.awareness import prove, unproven
from hockney.run.measure.preparation.files import Files, files_of
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.measure.toolchain.mpi import find_mpi, of_library
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers import find_starter, slurm


@dataclass(frozen=True)
class Setup:
    mpi: Mpi
    engine: Engine
    files: Files
    options: tuple[str, ...] = ()
    """Options of the engine that follow from which memories the library can send."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Setups:
    """A setup for each variant of a plan; the only one has no name."""

    by_variant: dict[str | None, Setup]
    broken: dict[str | None, HockneyError]
    """The error of each variant that cannot be started at all."""

    def of(self, case: Case) -> Setup:
        return self.by_variant[case.variant]

    @property
    def engines(self) -> list[Engine]:
        return [setup.engine for setup in self.by_variant.values()]

    @property
    def notes(self) -> list[str]:
        """Remarks on which MPI is used, and where the engines were built."""
        notes = [*(note for setup in self.by_variant.values() for note in setup.mpi.notes)]
        notes += [note for engine in self.engines for note in engine.notes]
        notes += [note for setup in self.by_variant.values() for note in setup.notes]
        notes += filter(None, [slurm.left_over()])
        return list(dict.fromkeys(notes))


def mpi_of(placement: Placement) -> tuple[Mpi, Engine]:
    """The MPI that a placement asks for, and the engine built with it."""
    return _mpi_and_engine(placement.mpicc, placement.platform is not None, placement.engine)


@cache
def _mpi_and_engine(mpicc: str | None, simulated: bool, prebuilt: str | None) -> tuple[Mpi, Engine]:
    mpi = find_mpi(mpicc, simulated=simulated, prebuilt=prebuilt)
    engine = build_engine(mpi)
    return of_library(mpi, engine), engine


@contextmanager
def setups_of(plan: Plan, directory: Path) -> Iterator[Setups]:
    """Builds, checks and writes what the plan's launches need, next to result files in
    `directory`, and removes it at the end. Variants that cannot be set up are left out, unless
    fewer than two remain: then raises HockneyError."""
    setups = Setups({}, {})
    with ExitStack() as stack:
        for variant in dict.fromkeys(case.variant for case in plan.cases):
            cases = tuple(case for case in plan.cases if case.variant == variant)
            own = Plan(cases=cases, sampling=plan.sampling)
            try:
                setups.by_variant[variant] = stack.enter_context(_setup_of(own, directory))
            except HockneyError as error:
                if variant is None:
                    raise
                if not setups.by_variant:  # checked alone: the others would wait for nothing
                    raise type(error)(
                        f"{variant}, with which the other variants are compared: {error.message}",
                        error.advice,
                    ) from error
                setups.broken[variant] = error
        if setups.broken and len(setups.by_variant) < 2:
            words = "; ".join(f"{name}: {error}" for name, error in setups.broken.items())
            raise UsageError(f"one variant alone is left to measure: {words}")
        yield setups


@contextmanager
def _setup_of(plan: Plan, directory: Path) -> Iterator[Setup]:
    placement, timeout_s = plan.first.placement, plan.sampling.timeout_s
    mpi, engine = mpi_of(placement)
    find_starter(mpi, placement).command(mpi, plan.first, [])  # refuses what it cannot do
    check_hosts(mpi, placement, timeout_s)
    with (
        files_of(plan, directory) as files,
        engine_on_nodes(mpi, placement, engine, timeout_s) as sent,
    ):
        yield Setup(mpi, sent, files, *_proven(mpi, sent, plan))


def _proven(mpi: Mpi, engine: Engine, plan: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options and remarks that follow from which memories the library can send."""
    options: set[str] = set()
    notes: list[str] = []
    for case in plan.cases:
        if not case.workload.uses_devices:
            continue
        proofs = prove(mpi, engine, case, plan.sampling.timeout_s)
        options.update(unproven(proofs, mpi, bool(getattr(case.workload, "staged", ""))))
        notes += [
            f"{proof.sentence}: only staged messages are measured there"
            for proof in proofs
            if proof.problem is not None
        ]
    return tuple(sorted(options)), tuple(notes)
