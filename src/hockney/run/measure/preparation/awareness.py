"""Proves that an MPI library sends what lies in an accelerator's memory, before it is measured.

What a library says of itself is not enough: each memory is tried in a launch of its own, a message
of each class of sizes, so that a library that cannot send it ends that launch and no other."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from hockney.base.errors import HockneyError, UsageError
from hockney.base.units import format_size
from hockney.plan import Case
from hockney.plan.memories import HOST
from hockney.records import End
from hockney.run.measure.launches.launch import Outcome
from hockney.run.measure.launches.signals import signal_of
from hockney.run.measure.launches.start import engine_messages
from hockney.run.measure.launches.trial import launch_once
from hockney.run.mpis import Engine, Mpi, family_of

UNAWARE = "--unaware"
"""The engine's option to skip messages that the library takes from a device itself."""
ASKED_WRONGLY = 2
SHORT_S = 0.001


class Announced(msgspec.Struct, tag_field="kind", tag="trial"):
    """A line of the engine, written before what it names is tried."""

    operation: str
    bytes: int
    algorithm: str | None = None
    window_kind: str | None = None


@dataclass(frozen=True)
class Proof:
    """Whether a library sends messages between two memories."""

    memory: str
    """The memory, or two with a comma between."""
    problem: str | None
    """How it failed, at which message: "SIGSEGV at 8 B"; None if it sends all."""
    library: str
    """The library and its version."""
    interface: str | None = None
    """The accelerators' interface: "CUDA"."""
    claim: bool | None = None
    """Whether the library claims to support the interface; None if it does not report it."""

    @property
    def has_failed(self) -> bool:
        return self.problem is not None

    @property
    def sentence(self) -> str:
        """What the library can or cannot send, and what it claims."""
        kind = " to ".join(self.memory.split(","))
        if self.problem is None:
            return f"{self.library} sends {kind} memory"
        own = f"with {self.interface or 'support of accelerators'}"
        why = {
            False: f": it was built without {self.interface}",
            True: f", though it says that it was built {own}",
            None: "",
        }[self.claim]
        return f"{self.library} cannot send {kind} memory ({self.problem}){why}"


def prove(mpi: Mpi, engine: Engine, case: Case, timeout_s: float) -> list[Proof]:
    """A proof for each memory of a case that is not the host's alone. Raises UsageError if the
    ranks have no such memory, and KeyboardInterrupt if interrupted."""
    all_memories = [",".join(dict.fromkeys(sides)) for sides in case.workload.sides]
    memories = [memory for memory in all_memories if memory != HOST]
    return [_prove_one(mpi, engine, case, memory, timeout_s) for memory in memories]


def _prove_one(mpi: Mpi, engine: Engine, case: Case, memory: str, timeout_s: float) -> Proof:
    workload = case.workload
    changes = {"memory": memory, "staged": "", "wait_each": False, "tails": False}
    own = {name: value for name, value in changes.items() if hasattr(workload, name)}
    trial_case = replace(case, workload=replace(workload, **own))
    trial = launch_once(mpi, engine, trial_case, SHORT_S, timeout_s, ["--trial"])
    tried = [line for line in map(_announced, trial.lines) if line is not None]
    problem, launch = _problem(trial.outcome, trial.of(End), tried), trial.launch
    if problem is not None and not tried:  # a refusal, or ranks that could not be started
        kind = UsageError if trial.outcome.exit_status == ASKED_WRONGLY else HockneyError
        raise kind(problem)
    facts = launch.mpi if launch else None
    accelerator = launch.accelerator if launch else None
    return Proof(
        memory,
        problem,
        " ".join(filter(None, (facts.library, facts.version))) if facts else "this MPI library",
        accelerator.interface if accelerator else None,
        accelerator.claims_support if accelerator else None,
    )


def _announced(line: bytes) -> Announced | None:
    try:
        return msgspec.json.decode(line, type=Announced)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _problem(outcome: Outcome, ends: list[End], tried: list[Announced]) -> str | None:
    """How a trial failed, and at which message; None if it did not."""
    if outcome.exit_status == 0 and any(end.reason == "complete" for end in ends):
        return None
    signal = signal_of(outcome.exit_status, [*outcome.last_lines, *outcome.printed])
    messages = [end.message for end in ends if end.message] + engine_messages(outcome)
    if outcome.silent_s is not None:
        words = "it hangs"
    elif messages:
        words = messages[0].split("\n")[0].partition(", error stack")[0].rstrip(" .:")
    elif signal is not None:
        words = signal.name
    else:
        words = f"exit status {outcome.exit_status}"
    if not tried:
        return words
    last = tried[-1]
    what = "" if last.operation == "pingpong" else f"{last.operation} of "
    return f"{words} at {what}{format_size(last.bytes)}"


def unproven(proofs: list[Proof], mpi: Mpi, is_staged: bool) -> tuple[str, ...]:
    """The engine's options if only staged messages are left to measure. Raises UsageError if the
    library cannot send a memory, and no staged messages were asked for."""
    failed = [proof for proof in proofs if proof.problem is not None]
    if not failed:
        return ()
    if is_staged:
        return (UNAWARE,)
    aware = " ".join(f"{name}={value}" for name, value in family_of(mpi).AWARE.items())
    settings = f" (it was started with {aware})" if aware else ""
    raise UsageError(
        "; ".join(proof.sentence for proof in failed) + settings,
        "use a library that was built for accelerators (--mpicc), or measure copies to the host "
        "with hockney pingpong --staged whole",
    )
