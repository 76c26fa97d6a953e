"""All that differs between two runs: what was measured, settings, places, conditions, systems.

A factor may explain a difference only if the runs recorded that it acted, and only in the forms
that its effect is known to have. What is not recorded is no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from hockney.base.units import format_percent, format_seconds, whole_percent
from hockney.infer.analysis.comparison.effects import FORMS, Limits
from hockney.infer.analysis.comparison.factor import UNSET, DifferingFactor, Kind, Restored, text_of
from hockney.infer.analysis.comparison.host_effect import host_limits
from hockney.infer.analysis.comparison.variable_factors import (
    forms_of_ways,
    variable_factors,
    ways_apart,
)
from hockney.infer.analysis.conditions.between import are_one_state
from hockney.infer.analysis.conditions.traces import Traces, traces_of, typical_launch
from hockney.plan.axes import AXES, CIRCUMSTANCES

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

T = TypeVar("T")

LEAST_COMPUTE = 0.04
"""Log ratio of the compute probes from which cores differ in speed: in equal runs of a virtual
machine their medians differ by 1 to 2 %."""
LEAST_WAITED = 0.1
"""Difference of the fractions of the time that a rank waited for its CPU, or that was stolen."""
LEAST_THROTTLED = 0.01
SLACK = 0.05
"""Log ratio by which an effect may exceed what was recorded of it."""
NOT_ASKED = frozenset(
    {"sizes", "experiment", "preset", "refine", "peers", "trains", "tails", "verify", "floor"}
)
"""Fields of a workload that choose the points at which it is measured, or add others."""
WITHOUT_TRACE = {
    "kernel": "kernel",
    "microcode": "microcode",
    "transparent_hugepage": "huge pages",
}
"""Fields of the environment whose effect nothing in a run would show."""
FORMS_OF_QUESTIONS = {
    "buffers": ("bandwidth", "line", "large", "any"),
    "every_iteration": ("latency", "line"),
    "datatype": ("line", "large", "any"),
}
"""Known effects of what is measured; what is not here may do anything."""


def factors_of(first: Analysis, second: Analysis) -> list[DifferingFactor]:
    """All that differs between A and B, one factor a name."""
    a, b = traces_of(first), traces_of(second)
    factors: dict[str, DifferingFactor] = {}
    for factor in (
        *_questions(first, second),
        *variable_factors(first, second, a, b),
        *_places(first, second, a, b),
        *_conditions(first, second, a, b),
        *_systems(first, second),
        *_traces(a, b),
    ):
        factors.setdefault(factor.name, factor)
    return list(factors.values())


def own_axes(first: Analysis, second: Analysis) -> dict[str, tuple[Any, Any]]:
    """Axes on which each run has one value at all its points, and these values differ."""
    axes = {}
    for name in AXES:
        if name in ("operation", "bytes", "level", *CIRCUMSTANCES):
            continue
        values = [
            {getattr(point, name) for point in analysis.of_every_launch.own()}
            for analysis in (first, second)
        ]
        if len(values[0]) == len(values[1]) == 1 and values[0] != values[1]:
            axes[name] = (values[0].pop(), values[1].pop())
    return axes


def _both(each: tuple[T, T], text: Callable[[T], str]) -> tuple[str, str]:
    return text(each[0]), text(each[1])


def _environment(first: Analysis, second: Analysis, key: str) -> tuple[str, str]:
    return _both((first, second), lambda row: text_of(row.run.header.environment.get(key)))


def _fields(first: Analysis, second: Analysis, part: str) -> dict[str, tuple[Any, Any]]:
    """Fields of the first case of both plans that differ."""
    if first.plan is None or second.plan is None:
        return {}
    before, after = (getattr(plan.first, part) for plan in (first.plan, second.plan))
    if type(before) is not type(after):
        return {}
    pairs = {
        name: (getattr(before, name), getattr(after, name)) for name in before.__struct_fields__
    }
    return {name: both for name, both in pairs.items() if both[0] != both[1]}


def _questions(first: Analysis, second: Analysis) -> Iterator[DifferingFactor]:
    """What is measured otherwise, by the axes of points and the fields of the workload."""
    fields = _fields(first, second, "workload")
    axes = own_axes(first, second)
    for name, (before, after) in (fields | axes).items():
        if name in NOT_ASKED or name == "variant":
            continue
        evidence = "it is an axis of the points" if name in axes else "the plan asked for it"
        if name == "algorithm" and (read := _controls_apart(first, second)):
            evidence = f"the library read it: {read}"
        yield DifferingFactor(
            name=name.replace("_", " "),
            values=(text_of(before), text_of(after)),
            kind=Kind.SETTING if name in ("algorithm", "phase") else Kind.QUESTION,
            evidence=evidence,
            forms=tuple(FORMS[form] for form in FORMS_OF_QUESTIONS.get(name, ("any",))),
            change=Restored("workload", name, fields[name][0]) if name in fields else None,
        )
    before, after = typical_launch(first.run).definition, typical_launch(second.run).definition
    if before != after and None not in (before, after) and not fields and not axes:
        yield DifferingFactor(
            "definition", (text_of(before), text_of(after)), Kind.QUESTION, "launch records"
        )


def _controls_apart(first: Analysis, second: Analysis) -> str:
    """Control variables that the library read with different values."""
    before, after = typical_launch(first.run).controls, typical_launch(second.run).controls
    return ", ".join(
        f"{name} {before.get(name) or UNSET} -> {after.get(name) or UNSET}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    )


def _places(first: Analysis, second: Analysis, a: Traces, b: Traces) -> Iterator[DifferingFactor]:
    """Where ranks were: the simulated machine, hosts, CPUs, pinning."""
    fields = _fields(first, second, "placement")
    simulated = _both((first, second), lambda row: "yes" if row.run.is_simulated else "no")
    if simulated[0] != simulated[1] and "platform" not in fields:
        yield DifferingFactor(
            "simulated", simulated, Kind.SETTING, "launch records say which was simulated"
        )
    for name in ("platform", "cfg"):
        if name in fields:
            yield DifferingFactor(
                "platform" if name == "platform" else "simulator's settings",
                _both(fields[name], text_of),
                kind=Kind.SETTING,
                evidence="the run was simulated with it",
                change=Restored("placement", name, fields[name][0]),
            )
    moved = (a.distance, b.distance)
    apart = _distance_apart(a, b)
    if len(a.hosts) != len(b.hosts):
        return  # there are other ranks, which the points say
    if a.hosts != b.hosts:
        is_layout = len(set(a.hosts)) != len(set(b.hosts))
        limits = [host_limits(run, a.hosts, b.hosts) for run in (first, second)]
        evidence = f"ranks share {b.distance}, before {a.distance}" if apart else ""
        yield DifferingFactor(
            "node layout" if is_layout else "hosts of the ranks",
            _both((a.hosts, b.hosts), _hosts),
            kind=Kind.SETTING if apart or second.run.is_simulated else Kind.SYSTEM,
            evidence=evidence or "launch records have the host of each rank",
            limits=Limits(
                max(limit.least for limit in limits), min(limit.most for limit in limits)
            ),
            change=_layout_change(fields),
        )
    elif a.cpus != b.cpus or a.pinned != b.pinned:
        seen = [
            *([f"ranks share {moved[1]}, in A {moved[0]}"] if apart else []),
            *([_handover_words(a, b)] if _states_apart(a, b) else []),
            *(
                [f"ranks were seen on other CPUs {b.moved or 0:g} times, in A {a.moved or 0:g}"]
                if a.pinned != b.pinned and (a.moved or 0) + (b.moved or 0) > 0
                else []
            ),
        ]
        change = next((name for name in ("cpus", "place") if name in fields), None)
        yield DifferingFactor(
            "pinning",
            _both((a, b), _pinning),
            kind=Kind.SETTING,
            evidence="; ".join(seen),
            why_not="ranks are as far apart as in A" if not seen and None not in moved else "",
            change=Restored("placement", change, fields[change][0]) if change else None,
        )


def _distance_apart(a: Traces, b: Traces) -> bool:
    return a.distance != b.distance and None not in (a.distance, b.distance)


def _hosts(hosts: tuple[str, ...]) -> str:
    names = list(dict.fromkeys(hosts))
    shown = ",".join(names[:4]) + (",..." if len(names) > 4 else "")
    return f"{len(hosts)} ranks on {shown}" if names else UNSET


def _layout_change(fields: dict[str, tuple[Any, Any]]) -> Restored | None:
    names = [name for name in ("hostfile", "hosts", "nodes", "ranks_per_node") if name in fields]
    return Restored("placement", names[0], fields[names[0]][0]) if len(names) == 1 else None


def _pinning(traces: Traces) -> str:
    return f"CPU {traces.cpus}" + ("" if traces.pinned else ", not pinned")


def _ratio(first: float | None, second: float | None) -> float:
    """The log ratio of two numbers; 0 where one is unknown."""
    return math.log(second / first) if first and second else 0.0


def _states_apart(a: Traces, b: Traces) -> bool:
    are_known = bool(a.handover_s and b.handover_s)
    return are_known and not are_one_state(a.handover_s, b.handover_s)


def _handover_words(a: Traces, b: Traces) -> str:
    before, after = a.handover_s or 0.0, b.handover_s or 0.0
    return f"core-to-core latency {1e9 * before:.0f} ns in A, {1e9 * after:.0f} ns in B"


def _upto(log_ratio: float) -> Limits:
    """An effect of at most this log ratio, in its direction."""
    most = math.copysign(abs(log_ratio) + SLACK, log_ratio)
    return Limits(min(most, 0.0), max(most, 0.0))


def _conditions(
    first: Analysis, second: Analysis, a: Traces, b: Traces
) -> Iterator[DifferingFactor]:
    """Conditions of the machine that were measured beside the messages; none of simulated ones."""
    if first.run.is_simulated or second.run.is_simulated:
        return
    if a.cpus == b.cpus and a.hosts == b.hosts and _states_apart(a, b):
        yield DifferingFactor(
            "state of the machine",
            _both((a, b), lambda row: f"{1e9 * (row.handover_s or 0.0):.0f} ns"),
            Kind.CONDITION,
            _handover_words(a, b) + ", on the same CPUs",
            limits=_upto(_ratio(a.handover_s, b.handover_s)),
        )
    compute = _ratio(a.compute_s, b.compute_s)
    slower = abs(compute) >= LEAST_COMPUTE
    evidence = (
        f"a fixed piece of arithmetic took {math.exp(compute):.2f} times as long in B"
        if slower
        else ""
    )
    governor = _environment(first, second, "governor")
    speed = DifferingFactor(
        "speed of the cores",
        _both((a, b), lambda row: format_seconds(row.compute_s or 0.0)),
        Kind.CONDITION,
        evidence,
        tuple(FORMS[name] for name in ("factor", "latency", "line")),
        _upto(compute),
    )
    if governor[0] != governor[1]:
        why_not = "" if slower else "the cores computed as fast as in A"
        yield replace(speed, name="governor", values=governor, kind=Kind.SETTING, why_not=why_not)
    elif slower:
        yield speed
    yield from _taken(first, second, a, b)
    yield from _clocks(first, second, a, b)


def _taken(first: Analysis, second: Analysis, a: Traces, b: Traces) -> Iterator[DifferingFactor]:
    """What took the ranks' CPUs from them."""
    quota = _environment(first, second, "cgroup_cpu_max")
    for name, before, after, least in (
        ("quota of CPU time", a.throttled, b.throttled, LEAST_THROTTLED),
        ("other programs on the CPUs", a.waited, b.waited, LEAST_WAITED),
        ("time stolen by the hypervisor", a.stolen, b.stolen, LEAST_WAITED),
    ):
        if before is None or after is None or abs(after - before) < least:
            if name.startswith("quota") and quota[0] != quota[1]:
                yield DifferingFactor(name, quota, Kind.SETTING, why_not="it stopped no rank")
            continue
        limit = _ratio(max(1.0 - before, 0.01), max(1.0 - after, 0.01))
        yield DifferingFactor(
            name,
            _both((before, after), lambda part: f"{whole_percent(part)} of the time"),
            Kind.CONDITION,
            "the kernel's account of each rank",
            limits=_upto(-limit),
        )


