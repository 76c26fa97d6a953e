"""Looks at the ranks of a launch that reports nothing, on all its nodes, and says which one hangs.

Each rank shows what it does under /proc (engine/state.c); a shell script reads that, so that a node
without a working library answers, too."""

from __future__ import annotations

import platform
import secrets
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import msgspec

from hockney.base.errors import HockneyError
from hockney.base.units import first_few, format_seconds, format_size, listed
from hockney.plan import Case
from hockney.records import Samples
from hockney.run.measure.launches.launch import NodeFinding
from hockney.run.measure.launches.node_faults import SLOW_NAME_S, faults_of, node_script, nodes_in
from hockney.run.measure.launches.nodes import ask_nodes, silences
from hockney.run.mpis import Engine, Mpi

SCRIPT = r"""
grep -lsxz -e --mark={mark} /proc/[0-9]*/cmdline | while IFS=/ read -r _ _ pid _; do
    read -r status 2>/dev/null </proc/$pid/stat || continue
    shown=
    for file in /proc/$pid/fd/*; do
        case $(readlink "$file" 2>/dev/null) in
        */memfd:hockney-state*) shown=$(tr -d '\0' 2>/dev/null <"$file") ;;
        esac
    done
    printf 'rank\t%s\t%s\t%s\t%s\n' "$host" "$(date +%s)" "$status" "$shown"
done
"""
LONGEST_NAME = 15
"""Most characters of a process's name in /proc/PID/stat."""
STOPPED, BLOCKED = "Tt", "D"
"""States of a process in /proc/PID/stat."""
MOST_NAMED = 4
"""Most ranks or pairs that a sentence names."""
STARTING, INITIALIZING, EXCHANGING, SLEEPING = "starting", "MPI_Init", "exchange", "sleeping"


Passed = set[tuple[frozenset[int], int]]
"""Pairs of ranks, with the sizes (bytes) of messages that were measured between them."""


class RankState(msgspec.Struct, kw_only=True):
    """What a rank shows of itself."""

    rank: int
    """-1 until MPI has given the rank its number; so is `ranks`."""
    ranks: int
    phase: str
    operation: str
    bytes: int
    partner: int
    """The rank with which it exchanges messages; -1 if with all."""
    since_s: float
    """Since when (Unix time of its node)."""


@dataclass(frozen=True)
class SeenRank:
    host: str
    pid: int
    state: str
    """The letter in /proc/PID/stat: R, S, D, T, ..."""
    shown: RankState | None
    """None if it has not come so far as to show anything."""
    for_s: float = 0.0
    """Seconds since it began what it shows."""

    @property
    def rank(self) -> int | None:
        return self.shown.rank if self.shown and self.shown.rank >= 0 else None

    @property
    def phase(self) -> str:
        return self.shown.phase if self.shown else STARTING

    @property
    def name(self) -> str:
        where = f"{self.host}, process {self.pid}"
        return f"a rank ({where})" if self.rank is None else f"rank {self.rank} ({where})"

    @property
    def does(self) -> str:
        """What it does, as part of a sentence."""
        if self.shown is None or self.phase != EXCHANGING:
            return f"in {self.phase}" if self.phase.startswith("MPI_") else self.phase
        return f"in {exchange_text(self.shown)}"


def exchange_text(shown: RankState) -> str:
    return f"{shown.operation} of {format_size(shown.bytes)}"


def new_mark() -> str:
    """An argument of the engine by which the ranks of one launch are found on their nodes."""
    return secrets.token_hex(8)


def locate(
    mpi: Mpi,
    engine: Engine,
    case: Case,
    mark: str,
    passed: Passed,
    places: Mapping[int, str],
    timeout_s: float,
) -> list[NodeFinding]:
    """Which ranks hang, and what is wrong with nodes, the surest first; empty if neither is known.
    Call it while the launch still runs. places: the host of each rank, if the launch reported
    it."""
    script = node_script(engine, case.placement) + SCRIPT.format(mark=shlex.quote(mark))
    try:
        answers = ask_nodes(
            mpi, case.placement, script, timeout_s + SLOW_NAME_S, while_running=True
        )
    except HockneyError:  # no node can be reached: the hang is reported all the same
        return []
    silent = silences(answers)
    name = engine.path.name[:LONGEST_NAME]
    lines = [line for answer in answers for line in answer.stdout.splitlines()]
    seen = once(_ranks(lines, name), places)
    nodes = nodes_in(answers)
    there = {node.name: case.placement.per_node for node in nodes.values()}
    findings = conclusions(seen, case.placement.ranks, passed, bool(silent), places, there)
    by_name = {node.name: host for host, node in nodes.items()}
    findings = [
        replace(finding, host=by_name.get(finding.host or "", finding.host)) for finding in findings
    ]
    return [*silent, *findings, *faults_of(nodes)]


