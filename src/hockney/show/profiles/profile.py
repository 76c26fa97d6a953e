"""A profile of a program: its answer, tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from hockney.base.units import format_seconds, format_sizes, how_many, tenth_percent
from hockney.infer.predict.program_memories import WayTime
from hockney.profiling.findings import ProfileFinding
from hockney.profiling.kinds import RankRecord
from hockney.profiling.summary import CallRow, ProfileSummary, Sum
from hockney.show.profiles.profile_findings import finding_text
from hockney.show.tables.table import (
    TableColumn,
    aligned,
    json_field,
    microseconds,
    row_json,
    table_text,
)

TOP = 10
MOST_RANKS = 16
"""Most ranks, rows and columns of the matrix, that the terminal shows."""


def percent(part: float | None, whole: float) -> str:
    return "-" if part is None or not whole else tenth_percent(part / whole)


def _part(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _seconds(value: float) -> str:
    return f"{value:.6g}"


def _rank_name(rank_in_job: tuple[int, int]) -> str:
    rank, job = rank_in_job
    return f"{job}: {rank}" if job else str(rank)


def answer_lines(summary: ProfileSummary, findings: Sequence[ProfileFinding]) -> list[str]:
    """The fraction of the ranks' time in MPI, its causes, and findings."""
    profile = summary.profile
    ranks = len(profile.ranks)
    hosts = len({rank.host for rank in profile.ranks})
    where = f"{how_many(ranks, 'rank')} on {how_many(hosts, 'node')}"
    if profile.program.source is not None:
        first = f"{profile.name}, {how_many(ranks, 'rank')}: {profile.program.source}, which "
        return [f"{first}holds no times in MPI and no nodes", *map(finding_text, findings)]
    spent = "-" if summary.fraction is None else tenth_percent(summary.fraction)
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
    if summary.profile.program.source is not None:
        return [part for part in (_calls(summary), _matrix(summary)) if part]
    parts = [_facts(summary), _ranks(summary), _calls(summary), _regions(summary)]
    parts += [table_text(DISTANCES, summary.by_distance)]
    parts += [table_text(MEMORIES, summary.by_memory) if summary.by_memory else ""]
    parts += [_matrix(summary)]
    return [part for part in parts if part]


def profile_facts(summary: ProfileSummary) -> list[tuple[str, str]]:
    """Facts of the profiled run, as names and values."""
    program = summary.profile.program
    if program.source is not None:
        return [("made from", program.source)]
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


def row_words(row: CallRow) -> str:
    name, started, *_ = row.key
    return str(name) if started is None else f"{name} ({started})"


def _sizes(row: CallRow) -> tuple[int, int]:
    """The least and the most bytes of the calls."""
    _, _, _, *sizes = row.key
    return int(str(sizes[0])), int(str(sizes[-1]))


def _each_s(row: CallRow) -> float:
    return row.sum.spent_s / row.sum.count


def _range(sizes: tuple[int, int]) -> str:
    least, most = sizes
    return str(least) if least == most else f"{least}..{most}"


def call_columns(whole_s: float) -> list[TableColumn[CallRow]]:
    """`s`: with what completed the requests of these calls, as in the figures; `inside s`: in the
    calls themselves. whole_s: time of all ranks in MPI, 0 where it is not known."""
    return [
        TableColumn("call", row_words),
        TableColumn("ranks", lambda row: row.key[2]),
        TableColumn("bytes", _sizes, _range, page=None),
        TableColumn(None, _sizes, lambda sizes: format_sizes(*sizes), page="bytes"),
        TableColumn("count", lambda row: row.sum.count),
        TableColumn(
            "s", lambda row: row.sum.spent_s if whole_s else None, _seconds, page="time, s"
        ),
        TableColumn("of MPI", lambda row: _part(row.sum.spent_s, whole_s), tenth_percent),
        TableColumn(
            "us each",
            lambda row: _each_s(row) if whole_s else None,
            microseconds,
            page="each, µs",
        ),
        TableColumn("wait s", lambda row: row.sum.wait_s, _seconds, page="waited, s"),
        TableColumn(
            "inside s", lambda row: row.sum.time_s if whole_s else None, _seconds, page="inside, s"
        ),
    ]