def _clocks(first: Analysis, second: Analysis, a: Traces, b: Traces) -> Iterator[DifferingFactor]:
    """The clock: each sample, a batch of many messages, costs one reading of it."""
    sources = _environment(first, second, "clock_source")
    if sources[0] == sources[1]:
        return
    costs = [traces.clock_cost_s for traces in (a, b)]
    if None in costs:
        yield DifferingFactor(
            "clock source", sources, Kind.SETTING, why_not="its cost is not recorded"
        )
        return
    more = (costs[1] or 0.0) - (costs[0] or 0.0)
    words = f"a reading costs {format_seconds(costs[1] or 0)}, in A {format_seconds(costs[0] or 0)}"
    if first.times_every_iteration and second.times_every_iteration:
        smallest = min((p.typical_s for p in first.of_every_launch.own()), default=0.0)
        most = math.log1p(abs(more) / smallest) if smallest else 0.0
        limits = _upto(math.copysign(most, more))
        yield DifferingFactor(
            "clock source", sources, Kind.SETTING, words, (FORMS["latency"],), limits
        )
        return
    fraction = abs(more) / min(a.batch_s or 2e-5, b.batch_s or 2e-5)
    yield DifferingFactor(
        "clock source",
        sources,
        Kind.SETTING,
        words,
        why_not=f"{words}: at most {format_percent(fraction, 1)} of a batch",
    )