def once(seen: Iterable[SeenRank], places: Mapping[int, str]) -> list[SeenRank]:
    """Each rank once, on its own host: hosts that share their processes each show all of them."""
    processes: dict[tuple[object, ...], SeenRank] = {}
    for process in seen:
        key = (process.pid, process.rank, process.shown.since_s if process.shown else process.host)
        if key not in processes or (
            process.rank is not None and places.get(process.rank) == process.host
        ):
            processes[key] = process
    return list(processes.values())


def sizes_passed(measured: Iterable[object]) -> Passed:
    """The messages for which these records have samples."""
    return {
        (frozenset(record.peers), record.bytes)
        for record in measured
        if isinstance(record, Samples) and record.peers is not None and len(record.peers) == 2
    }


def _ranks(lines: Iterable[str], engine: str) -> list[SeenRank]:
    """The ranks, without their launcher, which has the mark among its arguments, too."""
    ranks = []
    for line in lines:
        kind, host, now, status, shown = [*line.split("\t"), "", "", "", ""][:5]
        pid, _, rest = status.partition(" (")
        program, _, states = rest.rpartition(") ")
        state = _shown(shown)
        if kind != "rank" or not pid.isdigit() or (state is None and program != engine):
            continue
        for_s = max(float(now) - state.since_s, 0.0) if state and now.isdigit() else 0.0
        ranks.append(SeenRank(host or platform.node(), int(pid), states[:1], state, for_s))
    return ranks


def _shown(text: str) -> RankState | None:
    try:
        return msgspec.json.decode(text.encode(), type=RankState)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None


def conclusions(
    seen: Sequence[SeenRank],
    ranks: int,
    passed: Passed,
    is_partial: bool = False,
    places: Mapping[int, str] = MappingProxyType({}),
    nodes: Mapping[str, int | None] = MappingProxyType({}),
) -> list[NodeFinding]:
    """What the states of the ranks show. is_partial: some node did not answer, so that ranks which
    were not seen may still be there. places: the host of each rank, where that is known; nodes:
    those that answered, with the ranks that each should have."""
    if not seen:
        return []
    stopped = [process for process in seen if process.state and process.state in STOPPED]
    if stopped:
        words = f"{_names(stopped)} {_is(stopped)} stopped, by a signal or a debugger"
        return [NodeFinding(words, _culprit(stopped, seen))]
    missing = [] if is_partial else _missing(seen, ranks, places, nodes)
    return missing or _late(seen) or _pairs(seen, passed) or _summary(seen)


def _culprit(suspects: Iterable[SeenRank], seen: Iterable[SeenRank]) -> str | None:
    """The node of all suspects, if other nodes have ranks; else None."""
    return _one_of({process.host for process in suspects}, {process.host for process in seen})


def _one_of(hosts: Collection[str], every: Collection[str]) -> str | None:
    """The only host, if `every` has others; else None."""
    return next(iter(hosts)) if len(hosts) == 1 and len({*every, *hosts}) > 1 else None


def _missing(
    seen: Sequence[SeenRank],
    ranks: int,
    places: Mapping[int, str],
    nodes: Mapping[str, int | None],
) -> list[NodeFinding]:
    """Ranks without a process. Those that still start have no number yet."""
    if len(seen) >= ranks:
        return []
    known = {process.rank for process in seen}
    left = [rank for rank in range(ranks) if rank not in known]
    hosts = list(dict.fromkeys(process.host for process in seen))
    if None not in known:
        plural = "have" if len(left) > 1 else "has"
        of_left = {places.get(rank, "") for rank in left}
        at = f" on {', '.join(sorted(of_left))}" if "" not in of_left else ""
        words = f"{_ranks_text(list(map(str, left)))}{at} {plural} ended; the others wait, "
        culprit = _one_of(of_left, hosts) if at else None
        return [NodeFinding(words + seen[0].does, culprit)]
    there = Counter(process.host for process in seen)
    short = [name for name, each in nodes.items() if each and there[name] < each]
    culprit = _one_of(short, nodes)
    none = f", {there[culprit] or 'none'} on {culprit}" if culprit else ""
    were = "was" if len(seen) == 1 else "were"
    words = f"only {len(seen)} of {ranks} ranks {were} started (on {', '.join(hosts)}){none}"
    return [NodeFinding(words, culprit)]