class RankRow(NamedTuple):
    rank: RankRecord
    sum: Sum


JOB: TableColumn[RankRow] = TableColumn("job", lambda row: row.rank.job, field="job", page=None)
RANKS: list[TableColumn[RankRow]] = [
    TableColumn("rank", lambda row: row.rank.rank, field="rank", page=None),
    TableColumn(None, lambda row: (row.rank.rank, row.rank.job), _rank_name, page="rank"),
    json_field("ranks", lambda row: row.rank.ranks),
    TableColumn("host", lambda row: row.rank.host, field="host"),
    TableColumn("CPUs", lambda row: row.rank.cpus, field="cpus"),
    json_field("end", lambda row: row.rank.end),
    TableColumn("wall s", lambda row: row.rank.wall_s, _seconds, "wall_s", page="time, s"),
    TableColumn("MPI s", lambda row: row.sum.time_s, _seconds, "mpi_s", page="in MPI, s"),
    TableColumn(
        "of wall",
        lambda row: _part(row.sum.time_s, row.rank.wall_s),
        tenth_percent,
        page="of its time",
    ),
    TableColumn("wait s", lambda row: row.sum.wait_s, _seconds, "wait_s", page="waited, s"),
    json_field("cpu_wait_s", lambda row: row.rank.cpu_wait_s),
    json_field("clock_error_s", lambda row: row.rank.clock_error_s),
    TableColumn(None, lambda row: row.sum.count, field="calls", page="calls"),
    json_field("lost_calls", lambda row: row.rank.lost_calls),
    json_field("unfinished", lambda row: row.rank.unfinished),
    json_field("recording_s", lambda row: row.rank.recording_s),
    TableColumn(None, lambda row: row.rank.end, page="ended"),
]
DISTANCES: list[TableColumn[CallRow]] = [
    TableColumn("messages to", lambda row: row.key[0]),
    TableColumn("count", lambda row: row.sum.count),
    TableColumn("bytes", lambda row: row.sum.bytes),
    TableColumn("s", lambda row: row.sum.spent_s, _seconds),
    TableColumn("wait s", lambda row: row.sum.wait_s, _seconds),
]


MEMORIES: list[TableColumn[CallRow]] = [
    TableColumn("memory", lambda row: row.key[0]),
    TableColumn("call", lambda row: row.key[1] or "(all)"),
    TableColumn("count", lambda row: row.sum.count),
    TableColumn("bytes", lambda row: row.sum.bytes),
    TableColumn("s", lambda row: row.sum.spent_s, _seconds),
]


WAYS: list[TableColumn[WayTime]] = [
    TableColumn("messages from", lambda row: row.memory, field="memory"),
    TableColumn("way", lambda row: row.way, field="way"),
    TableColumn("count", lambda row: row.messages, field="messages"),
    TableColumn("bytes", lambda row: row.bytes, field="bytes"),
    TableColumn("s", lambda row: row.seconds, _seconds, "seconds"),
    TableColumn("ratio", lambda row: row.ratio, "{:.2f}".format, "ratio"),
]


def ways_table(ways: Sequence[WayTime]) -> list[str]:
    """Times of messages from memory of accelerators by each measured way; empty without any."""
    return [table_text(WAYS, ways)] if ways else []


def ways_json(ways: Sequence[WayTime]) -> list[dict[str, Any]]:
    return [row_json(WAYS, row) for row in ways]


def rank_rows(summary: ProfileSummary) -> list[RankRow]:
    return [
        RankRow(summary.profile.by_rank[key], total)
        for key, total in sorted(summary.of_rank.items())
    ]


