"""What stands out in a profile: facts with their numbers, from which views make sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hockney.profiles.places import crowded
from hockney.profiles.summary import COMPLETING, SMALL_BYTES, Summary

LEAST_FRACTION = 0.1
"""Of the time in MPI: what takes less is no finding."""
MOST_OF = 0.5
"""Of the calls or the waiting: a size or a rank that has more stands out."""
UNEVEN = 1.2
"""The most computing of a rank over the mean, from which on the load is uneven."""
MOST_RECORDING = 0.02
"""Of the ranks' time: a recorder that takes more has changed what it records."""
POLLS = 100
"""Tests per request that completed, from which on the program polls."""
POLLING = frozenset(
    f"MPI_{name}"
    for name in (
        *("Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe", "Parrived"),
        *("Request_get_status", "Request_get_status_all"),
        *("Request_get_status_any", "Request_get_status_some"),
    )
)


@dataclass(frozen=True)
class Finding:
    kind: str
    facts: dict[str, Any]


def findings_of(summary: Summary) -> list[Finding]:
    """What spoils the profile first, then what costs the program its time."""
    return [
        *_incomplete(summary),
        *_recording(summary),
        *_shared_cpus(summary),
        *_waiting(summary),
        *_one_size(summary),
        *_uneven(summary),
        *_strided(summary),
        *_polling(summary),
    ]


def _incomplete(summary: Summary) -> Iterator[Finding]:
    profile = summary.profile
    for end in ("lost", "aborted"):
        ranks = [one.rank for one in profile.ranks if one.end == end]
        if ranks:
            yield Finding(f"rank-{end}", {"ranks": ranks})
    jobs = {one.job: one.ranks for one in profile.ranks}
    missing = sum(jobs.values()) - len(profile.ranks)
    if missing > 0:
        yield Finding("ranks-missing", {"missing": missing, "ranks": sum(jobs.values())})
    lost = sum(one.lost_calls for one in profile.ranks)
    if lost:
        yield Finding(
            "calls-lost", {"calls": lost, "seconds": sum(o.lost_s for o in profile.ranks)}
        )
    coarse = sum(calls.count for calls in profile.calls if calls.is_coarse)
    if coarse:
        yield Finding("sizes-rounded", {"calls": coarse})
    unfinished = sum(one.unfinished for one in profile.ranks)
    if unfinished:
        yield Finding("receives-unfinished", {"receives": unfinished})


def _recording(summary: Summary) -> Iterator[Finding]:
    fraction = summary.recording_fraction
    if fraction is not None and fraction > MOST_RECORDING:
        facts = {"seconds": summary.recording_s, "fraction": fraction, "wall_s": summary.wall_s}
        yield Finding("recording", facts)


def _shared_cpus(summary: Summary) -> Iterator[Finding]:
    for cpus, ranks in crowded(summary.profile.ranks):
        facts = {"host": ranks[0].host, "cpus": sorted(cpus), "ranks": [one.rank for one in ranks]}
        yield Finding("cpus-shared", facts)


def _waiting(summary: Summary) -> Iterator[Finding]:
    waited = summary.reasons["waiting"]
    if not summary.time_s or waited < LEAST_FRACTION * summary.time_s:
        return
    blamed: dict[tuple[int, int], float] = defaultdict(float)
    for one in summary.profile.blames:
        blamed[one.job, one.for_rank] += one.seconds
    facts: dict[str, Any] = {"fraction": min(waited / summary.time_s, 1.0), "rank": None}
    if blamed:
        (_, rank), seconds = max(blamed.items(), key=lambda item: item[1])
        if seconds > MOST_OF * sum(blamed.values()):
            facts |= {"rank": rank, "of_waiting": seconds / sum(blamed.values())}
    yield Finding("waiting", facts)


def _one_size(summary: Summary) -> Iterator[Finding]:
    """Calls of which most carry the same few bytes, or are large."""
    by_call: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for row in summary.rows:
        name, _, _, bytes_ = row.key
        spent = row.sum.time_s + row.sum.completion_s
        if name not in COMPLETING and isinstance(bytes_, int) and bytes_ > 0:
            by_call[str(name)].append((bytes_, row.sum.count, spent))
    for name, sizes in by_call.items():
        calls, spent = sum(count for _, count, _ in sizes), sum(time for _, _, time in sizes)
        if not summary.time_s or spent < LEAST_FRACTION * summary.time_s:
            continue
        most = max({size for size, _, _ in sizes}, key=lambda size: _count(sizes, size))
        part = _count(sizes, most) / calls
        if part > MOST_OF:
            decides = "latency" if most <= SMALL_BYTES else "bandwidth"
            yield Finding(
                "one-size", {"call": name, "bytes": most, "fraction": part, "decides": decides}
            )


def _count(sizes: list[tuple[int, int, float]], of: int) -> int:
    return sum(count for size, count, _ in sizes if size == of)


def _uneven(summary: Summary) -> Iterator[Finding]:
    """Ranks that compute for longer than others, which then wait for them."""
    known = summary.profile.by_rank
    computing = {
        key: max(known[key].wall_s - found.time_s, 0.0) for key, found in summary.of_rank.items()
    }
    mean = sum(computing.values()) / len(computing) if computing else 0.0
    if summary.time_s < LEAST_FRACTION * summary.wall_s or not summary.reasons["waiting"]:
        return
    if len(computing) > 1 and mean > 0.0:
        (_, rank), most = max(computing.items(), key=lambda item: item[1])
        others_wait_s, in_mpi_s = most - mean, summary.time_s / len(computing)
        if most > UNEVEN * mean and others_wait_s > LEAST_FRACTION * in_mpi_s:
            yield Finding("uneven-load", {"rank": rank, "over_mean": most / mean})


def _strided(summary: Summary) -> Iterator[Finding]:
    copying = summary.reasons["copying"]
    if summary.time_s and copying > LEAST_FRACTION * summary.time_s:
        yield Finding("strided-datatypes", {"fraction": copying / summary.time_s})


def _polling(summary: Summary) -> Iterator[Finding]:
    tests = sum(row.sum.count for row in summary.rows if row.key[0] in POLLING)
    others = sum(row.sum.count for row in summary.rows if row.key[0] not in POLLING)
    if tests > POLLS * max(others, 1):
        yield Finding("polling", {"tests": tests, "other_calls": others})
