"""All conclusions about a run in one object, each computed on first use and kept.

`estimate` turns samples into numbers with intervals; the modules here draw conclusions from those
numbers, and views format them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from hockney.base.errors import UsageError
from hockney.infer.analysis.comparison.expected import Expected, next_run
from hockney.infer.analysis.conditions.crowding import Oversubscribed, oversubscribed
from hockney.infer.analysis.conditions.starts import Starts, StartSkew, skew_of, starts_of
from hockney.infer.analysis.conditions.transports import Transports, transports_of
from hockney.infer.analysis.estimated_run import EstimatedRun
from hockney.infer.analysis.fits import NamedCurve
from hockney.infer.analysis.floor import FloorRatio, floor_ratios
from hockney.infer.analysis.gate import Gate, together
from hockney.infer.analysis.hidden import hidden_fractions, host_overheads
from hockney.infer.analysis.network.bisection import LinkUse, link_use_of
from hockney.infer.analysis.network.contention import Contention, Knee, contention, knees
from hockney.infer.analysis.network.levels import LevelAtOnce, levels_at_once
from hockney.infer.analysis.network.matrix import Matrix, matrix_of
from hockney.infer.analysis.one_sided import Helped, OneSided, helped_ratios, one_sided_ratios
from hockney.infer.analysis.side_by_side import (
    MethodRatio,
    over_contiguous,
    over_datatype,
    over_host,
    over_staged,
    over_whole,
)
from hockney.infer.analysis.variability import SlowRank, Spread, slow_ranks, variability
from hockney.infer.analysis.warnings import Warning, WithoutNodes, warnings
from hockney.infer.estimate import Estimates
from hockney.infer.estimate.points import by_curve
from hockney.infer.estimate.states import State
from hockney.infer.predict.parameters import Parameters, parameters_of_run
from hockney.plan.axes import Axes, Point, texts_apart
from hockney.records import Run

if TYPE_CHECKING:
    from hockney.infer.analysis.algorithms.best import CollectiveCell
    from hockney.infer.analysis.algorithms.phase_times import Phased
    from hockney.infer.analysis.algorithms.predicted import Predicted
    from hockney.infer.analysis.algorithms.regret import Regret
    from hockney.infer.analysis.algorithms.stragglers import Stragglers
    from hockney.infer.analysis.claims.published import Positions
    from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
    from hockney.infer.analysis.conditions.diagnose import Diagnosis
    from hockney.infer.analysis.congestion_factor import Congested
    from hockney.infer.analysis.findings import DecidingFinding
    from hockney.infer.analysis.history.histories import History
    from hockney.infer.analysis.history.run_facts import RunFacts
    from hockney.infer.analysis.network.located import Located
    from hockney.infer.analysis.network.network_faults import Suspect
    from hockney.infer.analysis.network.outliers import Outlier
    from hockney.infer.analysis.network.slow_parts import SlowPart, Verdict
    from hockney.infer.analysis.tails import Sketches, TailQuantiles


class Analysis(EstimatedRun):
    """All conclusions about one run, measured or imported."""

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
        from hockney.infer.analysis.findings import findings_of

        return tuple(findings_of(self))

    @cached_property
    def expected(self) -> Expected | None:
        """What earlier runs predict for the next one; None if they were not looked for."""
        return None if self.earlier is None else next_run(self, self.earlier)

    @cached_property
    def oversubscribed(self) -> Oversubscribed | None:
        """The node on which ranks or threads shared CPUs; None if none did or it is unknown."""
        return oversubscribed(self.run)

    @cached_property
    def changeable_state(self) -> State | None:
        """The machine's only state, by its core-to-core latency, where another run may have another
        one: in a virtual machine, or where ranks are not pinned; else None."""
        run, states = self.run, self.estimates.states
        if len(states.states) != 1 or states.mixed or states.states[0].handover_s is None:
            return None
        is_virtual = bool(run.header.environment.get("hypervisor"))
        places = [place for launch in run.launches for place in launch.places]
        is_loose = any(place.pinned is False for place in places)
        return states.states[0] if (is_virtual or is_loose) and not run.is_simulated else None

    @cached_property
    def without_nodes(self) -> WithoutNodes | None:
        """The nodes that the run went on without; None if there are none."""
        left_out = tuple(self.run.left_out)
        return WithoutNodes(left_out, self.not_counted) if left_out else None

    @cached_property
    def transports(self) -> Transports | None:
        """The ways that messages took; None if nothing was recorded of them."""
        return transports_of(self.run)

    @cached_property
    def warnings(self) -> list[Warning]:
        """What a reader should know before they believe a number, the gravest first."""
        return warnings(
            self.run, self.estimates, self.transports, self.over_datatype, self.without_nodes
        )

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
    def best(self) -> list[CollectiveCell]:
        """The fastest algorithm of each collective, number of ranks and size."""
        from hockney.infer.analysis.algorithms.best import cells_of

        return cells_of(self.first_variant, is_exact=self.run.is_simulated)

    @cached_property
    def regrets(self) -> list[Regret]:
        """The algorithm with the least regret over arrival patterns."""
        from hockney.infer.analysis.algorithms.regret import regrets

        return regrets(self.best)

    @cached_property
    def phases(self) -> list[Phased]:
        """Collectives made by messages, with their phases."""
        from hockney.infer.analysis.algorithms.phase_times import phased

        return phased(self.run, self.estimates.own(), self.predicted_here)

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
        from hockney.infer.analysis.tails import sketches_of

        return sketches_of(self.run)

    @cached_property
    def tails(self) -> list[TailQuantiles]:
        """Quantiles of all operations of each point; empty without --tails."""
        from hockney.infer.analysis.tails import tails_of

        return tails_of(self._sketches)

    @cached_property
    def congestion(self) -> list[Congested]:
        """Victims under each load over the same victims alone."""
        from hockney.infer.analysis.congestion_factor import congested

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
        return link_use_of(self.contention, self.plan, self.places)

    @cached_property
    def knees(self) -> list[Knee]:
        return knees(self.contention)

    @cached_property
    def matrix(self) -> Matrix | None:
        """Times between every two ranks; None where no pair was measured."""
        return matrix_of(self.run, self.estimates)

    @cached_property
    def verdict(self) -> Verdict[Suspect] | None:
        """Slow nodes, switches, cables and pairs; None where no pass was made over all pairs."""
        if self.pairwise is None or self._is_located:
            return None
        from hockney.infer.analysis.network.network_faults import verdict_of

        return verdict_of(self.pairwise, self.workload)

    @property
    def _is_located(self) -> bool:
        if self.pairwise is None:
            return False
        from hockney.infer.analysis.network.round_times import is_located

        return is_located(self.run)

    @cached_property
    def located(self) -> Located | None:
        """Faults located by rounds that were chosen step by step; None without such rounds."""
        if not self._is_located:
            return None
        from hockney.infer.analysis.network.located import located_of

        return located_of(self.run)

    @cached_property
    def outliers(self) -> Verdict[Outlier]:
        """Slow nodes, places and pairs, and why some could not be judged."""
        from hockney.infer.analysis.network.outliers import find_outliers

        return find_outliers(self.run, self.estimates, self.workload)

    @property
    def slow_parts(self) -> Verdict[SlowPart]:
        """The verdict of the best of these ways that the run allows."""
        return self.located or self.verdict or self.outliers

    @cached_property
    def outlier_gate(self) -> Gate:
        """Whether a node, switch, cable, place or pair is an outlier; not judged if ranks shared
        CPUs."""
        from hockney.infer.analysis.gates import outlier_gate

        return outlier_gate(self)

    @property
    def compares_pairs(self) -> bool:
        """Whether more than one pair was measured, so that one may be an outlier."""
        if self.pairwise is not None:
            return True
        return len({point.peers for point in self.estimates.own() if point.is_one_pair}) > 1

    @property
    def plan_gates(self) -> list[Gate]:
        """The gates of the plan: of variants, of congestion factors."""
        from hockney.infer.analysis.gates import plan_gates

        return plan_gates(self)

    def gate(self, of_outliers: bool) -> Gate | None:
        """The gates of the plan, and the one of outliers if it is asked for, together."""
        return together([*([self.outlier_gate] if of_outliers else []), *self.plan_gates])

    @cached_property
    def variability(self) -> list[Spread]:
        return variability(self.run, self.estimates)

    @cached_property
    def slow_ranks(self) -> list[SlowRank]:
        return slow_ranks(self.variability, self.run.is_simulated)

    @cached_property
    def stragglers(self) -> Stragglers | None:
        """Ranks that complete late again and again; None where this was not recorded."""
        from hockney.infer.analysis.algorithms.stragglers import stragglers_of

        return stragglers_of(self.run)

    @cached_property
    def variants(self) -> VariantStudy | None:
        """The variants of the run against the first of them; None where nothing was varied."""
        from hockney.infer.analysis.comparison.variant_verdicts import variant_study

        return variant_study(self.run, self.plan)

    def judge_variants(self, **by: float) -> None:
        """Judges variants by another `tolerance` or `gate` than their plan's. Called before
        anything is concluded from them."""
        plan = self.plan
        if plan is not None and plan.comparison is not None:
            comparison = msgspec.structs.replace(plan.comparison, **by)
            self.plan = msgspec.structs.replace(plan, comparison=comparison)

    @property
    def variant_names(self) -> Mapping[str, str]:
        """Names of the variants for people, by their own."""
        return self.variants.shown if self.variants else {}

    @cached_property
    def diagnosis(self) -> Diagnosis:
        from hockney.infer.analysis.conditions.diagnose import diagnose

        return diagnose(self.run, self.estimates)

    @cached_property
    def facts(self) -> RunFacts | None:
        """What a history keeps of the run; None where it has no point or no date."""
        from hockney.infer.analysis.comparison.variant_verdicts import variant_names_of
        from hockney.infer.analysis.history.run_facts import facts_of

        return facts_of(self.run, self.estimates, variant_names_of(self.run, self.plan))

    def positions(self, histories: Sequence[History] = ()) -> Positions:
        """The run among published figures, and among earlier runs of its system."""
        from hockney.infer.analysis.claims.published import positions

        return positions(self.run, self.estimates, self.line(), histories)

    @cached_property
    def message_costs(self) -> Parameters:
        """Costs of messages by the run's ping-pong times; raises where it has none."""
        return parameters_of_run(self.run, self.estimates.headline)

    def predicted(self, costs: Parameters) -> list[Predicted]:
        """Predicted time of every point of a halo or of an algorithm with a schedule, by these
        costs."""
        from hockney.infer.analysis.algorithms.predicted import predicted_points

        return predicted_points(self.run, self.estimates.headline, costs)

    @cached_property
    def predicted_here(self) -> list[Predicted]:
        """Predicted times by the run's own message costs; empty if it has no ping-pong times."""
        try:
            return self.predicted(self.message_costs)
        except UsageError:
            return []

    @cached_property
    def curves(self) -> list[NamedCurve]:
        """The curves that models are fitted to."""
        curves = list(by_curve(self.points_to_fit).values())
        return [NamedCurve(*named) for named in zip(self.texts_apart(curves), curves, strict=True)]

    def texts_apart(self, groups: Collection[Sequence[Axes]]) -> list[str]:
        """plan.axes.texts_apart, with the names of variants for people."""
        return texts_apart(groups, self.variant_names)
