"""Findings of a profile as sentences."""

from __future__ import annotations

from typing import Any

from hockney.base.units import (
    format_rate,
    format_ratio,
    format_seconds,
    format_size,
    how_many,
    tenth_percent,
    whole_percent,
)
from hockney.profiling.findings import ProfileFinding

MOST_NAMED = 8
PLURAL = frozenset({"late partners", "busy CPUs", "messages"})


def _named(facts: dict[str, Any]) -> str:
    """The ranks of a finding, with their jobs where there are several."""
    ranks = facts["ranks"]
    jobs = facts["jobs"] or [None] * len(ranks)
    names = [f"{rank}{_of_job(job)}" for rank, job in zip(ranks, jobs, strict=True)]
    words = ", ".join(names[:MOST_NAMED]) + (", ..." if len(ranks) > MOST_NAMED else "")
    return f"rank{'s' if len(ranks) > 1 else ''} {words}"


def _of_job(job: int | None) -> str:
    return "" if job is None else f" of job {job}"


def finding_text(finding: ProfileFinding) -> str:
    """A finding as a sentence."""
    facts = finding.facts
    match finding.kind:
        case "rank-lost":
            return (
                f"{_named(facts)} ended without MPI_Finalize: the profile holds what was "
                "recorded until then"
            )
        case "rank-aborted":
            return f"{_named(facts)} called MPI_Abort"
        case "ranks-missing":
            return f"{facts['missing']} of {how_many(facts['ranks'], 'rank')} left no record"
        case "calls-lost":
            return (
                f"not in this profile: {how_many(facts['calls'], 'call')} "
                f"({format_seconds(facts['seconds'])}), because the recorder's table was full"
            )
        case "sizes-rounded":
            return (
                f"sizes of {how_many(facts['calls'], 'call')} are rounded up to powers of two: "
                "the recorder's table has no room for so many kinds of calls"
            )
        case "receives-unfinished":
            return (
                f"{how_many(facts['receives'], 'receive')} never completed; counted with the bytes "
                "posted"
            )
        case "recording":
            return (
                f"recording took about {tenth_percent(facts['fraction'])} of the ranks' time; the "
                "program is that much faster without it"
            )
        case "cpus-shared":
            cpus = facts["cpus"]
            where = f"CPU {cpus[0]}" if len(cpus) == 1 else f"{len(cpus)} CPUs"
            return (
                f"{len(facts['ranks'])} ranks{_of_job(facts['job'])} share {where} of "
                f"{facts['host']}: they take turns, and each waits for the others' turn"
            )
        case "messages-disturbed":
            return (
                "CPUs were busy while messages were timed alone: latency and bandwidth may be "
                "overstated; profile again when the CPUs are free"
            )
        case "cpus-busy":
            worst = f"rank {facts['rank']}{_of_job(facts['job'])}"
            return (
                f"other processes held the CPU of {_named(facts)} ({worst}: "
                f"{whole_percent(facts['fraction'])} of its time): stop them, or pin ranks "
                "elsewhere"
            )
        case "decides":
            return _decides_text(facts)
        case "memory":
            part = (
                f"{whole_percent(facts['fraction'])} of the bytes ({format_size(facts['bytes'])})"
            )
            return f"{part} are sent from or received into {facts['memory']} memory"
        case "one-size":
            return (
                f"{whole_percent(facts['fraction'])} of the {facts['call']} calls with data carry "
                f"{format_size(facts['bytes'])}"
            )
        case "polling":
            return (
                f"{how_many(facts['tests'], 'test')} and probes for "
                f"{how_many(facts['other_calls'], 'other call')}: the program polls"
            )
    return finding.kind


WITH_OTHER_END = {"latency": "latency, with bandwidth,", "bandwidth": "bandwidth, with latency,"}
"""The two are counted together, as the messages' time."""


def _decides_text(facts: dict[str, Any]) -> str:
    cause, percent = facts["cause"], whole_percent(facts["fraction"])
    take = "take" if cause in PLURAL else "takes"
    part = f"{take} {percent} of the time in MPI"
    if facts["is_most"]:
        part = f"{take} most of the time in MPI, {percent}"
    elif not facts["larger"]:
        part = f"{take} more of the time in MPI than any other cause, {percent}"
    return f"{WITH_OTHER_END.get(cause, cause)} {part}{_evidence(facts)}{_larger(facts)}"


def _larger(facts: dict[str, Any]) -> str:
    """What takes more than the cause; empty if nothing does."""
    if not facts["larger"]:
        return ""
    part = whole_percent(facts["larger_fraction"])
    if facts["larger"] == "unexplained":
        return f"; a larger part, {part}, is unexplained"
    return f"; calls that send nothing between ranks take more, {part}"


def _evidence(facts: dict[str, Any]) -> str:
    match facts["cause"]:
        case "late partners":
            where = f", in {facts['where']}" if facts["where"] else ""
            if facts["rank"] is None:
                return where
            longer = facts["over_mean"]
            computes = f", which computes {longer:.2f} times as long as the mean" if longer else ""
            return (
                f"{where}: {whole_percent(facts['of_waiting'])} of the waiting is for rank "
                f"{facts['rank']}{_of_job(facts['job'])}{computes}"
            )
        case "busy CPUs":
            return (
                f": ranks were ready to run for {format_seconds(facts['cpu_wait_s'])} of "
                f"{format_seconds(facts['wall_s'])} while something else had their CPU"
            )
        case "contention" | "distance or contention" if facts["times"]:
            longer = (
                f": {facts['call']} of {format_size(facts['bytes'])} takes "
                f"{format_ratio(facts['times'], 2)} times as long as such a message alone"
            )
            if facts["cause"] == "contention":
                return f"{longer} here, not counting waits"
            return (
                f"{longer} between two CPUs here; whether the ranks are farther apart than these, "
                "or slow each other down, is not known"
            )
        case "latency" if facts["latency_s"]:
            return f": a small message takes {format_seconds(facts['latency_s'])} here by itself"
        case "bandwidth" if facts["bandwidth_Bps"]:
            return f": large messages move at {format_rate(facts['bandwidth_Bps'])} here"
        case "copying":
            slowest = format_rate(facts["least_Bps"])
            return (
                ": the library copies strided datatypes piece by piece, which slows large messages "
                f"down to {slowest} here if no two bytes are neighbours"
            )
        case "messages":
            return (
                ": what messages take here alone was not measured, so latency, bandwidth, copying "
                "and contention are one"
            )
    return ""
