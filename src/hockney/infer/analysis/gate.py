"""Gates: whether a measurement passes, fails, or could not be judged; one form for every verb.

A gate that judged nothing does not pass: it is "not judged", with the reason and with what would
let it be judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from hockney.base.units import first_few

Status = Literal["passed", "failed", "not judged"]
PASSED: Status = "passed"
FAILED: Status = "failed"
NOT_JUDGED: Status = "not judged"
EXIT_STATUSES: dict[Status, int] = {PASSED: 0, FAILED: 1, NOT_JUDGED: 3}
MOST_NAMED = 4
"""Most culprits that the line of a gate names."""


@dataclass(frozen=True)
class Gate:
    """The verdict of one gate, or of several together."""

    status: Status
    why: str
    """The reason: who fails and by how much; what could not be judged, and the remedy; or what
    passed."""
    culprits: tuple[str, ...] = ()
    """Names of what failed; empty otherwise."""
    note: str = ""
    """What a gate that passed went without; empty otherwise."""

    @property
    def exit_status(self) -> int:
        return EXIT_STATUSES[self.status]

    @property
    def line(self) -> str:
        """The first line of a verb's output."""
        words = {PASSED: "gate: passed", FAILED: "gate: FAILED", NOT_JUDGED: "gate: NOT JUDGED"}
        if self.status == PASSED:
            return words[self.status] + (f"; {self.note}" if self.note else "")
        return f"{words[self.status]}: {self.why}"


def passed(why: str, note: str = "") -> Gate:
    """A gate that passed. note: what it went without."""
    return Gate(PASSED, f"{why}; {note}" if note else why, note=note)


def failed(each: Sequence[str], culprits: Iterable[str]) -> Gate:
    """A failed gate. each: who and by how much, one text for each fault."""
    why = "; ".join(first_few(each, MOST_NAMED))
    return Gate(FAILED, why, tuple(dict.fromkeys(culprits)))


def not_judged(why: str, remedy: str) -> Gate:
    """A gate that was not judged. remedy: what would let it be judged."""
    return Gate(NOT_JUDGED, f"{why}; {remedy}" if remedy else why)


def together(gates: Iterable[Gate | None]) -> Gate | None:
    """The worst of several gates, with all reasons of that status; None where there is none."""
    known = [gate for gate in gates if gate is not None]
    for status in (FAILED, NOT_JUDGED, PASSED):
        of_it = [gate for gate in known if gate.status == status]
        if of_it:
            why = "; ".join(dict.fromkeys(gate.why for gate in of_it))
            culprits = dict.fromkeys(name for gate in of_it for name in gate.culprits)
            notes = dict.fromkeys(gate.note for gate in of_it if gate.note)
            return Gate(status, why, tuple(culprits), "; ".join(notes))
    return None
