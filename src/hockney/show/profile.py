"""A profile of a program: its answer, tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hockney.base.units import format_rate, format_seconds, format_size
from hockney.profiling.findings import ProfileFinding
from hockney.profiling.kinds import RankRecord
from hockney.profiling.summary import CallRow, ProfileSummary, Sum
from hockney.show.table import aligned, microseconds

TOP = 10
MOST_RANKS = 16
"""Most ranks, rows and columns of the matrix, that the terminal shows."""
MOST_NAMED = 8
PLURAL = frozenset({"late partners", "busy CPUs", "messages"})


def percent(part: float | None, whole: float) -> str:
    return "-" if part is None or not whole else f"{100.0 * part / whole:.1f} %"


def _named(ranks: Sequence[int]) -> str:
    words = ", ".join(map(str, ranks[:MOST_NAMED])) + (", ..." if len(ranks) > MOST_NAMED else "")
    return f"rank{'s' if len(ranks) > 1 else ''} {words}"


def finding_text(finding: ProfileFinding) -> str:
    """A finding as a sentence."""
    facts = finding.facts
    match finding.kind:
        case "rank-lost":
            return (
                f"{_named(facts['ranks'])} ended without MPI_Finalize: the profile holds what was "
                "recorded until then"
            )
        case "rank-aborted":
            return f"{_named(facts['ranks'])} called MPI_Abort"
        case "ranks-missing":
            return f"{facts['missing']} of {facts['ranks']} ranks left no record"
        case "calls-lost":
            return (
                f"{facts['calls']} calls ({format_seconds(facts['seconds'])}) found no place in "
                "the recorder's table and are missing here"
            )
        case "sizes-rounded":
            return (
                f"{facts['calls']} calls have sizes rounded up to powers of two: there are more "
                "kinds of calls than the recorder's table holds"
            )
        case "receives-unfinished":
            return (
                f"{facts['receives']} receives were never completed; they are counted with the "
                "bytes that they were posted with"
            )
        case "recording":
            return (
                f"recording took about {percent(facts['seconds'], facts['wall_s'])} of the ranks' "
                "time: without the recorder the program is faster by as much"
            )
        case "cpus-shared":
            cpus = facts["cpus"]
            where = f"CPU {cpus[0]}" if len(cpus) == 1 else f"{len(cpus)} CPUs"
            return (
                f"{len(facts['ranks'])} ranks share {where} of {facts['host']}: they take turns, "
                "and each waits for the others' turn"
            )
        case "messages-disturbed":
            return (
                "CPUs were busy while messages were measured by themselves: latency and bandwidth "
                "may be overstated; run it again when they are free"
            )
        case "cpus-busy":
            return (
                f"other processes held the CPU of {_named(facts['ranks'])} (rank {facts['rank']}: "
                f"{100.0 * facts['fraction']:.0f} % of its time): stop them, or pin ranks elsewhere"
            )
        case "decides":
            return _decides_text(facts)
        case "one-size":
            return (
                f"{100.0 * facts['fraction']:.0f} % of the {facts['call']} calls carry "
                f"{format_size(facts['bytes'])}"
            )
        case "polling":
            return (
                f"{facts['tests']} tests and probes for {facts['other_calls']} other calls: the "
                "program polls"
            )
    return finding.kind


def _decides_text(facts: dict[str, Any]) -> str:
    cause, part = facts["cause"], f"{100.0 * facts['fraction']:.0f} % of the time in MPI"
    verb = "decide" if facts["is_most"] else "take most"
    verb = verb if cause in PLURAL else verb.replace("decide", "decides").replace("take", "takes")
    return f"{cause} {verb}, {part}{_evidence(facts)}"


def _evidence(facts: dict[str, Any]) -> str:
    match facts["cause"]:
        case "late partners":
            where = f", in {facts['where']}" if facts["where"] else ""
            if facts["rank"] is None:
                return where
            longer = facts["over_mean"]
            computes = f", which computes {longer:.2f} times as long as the mean" if longer else ""
            return (
                f"{where}: {100.0 * facts['of_waiting']:.0f} % of the waiting is for rank "
                f"{facts['rank']}{computes}"
            )
        case "busy CPUs":
            return (
                f": ranks were ready to run for {format_seconds(facts['cpu_wait_s'])} of "
                f"{format_seconds(facts['wall_s'])} while something else had their CPU"
            )
        case "contention" if facts["times"]:
            return (
                f": {facts['call']} of {format_size(facts['bytes'])} takes {facts['times']:.2g} "
                "times as long as such a message alone here, without waiting for anybody"
            )
        case "latency" if facts["latency_s"]:
            return f": a small message takes {format_seconds(facts['latency_s'])} here by itself"
        case "bandwidth" if facts["bandwidth_Bps"]:
            return f": large messages move at {format_rate(facts['bandwidth_Bps'])} here"
        case "copying":
            return ": the library copies strided datatypes piece by piece"
        case "messages":
            return (
                ": what messages take here alone was not measured, so latency, bandwidth and "
                "contention are one"
            )
    return ""


def answer_lines(summary: ProfileSummary, findings: Sequence[ProfileFinding]) -> list[str]:
    """The fraction of the ranks' time in MPI, its causes, and findings."""
    profile = summary.profile
    ranks = len(profile.ranks)
    hosts = len({one.host for one in profile.ranks})
    where = f"{ranks} rank{'s' * (ranks > 1)} on {hosts} node{'s' * (hosts > 1)}"
    spent = percent(summary.time_s, summary.wall_s)
    first = f"{profile.name}, {where}: {spent} of the ranks' time is spent in MPI"
    reasons = [
        f"{percent(seconds, summary.time_s)} {name}"
        for name, seconds in sorted(summary.causes.seconds.items(), key=lambda item: -item[1])
        if seconds > 0.005 * summary.time_s
    ]
    of_it = [f"of that: {', '.join(reasons)}"] if reasons else []
    return [first, *of_it, *map(finding_text, findings)]


