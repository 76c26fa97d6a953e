"""A run with its plan, its estimates and the models through them, from which conclusions follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hockney.infer.analysis.fits import Fits, LogGP, PairsFits
from hockney.infer.analysis.network.contention import at_once
from hockney.infer.analysis.network.places import places_of
from hockney.infer.estimate import Estimates, PointEstimate, estimate
from hockney.infer.estimate.states import States, find_states
from hockney.infer.estimate.summaries import LogNumber, log_numbers
from hockney.infer.fitting.fit import Fit
from hockney.infer.memory.host import EarlierRun
from hockney.plan import Plan, plan_of, workload_of
from hockney.plan.axes import Point
from hockney.plan.workloads import Workload
from hockney.records import Place, Run, Visits

if TYPE_CHECKING:
    from hockney.infer.analysis.network.pairwise import Pairwise


class EstimatedRun:
    """One run, measured or imported."""

    def __init__(self, run: Run, label: str | None = None) -> None:
        """label: its name among other runs; by default the run's."""
        launches = len(run.launches)
        run = run.on_nodes_left
        self.not_counted = launches - len(run.launches)
        """Launches that were made with a node that the run went on without."""
        self.pairwise: Pairwise | None = None
        """Times of all pairs of a network; None where no pass was made over them."""
        if run.pair_times:
            from hockney.infer.analysis.network.pair_passes import level_samples, pairwise_of

            self.pairwise = pairwise_of(run)
            if self.pairwise is not None:
                operation = run.pair_times[0].operation
                run = replace(run, samples=Visits(level_samples(self.pairwise, operation)))
        self.run = run
        self.label = run.label if label is None else label
        self.earlier: Sequence[EarlierRun] | None = None
        """Other runs, those of the same question among them; None if they were not looked for."""
        self.is_reduced = False
        """Whether its samples are unknown, and its estimates and findings were computed before."""
        self.fits = Fits()

    @cached_property
    def plan(self) -> Plan | None:
        """The plan that was measured; None for an imported run."""
        return plan_of(self.run.header.options)

    @cached_property
    def workload(self) -> Workload | None:
        return workload_of(self.run.header.options)

    @property
    def source(self) -> str:
        """What messages call it: its file, or its label where it has none."""
        return str(self.run.path or self.label)

    @property
    def times_every_iteration(self) -> bool:
        return self.workload is not None and self.workload.times_every_iteration

    @cached_property
    def states(self) -> States:
        return find_states(self.run)

    @cached_property
    def estimates(self) -> Estimates:
        """Points of every state, with intervals over launches."""
        return estimate(self.run, self.states)

    @cached_property
    def of_every_launch(self) -> Estimates:
        """Points of every state, with the launches that `estimates` excludes as outliers: for
        comparisons."""
        if not self.estimates.slow_launches:
            return self.estimates
        return estimate(self.run, self.states, every_launch=True)

    @cached_property
    def statistics(self) -> dict[Point, dict[str, LogNumber]]:
        """The statistics that an imported log gives for each point, by the log's names."""
        return log_numbers(self.run)

    @cached_property
    def places(self) -> dict[int, Place]:
        """The place of each rank."""
        return places_of(self.run)

    @cached_property
    def first_variant(self) -> list[PointEstimate]:
        """The points of the experiment's own operations in the headline state; of several variants,
        those of the first."""
        comparison = self.plan.comparison if self.plan else None
        variant = comparison.names[0] if comparison else None
        return [point for point in self.estimates.own() if point.variant == variant]

    @cached_property
    def at_once(self) -> list[PointEstimate]:
        """The slowest pair of each visit, for every size and number of pairs at once."""
        return at_once(self.run, self.estimates)

    @property
    def measures_pairs(self) -> bool:
        """Whether pairs communicate at once."""
        experiment = self.run.header.experiment
        return experiment == "pairs" or bool(getattr(self.workload, "pairing", ()))

    @property
    def points_to_fit(self) -> list[PointEstimate]:
        """The points that models are fitted to: for pairs at once, the slowest pair of each
        visit."""
        if self.measures_pairs and self.run.samples:
            return self.at_once
        return self.estimates.own()

    def fit(self, model: str = "hockney", **axes: Any) -> Fit:
        """That model through the headline points of one curve. Where the run holds several, values
        of axes choose it, such as algorithm="ring", ranks=8; None chooses nothing."""
        return self.fits.of_axes(model, self.estimates.own(), axes)

    def fits_of_pairs(self, operation: str | None = None) -> PairsFits | None:
        """Models of several pairs at once; None without such times."""
        return self.fits.of_pairs([p for p in self.at_once if operation in (None, p.operation)])

    def line(self, state: int = 0) -> Fit | None:
        """Hockney's line through the points of one state; None if it cannot be fitted or they are
        of several curves."""
        return self.fits.line(self.estimates.own(state))

    def loggp(self, state: int = 0) -> LogGP | None:
        """Overheads, gaps and LogGP's parameters from the trains of one state; None where it has
        too few of them."""
        return self.fits.loggp(self.estimates.in_state(state))
