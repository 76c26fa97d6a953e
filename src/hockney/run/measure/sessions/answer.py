"""What a run has measured of each of its cases, and why a case is not measured any further."""

from __future__ import annotations

from dataclasses import dataclass, field

from hockney.base.errors import HockneyError
from hockney.infer.estimate import LeastKnown
from hockney.plan import Case
from hockney.records import Run


@dataclass(frozen=True)
class Problem:
    """Why a case is not measured any further, for the user."""

    sentence: str
    advice: str | None = None
    printed: tuple[str, ...] = ()
    """The last lines of the launch's output, where the sentence does not say why it failed."""
    without_options: str | None = None
    """The sentence for verbs that lack the options which it names; None if it names none."""

    @classmethod
    def of(cls, error: HockneyError) -> Problem:
        return cls(error.message, error.advice)

    def __str__(self) -> str:
        lines = [self.sentence]
        if self.printed:
            lines = [f"{self.sentence}; the last lines of its output:"]
            lines += [f"    {line}" for line in self.printed]
        return "\n".join([*lines, *([f"  {self.advice}"] if self.advice else [])])

    @property
    def first_line(self) -> str:
        """The sentence; of an error with a compiler's output its first line."""
        return self.sentence.partition("\n")[0]

    @property
    def shortened(self) -> str:
        """Its first line and its last, in one."""
        first, *rest = str(self).splitlines()
        return " ".join([first, *(line.strip() for line in rest[-1:])])


@dataclass
class Answer:
    """A case and its own part of the run."""

    case: Case
    run: Run
    launches: int = 0
    is_done: bool = False
    """No further launch is needed, or none would help."""
    least_known: LeastKnown | None = None
    """The least precise point after the last launch, if the rule for stopping evaluated it."""
    problem: Problem | None = None
    """The case is not measured again where there is one."""
    sizes_at_first: int = field(init=False)
    """Number of the case's sizes at first: a race, or a check, leaves some out."""

    def __post_init__(self) -> None:
        self.sizes_at_first = len(self.case.workload.sizes)

    @property
    def part(self) -> float:
        """The fraction of its sizes that are still measured."""
        return len(self.case.workload.sizes) / self.sizes_at_first if self.sizes_at_first else 1.0
