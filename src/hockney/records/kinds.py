"""The kinds of records, each stored as one line of JSON."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from hockney.plan.axes import Axes
from hockney.plan.bounds import LARGEST_WHOLE as LARGEST_WHOLE
from hockney.plan.bounds import Nanoseconds, Seconds, Whole
from hockney.records.carriers import PathRecord
from hockney.records.launch_records import LaunchRecord, RunRecord

SCHEMA = 2
"""Version of the format, raised only by changes that would mislead older readers."""
LARGEST_NUMBER = 1e100
"""Upper limit of any number, in its unit: sums, squares and ratios still fit into doubles."""


Rank = Annotated[int, msgspec.Meta(ge=0, lt=2**24)]


class Samples(
    Axes,
    tag_field="kind",
    tag="samples",
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    gc=False,
):
    """The batches of one visit of a point: nanoseconds per one-way message or operation, one entry
    per batch."""

    launch: Whole
    round: Whole
    repetitions: Whole
    ns: list[Nanoseconds]
    at_s: Seconds | None = None
    """Start of the visit, from the start of measuring in the launch."""
    skew_ns: Nanoseconds | None = None
    """Time from the first rank's arrival to the last one's."""
    load_Bps: float | None = None
    """Rate of all aggressors together during the visit."""
    compute_ns: Nanoseconds | None = None
    """Computation time between start and completion of a nonblocking or persistent operation."""
    own_mean_ns: list[Nanoseconds] | None = None
    """For collectives: mean over ranks of their own durations, for each entry of ns."""
    own_max_ns: list[Nanoseconds] | None = None


class PairTimes(msgspec.Struct, tag_field="kind", tag="pair_times", kw_only=True, gc=False):
    """Times of many pairs of ranks, in successive visits of a pass over all of them: for each size
    and pair the median of its batches, in nanoseconds per one-way message."""

    launch: Whole
    pass_number: Whole
    visit: Whole
    """Number of the first of the visits in the pass, whose order follows from its number."""
    visits: Whole
    operation: str
    bytes: list[Whole]
    peers: list[Rank]
    """Two ranks of each pair, one pair after the other; of a stream the first one sends."""
    ns: list[list[Nanoseconds]]
    """For each size, the time of each pair."""
    at_s: Seconds | None = None
    """End of the visits, from the start of measuring in the launch."""

    def __post_init__(self) -> None:
        pairs = len(self.peers) // 2
        if len(self.peers) % 2 or [len(times) for times in self.ns] != [pairs] * len(self.bytes):
            raise ValueError("as many times as pairs are needed, for each size")


class Tail(Axes, tag_field="kind", tag="tail", frozen=True, kw_only=True, omit_defaults=True):
    """A histogram with logarithmic bins of the samples of a point since the last such record of the
    launch. Records are merged by adding counts."""

    launch: Whole
    round: Whole
    """The last round that is counted."""
    relative_error: Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)]
    """A quantile from the histogram is within this fraction of the true one."""
    bins: list[Annotated[int, msgspec.Meta(ge=0, le=100_000)]]
    """Bin k > 0 has times above base^(k-1) ns up to base^k, where base is (1 + relative_error) / (1
    - relative_error); bin 0 has times of at most 1 ns. Ascending; others are empty."""
    counts: list[Whole]


class Completions(
    Axes, tag_field="kind", tag="completions", frozen=True, kw_only=True, omit_defaults=True
):
    """When each rank completed a collective, in a launch with --stragglers."""

    launch: Whole
    round: Whole
    """The last round that is counted."""
    visits: Whole
    """Visits of the point in the launch."""
    numbers: list[Rank]
    """For each rank of the world: its number in the collective."""
    ns: list[Nanoseconds]
    """For each rank of the world: the mean over visits of the median over repetitions of the time
    from the common start until it was done."""

    def __post_init__(self) -> None:
        if len(self.ns) != len(self.numbers) or {*self.numbers} != {*range(len(self.ns))}:
            raise ValueError("as many times as ranks are needed, and every number once")


class Summary(Axes, tag_field="kind", tag="summary", frozen=True, kw_only=True, omit_defaults=True):
    """A statistic of a point whose samples are unknown; never treated as samples. Exactly one of
    the values is given."""

    launch: Whole
    statistic: str
    definition: str
    value_s: float | None = None
    value_Bps: float | None = None
    value_per_s: float | None = None
    """Rate in messages per second."""
    value_s_per_B: float | None = None
    value: float | None = None
    """Dimensionless value."""
    rounding: Annotated[float, msgspec.Meta(gt=0.0, le=0.5)] | None = None
    """Half a unit of the last digit that the log prints, as a fraction of the value: the true one
    may differ by so much. None where it is unknown, or less than a double shows."""
    repetitions: int | None = None
    line: int | None = None
    """Line number in the log."""


class Start(msgspec.Struct, tag_field="kind", tag="start", kw_only=True):
    """How the ranks of one visit started together."""

    launch: Whole
    round: Whole
    operation: str
    bytes: Whole
    ranks: Whole
    skew_s: Seconds
    """Time from the first rank's start to the last's, on the common clock."""
    begin: str | None = None
    """Common start of the ranks: by the "clock", or after a "barrier", which is used if ranks start
    later than the collectives last (as on a shared CPU)."""
    tolerance_s: Seconds | None = None
    """Repetitions that a rank started later than this were repeated; None if all count."""
    error_s: Seconds | None = None
    """Standard error of the common clock, from messages; 0 if all ranks share the kernel's
    clock."""
    bound_s: Seconds | None = None
    """Limit of the error by asymmetric paths: half the shortest round trip."""
    known_error_s: Seconds | None = None
    """The true error, known if messages were used although all ranks share the kernel's clock."""
    missed: int = 0
    """Repetitions that a rank started too late; they were repeated and are not stored."""


