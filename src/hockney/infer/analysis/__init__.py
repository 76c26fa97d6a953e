"""All conclusions about a run in one object, each computed on first use and kept.

`estimate` turns samples into numbers with intervals; the modules here draw conclusions from those
numbers, and views format them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import msgspec

from hockney.base.errors import HockneyError, UsageError
from hockney.infer.analysis.algorithms.best import CollectiveCell, cells_of
from hockney.infer.analysis.algorithms.phase_times import Phased, phased
from hockney.infer.analysis.algorithms.predicted import Predicted, predicted_points
from hockney.infer.analysis.algorithms.regret import Regret, regrets
from hockney.infer.analysis.algorithms.stragglers import Stragglers, stragglers_of
from hockney.infer.analysis.claims.published import Positions, positions
from hockney.infer.analysis.comparison.expected import Expected, next_run
from hockney.infer.analysis.comparison.variant_verdicts import (
    VariantStudy,
    variant_names_of,
    variant_study,
)
from hockney.infer.analysis.conditions.crowding import Oversubscribed, oversubscribed
from hockney.infer.analysis.conditions.diagnose import Diagnosis, diagnose
from hockney.infer.analysis.conditions.starts import Starts, StartSkew, skew_of, starts_of
from hockney.infer.analysis.conditions.transports import Transports, transports_of
from hockney.infer.analysis.congestion_factor import Congested, congested
from hockney.infer.analysis.findings import DecidingFinding, findings_of
from hockney.infer.analysis.fits import Fits, NamedCurve, PairsFits
from hockney.infer.analysis.floor import FloorRatio, floor_ratios
from hockney.infer.analysis.gate import PASSED, Gate, not_judged, together
from hockney.infer.analysis.gates import (
    congestion_gate,
    fabric_gate,
    located_gate,
    pairs_gate,
    variants_gate,
)
from hockney.infer.analysis.hidden import hidden_fractions, host_overheads
from hockney.infer.analysis.history.histories import History
from hockney.infer.analysis.history.run_facts import RunFacts, facts_of
from hockney.infer.analysis.network.bisection import LinkUse, link_use_of
from hockney.infer.analysis.network.contention import Contention, Knee, at_once, contention, knees
from hockney.infer.analysis.network.levels import LevelAtOnce, levels_at_once
from hockney.infer.analysis.network.located import Located, is_located, located_of
from hockney.infer.analysis.network.matrix import Matrix, matrix_of
from hockney.infer.analysis.network.network_faults import Verdict, cut_doubts, verdict_of
from hockney.infer.analysis.network.outliers import Outliers, find_outliers
from hockney.infer.analysis.network.pairwise import level_samples, pairwise_of
from hockney.infer.analysis.network.places import places_of
from hockney.infer.analysis.one_sided import Helped, OneSided, helped_ratios, one_sided_ratios
from hockney.infer.analysis.side_by_side import (
    MethodRatio,
    over_contiguous,
    over_datatype,
    over_host,
    over_staged,
    over_whole,
)
from hockney.infer.analysis.tails import Sketches, TailQuantiles, sketches_of, tails_of
from hockney.infer.analysis.variability import SlowRank, Spread, slow_ranks, variability
from hockney.infer.analysis.warnings import Warning, WithoutNodes, warnings
from hockney.infer.estimate import Estimates, PointEstimate, estimate
from hockney.infer.estimate.points import by_curve
from hockney.infer.estimate.states import States, find_states
from hockney.infer.estimate.summaries import LogNumber, over_launches, statistics_of
from hockney.infer.fitting.fit import Fit, curve_of
from hockney.infer.memory.host import EarlierRun
from hockney.infer.models import loggp
from hockney.infer.models.loggp import SizeOverheads
from hockney.infer.predict.parameters import Parameters, parameters_of_run
from hockney.plan import Plan, plan_of, workload_of
from hockney.plan.axes import AXES, Axes, Point, texts_apart
from hockney.plan.workloads import Workload
from hockney.plan.workloads.fabric import Fabric
from hockney.records import Place, Run, Visits

BADLY_ENDED = {"failed": "failed", "interrupted": "was interrupted"}
"""Reasons for which a launch ended early and lacks data, in words."""


@dataclass(frozen=True)
class LogGP:
    overheads: Sequence[SizeOverheads]
    """Overheads of each size."""
    fit: Fit


class Analysis:
    """All conclusions about one run, measured or imported."""

    def __init__(self, run: Run, label: str | None = None) -> None:
        """label: its name among other runs; by default the run's."""
        launches = len(run.launches)
        run = run.on_nodes_left
        self.not_counted = launches - len(run.launches)
        """Launches that were made with a node that the run went on without."""
        self.pairwise = pairwise_of(run)
        """Times of all pairs of a network; None where no pass was made over them."""
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
        self._loggp: dict[int, LogGP | None] = {}

    @classmethod
    def of_estimates(
        cls,
        run: Run,
        estimates: Estimates,
        of_every_launch: Estimates,
        findings: Sequence[DecidingFinding],
    ) -> Analysis:
        """An analysis from given estimates and findings, of a run without its samples."""
        analysis = cls(run)
        analysis.is_reduced, analysis.states = True, estimates.states
        analysis.estimates, analysis.of_every_launch = estimates, of_every_launch
        analysis.findings_by_itself = findings
        return analysis

    @cached_property
    def findings_by_itself(self) -> Sequence[DecidingFinding]:
        """Findings that follow from this run alone."""
        return tuple(findings_of(self))

    @cached_property
    def plan(self) -> Plan | None:
        """The plan that was measured; None for an imported run."""
        return plan_of(self.run.header.options)

    @cached_property
    def workload(self) -> Workload | None:
        return workload_of(self.run.header.options)

    @cached_property
    def expected(self) -> Expected | None:
        """What earlier runs predict for the next one; None if they were not looked for."""
        return None if self.earlier is None else next_run(self, self.earlier)

    @cached_property
    def oversubscribed(self) -> Oversubscribed | None:
        """The node on which ranks or threads shared CPUs; None if none did or it is unknown."""
        return oversubscribed(self.run)

    @cached_property
    def without_nodes(self) -> WithoutNodes | None:
        """The nodes that the run went on without; None if there are none."""
        left_out = tuple(self.run.left_out)
        return WithoutNodes(left_out, self.not_counted) if left_out else None

    @cached_property
    def transports(self) -> Transports | None:
        """The ways that messages took; None if nothing was recorded of them."""
        return transports_of(self.run)

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
        return {
            point: {name: over_launches(launches) for name, launches in statistics.items()}
            for point, statistics in statistics_of(self.run).items()
        }

    @cached_property
    def warnings(self) -> list[Warning]:
        """What a reader should know before they believe a number, the gravest first."""
        return warnings(
            self.run, self.estimates, self.transports, self.over_datatype, self.without_nodes
        )

    @cached_property
    def places(self) -> dict[int, Place]:
        """The place of each rank."""
        return places_of(self.run)

    @cached_property
    def floor(self) -> dict[Point, FloorRatio]:
        """MPI's time over the hardware floor in the headline state; empty if no floor was
        measured."""
        return floor_ratios(self.estimates)

    @cached_property
    def starts(self) -> Starts | None:
        return starts_of(self.run)

    @cached_property
    def skew(self) -> StartSkew | None:
        return skew_of(self.run)

    @cached_property
    def overlap(self) -> dict[Point, float]:
        """The fraction of each nonblocking operation that computation hides."""
        return hidden_fractions(self.run, self.estimates)

    @cached_property
    def one_sided(self) -> list[OneSided]:
        """One-sided operations against the two-sided exchange in the same rounds."""
        return one_sided_ratios(self.points_to_fit, self.run.is_simulated)

    @cached_property
    def helped(self) -> list[Helped]:
        """One-sided operations with a computing target, over those with a waiting target."""
        return helped_ratios(self.estimates.own(), self.run.is_simulated)

    @cached_property
    def host_overheads(self) -> dict[Point, float]:
        """The time of each nonblocking operation in which ranks could not compute."""
        return host_overheads(self.run, self.estimates)

    @cached_property
    def first_variant(self) -> list[PointEstimate]:
        """The points of the experiment's own operations in the headline state; of several variants,
        those of the first."""
        comparison = self.plan.comparison if self.plan else None
        variant = comparison.names[0] if comparison else None
        return [point for point in self.estimates.own() if point.variant == variant]

    @cached_property
    def best(self) -> list[CollectiveCell]:
        """The fastest algorithm of each collective, number of ranks and size."""
        return cells_of(self.first_variant, is_exact=self.run.is_simulated)

    @cached_property
    def regrets(self) -> list[Regret]:
        """The algorithm with the least regret over arrival patterns."""
        return regrets(self.best)

    @cached_property
    def phases(self) -> list[Phased]:
        """Collectives made by messages, with their phases."""
        return phased(self.run, self.estimates.own(), self.predicted_here)

    @cached_property
    def at_once(self) -> list[PointEstimate]:
        """The slowest pair of each visit, for every size and number of pairs at once."""
        return at_once(self.run, self.estimates)

    @cached_property
    def side_by_side(self) -> list[MethodRatio]:
        """Layouts over contiguous messages, and partitioned messages over whole ones."""
        return [*over_contiguous(self.points_to_fit), *over_whole(self.points_to_fit)]

    @cached_property
    def over_host(self) -> list[MethodRatio]:
        """Messages in other memory over those in the host's."""
        return over_host(self.points_to_fit)

    @cached_property
    def over_staged(self) -> list[MethodRatio]:
        """Messages that the library takes from a device over staged ones."""
        return over_staged(self.points_to_fit)

    @cached_property
    def over_datatype(self) -> list[MethodRatio]:
        """Data packed by hand over the same data sent as a datatype."""
        return over_datatype(self.points_to_fit)

    @cached_property
    def _sketches(self) -> Sketches:
        return sketches_of(self.run)

    @cached_property
    def tails(self) -> list[TailQuantiles]:
        """Quantiles of all operations of each point; empty without --tails."""
        return tails_of(self._sketches)

    @cached_property
    def congestion(self) -> list[Congested]:
        """Victims under each load over the same victims alone."""
        return congested(self.run, self.states, self.workload, self._sketches)

    @cached_property
    def contention(self) -> list[Contention]:
        return contention(self.at_once, self.estimates)

    @cached_property
    def levels(self) -> list[LevelAtOnce]:
        """Pairs at once by the level of the switches between them; empty where none are known."""
        return levels_at_once(self.estimates.own()) if self.measures_pairs else []

    @cached_property
    def link_use(self) -> list[LinkUse]:
        """The bandwidth of pairs at once against what links allow; empty where their speeds are
        unknown."""
        topology = self.plan.first.placement.topology if self.plan else None
        pairing = getattr(self.workload, "pairing", ())
        return link_use_of(self.contention, topology, self.places, pairing)

    @cached_property
    def knees(self) -> list[Knee]:
        return knees(self.contention)

    @cached_property
    def matrix(self) -> Matrix | None:
        """Times between every two ranks; None where no pair was measured."""
        return matrix_of(self.run, self.estimates)

    @cached_property
    def verdict(self) -> Verdict | None:
        """Slow nodes, switches, cables and pairs; None where no pass was made over all pairs."""
        if self.pairwise is None or is_located(self.run):
            return None
        verdict = verdict_of(self.pairwise, self.run.is_simulated)
        if isinstance(self.workload, Fabric) and self.workload.switch_numbers:
            return verdict
        return replace(verdict, doubts=(*verdict.doubts, *cut_doubts(self.pairwise)))

    @cached_property
    def located(self) -> Located | None:
        """Faults located by rounds that were chosen step by step; None without such rounds."""
        return located_of(self.run) if self.pairwise and is_located(self.run) else None

    @cached_property
    def outliers(self) -> Outliers:
        """Slow nodes, places and pairs, and why some could not be judged."""
        return find_outliers(self.run, self.estimates, self.workload)

    @cached_property
    def outlier_gate(self) -> Gate:
        """Whether a node, switch, cable, place or pair is an outlier; not judged if ranks shared
        CPUs."""
        if self.oversubscribed is not None:
            crowd = "threads" if self.oversubscribed.has_threads else "ranks"
            return not_judged(self.oversubscribed.fact, f"start no more {crowd} than CPUs")
        if self.located is not None:
            gate = located_gate(self.located)
        elif self.verdict is not None:
            gate = fabric_gate(self.verdict)
        else:
            gate = pairs_gate(self.outliers)
        last = max(self.run.ends, key=lambda end: end.launch, default=None)
        if gate.status == PASSED and last is not None and last.reason in BADLY_ENDED:
            return not_judged(
                f"the last launch {BADLY_ENDED[last.reason]}",
                "see its message; then continue the run with --resume",
            )
        return gate

    @property
    def compares_pairs(self) -> bool:
        """Whether more than one pair was measured, so that one may be an outlier."""
        if self.pairwise is not None:
            return True
        return len({point.peers for point in self.estimates.own() if point.is_one_pair}) > 1

    @property
    def plan_gates(self) -> list[Gate]:
        """The gates of the plan: of variants, of congestion factors."""
        gates = variants_gate(self.variants), congestion_gate(self.congestion, self.workload)
        return [gate for gate in gates if gate is not None]

    def gate(self, of_outliers: bool) -> Gate | None:
        """The gates of the plan, and the one of outliers if it is asked for, together."""
        return together([*([self.outlier_gate] if of_outliers else []), *self.plan_gates])

    @cached_property
    def variability(self) -> list[Spread]:
        return variability(self.run, self.estimates)

    @cached_property
    def slow_ranks(self) -> list[SlowRank]:
        return slow_ranks(self.variability)

    @cached_property
    def stragglers(self) -> Stragglers | None:
        """Ranks that complete late again and again; None where this was not recorded."""
        return stragglers_of(self.run)

    @cached_property
    def variants(self) -> VariantStudy | None:
        """The variants of the run against the first of them; None where nothing was varied."""
        return variant_study(self.run, self.plan)

    def treat_as_equal(self, tolerance: float) -> None:
        """Judges variants by another tolerance than that of their plan. Called before anything is
        concluded from them."""
        plan = self.plan
        if plan is not None and plan.comparison is not None:
            comparison = msgspec.structs.replace(plan.comparison, tolerance=tolerance)
            self.plan = msgspec.structs.replace(plan, comparison=comparison)

    @property
    def variant_names(self) -> Mapping[str, str]:
        """Names of the variants for people, by their own."""
        return self.variants.shown if self.variants else {}

    @cached_property
    def diagnosis(self) -> Diagnosis:
        return diagnose(self.run, self.estimates)

    @cached_property
    def facts(self) -> RunFacts | None:
        """What a history keeps of the run; None where it has no point or no date."""
        return facts_of(self.run, self.estimates, variant_names_of(self.run, self.plan))

    def positions(self, histories: Sequence[History] = ()) -> Positions:
        """The run among published figures, and among earlier runs of its system."""
        return positions(self.run, self.estimates, self.line(), histories)

    @cached_property
    def message_costs(self) -> Parameters:
        """Costs of messages by the run's ping-pong times; raises where it has none."""
        return parameters_of_run(self.run, self.estimates.headline)

    def predicted(self, costs: Parameters) -> list[Predicted]:
        """Predicted time of every point of a halo or of an algorithm with a schedule, by these
        costs."""
        return predicted_points(self.run, self.estimates.headline, costs)

    @cached_property
    def predicted_here(self) -> list[Predicted]:
        """Predicted times by the run's own message costs; empty if it has no ping-pong times."""
        try:
            return self.predicted(self.message_costs)
        except UsageError:
            return []

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

    @cached_property
    def curves(self) -> list[NamedCurve]:
        """The curves that models are fitted to."""
        curves = list(by_curve(self.points_to_fit).values())
        return [NamedCurve(*named) for named in zip(self.texts_apart(curves), curves, strict=True)]

    def texts_apart(self, groups: Collection[Sequence[Axes]]) -> list[str]:
        """plan.axes.texts_apart, with the names of variants for people."""
        return texts_apart(groups, self.variant_names)

    def fit(self, model: str = "hockney", **axes: Any) -> Fit:
        """That model through the headline points of one curve. Where the run holds several, values
        of axes choose it, such as algorithm="ring", ranks=8; None chooses nothing."""
        unknown = [name for name in axes if name not in AXES]
        if unknown:
            raise UsageError(f"{unknown[0]} is not an axis", f"axes are {', '.join(AXES)}")
        points = [
            point
            for point in self.estimates.own()
            if all(value in (None, getattr(point, name)) for name, value in axes.items())
        ]
        curves = list(by_curve(points).values())
        if len(curves) > 1:
            several = "; ".join(texts_apart(curves)[:5])
            raise UsageError(
                f"{len(curves)} curves: {several}",
                "choose one by its axes, such as algorithm=..., ranks=...",
            )
        return self.fits.fit(model, points)

    def fits_of_pairs(self, operation: str | None = None) -> PairsFits | None:
        """Models of several pairs at once; None without such times."""
        return self.fits.of_pairs([p for p in self.at_once if operation in (None, p.operation)])

    def line(self, state: int = 0) -> Fit | None:
        """Hockney's line through the points of one state; None if it cannot be fitted or they are
        of several curves."""
        points = self.estimates.own(state)
        if len(by_curve(points)) > 1:
            return None
        try:
            return self.fits.fit("hockney", points)
        except HockneyError:
            return None

    def loggp(self, state: int = 0) -> LogGP | None:
        """Overheads, gaps and LogGP's parameters from the trains of one state; None where it has
        too few of them."""
        if state not in self._loggp:
            trains = [p for p in self.estimates.in_state(state) if p.operation == "train"]
            self._loggp[state] = _loggp(trains)
        return self._loggp[state]


def _loggp(trains: Sequence[PointEstimate]) -> LogGP | None:
    curve = curve_of(trains)
    return None if loggp.lacks(curve) else LogGP(loggp.overheads(curve), loggp.fit(curve))
