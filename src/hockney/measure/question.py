"""What is asked: one experiment with its options, and the engine's words for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Size:
    """One message size; in a sweep with counts of its own."""

    bytes: int
    repetitions: int | None = None
    warmup: int = 0

    def __str__(self) -> str:
        if self.repetitions is None and not self.warmup:
            return str(self.bytes)
        return f"{self.bytes}@{self.repetitions or 0}+{self.warmup}"


@dataclass(frozen=True)
class Question:
    experiment: str
    sizes: tuple[Size, ...]
    ranks: int = 2
    peers: tuple[int, int] = (0, 1)
    least_launches: int = 5
    most_launches: int | None = None
    """None: as many as the precision needs and the budget allows."""
    precision: float = 0.01
    budget_s: float = 10.0
    over_s: float | None = None
    """Wall time to spread the launches over, with rests between them; None: no rests."""
    timeout_s: float = 60.0
    usual_launch_s: float = 0.25
    """Is long enough to see each point dozens of times."""
    place: str = "core"
    cpus: str | None = None
    every_iteration: bool = False
    keep_clock_cost: bool = False
    sweep: bool = False
    seconds_a_size: float | None = None
    reduce: str = "max"
    verify: bool = False
    two_buffers: bool = False
    """Receive into another buffer than the one that is sent from."""
    floor: bool = False
    cold_cache: bool = False
    preset: str | None = None
    hosts: tuple[str, ...] = ()
    """Where mpiexec starts the ranks; none: here, or wherever the allocation is."""
    nodes: int | None = None
    ranks_per_node: int | None = None
    launcher: str | None = None
    """A file of launchers/, or mpiexec for the MPI's own; None: what is found."""
    broadcast: str | None = None
    """A directory of the nodes to send the engine into, where they share no file system."""
    platform: str | None = None
    """A SimGrid platform file, or a shape in words: the launch is simulated on it."""
    hostfile: str | None = None
    """A simulated host a line, for the ranks in turn; None: in the platform's own order."""
    cfg: tuple[str, ...] = ()
    """Settings for the simulator, as it takes them (key:value)."""
    arguments: tuple[str, ...] = ()
    """What only this experiment has, in the engine's words."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables for the ranks, such as those that force an algorithm."""
    controls: tuple[tuple[str, str | None], ...] = ()
    """Control variables of the library to read back, and the values that they must have."""
    title: str | None = None
    """What tells it from the other questions of a run."""

    @property
    def node_count(self) -> int | None:
        """How many nodes the ranks are spread over; None where nobody said."""
        return self.nodes or len(self.hosts) or None

    @property
    def per_node(self) -> int | None:
        """Ranks on each node; None where nobody said how many nodes there are."""
        if self.ranks_per_node or self.node_count is None:
            return self.ranks_per_node
        return math.ceil(self.ranks / self.node_count)

    def options(self) -> dict[str, Any]:
        """As it is stored in the run record."""
        options = asdict(self)
        options["sizes"] = [str(size) for size in self.sizes]
        options["peers"] = list(self.peers)
        options["hosts"] = list(self.hosts)
        options["cfg"] = list(self.cfg)
        options["arguments"] = list(self.arguments)
        options["env"] = dict(self.env)
        options["controls"] = dict(self.controls)
        return options

    def engine_arguments(self, launch: int, seconds: float) -> list[str]:
        """The engine's command line for one launch that may measure for `seconds`."""
        arguments = [
            self.experiment,
            "-n",
            str(self.ranks),
            "--sizes=" + ",".join(str(size) for size in self.sizes),
            f"--launch={launch}",
            f"--seed={launch + 1}",
            f"--cpus={self.cpus}" if self.cpus else f"--place={self.place}",
        ]
        if self.sweep:
            arguments.append("--sweep")
            if self.seconds_a_size is not None:
                arguments.append(f"--seconds-a-size={self.seconds_a_size:g}")
        else:
            arguments.append(f"--seconds={seconds:.6f}")
        if self.experiment in ("pingpong", "overheads"):
            arguments.append(f"--peers={self.peers[0]},{self.peers[1]}")
        if self.reduce != "max":
            arguments.append(f"--reduce={self.reduce}")
        # Of pairs the precision is judged over launches only.
        if not self.sweep and self.experiment not in ("pairs", "cores"):
            arguments.append(f"--precision={self.precision:g}")
        if self.controls:
            words = (name if value is None else f"{name}={value}" for name, value in self.controls)
            arguments.append("--read-back=" + ",".join(words))
        flags = {
            "--every-iteration": self.every_iteration,
            "--keep-clock-cost": self.keep_clock_cost,
            "--verify": self.verify,
            "--two-buffers": self.two_buffers,
            "--floor": self.floor,
            "--cold-cache": self.cold_cache,
        }
        return [*arguments, *(flag for flag, wanted in flags.items() if wanted), *self.arguments]


def options_of(questions: Sequence[Question]) -> dict[str, Any]:
    """As a run's questions are stored: what is the same for all, and what each has of its own."""
    every = [question.options() for question in questions]
    common = {name: value for name, value in every[0].items() if _is_same(every, name)}
    if len(every) == 1:
        return common
    own = [{name: own for name, own in each.items() if name not in common} for each in every]
    return {**common, "questions": own}


def _is_same(every: list[dict[str, Any]], name: str) -> bool:
    return all(options[name] == every[0][name] for options in every)