class Probe(msgspec.Struct, tag_field="kind", tag="probe", kw_only=True):
    """Core-to-core latency before a round: cache lines are passed between two ranks, one way."""

    launch: Whole
    round: Whole
    peers: list[Whole]
    handover_ns: Nanoseconds
    """Median over lines on different pages; of a single line if the quartiles are None."""
    handover_low_ns: Nanoseconds | None = None
    """Lower quartile over the lines."""
    handover_high_ns: Nanoseconds | None = None
    """Upper quartile over the lines."""


class Round(msgspec.Struct, tag_field="kind", tag="round", kw_only=True):
    """Disturbances of the ranks since the previous round; None where the kernel does not report
    them."""

    launch: Whole
    round: Whole
    wall_s: Seconds | None = None
    """Wall time since the previous round, on the first rank."""
    waited_s: Seconds | None = None
    """Longest time that a rank was ready to run while its CPU was taken."""
    waited_rank: int | None = None
    probe_s: Seconds | None = None
    """Time of the slowest rank for a fixed amount of arithmetic."""
    probe_rank: int | None = None
    switches: float | None = None
    """Involuntary context switches of all ranks."""
    migrations: float | None = None
    """Ranks seen on another CPU than in the round before."""
    steal_s: Seconds | None = None
    """Time that the hypervisor took from all ranks' CPUs."""


class Noise(msgspec.Struct, tag_field="kind", tag="noise", kw_only=True):
    """Disturbances of one rank over the launch; None where the kernel does not report them. Version
    1 of the format has one such record per round, since the previous round."""

    launch: int
    rank: int
    round: int | None = None
    """The round; None for the whole launch."""
    wall_s: Seconds | None = None
    cpu_s: Seconds | None = None
    """Time on a CPU; equal to wall_s for an undisturbed rank, which spins."""
    waited_s: Seconds | None = None
    """Time ready to run while its CPU was taken."""
    steal_s: Seconds | None = None
    switches: float | None = None
    migrations: float | None = None
    probe_s: Seconds | None = None
    """Time of a fixed amount of arithmetic; median over the rounds of the launch."""
    probe_low_s: Seconds | None = None
    """10 % quantile over the rounds of the launch."""
    probe_high_s: Seconds | None = None
    """90 % quantile over the rounds of the launch."""
    throttled: float | None = None
    """Times that a quota of CPU time stopped the rank's cgroup; None also without a cgroup."""
    throttled_s: Seconds | None = None
    """Time of these stops, of all CPUs of the cgroup together."""


class Switch(msgspec.Struct, tag_field="kind", tag="switch", kw_only=True):
    """A switch of protocols between two sizes (`--refine`)."""

    low_bytes: int
    """Largest size known to belong to the lower regime."""
    high_bytes: int
    """Smallest size known to belong to the upper regime; low_bytes + 1 if known to the byte."""
    below: str
    """Lower regime: eager, rendezvous, cache or unnamed."""
    above: str
    evidence: str
    jump: float | None = None
    """Relative jump of the time."""


class End(msgspec.Struct, tag_field="kind", tag="end", kw_only=True):
    """How a launch ended: precision, budget, complete, interrupted or failed."""

    launch: int
    reason: str
    wall_s: Seconds | None = None
    message: str | None = None


class Finish(msgspec.Struct, tag_field="kind", tag="finish", kw_only=True):
    """How a run ended: precision, budget, launches, steps, decided, interrupted or failed."""

    reason: str
    spent_s: Seconds
    """Wall time that counts against the budget, with that of earlier runs into the file."""
    sampling: dict[str, Any]
    """Sampling of the plan when the run ended."""
    looks: list[float] = []
    """Fractions of the budget at which the variants' comparison was tested."""
    look_blocks: list[int] = []
    """Number of blocks at each of these looks, if decided points are measured no further."""
    continued: int = 0
    """How often variants were measured on after a look that used the whole error rate."""


class Progress(msgspec.Struct, tag_field="kind", tag="progress", kw_only=True):
    """Progress that the engine reports while it measures; never stored."""

    launch: int
    round: int
    bytes: int
    points: int
    reached: int
    samples: int
    worst: float | None = None
    left_s: Seconds | None = None


Record = (
    RunRecord
    | LaunchRecord
    | Samples
    | PairTimes
    | Tail
    | Completions
    | Summary
    | Start
    | Probe
    | Round
    | Noise
    | PathRecord
    | Switch
    | End
    | Finish
    | Progress
)
KINDS = frozenset(kind.__struct_config__.tag for kind in Record.__args__)
