"""Causes of the time in MPI: the messages themselves, late partners, busy CPUs, contention.

The time of a call is split in three: its waiting for other ranks (waits.py), the time that the
model of the machine expects for its bytes (expected.py), and the rest. A rank that is waited for
computes, moves a message, is kept off its CPU, or itself waits for another rank, to which the
waiting is then passed on (chains.py). So two ranks that only exchange messages wait for messages,
not for late partners, and a rank that only passes on what comes late is not to blame.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from hockney.profiling.chains import WaitChains, chains_of
from hockney.profiling.expected import ONE_MESSAGE, MessagesModel, model_of
from hockney.profiling.kinds import Calls, Profile, RankRecord
from hockney.profiling.places import Cache, cache_of

LATE, BUSY, CONTENTION = "late partners", "busy CPUs", "contention"
FARTHER = "distance or contention"
LATENCY, BANDWIDTH, MESSAGES = "latency", "bandwidth", "messages"
COPYING, OTHER, UNEXPLAINED = "copying", "other", "unexplained"
CAUSES = (
    *(LATE, BUSY, CONTENTION, FARTHER, LATENCY, BANDWIDTH),
    *(MESSAGES, COPYING, UNEXPLAINED, OTHER),
)
"""Causes. `distance or contention`: beyond the model, between ranks that may be farther apart than
those between which messages were measured. `messages`: latency, bandwidth and contention together,
where such messages were not measured on the machine. `unexplained`: beyond the model, in calls
whose waiting cannot be seen, and waiting for ranks whose activity is unknown."""
COMPLETING = frozenset(
    f"MPI_{name}"
    for name in ("Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome")
)
WITHOUT_DATA = frozenset({"MPI_Barrier", "MPI_Ibarrier"})
"""Calls whose messages are known to be empty."""
OF_HOST = frozenset({"host", "pinned"})
"""Memories with messages as fast as the host's; only the host's are measured here."""
_Key = tuple[int, int]


def spent_in(calls: Calls) -> tuple[float, float]:
    """Seconds of these calls and of those that completed their requests, and the part of them spent
    waiting for other ranks. The time of completing calls counts for the calls that started them."""
    own = 0.0 if calls.call in COMPLETING else calls.time_s
    spent = own + calls.completion_s
    return spent, min(calls.wait_s or 0.0, spent)


def hides_waiting(calls: Calls) -> bool:
    """Whether these calls may have waited unseen: none was matched with a call of the other side,
    or they are nonblocking sends, where a late receiver delays other calls."""
    name = (calls.started or calls.call).lower()
    is_nonblocking_send = name.startswith("mpi_i") or name.endswith("_init")
    return calls.wait_s is None or (is_nonblocking_send and "send" in name)


def _is_between_ranks(calls: Calls) -> bool:
    """Whether these calls move data between ranks: not in files, and not from a rank to itself."""
    moves_data = calls.datatype is not None or calls.call in WITHOUT_DATA
    is_to_itself = _has_one_peer(calls) and calls.peer == calls.rank
    is_alone = is_to_itself or calls.communicator_size == 1
    return moves_data and not is_alone and not calls.call.startswith("MPI_File")


def _has_one_peer(calls: Calls) -> bool:
    """Whether `peer` is the only other rank of these calls; None is an unknown one."""
    return calls.call in ONE_MESSAGE and "endrecv" not in calls.call


def _others(rank: _Key) -> _Key:
    """Stands for all ranks of this rank's job but itself."""
    job, number = rank
    return job, -1 - number


@dataclass
class Own:
    """Activities of one rank in seconds, except for waiting for others."""

    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CAUSES, 0.0))
    busy_part: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CAUSES, 0.0))
    """The fraction of each cause that was spent off a CPU, and counts as BUSY."""
    waited: float = 0.0
    in_mpi: float = 0.0


