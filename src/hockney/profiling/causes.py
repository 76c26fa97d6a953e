"""Causes of the time in MPI: messages as fast as on this machine alone, and beyond: late partners,
busy CPUs, contention.

The time of a call is split in three: its waiting for other ranks (waits.py), the time that the
model of the machine expects for its bytes (expected.py), and the rest. A rank that is waited for is
itself computing, or moving a message, or kept off its CPU: the waiting for it is divided by its
activities except for waiting. So two ranks that do nothing but exchange messages wait for messages,
not for late partners.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from hockney.profiling.expected import MessageTimes, model_of
from hockney.profiling.kinds import Calls, Profile, RankRecord

LATE, BUSY, CONTENTION = "late partners", "busy CPUs", "contention"
LATENCY, BANDWIDTH, MESSAGES = "latency", "bandwidth", "messages"
COPYING, OTHER, UNEXPLAINED = "copying", "other", "unexplained"
CAUSES = (LATE, BUSY, CONTENTION, LATENCY, BANDWIDTH, MESSAGES, COPYING, UNEXPLAINED, OTHER)
"""Causes. `messages`: latency, bandwidth and contention together, where such messages were not
measured on the machine. `unexplained`: beyond the model, in calls whose waiting cannot be seen."""
COMPLETING = frozenset(
    f"MPI_{name}"
    for name in ("Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome")
)
WITHOUT_DATA = frozenset({"MPI_Barrier", "MPI_Ibarrier"})
"""Calls whose messages are known to be empty."""
OF_HOST = frozenset({"host", "pinned"})
"""Memories whose messages are as fast as those of the host, which alone are measured here."""
_Key = tuple[int, int]


def spent_in(calls: Calls) -> tuple[float, float]:
    """Seconds of these calls and of those that completed their requests, and the part of them spent
    waiting for other ranks. The time of completing calls counts for the calls that started them."""
    own = 0.0 if calls.call in COMPLETING else calls.time_s
    spent = own + calls.completion_s
    return spent, min(calls.wait_s or 0.0, spent)


def hides_waiting(calls: Calls) -> bool:
    """Whether these calls may have waited unseen: none was matched with the other side's, or they
    are nonblocking sends, whose receiver is late during other calls."""
    name = (calls.started or calls.call).lower()
    is_nonblocking_send = name.startswith("mpi_i") or name.endswith("_init")
    return calls.wait_s is None or (is_nonblocking_send and "send" in name)


@dataclass
class Own:
    """Activities of one rank in seconds, except for waiting for others."""

    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CAUSES, 0.0))
    waited: float = 0.0
    in_mpi: float = 0.0


@dataclass(frozen=True)
class Causes:
    profile: Profile

    @cached_property
    def model(self) -> MessageTimes | None:
        return model_of(self.profile.machine, [rank.host for rank in self.profile.ranks])

    def own(self, calls: Calls) -> dict[str, float]:
        """Time of these calls without waiting, by cause; all time beyond the model counts as
        contention."""
        spent, waited = spent_in(calls)
        left = spent - waited
        moves_data = calls.datatype is not None or calls.call in WITHOUT_DATA
        if not moves_data or calls.call.startswith("MPI_File"):
            return {OTHER: left}
        if calls.datatype == "strided":
            return {COPYING: left}
        each = None
        if self.model is not None and calls.memory in OF_HOST:
            each = self.model.call_s(calls)
        if each is None:
            return {MESSAGES: left}
        latency = min(calls.count * each[0], left)
        bandwidth = min(calls.count * each[1], left - latency)
        beyond = UNEXPLAINED if hides_waiting(calls) else CONTENTION
        return {LATENCY: latency, BANDWIDTH: bandwidth, beyond: left - latency - bandwidth}

    @cached_property
    def own_of_rank(self) -> dict[_Key, Own]:
        found = {key: Own() for key in self.profile.by_rank}
        completing: dict[_Key, float] = defaultdict(float)
        for calls in self.profile.calls:
            of_rank = found[calls.job, calls.rank]
            of_rank.waited += spent_in(calls)[1]
            of_rank.in_mpi += calls.time_s
            if calls.call in COMPLETING:
                completing[calls.job, calls.rank] += calls.time_s
            completing[calls.job, calls.rank] -= calls.completion_s
            for cause, seconds in self.own(calls).items():
                of_rank.parts[cause] += seconds
        for key, left in completing.items():  # completed what nobody started
            found[key].parts[OTHER] += max(left, 0.0)
        for key, of_rank in found.items():
            self._move_busy(self.profile.by_rank[key], of_rank)
        return found

    @cached_property
    def _maybe_busy(self) -> tuple[str, ...]:
        """Causes that contain time off a CPU, the likeliest first. The expected time of messages is
        no upper limit if it was measured on a busy machine."""
        beyond = (CONTENTION, UNEXPLAINED, MESSAGES)
        is_limit = self.profile.machine is None or not self.profile.machine.disturbed
        return beyond if is_limit else (*beyond, LATENCY, BANDWIDTH)

    def _move_busy(self, rank: RankRecord, own: Own) -> None:
        """Moves a rank's time off its CPU inside MPI from the causes that contain it to BUSY."""
        inside = (rank.cpu_wait_s or 0.0) * min(own.in_mpi / rank.wall_s, 1.0) if rank.wall_s else 0
        for cause in self._maybe_busy:
            moved = min(inside, own.parts[cause])
            own.parts[cause] -= moved
            own.parts[BUSY] += moved
            inside -= moved

    def busy_part(self, calls: Calls, cause: str) -> float:
        """The fraction of a cause of these calls that was spent off a CPU."""
        own, key = self.own_of_rank[calls.job, calls.rank].parts, cause
        if cause not in self._maybe_busy:
            return 0.0
        before = sum(own[one] for one in self._maybe_busy) + own[BUSY]
        return own[BUSY] / before if before > 0.0 and own[key] >= 0.0 else 0.0

    @cached_property
    def activity(self) -> dict[_Key, dict[str, float]]:
        """Activities of each rank while others waited for it: seconds by cause; computing is
        LATE."""
        found = {}
        for key, own in self.own_of_rank.items():
            rank = self.profile.by_rank[key]
            off_cpu = max((rank.cpu_wait_s or 0.0) - own.parts[BUSY], 0.0)
            outside = max(rank.wall_s - own.in_mpi, 0.0)
            found[key] = {
                **own.parts,
                LATE: max(outside - off_cpu, 0.0),
                BUSY: own.parts[BUSY] + min(off_cpu, outside),
            }
        return found

    @cached_property
    def mix_of_rank(self) -> dict[_Key, dict[str, float]]:
        """Causes of each rank's waiting, as fractions: the activities of the ranks that it waited
        for."""
        blamed: dict[_Key, dict[_Key, float]] = defaultdict(dict)
        for blame in self.profile.blames:
            blamed[blame.job, blame.rank][blame.job, blame.for_rank] = blame.seconds
        found = {}
        for key in self.profile.by_rank:
            usual = {other: 1.0 for other in self.profile.by_rank if other != key}
            found[key] = self._mix({k: v for k, v in blamed[key].items() if v > 0.0} or usual)
        return found

    def _mix(self, waited_for: Mapping[_Key, float]) -> dict[str, float]:
        whole = sum(waited_for.values())
        found = dict.fromkeys(CAUSES, 0.0)
        for key, seconds in waited_for.items():
            did = self.activity.get(key, {})
            busy = sum(did.values())
            for cause, of_it in did.items():
                found[cause] += seconds / whole * of_it / busy if busy > 0.0 else 0.0
        left = 1.0 - sum(found.values())
        found[LATE] += max(left, 0.0)
        return found

    def of(self, calls: Calls) -> dict[str, float]:
        """Time of these calls and of those that completed them, by cause."""
        found = dict.fromkeys(CAUSES, 0.0)
        for cause, seconds in self.own(calls).items():
            busy = self.busy_part(calls, cause)
            found[cause] += seconds * (1.0 - busy)
            found[BUSY] += seconds * busy
        waited = spent_in(calls)[1]
        for cause, part in self.mix_of_rank[calls.job, calls.rank].items():
            found[cause] += waited * part
        return found

    @cached_property
    def of_rank(self) -> dict[_Key, dict[str, float]]:
        """Seconds of each rank in MPI, by cause."""
        found = {}
        for key, own in self.own_of_rank.items():
            mix = self.mix_of_rank[key]
            found[key] = {cause: own.parts[cause] + own.waited * mix[cause] for cause in CAUSES}
        return found

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Seconds of all ranks in MPI, by cause."""
        return {name: sum(found[name] for found in self.of_rank.values()) for name in CAUSES}