def profile_parts(summary: ProfileSummary) -> list[str]:
    """The tables below the answer."""
    parts = [_facts(summary), _ranks(summary), _calls(summary), _regions(summary)]
    parts += [_distances(summary), _matrix(summary)]
    return [part for part in parts if part]


def profile_facts(summary: ProfileSummary) -> list[tuple[str, str]]:
    """Facts of the profiled run, as names and values."""
    program = summary.profile.program
    facts = [("command", " ".join(program.command))] if program.command is not None else []
    facts += [("exit status", str(program.exit_status))]
    facts += [("wall time", format_seconds(program.wall_s))]
    if summary.recording_s is not None:
        taken = f"{format_seconds(summary.recording_s)} of all ranks"
        part = percent(summary.recording_s, summary.wall_s)
        facts.append(("recording", f"about {taken}, {part} of their time"))
    if program.library:
        facts.append(("library", program.library))
    return facts


def _facts(summary: ProfileSummary) -> str:
    return "\n".join(f"{name:<11}  {value}" for name, value in profile_facts(summary))


def _wait(found: Sum) -> str:
    return "-" if found.wait_s is None else f"{found.wait_s:.6g}"


def _ranks(summary: ProfileSummary) -> str:
    """A table with a row a rank; of many, those with the least and most time in MPI."""
    known = summary.profile.by_rank
    several = len({job for job, _ in known}) > 1
    keys = sorted(summary.of_rank)
    if len(keys) > MOST_RANKS:
        by_time = sorted(keys, key=lambda key: summary.of_rank[key].time_s)
        keys = [*by_time[: MOST_RANKS // 2], *by_time[-MOST_RANKS // 2 :]]
    rows = [
        [
            *(["job"] if several else []),
            *("rank", "host", "CPUs", "wall s", "MPI s", "of wall", "wait s"),
        ]
    ]
    for key in keys:
        rank, found = known[key], summary.of_rank[key]
        own = [str(rank.job)] if several else []
        times = [f"{rank.wall_s:.6g}", f"{found.time_s:.6g}", percent(found.time_s, rank.wall_s)]
        rows.append([*own, str(rank.rank), rank.host, rank.cpus, *times, _wait(found)])
    left = len(summary.of_rank) - len(keys)
    more = f"\n{left} ranks between these are left out (--json has all)" if left else ""
    return aligned(rows) + more


def row_words(row: CallRow) -> str:
    name, started, *_ = row.key
    return str(name) if started is None else f"{name} ({started})"


def _calls(summary: ProfileSummary) -> str:
    """A table of calls. `s`: with what completed the requests of these calls, as in the figures;
    `inside s`: in the calls themselves."""
    rows = [["call", "ranks", "bytes", "count", "s", "of MPI", "us each", "wait s", "inside s"]]
    for row in summary.lines[:TOP]:
        _, _, size, least, most = row.key
        found = row.sum
        rows.append(
            [
                row_words(row),
                "-" if size is None else str(size),
                str(least) if least == most else f"{least}..{most}",
                str(found.count),
                f"{found.spent_s:.6g}",
                percent(found.spent_s, summary.time_s),
                microseconds(found.spent_s / found.count),
                _wait(found),
                f"{found.time_s:.6g}",
            ]
        )
    left = len(summary.lines) - TOP
    return aligned(rows) + (
        f"\n{left} more (--json has all, by their exact sizes)" if left > 0 else ""
    )


def _regions(summary: ProfileSummary) -> str:
    """A table of the program's regions; empty without any."""
    found = summary.by(lambda calls: (calls.region,))
    if len(found) < 2:
        return ""
    rows = [["region", "calls", "s", "of MPI", "wait s"]]
    for row in found:
        name, times = str(row.key[0]) or "(none)", row.sum
        spent = [f"{times.time_s:.6g}", percent(times.time_s, summary.time_s), _wait(times)]
        rows.append([name, str(times.count), *spent])
    return aligned(rows)


def _distances(summary: ProfileSummary) -> str:
    rows = [["messages to", "count", "bytes", "s", "wait s"]]
    for row in summary.by_distance:
        found = row.sum
        rows.append(
            [
                str(row.key[0]),
                str(found.count),
                str(found.bytes),
                f"{found.spent_s:.6g}",
                _wait(found),
            ]
        )
    return aligned(rows) if len(rows) > 1 else ""


def _matrix(summary: ProfileSummary) -> str:
    """A table of bytes between ranks, for few ranks."""
    ranks = sorted({rank for _, a, b in summary.traffic for rank in (a, b)})
    jobs = {job for job, _, _ in summary.traffic}
    if not ranks or len(ranks) > MOST_RANKS or len(jobs) > 1:
        return ""
    [job] = jobs
    rows = [["bytes to rank", *map(str, ranks)]]
    for sender in ranks:
        sent = [summary.traffic.get((job, sender, receiver), (0, 0))[1] for receiver in ranks]
        rows.append([f"from {sender}", *(str(bytes_) if bytes_ else "-" for bytes_ in sent)])
    return aligned(rows)


def profile_json(summary: ProfileSummary, findings: Sequence[ProfileFinding]) -> dict[str, Any]:
    profile = summary.profile
    return {
        "program": {
            "name": profile.name,
            "command": profile.program.command,
            "exit_status": profile.program.exit_status,
            "wall_s": profile.program.wall_s,
            "library": profile.program.library,
        },
        "calls": [
            {
                "call": name,
                "started": started,
                "communicator_size": size,
                "bytes": bytes_,
                **_sum_json(row.sum),
            }
            for row in summary.rows
            for name, started, size, bytes_ in [row.key]
        ],
        "ranks": [
            _rank_json(profile.by_rank[key], found)
            for key, found in sorted(summary.of_rank.items())
        ],
        "findings": [
            {"kind": one.kind, "text": finding_text(one), **one.facts} for one in findings
        ],
        "time_s": summary.time_s,
        "fraction": summary.fraction,
        "recording_s": summary.recording_s,
        "recording_fraction": summary.recording_fraction,
        "causes": {
            name.lower().replace(" ", "_"): seconds
            for name, seconds in summary.causes.seconds.items()
        },
        "machine": None
        if profile.machine is None
        else [{"bytes": size, "seconds": seconds} for size, seconds in profile.machine.messages],
        "regions": [
            {"region": row.key[0], **_sum_json(row.sum)}
            for row in summary.by(lambda calls: (calls.region,))
        ],
        "communicators": [
            {"communicator": row.key[0], "communicator_size": row.key[1], **_sum_json(row.sum)}
            for row in summary.by(lambda calls: (calls.communicator, calls.communicator_size))
        ],
        "datatypes": [
            {"datatype": row.key[0], **_sum_json(row.sum)}
            for row in summary.by(lambda calls: (calls.datatype,))
        ],
        "distances": [
            {"distance": row.key[0], **_sum_json(row.sum)} for row in summary.by_distance
        ],
        "matrix": [
            {"job": job, "rank": rank, "to_rank": peer, "messages": messages, "bytes": bytes_}
            for (job, rank, peer), (messages, bytes_) in sorted(summary.traffic.items())
        ],
        "cut": profile.cut,
    }


def _sum_json(found: Sum) -> dict[str, Any]:
    sums = asdict(found)
    return {"count": sums.pop("count"), "bytes_sum": sums.pop("bytes"), **sums}


def _rank_json(rank: RankRecord, found: Sum) -> dict[str, Any]:
    return {
        "job": rank.job,
        "rank": rank.rank,
        "ranks": rank.ranks,
        "host": rank.host,
        "cpus": rank.cpus,
        "end": rank.end,
        "wall_s": rank.wall_s,
        "mpi_s": found.time_s,
        "wait_s": found.wait_s,
        "cpu_wait_s": rank.cpu_wait_s,
        "clock_error_s": rank.clock_error_s,
        "calls": found.count,
        "lost_calls": rank.lost_calls,
        "unfinished": rank.unfinished,
        "recording_s": rank.recording_s,
    }
