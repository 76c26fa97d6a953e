"""ReFrame: every point of a measurement as a performance variable, in us.

For pairs, cores, collectives and whatever else `hockney` measures. References with measured
tolerances: `hockney export FILE --to reframe-references`. docs/howto/other-tools.md has an example.
"""

import json
import re
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as types
from reframe.core.backends import getlauncher


class HockneyPoints(rfm.RunOnlyRegressionTest):
    """A verb of hockney with its options, such as ["collective", "bcast", "--sizes", "8,1MiB"]."""

    verb = variable(types.List[str])
    budget = variable(str, value="20s")

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 2
    executable = "hockney"
    keep_files = ["run.jsonl"]

    @run_before("run")
    def ask(self):
        self.executable_opts = [
            *self.verb,
            *("-n", str(self.num_tasks), "--budget", self.budget, "--json", "-o", "run.jsonl"),
        ]

    @run_before("run")
    def leave_starting_ranks_to_hockney(self):
        self.job.launcher = getlauncher("local")()

    @sanity_function
    def was_measured(self):
        return sn.assert_eq(self.job.exitcode, 0)

    @run_before("performance")
    def take_every_point(self):
        printed = json.loads((Path(self.stagedir) / str(self.stdout)).read_text())
        self.perf_variables = {
            name_of(point): sn.make_performance_function(sn.defer(point["typical_s"] * 1e6), "us")
            for point in printed["points"]
        }


class HockneyPairs(HockneyPoints):
    """Pairs of ranks at the same time: contention."""

    verb = ["pairs"]


class HockneyCores(HockneyPoints):
    """Every rank with every other."""

    verb = ["cores"]


class HockneyCollective(HockneyPoints):
    """Collectives by size."""

    verb = ["collective", "bcast,allreduce", "--sizes", "8,64KiB"]


class HockneyRma(HockneyPoints):
    """One-sided operations, beside the two-sided exchange."""

    verb = ["rma", "put", "--sizes", "8,64KiB"]


class HockneyCongestion(HockneyPoints):
    """What a load on the network costs others; it needs four ranks."""

    verb = ["congestion"]
    num_tasks = 4


class HockneyHalo(HockneyPoints):
    """Neighbours on a grid."""

    verb = ["halo", "--sizes", "8,64KiB"]


AXES = (
    *("operation", "algorithm", "segment_bytes", "radix", "requests", "phase", "mode", "exchange"),
    *("form", "window", "synchronization", "window_kind", "direction", "element", "reduction"),
    *("occurrence", "train", "threads", "receiver_threads", "thread_comms", "datatype", "packing"),
    *("memory", "peer_memory", "staging"),
    *("partitions", "stagger_ns", "overlap", "arrival", "skew_s", "skew_times"),
    *("aggressor", "load_bytes", "load_window", "burst_s", "gap_s"),
    *("bytes", "ranks", "pairs", "groups", "grid", "neighbors", "periodic", "reordered"),
    *("peers", "level", "variant", "wait_each", "any_source"),
)
UNITS = {"bytes": "B", "segment_bytes": "Bsegments", "ranks": "ranks", "pairs": "pairs"}


def name_of(point):
    """As in `hockney export --to reframe-references`."""
    parts = (_part(name, point.get(name)) for name in AXES)
    return re.sub(r"\W+", "_", "_".join(filter(None, parts)))


def _part(name, value):
    if value in (None, False, "standard"):
        return ""
    if value is True:
        return name
    if isinstance(value, dict):  # a train
        return "_".join(f"{inner}{number:g}" for inner, number in value.items() if number)
    if isinstance(value, list):
        return "_".join(map(str, value))
    if name in UNITS:
        return f"{value}{UNITS[name]}"
    return value if isinstance(value, str) else f"{name}{value:g}"