@dataclass(frozen=True)
class Causes:
    profile: Profile

    @cached_property
    def model(self) -> MessagesModel | None:
        return model_of(self.profile.machine, [rank.host for rank in self.profile.ranks])

    def own(self, calls: Calls) -> dict[str, float]:
        """Time of these calls without waiting, by cause. Time beyond the model counts as
        contention, or as distance or contention; for strided messages as copying, up to the most
        that may take, and then as unexplained, because their layout is unknown."""
        spent, waited = spent_in(calls)
        left = spent - waited
        if not _is_between_ranks(calls):
            return {OTHER: left}
        each = None
        if self.model is not None and calls.memory in OF_HOST:
            each = self.model.contiguous.call_s(calls)
        if each is None:
            return {MESSAGES: left}
        latency = min(calls.count * each[0], left)
        bandwidth = min(calls.count * each[1], left - latency)
        beyond_s = left - latency - bandwidth
        if calls.datatype == "strided" and self.model is not None:
            copying = min(calls.count * self.model.copying_s(calls), beyond_s)
            parts = {LATENCY: latency, BANDWIDTH: bandwidth, COPYING: copying}
            return parts | {UNEXPLAINED: beyond_s - copying}
        near = CONTENTION if self._is_near(calls) else FARTHER
        beyond = UNEXPLAINED if hides_waiting(calls) else near
        return {LATENCY: latency, BANDWIDTH: bandwidth, beyond: beyond_s}

    @cached_property
    def _caches(self) -> dict[_Key, Cache | None]:
        return {key: cache_of(rank) for key, rank in self.profile.by_rank.items()}

    @cached_property
    def _groups(self) -> dict[tuple[int, str | None], tuple[int, set[Cache | None]]]:
        """Number of the known ranks of each communicator and their caches, by its job and digest;
        None stands for all ranks of the job."""
        ranks: dict[tuple[int, str | None], set[_Key]] = defaultdict(set)
        for calls in self.profile.calls:
            ranks[calls.job, calls.members].add((calls.job, calls.rank))
        for job, rank in self.profile.by_rank:
            ranks[job, None].add((job, rank))
        return {group: (len(of), {self._caches[key] for key in of}) for group, of in ranks.items()}

    def _is_near(self, calls: Calls) -> bool:
        """Whether all ranks between which these calls move data are known to share a last cache:
        the two ranks whose messages were measured are no nearer than that."""
        known, caches = self._groups[calls.job, calls.members]
        if calls.peer is not None and _has_one_peer(calls):
            ends = (calls.rank, calls.peer)
            caches = {self._caches.get((calls.job, rank)) for rank in ends}
        elif known < (calls.communicator_size or 1):
            return False
        return len(caches) == 1 and None not in caches

    @cached_property
    def own_of_rank(self) -> dict[_Key, Own]:
        by_rank = {key: Own() for key in self.profile.by_rank}
        completing: dict[_Key, float] = defaultdict(float)
        for calls in self.profile.calls:
            of_rank = by_rank[calls.job, calls.rank]
            of_rank.waited += spent_in(calls)[1]
            of_rank.in_mpi += calls.time_s
            if calls.call in COMPLETING:
                completing[calls.job, calls.rank] += calls.time_s
            completing[calls.job, calls.rank] -= calls.completion_s
            for cause, seconds in self.own(calls).items():
                of_rank.parts[cause] += seconds
        for key, left in completing.items():  # no recorded call started these requests
            by_rank[key].parts[OTHER] += max(left, 0.0)
        for key, of_rank in by_rank.items():
            self._move_busy(self.profile.by_rank[key], of_rank)
        return by_rank

    @cached_property
    def _maybe_busy(self) -> tuple[str, ...]:
        """Causes that may contain time off a CPU, the likeliest first. Copying may, as its time is
        an upper limit; latency and bandwidth may if they were measured on a busy machine."""
        beyond = (CONTENTION, FARTHER, UNEXPLAINED, MESSAGES, OTHER, COPYING)
        is_limit = self.profile.machine is None or not self.profile.machine.disturbed
        return beyond if is_limit else (*beyond, LATENCY, BANDWIDTH)

    def _move_busy(self, rank: RankRecord, own: Own) -> None:
        """Moves a rank's time off its CPU inside MPI from the causes that contain it to BUSY."""
        inside = (rank.cpu_wait_s or 0.0) * min(own.in_mpi / rank.wall_s, 1.0) if rank.wall_s else 0
        for cause in self._maybe_busy:
            moved = min(inside, own.parts[cause])
            own.busy_part[cause] = moved / own.parts[cause] if moved else 0.0
            own.parts[cause] -= moved
            own.parts[BUSY] += moved
            inside -= moved

    @cached_property
    def activity(self) -> dict[_Key, dict[str, float]]:
        """Activities of each rank while others waited for it: seconds by cause; computing is
        LATE."""
        activities = {}
        for key, own in self.own_of_rank.items():
            rank = self.profile.by_rank[key]
            off_cpu = max((rank.cpu_wait_s or 0.0) - own.parts[BUSY], 0.0)
            outside = max(rank.wall_s - own.in_mpi, 0.0)
            activities[key] = {
                **own.parts,
                LATE: max(outside - off_cpu, 0.0),
                BUSY: own.parts[BUSY] + min(off_cpu, outside),
            }
        return activities

    @cached_property
    def waited_for(self) -> dict[_Key, dict[_Key, float]]:
        """Seconds that each rank waited for each other one; for _others(rank) if it is not known
        for whom."""
        blamed: dict[_Key, dict[_Key, float]] = defaultdict(lambda: defaultdict(float))
        for blame in self.profile.blames:
            blamed[blame.job, blame.rank][blame.job, blame.for_rank] += blame.seconds
        waits = {}
        for key, own in self.own_of_rank.items():
            known = blamed[key] if sum(blamed[key].values()) > 0.0 else {_others(key): 1.0}
            each = own.waited / sum(known.values())
            waits[key] = {other: each * seconds for other, seconds in known.items()}
        return waits

    @cached_property
    def chains(self) -> WaitChains:
        """Who waited for whom, and what the last rank did: columns in the order of CAUSES."""
        of_job: dict[int, dict[str, float]] = defaultdict(lambda: dict.fromkeys(CAUSES, 0.0))
        for (job, _), parts in self.activity.items():
            for cause, seconds in parts.items():
                of_job[job][cause] += seconds
        active: dict[_Key, dict[str, float]] = dict(self.activity)
        for key, parts in self.activity.items():
            active[_others(key)] = {
                cause: max(of_job[key[0]][cause] - parts[cause], 0.0) for cause in CAUSES
            }
        for others in self.waited_for.values():  # a rank without a record: what it did is unknown
            for other in others:
                active.setdefault(other, dict.fromkeys(CAUSES, 0.0))
        return chains_of(active, CAUSES, self.waited_for)

    @cached_property
    def mix_of_rank(self) -> dict[_Key, dict[str, float]]:
        """Causes of each rank's waiting, as fractions: the activities at which it ended."""
        known = self.chains.mix_of(self.chains.activities_met)
        mixes = {}
        for key in self.profile.by_rank:
            mix = dict.fromkeys(CAUSES, 0.0)
            if key in known:
                mix = dict(zip(CAUSES, known[key].tolist(), strict=True))
            mix[UNEXPLAINED] += max(1.0 - sum(mix.values()), 0.0)
            mixes[key] = mix
        return mixes

    @cached_property
    def late_of_rank(self) -> dict[_Key, float]:
        """Seconds of all waiting that ended at each rank while it computed."""
        late = self.chains.ends[:, CAUSES.index(LATE)].tolist()
        of_all = dict(zip(self.chains.keys, late, strict=True))
        return {key: of_all[key] for key in self.profile.by_rank}

    def of(self, calls: Calls) -> dict[str, float]:
        """Time of these calls and of those that completed them, by cause."""
        by_cause = dict.fromkeys(CAUSES, 0.0)
        for cause, seconds in self.own(calls).items():
            busy = self.own_of_rank[calls.job, calls.rank].busy_part[cause]
            by_cause[cause] += seconds * (1.0 - busy)
            by_cause[BUSY] += seconds * busy
        waited = spent_in(calls)[1]
        for cause, part in self.mix_of_rank[calls.job, calls.rank].items():
            by_cause[cause] += waited * part
        return by_cause

    @cached_property
    def of_rank(self) -> dict[_Key, dict[str, float]]:
        """Seconds of each rank in MPI, by cause."""
        by_rank = {}
        for key, own in self.own_of_rank.items():
            mix = self.mix_of_rank[key]
            by_rank[key] = {cause: own.parts[cause] + own.waited * mix[cause] for cause in CAUSES}
        return by_rank

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Seconds of all ranks in MPI, by cause."""
        return {name: sum(by_cause[name] for by_cause in self.of_rank.values()) for name in CAUSES}
