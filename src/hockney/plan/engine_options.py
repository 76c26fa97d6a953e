"""The engine's options that are no knobs, one row each; options.c reads those of kind HAND."""

from __future__ import annotations

from hockney.plan.option_row import OptionKind, OptionRow

OF_TWO = frozenset({"pingpong", "overheads", "rma"})
OF_PAIRS = frozenset({"pairs", "cores"})
OF_ALL = frozenset({"collective", "halo", "overlap"})
LOADED = frozenset({"congestion"})
MESSAGES = frozenset({"pingpong", "pairs"})
ONE_SIDED = frozenset({"rma", "pairs"})
TIMED = OF_TWO | OF_PAIRS | OF_ALL | LOADED | {"fabric"}
EVERY = TIMED | {"startup"}
F, W, C, N, T, H = OptionKind
COLLECTIVE, HALO = frozenset({"collective"}), frozenset({"halo"})
PINGPONG, FABRIC = frozenset({"pingpong"}), frozenset({"fabric"})
ROWS = (
    OptionRow("ranks", C, EVERY, "(-n N) the world must have N ranks", "N"),
    OptionRow(
        "peers", H, OF_TWO, "the two ranks to measure (default 0,1); the others sleep", "A,B"
    ),
    OptionRow(
        "sizes",
        H,
        EVERY,
        "0,1,8 or 1..4MiB (powers of two); 8@1000+10: 1000 repetitions after 10",
        "LIST",
    ),
    OptionRow(
        "trains",
        H,
        PINGPONG | {"overheads"},
        "for overheads and late: MESSAGES:SEND_DELAY:RECEIVE_DELAY, delays as NS or NS+NS_PER_BYTE",
        "LIST",
    ),
    OptionRow("seconds", N, TIMED, "measure for at most S seconds (default 1)", "S"),
    OptionRow(
        "precision",
        N,
        OF_TWO | OF_ALL | LOADED,
        "stop when the interval of each median is within P, e.g. 0.01 (default 0: never)",
        "P",
    ),
    OptionRow("rounds", H, TIMED, "visits of each size (default 10:1000000)", "MIN:MAX"),
    OptionRow(
        "place", H, EVERY, "core, socket, numa, node, spread or none (default core)", "POLICY"
    ),
    OptionRow("cpus", T, EVERY, "CPU of each rank of a node, e.g. 0,3", "LIST"),
    OptionRow("oversubscribe", F, EVERY, "allow more ranks or threads than CPUs"),
    OptionRow(
        "every-iteration",
        F,
        OF_TWO | OF_PAIRS,
        "time each exchange separately, clock cost subtracted",
    ),
    OptionRow("keep-clock-cost", F, OF_TWO | OF_PAIRS, "do not subtract the clock cost"),
    OptionRow(
        "buffers",
        H,
        EVERY,
        "returned: send from the buffer that received; separate: one to send, never rewritten, one "
        "to receive; cold: in memory larger than the last cache (default returned; separate for "
        "streams, bidirectional and collectives)",
        "CHOICE",
    ),
    OptionRow("sweep", F, PINGPONG, "visit sizes in order, once each, with fixed repetitions"),
    OptionRow(
        "seconds-a-size",
        N,
        PINGPONG,
        "in a sweep: repetitions for about S seconds, by a timed warm-up of 100",
        "S",
    ),
    OptionRow(
        "reduce",
        W,
        PINGPONG,
        "use the largest of the ranks' times (default) or the first rank's",
        "max|first",
    ),
    OptionRow(
        "operation",
        T,
        PINGPONG | OF_PAIRS,
        "between two ranks: pingpong, exchange, stream, bidirectional or late",
        "NAME",
        "between",
    ),
    OptionRow(
        "mode",
        T,
        PINGPONG | OF_PAIRS,
        "pingpong: standard, synchronous, nonblocking, persistent or partitioned; exchange: "
        "standard, nonblocking or replace; stream, bidirectional: or persistent",
        "MODE",
    ),
    OptionRow(
        "window",
        H,
        PINGPONG | {"rma"} | OF_PAIRS | LOADED,
        "for stream and bidirectional: messages in flight (default 64)",
        "LIST",
    ),
    OptionRow(
        "pairing",
        T,
        frozenset({"pairs"}),
        "halves (default), neighbours, random, 0-2,1-3, or @FILE with a list",
        "PAIRS",
    ),
    OptionRow(
        "pairs-active",
        H,
        frozenset({"pairs"}),
        "numbers of concurrent pairs (default: one, and all)",
        "LIST",
    ),
    OptionRow(
        "threads",
        H,
        MESSAGES | COLLECTIVE,
        "threads of each rank, T or SENDERS:RECEIVERS (MPI_THREAD_MULTIPLE)",
        "LIST",
    ),
    OptionRow(
        "thread-comms",
        H,
        MESSAGES | COLLECTIVE,
        "one communicator shared by all threads, each its own, or vci: own endpoints",
        "WAY",
    ),
    OptionRow(
        "datatype",
        H,
        MESSAGES,
        "vector:COUNT:BLOCK:STRIDE, indexed:LENGTH@OFFSET:..., struct:TYPE@OFFSET:... or "
        "subarray:WHOLExWHOLE:PARTxPART[:STARTxSTART], beside contiguous messages",
        "LAYOUT",
    ),
    OptionRow(
        "receive-datatype", H, MESSAGES, "of received messages, where it is another", "LAYOUT"
    ),
    OptionRow(
        "packing",
        H,
        MESSAGES,
        "datatype (by MPI, the default), pack (MPI_Pack), hand (copies)",
        "LIST",
    ),
    OptionRow(
        "partitions",
        H,
        MESSAGES | HALO,
        "for --mode partitioned: numbers of partitions, with a thread for each; of a halo's "
        "partitioned messages one number (default 1)",
        "LIST",
    ),
    OptionRow(
        "stagger",
        N,
        MESSAGES,
        "from one partition's readiness to the next one's",
        "NS",
        "stagger_ns",
    ),
    OptionRow(
        "parallel", F, FABRIC | {"cores"}, "for cores and fabric: measure disjoint pairs at once"
    ),
    OptionRow(
        "switches",
        T,
        FABRIC,
        "for fabric: HOST=NUMBER,... or @FILE; pairs inside all switches, then between",
        "LIST",
    ),
    OptionRow("pass", C, FABRIC, "for fabric: the pass", "N"),
    OptionRow("from", H, FABRIC, "for fabric: the first visit of the pass", "N"),
    OptionRow("visits", H, FABRIC, "for fabric: at most so many visits", "N"),
    OptionRow(
        "arrangements",
        H,
        FABRIC,
        "for fabric: the rounds, in this order and numbered from 1 (default: all, at random)",
        "LIST",
    ),
    OptionRow(
        "synchronization",
        H,
        ONE_SIDED,
        "one-sided: fence, pscw, lock, lock-all, flush (default), flush-local",
        "LIST",
    ),
    OptionRow(
        "window-kind",
        H,
        ONE_SIDED,
        "one-sided: allocate (default), create, dynamic, shared",
        "LIST",
    ),
    OptionRow(
        "direction",
        H,
        ONE_SIDED,
        "one-sided: streams of --window operations, not one by one",
        "one-way|both-ways",
    ),
    OptionRow(
        "element",
        H,
        ONE_SIDED | COLLECTIVE,
        "of accumulates and atomics: int8, int32, int64 (default), float16, bfloat16, float, "
        "double, byte; of reductions: the same but int8 and byte, int32 (default)",
        "TYPE",
    ),
    OptionRow(
        "reduction",
        H,
        ONE_SIDED,
        "sum (default), min, max, band, bor, bxor, replace or no-op",
        "NAME",
    ),
    OptionRow(
        "algorithm", T, COLLECTIVE, "name of a collective's algorithm in the records", "NAME"
    ),
    OptionRow(
        "sync",
        W,
        OF_PAIRS | FABRIC | OF_ALL,
        "how the ranks of a collective start together (default clock)",
        "clock|messages|barrier",
    ),
    OptionRow(
        "schedules",
        H,
        COLLECTIVE,
        "make a bcast, reduce, allreduce or allgather by messages as well, its phases timed",
        "@FILE",
    ),
    OptionRow(
        "overlap",
        F,
        COLLECTIVE | HALO | {"rma"},
        "measure a nonblocking or persistent collective also overlapped with computation; a "
        "one-sided operation also while its target computes",
    ),
    OptionRow(
        "launched-at",
        T,
        frozenset({"startup"}),
        "for startup: when the launcher was started, on that host's monotonic clock",
        "NS@HOST",
    ),
    OptionRow(
        "form",
        T,
        COLLECTIVE | HALO,
        "of a collective: persistent, by MPI-4's request; or put-fence, put-flush, get-fence, "
        "get-flush, made one-sided (default: as its name says); of neighbourhood collectives a "
        "list of blocking, nonblocking, persistent",
        "FORM",
    ),
    OptionRow(
        "groups",
        C,
        COLLECTIVE,
        "of neighbouring ranks, which make the collective at the same time (default 1)",
        "N",
    ),
    OptionRow("grid", H, HALO, "ranks of a halo in each dimension, e.g. 4x2", "SIDES"),
    OptionRow(
        "neighbors", H, HALO, "which neighbours a rank has (default faces)", "faces|edges|corners"
    ),
    OptionRow("open", H, HALO, "no neighbours across the ends of the grid"),
    OptionRow("reorder", H, HALO, "the library may give ranks other places on the grid"),
    OptionRow(
        "exchange",
        T,
        HALO,
        "waitall (default), waitany, waitsome, sendrecv, persistent, partitioned, put-fence, "
        "put-pscw, put-flush, get-fence, get-flush, neighbor, neighborv, neighborw, "
        "neighbor-allgather, neighbor-allgatherv",
        "LIST",
    ),
    OptionRow(
        "columns",
        H,
        HALO,
        "messages of a halo: none (default), contiguous; or columns of an array, packed by hand or "
        "by a datatype",
        "LIST",
    ),
    OptionRow(
        "arrival",
        H,
        COLLECTIVE,
        "when ranks arrive at a collective: none, ascending, descending, random, first-late, "
        "last-late, half-late, or listed: by --fractions",
        "LIST",
    ),
    OptionRow("skew-ns", H, COLLECTIVE, "from the first rank to arrive to the last", "NS"),
    OptionRow(
        "skew-times",
        H,
        COLLECTIVE,
        "the same, F times what the collective takes without a skew",
        "F",
    ),
    OptionRow(
        "fractions",
        H,
        COLLECTIVE,
        "for --arrival listed: how late each rank is, 0,0.5,1 or @FILE",
        "LIST",
    ),
    OptionRow(
        "loads",
        H,
        LOADED,
        "of congestion: AGGRESSOR:BYTES:WINDOW:BURST_NS:GAP_NS; aggressors are incast, outcast, "
        "all-to-all, ring and permutation; a gap of 0: they never stop",
        "LIST",
    ),
    OptionRow(
        "roles",
        H,
        LOADED,
        "random:VICTIMS, blocks:VICTIMS or listed:0,1/2,3: victims and aggressors",
        "ROLES",
    ),
    OptionRow(
        "paths",
        T,
        TIMED,
        "sizes of messages that are exchanged untimed to see what carries them; none: of none "
        "(default: the smallest and the largest, up to 1MiB)",
        "LIST",
    ),
    OptionRow("sys", T, TIMED, "where sysfs has the ports' counters (default /sys)", "DIRECTORY"),
    OptionRow("mark", T, EVERY, "by which the processes of a launch are found; no meaning", "WORD"),
    OptionRow("launch", C, EVERY, "the launch's number in the records", "N"),
    OptionRow("seed", H, EVERY, "from which the order of visits follows", "N"),
    OptionRow(
        "read-back",
        T,
        EVERY,
        "control variables to store in the launch record; the launch ends if one differs from "
        "VALUE",
        "NAME,NAME=VALUE,...",
    ),
    OptionRow(
        "trial",
        F,
        TIMED,
        "one exchange of each kind and class of sizes, announced before it is made, and no more",
    ),
    OptionRow(
        "unaware",
        F,
        PINGPONG,
        "with --staged: leave out messages that the library takes from the device itself",
    ),
    OptionRow("table", F, PINGPONG | COLLECTIVE, "print a table and a fit instead of records"),
    OptionRow("help", F, EVERY, "this text"),
    OptionRow("version", F, EVERY, "its version, and the library it was built for"),
)
