"""The declarations of a point's axes: those that all experiments share, and those of knobs."""

from collections.abc import Collection
from typing import Annotated

import msgspec

from hockney.base.units import format_seconds, format_size, how_many
from hockney.plan.bounds import Nanoseconds, Whole
from hockney.plan.knobs import Axis, axes_of_knobs, axis_in
from hockney.plan.memories import HOST, staging_text
from hockney.plan.trains import Train, train_text
from hockney.plan.words import (
    ALL_PHASES,
    ALLOCATE,
    BOTH_WAYS,
    CONTIGUOUS,
    NONBLOCKING,
    RETURNED,
    STANDARD,
    grid_text,
)
from hockney.plan.workloads import WORKLOADS, workload_type

AXES_OF_KNOBS = axes_of_knobs(map(workload_type, WORKLOADS.names()))
"""Name, annotated type and default of each axis that a knob declares."""
_SPECIAL = tuple(
    name for name, hint, _ in AXES_OF_KNOBS if (axis := axis_in(hint)) and axis.is_special
)
MOST_PEERS = 4
"""Most ranks that are shown; of more, only the first and last two."""


_COMMS = {"shared": None, "own": "a communicator each", "vci": "an endpoint each"}
_PACKINGS = {"datatype": "by datatype", "pack": "by MPI_Pack", "hand": "packed by hand"}


def _peers_text(peers: Collection[int]) -> str | None:
    ranks = list(peers)
    few = ranks if len(ranks) <= MOST_PEERS else [*ranks[:2], "..", *ranks[-2:]]
    return f"between {' '.join(map(str, few))}" if ranks else None


