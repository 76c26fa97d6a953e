"""Parameters of Open MPI's algorithms: what the control variables of coll/tuned and coll/libnbc
set, and which of them a rule sets.

A rule has one field for the fan-out, which is that of a chain or of allgather's k-ary Bruck
algorithm. The radix of the k-nomial tree is one for all rules: a control variable.
"""

from __future__ import annotations

import re

from hockney.base.errors import HockneyError
from hockney.plan.bounds import is_whole
from hockney.run.mpis import Radix, Requests, Rule

SEGMENTED = {
    "bcast": ("chain", "pipeline", "split_binary_tree", "binary_tree", "binomial", "knomial"),
    "reduce": ("chain", "pipeline", "binary", "binomial", "in-order_binary", "knomial"),
    "allreduce": ("segmented_ring",),
}
"""Algorithms that use the segment size. Others ignore it."""
MOST_CHAINS = 32
"""MAXTREEFANOUT in ompi/mca/coll/base/coll_base_topo.h."""
FANOUTS = frozenset({("bcast", "chain"), ("reduce", "chain"), ("allgather", "bruck-k-fanout")})
"""Algorithms whose rules have a fan-out (coll_tuned_decision_dynamic.c)."""
RADIX = {
    ("bcast", "chain"): Radix("coll_tuned_bcast_algorithm_chain_fanout", MOST_CHAINS),
    ("reduce", "chain"): Radix("coll_tuned_reduce_algorithm_chain_fanout", MOST_CHAINS),
    ("allgather", "bruck-k-fanout"): Radix("coll_tuned_allgather_algorithm_tree_fanout"),
    ("bcast", "knomial"): Radix("coll_tuned_bcast_algorithm_knomial_radix"),
    ("ibcast", "knomial"): Radix("coll_libnbc_ibcast_knomial_radix"),
}
"""The radix of an algorithm, by collective and the library's own name. Other algorithms ignore the
fan-outs that the library lists for their collectives."""
_LEAVES = ("chain", "pipeline", "binary", "binomial", "in-order_binary", "knomial")
"""Reduce algorithms whose leaves wait for the receiver after so many segments."""
REQUESTS = {
    ("alltoall", "linear_sync"): Requests("coll_tuned_alltoall_algorithm_max_requests"),
    # 1 counts as no limit: every second message would wait for the one before it.
    ("scatter", "linear_nb"): Requests("coll_tuned_scatter_algorithm_max_requests", least=2),
    **{
        ("reduce", name): Requests("coll_tuned_reduce_algorithm_max_requests", of_segments=True)
        for name in _LEAVES
    },
}
"""Limits of messages in flight, by collective and the library's own name; 0 is none."""
FIRST_WITH_REQUESTS = 5
"""Open MPI's first major version whose rules can limit messages in flight."""
FANOUT = "4"
"""The library's default fan-out. Without it a rule turns the chain into a pipeline."""
_ENDS = {"bcast": "chain_fanout", "reduce": "chain_fanout", "allgather": "tree_fanout"}
"""End of the control variable that a rule's fan-out sets, by collective."""


def has_radix(collective: str, algorithm: str) -> bool:
    """Whether a rule sets the radix of an algorithm, by its common name."""
    return (collective, algorithm) in FANOUTS


def major_of(version: str | None) -> int:
    """The major number of a version; 0 where it is unknown."""
    number = re.match(r"\d{1,9}", version or "")
    return int(number[0]) if number else 0


def has_requests(version: str | None, collective: str, algorithm: str) -> bool:
    """Whether a rule limits the requests of an algorithm, by its common name."""
    return (collective, algorithm) in REQUESTS and major_of(version) >= FIRST_WITH_REQUESTS


def number_of(rule: Rule) -> int:
    """The library's number of the algorithm, as forced in the measurement."""
    return int(_setting(rule, "", None))


def fanout_of(rule: Rule) -> int:
    end = _ENDS.get(rule.collective)
    return int(_setting(rule, f"_{end}", FANOUT)) if end else 0


def segment_of(rule: Rule) -> int:
    return int(_setting(rule, "_segmentsize", "0"))


def _setting(rule: Rule, what: str, otherwise: str | None) -> str:
    name = f"OMPI_MCA_coll_tuned_{rule.collective}_algorithm{what}"
    value = rule.setting(name, otherwise)
    if value is None or not is_whole(value):
        raise HockneyError(
            f"{rule.collective} by {rule.name}: its launches do not record {name} as a number",
            "measure it with `hockney collective`, which forces algorithms by number",
        )
    return value