def _systems(first: Analysis, second: Analysis) -> Iterator[DifferingFactor]:
    """Libraries and machines."""
    mpis = (typical_launch(first.run).mpi, typical_launch(second.run).mpi)
    names = _both(mpis, lambda mpi: f"{mpi.library or 'unknown'} {mpi.version or ''}".strip())
    are_known = all(mpi.library for mpi in mpis)
    if are_known and (names[0] != names[1] or mpis[0].description != mpis[1].description):
        fields = _fields(first, second, "placement")
        change = Restored("placement", "mpicc", fields["mpicc"][0]) if "mpicc" in fields else None
        known = names if names[0] != names[1] else _both(mpis, lambda mpi: text_of(mpi.description))
        yield DifferingFactor(
            "library", known, Kind.SYSTEM, "MPI_Get_library_version", change=change
        )
    cpu = _environment(first, second, "cpu")
    if cpu[0] != cpu[1]:
        yield DifferingFactor("processor", cpu, Kind.SYSTEM, "/proc/cpuinfo")
    launchers = _both((first, second), lambda row: text_of(typical_launch(row.run).launcher))
    if launchers[0] != launchers[1] and names[0] == names[1]:
        yield DifferingFactor("launcher", launchers, Kind.UNKNOWN)
    for key, name in WITHOUT_TRACE.items():
        values = _environment(first, second, key)
        if values[0] != values[1]:
            yield DifferingFactor(
                name, values, Kind.UNKNOWN, why_not="nothing recorded shows its effect"
            )


def _traces(a: Traces, b: Traces) -> Iterator[DifferingFactor]:
    """What changed without a setting that is recorded."""
    if words := ways_apart(a, b):
        yield DifferingFactor(
            "transport", _both((a, b), _ways), Kind.TRACE, words, forms_of_ways(a, b)
        )
    if a.port_rates != b.port_rates and None not in (a.port_rates, b.port_rates):
        yield DifferingFactor(
            "rate of the ports",
            _both((a.port_rates, b.port_rates), text_of),
            Kind.TRACE,
            "the kernel's records of the ports",
            tuple(FORMS[name] for name in ("bandwidth", "large")),
        )


def _ways(traces: Traces) -> str:
    return ", ".join(dict.fromkeys(filter(None, (traces.small_way, traces.large_way))))
