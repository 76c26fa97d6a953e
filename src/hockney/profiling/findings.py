"""Findings of a profile: facts with their numbers, from which views make sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hockney.profiling.causes import (
    BANDWIDTH,
    BUSY,
    COMPLETING,
    CONTENTION,
    COPYING,
    FARTHER,
    LATE,
    LATENCY,
    MESSAGES,
    OTHER,
    UNEXPLAINED,
    spent_in,
)
from hockney.profiling.kinds import Calls, RankRecord
from hockney.profiling.places import crowded
from hockney.profiling.summary import ProfileSummary, sends

LEAST_FRACTION = 0.1
"""Least fraction of the time in MPI of a finding."""
MOST_OF = 0.5
"""Fraction of the calls or the waiting above which a size or rank is a finding."""
MOST_CPU_WAIT = 0.1
"""Largest fraction of a rank's time off its CPU, as for measured ranks (conditions/noise.py)."""
MOST_RECORDING = 0.02
"""Largest fraction of the ranks' time for the recorder; more changes what it records."""
ROUNDED = 0
"""Stands for the sizes of calls that are known only to be up to a power of two."""
POLLS = 100
"""Tests and probes per other call above which a program polls."""
POLLING = frozenset(
    f"MPI_{name}"
    for name in (
        *("Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe", "Parrived"),
        *("Request_get_status", "Request_get_status_all"),
        *("Request_get_status_any", "Request_get_status_some"),
    )
)


@dataclass(frozen=True)
class ProfileFinding:
    kind: str
    facts: dict[str, Any]


def findings_of(summary: ProfileSummary) -> list[ProfileFinding]:
    """Findings: what costs the most time first, then what impairs the profile, then the rest."""
    return [
        *_decides(summary),
        *_incomplete(summary),
        *_recording(summary),
        *_disturbed_messages(summary),
        *_shared_cpus(summary),
        *_busy_cpus(summary),
        *_memory(summary),
        *_one_size(summary),
        *_polling(summary),
    ]