def _late(seen: Sequence[SeenRank]) -> list[NodeFinding]:
    """Ranks that have not come as far as others."""
    for phase, never in ((STARTING, "never reached"), (INITIALIZING, "never left")):
        late = [process for process in seen if process.phase == phase]
        if late and len(late) < len(seen):
            others = next(process for process in seen if process not in late)
            words = f"{_names(late)} {never} MPI_Init, while the others are {others.does}"
            return [NodeFinding(words, _culprit(late, seen))]
    if seen[0].phase not in (STARTING, INITIALIZING):
        return []
    blocked = [process for process in seen if process.state == BLOCKED]
    if blocked:
        words = f"{_names(blocked)} {_is(blocked)} blocked by a device or a file system"
        return [NodeFinding(words, _culprit(blocked, seen))]
    hosts = list(dict.fromkeys(process.host for process in seen))
    reach = ": its nodes do not reach each other" if len(hosts) > 1 else ""
    words = f"no rank (on {', '.join(hosts)}) has left MPI_Init for {_time(seen)}{reach}"
    return [NodeFinding(words)]


def _pairs(seen: Sequence[SeenRank], passed: Passed) -> list[NodeFinding]:
    """Pairs whose messages do not arrive, and ranks whose partner is elsewhere."""
    by_rank = {process.rank: process for process in seen}
    sentences = []
    ends: list[set[str]] = []
    """The nodes of which one may be the cause, for each sentence."""
    for process in seen:
        shown = process.shown
        if shown is None or process.phase != EXCHANGING or shown.partner < 0:
            continue
        other = by_rank.get(shown.partner)
        if other is None:
            continue
        if other.phase != EXCHANGING:
            ends.append({other.host} if other.host != process.host else set())
            sentences.append(
                f"{process.name} waits for {other.name} in {exchange_text(shown)}; that is "
                f"{other.does}"
            )
        elif process.rank is not None and process.rank < shown.partner:
            sizes = [size for pair, size in passed if pair == {process.rank, shown.partner}]
            smaller = max((size for size in sizes if size != shown.bytes), default=None)
            ends.append({process.host, other.host})
            beside = "" if smaller is None else f", while {format_size(smaller)} pass"
            sentences.append(
                f"{process.name} and {other.name} exchange nothing in {exchange_text(shown)} for "
                f"{_time([process, other])}{beside}"
            )
    every = {process.host for process in seen}
    culprit = _one_of(set.intersection(*ends), every) if ends else None
    return [NodeFinding(words, culprit) for words in first_few(sentences, MOST_NAMED)]


def _summary(seen: Sequence[SeenRank]) -> list[NodeFinding]:
    """The ranks that have not entered a collective; else how many ranks do what."""
    exchanging = [process for process in seen if process.phase == EXCHANGING]
    behind = [process for process in seen if process.phase not in (EXCHANGING, SLEEPING)]
    if exchanging and behind and len(behind) <= len(exchanging):
        what = exchanging[0].does
        words = f"{_names(behind)} {_is(behind)} {behind[0].does}, while the others are {what}"
        return [NodeFinding(words, _culprit(behind, seen))]
    counted: dict[str, list[SeenRank]] = {}
    for process in seen:
        counted.setdefault(process.does, []).append(process)
    each = [f"{len(some)} {does} for {_time(some)}" for does, some in counted.items()]
    return [NodeFinding(f"of {len(seen)} ranks {', '.join(each)}")]


def _time(seen: Sequence[SeenRank]) -> str:
    return format_seconds(min(process.for_s for process in seen), 2)


def _is(seen: Sequence[SeenRank]) -> str:
    return "is" if len(seen) == 1 else "are"


def _names(seen: Sequence[SeenRank]) -> str:
    named = [process.name for process in seen[:MOST_NAMED]]
    more = [f"{len(seen) - MOST_NAMED} more"] if len(seen) > MOST_NAMED else []
    *first, last = named + more
    return f"{', '.join(first)} and {last}" if first else last


def _ranks_text(numbers: Sequence[str]) -> str:
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    return f"ranks {listed(numbers, MOST_NAMED)}"