class FixedAxes(msgspec.Struct, frozen=True, kw_only=True):
    """The axes of a point; null (or empty) where an axis does not apply or is unknown."""

    operation: Annotated[str, Axis()]
    algorithm: Annotated[str | None, Axis(is_method=True)] = None
    """Name of the algorithm, without its parameters."""
    segment_bytes: Annotated[
        Whole | None,
        Axis(
            lambda size: f"{format_size(size)} segments" if size else "unsegmented",
            unit="bytes",
            is_method=True,
        ),
    ] = None
    """Segment size of an algorithm that cuts messages into segments; 0 for unsegmented."""
    radix: Annotated[Whole | None, Axis(lambda radix: f"radix {radix}", is_method=True)] = None
    """Fan-out of the tree of an algorithm, or k of its k-ary exchange; null for the library's own,
    or an algorithm without one."""
    requests: Annotated[
        Whole | None, Axis(lambda most: how_many(most, "request"), is_method=True)
    ] = None
    """Most messages in flight that an algorithm allows a rank; null for the library's own limit, or
    an algorithm without one."""
    phase: Annotated[
        str | None,
        Axis(lambda phase: "by messages" if phase == ALL_PHASES else f"phase {phase}"),
    ] = None
    """Part of a collective that is made by messages as its algorithm's schedule says, ALL_PHASES
    for the whole of it; null where the library makes it."""
    mode: Annotated[
        str | None, Axis(lambda mode: None if mode == STANDARD else mode, is_method=True)
    ] = None
    """One of MODES; null where an operation sends in its usual way, unless it is a ping-pong."""
    exchange: Annotated[str | None, Axis(is_method=True)] = None
    """How neighbours exchange messages; null unless it is a halo."""
    form: Annotated[str | None, Axis()] = None
    """nonblocking, persistent, or how a collective is made one-sided (put-fence, ...); null for
    blocking calls, and unless it is a collective or halo."""
    window: Annotated[
        Whole | None, Axis(lambda messages: f"window {messages}", "messages", is_method=True)
    ] = None
    """Messages in flight; null unless it is a stream."""
    synchronization: Annotated[str | None, Axis(is_method=True)] = None
    """What completes a one-sided operation, one of SYNCHRONIZATIONS; null for two-sided ones."""
    window_kind: Annotated[
        str | None,
        Axis(lambda kind: None if kind == ALLOCATE else f"{kind} window", is_method=True),
    ] = None
    """How the memory of a one-sided operation was made accessible, one of WINDOW_KINDS."""
    direction: Annotated[
        str | None, Axis(lambda way: "both ways" if way == BOTH_WAYS else None, is_method=True)
    ] = None
    """One of DIRECTIONS; null unless it is a one-sided stream."""
    element: Annotated[str | None, Axis(is_method=True)] = None
    """Type of the elements of an accumulate or atomic operation, one of ELEMENTS."""
    reduction: Annotated[str | None, Axis(is_method=True)] = None
    """How elements are combined, one of words.Reduction."""
    occurrence: Annotated[str | None, Axis(is_method=True)] = None
    """Occurrence of a repeated operation of start-up: the first, or a later one."""
    train: Annotated[Train | None, Axis(train_text, is_curve=True, is_method=True)] = None
    threads: Annotated[
        Whole | None,
        Axis(
            lambda count: how_many(count, "thread"),
            is_curve=True,
            is_method=True,
        ),
    ] = None
    """Threads of a rank that exchange messages at once; null where MPI was started for one."""
    receiver_threads: Annotated[
        Whole | None, Axis(lambda count: f"to {count} of the receiver", is_method=True)
    ] = None
    """Threads of the rank that receives first; null if it has as many as the sender."""
    thread_comms: Annotated[str | None, Axis(lambda comms: _COMMS[comms], is_method=True)] = None
    """shared, own or vci (plan.messages); null without `threads`."""
    datatype: Annotated[str | None, Axis(is_method=True)] = None
    """The layout of messages (plan.datatypes), or two with ">" between where the received one is
    another; contiguous for those measured beside it; null where none is asked for."""
    packing: Annotated[str | None, Axis(lambda way: _PACKINGS[way], is_method=True)] = None
    """datatype, pack or hand (plan.messages); null for contiguous messages."""
    memory: Annotated[
        str | None, Axis(lambda name: None if name == HOST else f"{name} memory", is_method=True)
    ] = None
    """Memory of the rank that sends first, or of all (plan.memories); null for the host's, where
    none was asked for."""
    peer_memory: Annotated[str | None, Axis(lambda name: f"to {name} memory", is_method=True)] = (
        None
    )
    """Memory of the other rank; null if it is the same."""
    staging: Annotated[Whole | None, Axis(staging_text, unit="bytes", is_method=True)] = None
    """Bytes of the blocks in which a message is copied between device and host; 0 for a whole
    message; null if the library takes it from where it lies."""
    partitions: Annotated[
        Whole | None, Axis(lambda count: f"{count} partitions", is_method=True)
    ] = None
    """Parts of a message that become ready one by one. If the mode is not partitioned, the message
    waited for all parts."""
    stagger_ns: Annotated[
        Nanoseconds | None,
        Axis(lambda ns: f"{ns:g} ns apart" if ns else None, unit="ns", is_method=True),
    ] = None
    """Time from one partition's readiness to the next one's."""
    overlap: Annotated[
        bool, Axis(lambda overlap: "overlapped" if overlap else None, is_method=True)
    ] = False
    """True if the ranks computed during a nonblocking or persistent operation."""
    arrival: Annotated[str | None, Axis(lambda pattern: f"arrival {pattern}")] = None
    """The pattern in which ranks arrive at a collective (plan.arrivals); null where none was asked
    for."""
    skew_s: Annotated[
        float | None, Axis(lambda seconds: f"skew {format_seconds(seconds)}", unit="s")
    ] = None
    """Time from the first rank's arrival to the last one's, if given as a time."""
    skew_times: Annotated[float | None, Axis(lambda times: f"skew {times:g}x")] = None
    """Skew as a multiple of the collective's time without one."""
    aggressor: Annotated[str | None, Axis(lambda name: f"under {name}")] = None
    """How other ranks loaded the network meanwhile (plan.loads); null where none did."""
    load_bytes: Annotated[
        Whole | None, Axis(lambda size: f"load of {format_size(size)}", unit="bytes")
    ] = None
    """Size of the aggressors' messages; null without an aggressor."""
    load_window: Annotated[
        Whole | None, Axis(lambda messages: f"load window {messages}", "messages")
    ] = None
    """Messages in flight from an aggressor to each rank that it sends to."""
    burst_s: Annotated[
        float | None, Axis(lambda seconds: f"bursts of {format_seconds(seconds)}", unit="s")
    ] = None
    """How long aggressors send before they pause; null where they never do."""
    gap_s: Annotated[
        float | None, Axis(lambda seconds: f"gaps of {format_seconds(seconds)}", unit="s")
    ] = None
    """Length of the aggressors' pauses."""
    bytes: Annotated[Whole, Axis(format_size, unit="bytes", is_curve=True)]
    ranks: Annotated[Whole | None, Axis(lambda ranks: how_many(ranks, "rank"))] = None
    """Ranks that take part at once; null if an imported log does not show it."""
    pairs: Annotated[
        Whole | None,
        Axis(lambda pairs: f"{how_many(pairs, 'pair')} at once", is_curve=True),
    ] = None
    """Concurrent pairs; null unless the contention of pairs is measured."""
    groups: Annotated[
        Whole | None, Axis(lambda groups: f"{groups} groups at once", is_method=True)
    ] = None
    """Groups of ranks that make a collective at the same time; null where all ranks are one."""
    grid: Annotated[tuple[Whole, ...], Axis(lambda sides: grid_text(sides) or None)] = ()
    """Ranks in each dimension of a halo; empty for other operations."""
    neighbors: Annotated[str | None, Axis(lambda neighbors: f"neighbours at {neighbors}")] = None
    """faces, edges (and faces) or corners (and both); null unless it is a halo."""
    periodic: Annotated[bool | None, Axis(lambda is_it: "periodic" if is_it else "open")] = None
    """Whether ranks at the ends of the grid are neighbours; null unless it is a halo."""
    reordered: Annotated[bool, Axis(lambda is_it: "reordered" if is_it else None)] = False
    """True if the library may have given ranks other places on the grid."""
    peers: Annotated[tuple[Whole, ...], Axis(_peers_text, is_circumstance=True)] = ()
    """Ranks that exchanged messages; empty if all take part or if unknown."""
    level: Annotated[str | None, Axis(is_circumstance=True)] = None
    """How far apart two ranks are (plan.topology): same node, same switch, one hop, ...; null where
    the switches are unknown or more ranks take part."""
    variant: Annotated[str | None, Axis()] = None
    """One of the variants that a run compares (plan.variants); null where nothing is varied."""
    buffers: Annotated[
        str | None,
        Axis(
            lambda buffers: f"{buffers} buffers" if buffers != RETURNED else None,
            is_circumstance=True,
        ),
    ] = None
    """returned (a message is sent back from the buffer that received it), separate, or cold (out of
    all caches); null if unknown."""

    @property
    def known_ranks(self) -> int:
        """The number of ranks; 0 if an imported log does not show it."""
        return self.ranks or 0

    @property
    def is_one_pair(self) -> bool:
        """True for a point of two ranks, those in `peers`."""
        return len(self.peers) == 2

    @property
    def messages_at_once(self) -> int:
        """How many messages the time of one stands for: one for each thread."""
        return self.threads or 1

    @property
    def is_plain(self) -> bool:
        """True for points that published figures and message costs describe: contiguous messages of
        one thread, sent and received in the usual way."""
        is_whole = self.datatype in (None, CONTIGUOUS) and self.partitions is None
        is_usual = not any(getattr(self, name) for name in _SPECIAL)
        return self.threads is None and is_whole and not self.is_on_device and is_usual

    @property
    def is_on_device(self) -> bool:
        """True if a message lies in memory of an accelerator's driver."""
        return self.memory not in (None, HOST) or self.peer_memory is not None

    @property
    def is_over_threads(self) -> bool:
        """True for a point that differs from others of its curve by its number of threads."""
        is_of_pairs = self.pairs is not None or self.is_one_pair
        return self.threads is not None and self.receiver_threads is None and is_of_pairs

    @property
    def has_own_calls(self) -> bool:
        """True for a form of a collective that is no algorithm of its usual calls: persistent, by
        put or get, by several threads, or from other memory than the host's, of which a library's
        rules know nothing."""
        return self.form not in (None, NONBLOCKING) or self.threads is not None or self.is_on_device

    @property
    def is_all_pairs(self) -> bool:
        """True for a point that stands for all concurrent pairs together."""
        return self.pairs is not None and not self.is_one_pair
