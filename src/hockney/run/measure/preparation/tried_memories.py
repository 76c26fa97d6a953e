"""Tries which memories of accelerators an MPI sends: in messages, and by each collective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.base.errors import UsageError
from hockney.plan import Case, Placement, Size
from hockney.plan.memories import HOST, sides_of
from hockney.plan.workloads.collective import NO_BYTES, Collective
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.measure.preparation.awareness import Proof, prove
from hockney.run.measure.preparation.setup import mpi_of

SIZES = tuple(map(Size, (8, 64 << 10, 4 << 20)))
"""Sizes of messages, each of which libraries send in another way."""
TIMEOUT_S = 30.0


@dataclass(frozen=True)
class CollectiveProofs:
    """Which collectives can be made with buffers in one memory."""

    memory: str
    able: list[str]
    problems: dict[str, str]
    """How each of the others failed, and at which size: "SIGSEGV at 8 B"."""

    @property
    def has_failed(self) -> bool:
        return bool(self.problems)

    @property
    def sentence(self) -> str:
        failed: dict[str, list[str]] = {}
        for name, problem in self.problems.items():
            failed.setdefault(problem, []).append(name)
        unable = [f"{', '.join(names)} ({problem})" for problem, names in failed.items()]
        works = [f"works with {', '.join(self.able)}"] if self.able else []
        fails = [f"does not work with {'; '.join(unable)}"] if unable else []
        return f"{' to '.join(self.memory.split(','))} memory {', and '.join(works + fails)}"


def try_messages(mpicc: str | None, memory: str) -> list[Proof]:
    """A proof for each memory of the engine's list but the host's, between two ranks of this
    machine. Raises HockneyError where there is no such memory."""
    return _proofs(mpicc, Pingpong(sizes=SIZES, memory=memory))


def try_collectives(
    mpicc: str | None, memory: str, collectives: Sequence[str]
) -> list[CollectiveProofs]:
    """For each memory of the engine's list but the host's, which collectives two ranks of this
    machine can make there. Raises HockneyError where there is no such memory."""
    proofs = {
        name: _proofs(mpicc, Collective(collective=name, sizes=SIZES, memory=memory))
        for name in collectives
        if name not in NO_BYTES
    }
    memories = [proof.memory for proof in next(iter(proofs.values()), [])]
    return [_of_memory(memory, proofs) for memory in memories]


def _of_memory(memory: str, proofs: dict[str, list[Proof]]) -> CollectiveProofs:
    problems = {
        name: next(proof.problem for proof in each if proof.memory == memory)
        for name, each in proofs.items()
    }
    able = [name for name, problem in problems.items() if problem is None]
    return CollectiveProofs(
        memory, able, {name: problem for name, problem in problems.items() if problem}
    )


def _proofs(mpicc: str | None, workload: Pingpong | Collective) -> list[Proof]:
    if all(sides == (HOST, HOST) for sides in sides_of(workload.memory)):
        raise UsageError(
            "--memory host: every MPI sends memory of the host", "name device, pinned or managed"
        )
    workload.check(2)
    placement = Placement(mpicc=mpicc, oversubscribe=True)
    mpi, engine = mpi_of(placement)
    return prove(mpi, engine, Case(workload=workload, placement=placement), TIMEOUT_S)