def _incomplete(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    profile = summary.profile
    for end in ("lost", "aborted"):
        ranks = [rank for rank in profile.ranks if rank.end == end]
        if ranks:
            yield ProfileFinding(f"rank-{end}", _named(summary, ranks))
    jobs = {rank.job: rank.ranks for rank in profile.ranks}
    missing = sum(jobs.values()) - len(profile.ranks)
    if missing > 0:
        yield ProfileFinding("ranks-missing", {"missing": missing, "ranks": sum(jobs.values())})
    lost = sum(rank.lost_calls for rank in profile.ranks)
    if lost:
        yield ProfileFinding(
            "calls-lost", {"calls": lost, "seconds": sum(o.lost_s for o in profile.ranks)}
        )
    coarse = sum(calls.count for calls in profile.calls if calls.is_coarse)
    if coarse:
        yield ProfileFinding("sizes-rounded", {"calls": coarse})
    unfinished = sum(rank.unfinished for rank in profile.ranks)
    if unfinished:
        yield ProfileFinding("receives-unfinished", {"receives": unfinished})


def _named(summary: ProfileSummary, ranks: Sequence[RankRecord]) -> dict[str, Any]:
    """Facts that name ranks: their numbers, and the job of each; null where there is one job."""
    jobs = [rank.job for rank in ranks] if _has_several_jobs(summary) else None
    return {"ranks": [rank.rank for rank in ranks], "jobs": jobs}


def _job(summary: ProfileSummary, job: int) -> int | None:
    return job if _has_several_jobs(summary) else None


def _has_several_jobs(summary: ProfileSummary) -> bool:
    return len({rank.job for rank in summary.profile.ranks}) > 1


def _recording(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    fraction = summary.recording_fraction
    if fraction is not None and fraction > MOST_RECORDING:
        facts = {"seconds": summary.recording_s, "fraction": fraction, "wall_s": summary.wall_s}
        yield ProfileFinding("recording", facts)


def _disturbed_messages(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    machine = summary.profile.machine
    if machine is not None and machine.disturbed:
        yield ProfileFinding("messages-disturbed", {})


def _shared_cpus(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    for cpus, ranks in crowded(summary.profile.ranks):
        facts = {
            "host": ranks[0].host,
            "cpus": sorted(cpus),
            "job": _job(summary, ranks[0].job),
            "ranks": [rank.rank for rank in ranks],
        }
        yield ProfileFinding("cpus-shared", facts)


def _busy_cpus(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    """Ranks that were kept off their CPU, as in the warnings of measuring verbs."""
    known = [rank for rank in summary.profile.ranks if rank.cpu_wait_s is not None and rank.wall_s]
    busy = [rank for rank in known if (rank.cpu_wait_s or 0.0) > MOST_CPU_WAIT * rank.wall_s]
    if busy:
        worst = max(busy, key=lambda rank: (rank.cpu_wait_s or 0.0) / rank.wall_s)
        part = min((worst.cpu_wait_s or 0.0) / worst.wall_s, 1.0)
        facts = {"rank": worst.rank, "job": _job(summary, worst.job), "fraction": part}
        yield ProfileFinding("cpus-busy", _named(summary, busy) | facts)


def _decides(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    """The cause of most of the time in MPI, with its evidence. Latency and bandwidth are two ends
    of one cause: the messages."""
    seconds = summary.causes.seconds
    single = (LATE, BUSY, CONTENTION, FARTHER, COPYING, MESSAGES)
    together = {name: seconds[name] for name in single}
    together[LATENCY if seconds[LATENCY] >= seconds[BANDWIDTH] else BANDWIDTH] = (
        seconds[LATENCY] + seconds[BANDWIDTH]
    )
    cause, most = max(together.items(), key=lambda item: item[1])
    if not summary.time_s or most < LEAST_FRACTION * summary.time_s:
        return
    facts: dict[str, Any] = {"cause": cause, "fraction": min(most / summary.time_s, 1.0)}
    facts["is_most"] = most > MOST_OF * summary.time_s
    facts |= _larger(summary, most)
    evidence: dict[str, Callable[[ProfileSummary], dict[str, Any]]] = {
        LATE: _late,
        BUSY: _busy,
        CONTENTION: partial(_beyond, cause=CONTENTION),
        FARTHER: partial(_beyond, cause=FARTHER),
        COPYING: _copying,
        LATENCY: _messages,
        BANDWIDTH: _messages,
    }
    yield ProfileFinding("decides", facts | (evidence[cause](summary) if cause in evidence else {}))


def _larger(summary: ProfileSummary, most: float) -> dict[str, Any]:
    """The larger of OTHER and UNEXPLAINED and its fraction of the time in MPI, if it took longer
    than the known causes; most: seconds of the largest of these."""
    name, seconds = max(
        ((name, summary.causes.seconds[name]) for name in (OTHER, UNEXPLAINED)),
        key=lambda item: item[1],
    )
    if seconds <= most:
        return {"larger": None, "larger_fraction": None}
    return {"larger": name, "larger_fraction": min(seconds / summary.time_s, 1.0)}


def _late(summary: ProfileSummary) -> dict[str, Any]:
    """The rank at whose computing most waiting ends, its job where there are several, its computing
    time over the mean of the job, and the calls that waited."""
    facts: dict[str, Any] = dict.fromkeys(("rank", "job", "of_waiting", "over_mean"))
    facts["where"] = _where(summary)
    late = summary.causes.late_of_rank
    whole, key = sum(late.values()), max(late, key=lambda rank: late[rank])
    over_mean = _over_mean(summary, key)
    if late[key] <= MOST_OF * whole or (over_mean is not None and over_mean < 1.0):
        return facts
    facts |= {"rank": key[1], "job": _job(summary, key[0])}
    return facts | {"of_waiting": late[key] / whole, "over_mean": over_mean}


def _over_mean(summary: ProfileSummary, key: tuple[int, int]) -> float | None:
    """Computing time of a rank over the mean of its job; None if there is none, or no other
    rank."""
    computing = {
        rank: seconds for rank, seconds in summary.computing_s.items() if rank[0] == key[0]
    }
    mean = sum(computing.values()) / len(computing)
    return computing[key] / mean if mean and len(computing) > 1 else None


def _where(summary: ProfileSummary) -> str | None:
    """The kind of calls that waited most, in which the partner is late."""
    waited: dict[str, float] = defaultdict(float)
    for calls in summary.profile.calls:
        waited[_kind(calls)] += spent_in(calls)[1]
    return max(waited, key=lambda kind: waited[kind]) if any(waited.values()) else None


def _kind(calls: Calls) -> str:
    if calls.call.startswith("MPI_Sendrecv"):
        return "receives"
    if sends(calls):
        return "sends"
    return "receives" if "recv" in (calls.started or calls.call).lower() else "collectives"


def _busy(summary: ProfileSummary) -> dict[str, Any]:
    known = [rank for rank in summary.profile.ranks if rank.cpu_wait_s is not None]
    return {"cpu_wait_s": sum(rank.cpu_wait_s or 0.0 for rank in known), "wall_s": summary.wall_s}


def _beyond(summary: ProfileSummary, cause: str) -> dict[str, Any]:
    """The calls with the most time beyond the model, and their time over that alone; cause: what
    that time counts as."""
    by_call: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for calls in summary.profile.calls:
        own = summary.causes.own(calls)
        if cause in own:
            sums = by_call[calls.call, calls.bytes]
            sums[0] += own[cause]
            sums[1] += own[LATENCY] + own[BANDWIDTH]
    (call, bytes_), (beyond, alone) = max(by_call.items(), key=lambda item: item[1][0])
    return {"call": call, "bytes": bytes_, "times": (beyond + alone) / alone if alone else None}


def _messages(summary: ProfileSummary) -> dict[str, Any]:
    model = summary.causes.model
    if model is None:
        return {"latency_s": None, "bandwidth_Bps": None}
    return {
        "latency_s": model.contiguous.latency_s,
        "bandwidth_Bps": model.contiguous.largest_Bps,
    }


def _copying(summary: ProfileSummary) -> dict[str, Any]:
    model = summary.causes.model
    if model is None or model.scattered is None:
        return {"least_Bps": None}
    return {"least_Bps": model.scattered.largest_Bps}


def _memory(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    """Memory of accelerators that messages and collectives use."""
    totals = [row for row in summary.by_memory if row.key[1] is None]
    bytes_ = sum(row.sum.bytes for row in totals)
    for row in totals:
        if row.key[0] != "host":
            facts = {"memory": row.key[0], "bytes": row.sum.bytes}
            yield ProfileFinding("memory", {**facts, "fraction": row.sum.bytes / bytes_})


def _one_size(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    """Calls with data, most of which carry the same number of bytes."""
    counts: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    spent: dict[str, float] = defaultdict(float)
    for calls in summary.profile.calls:
        if calls.call not in COMPLETING and calls.bytes > 0:
            counts[calls.call][ROUNDED if calls.is_coarse else calls.bytes] += calls.count
            spent[calls.call] += calls.time_s + calls.completion_s
    for name, by_size in counts.items():
        known = {size: count for size, count in by_size.items() if size != ROUNDED}
        if not known or not summary.time_s or spent[name] < LEAST_FRACTION * summary.time_s:
            continue
        most = max(known, key=lambda size: known[size])
        part = known[most] / sum(by_size.values())
        if part > MOST_OF:
            yield ProfileFinding("one-size", {"call": name, "bytes": most, "fraction": part})


def _polling(summary: ProfileSummary) -> Iterator[ProfileFinding]:
    tests = sum(row.sum.count for row in summary.rows if row.key[0] in POLLING)
    others = sum(row.sum.count for row in summary.rows if row.key[0] not in POLLING)
    if tests > POLLS * max(others, 1):
        yield ProfileFinding("polling", {"tests": tests, "other_calls": others})