def _ranks(summary: ProfileSummary) -> str:
    """A table with a row for each rank; of many, those with the least and most time in MPI."""
    rows = every = rank_rows(summary)
    if len(rows) > MOST_RANKS:
        rows = sorted(rows, key=lambda row: row.sum.time_s)
        rows = [*rows[: MOST_RANKS // 2], *rows[-MOST_RANKS // 2 :]]
    several = len({row.rank.job for row in every}) > 1
    left = len(every) - len(rows)
    more = f"\nleft out: {how_many(left, 'rank')} between these (--json has all)" if left else ""
    return table_text([JOB, *RANKS] if several else RANKS, rows) + more


def _calls(summary: ProfileSummary) -> str:
    left = len(summary.lines) - TOP
    more = f"\n{left} more (--json has all, by their exact sizes)" if left > 0 else ""
    return table_text(call_columns(summary.time_s), summary.lines[:TOP]) + more


def _regions(summary: ProfileSummary) -> str:
    """A table of the program's regions; empty without any."""
    columns: list[TableColumn[CallRow]] = [
        TableColumn("region", lambda row: row.key[0] or "(none)"),
        TableColumn("calls", lambda row: row.sum.count),
        TableColumn("s", lambda row: row.sum.time_s, _seconds),
        TableColumn("of MPI", lambda row: _part(row.sum.time_s, summary.time_s), tenth_percent),
        TableColumn("wait s", lambda row: row.sum.wait_s, _seconds),
    ]
    rows = summary.by(lambda calls: (calls.region,))
    return table_text(columns, rows) if len(rows) > 1 else ""


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
    content = _profile_json(summary, findings)
    is_schedule = summary.profile.program.source is not None
    return {name: _untimed(part) if is_schedule else part for name, part in content.items()}


NOT_HELD = frozenset({"exit_status", "time_s", "completion_s", "spent_s", "wall_s", "mpi_s"})
"""Fields that a schedule does not have."""


def _untimed(part: Any) -> Any:
    """The part of the JSON with null for each of NOT_HELD."""
    if isinstance(part, list):
        return [_untimed(entry) for entry in part]
    if isinstance(part, dict):
        return {name: None if name in NOT_HELD else _untimed(entry) for name, entry in part.items()}
    return part


def _profile_json(summary: ProfileSummary, findings: Sequence[ProfileFinding]) -> dict[str, Any]:
    profile = summary.profile
    machine = profile.machine
    return {
        "program": {
            "name": profile.name,
            "source": profile.program.source,
            "command": profile.program.command,
            "exit_status": profile.program.exit_status,
            "wall_s": profile.program.wall_s,
            "library": profile.program.library,
        },
        "calls": _rows_json(summary.rows, "call", "started", "communicator_size", "bytes"),
        "ranks": [row_json([JOB, *RANKS], row) for row in rank_rows(summary)],
        "findings": [
            {"kind": finding.kind, "text": finding_text(finding), **finding.facts}
            for finding in findings
        ],
        "time_s": summary.time_s if profile.program.source is None else None,
        "fraction": summary.fraction,
        "recording_s": summary.recording_s,
        "recording_fraction": summary.recording_fraction,
        "causes": {
            name.lower().replace(" ", "_"): seconds
            for name, seconds in summary.causes.seconds.items()
        },
        "machine": _times_json(machine.messages) if machine else None,
        "scattered": _times_json(machine.scattered) if machine else None,
        "regions": _rows_json(summary.by(lambda calls: (calls.region,)), "region"),
        "communicators": _rows_json(
            summary.by(lambda calls: (calls.communicator, calls.communicator_size)),
            *("communicator", "communicator_size"),
        ),
        "datatypes": _rows_json(summary.by(lambda calls: (calls.datatype,)), "datatype"),
        "memories": _rows_json(summary.by_memory, "memory", "call"),
        "distances": _rows_json(summary.by_distance, "distance"),
        "matrix": [
            {"job": job, "rank": rank, "to_rank": peer, "messages": messages, "bytes": bytes_}
            for (job, rank, peer), (messages, bytes_) in sorted(summary.traffic.items())
        ],
        "cut": profile.cut,
    }


def _times_json(times: Sequence[tuple[int, float]]) -> list[dict[str, Any]] | None:
    return [{"bytes": size, "seconds": seconds} for size, seconds in times] if times else None


def _rows_json(rows: Sequence[CallRow], *keys: str) -> list[dict[str, Any]]:
    """Rows of calls, with the names of the parts of their keys."""
    return [dict(zip(keys, row.key, strict=True)) | _sum_json(row.sum) for row in rows]


def _sum_json(total: Sum) -> dict[str, Any]:
    sums = asdict(total)
    return {"count": sums.pop("count"), "bytes_sum": sums.pop("bytes"), **sums}
