"""Intel MPI: I_MPI_ADJUST_X with the numbers of its Developer Reference.

MPI_T shows neither its list of algorithms nor its choice, so nothing proves that it ran the forced
one. From 2021.13 on the numbers are those of presets, and there are more presets than listed here.
Rules are a tree as mpitune writes it, which knows ranks and ranks per node. Or they are variables
I_MPI_ADJUST_X=ID:SIZES;... in a file for `source`: the manual has numbers of ranks behind sizes
(@RANKS), but 2021.18 then ignores the sizes, and runs an algorithm of the list where no range
applies (tests/mpis/test_intel_rules.py). Algorithm 0, everywhere else, is what the library would do
without the tuning file that comes with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hockney.base.errors import HockneyError
from hockney.plan.bounds import LARGEST_INT
from hockney.plan.workloads.collective import COLLECTIVES, DEFAULT
from hockney.run.mpis import (
    Algorithm,
    Engine,
    Forcing,
    Mpi,
    ParameterValues,
    Rule,
    RulesFormat,
    mpich,
    other,
)
from hockney.run.mpis._intel_reading import read_tree, read_variables

__getattr__ = partial(getattr, other)
"""All else is as with an unknown library, also segment sizes: variables of these exist
(I_MPI_ADJUST_BCAST_SEGMENT), but were not tested."""
PMI = mpich.PMI
VERBOSE = {**other.VERBOSE, "I_MPI_DEBUG": "5"}
TELLS = (*other.TELLS, r"MPI startup\(\): (libfabric provider: .*|Number of NICs: .*|.*pin nic.*)")
LIBRARIES = ("Intel MPI",)
AWARE = {"I_MPI_OFFLOAD": "1"}
PACKAGES = "Intel's apt and dnf: intel-oneapi-mpi-devel, PyPI: impi-devel"
Tree = dict[str, Any]
ANY, OWN = "-1", "0"
ALGORITHMS = {
    "barrier": (
        *("dissemination", "recursive_doubling", "topology_dissemination"),
        *("topology_recursive_doubling", "binomial", "topology_binomial", "shm_flat"),
        *("shm_knomial", "shm_knary"),
    ),
    "bcast": (
        *("binomial", "recursive_doubling", "ring", "topology_binomial"),
        *("topology_recursive_doubling", "topology_ring", "shumilin", "knomial", "shm_flat"),
        *("shm_knomial", "shm_knary", "numa_sse42", "numa_avx2", "numa_avx512"),
    ),
    "scatter": ("binomial", "topology_binomial", "shumilin"),
    "gather": ("binomial", "topology_binomial", "shumilin", "binomial_segmented"),
    "reduce": (
        *("shumilin", "binomial", "topology_shumilin", "topology_binomial", "rabenseifner"),
        *("topology_rabenseifner", "knomial", "shm_flat", "shm_knomial", "shm_knary"),
    ),
    "allreduce": (
        *("recursive_doubling", "rabenseifner", "nonoverlapping", "topology_nonoverlapping"),
        *("binomial", "topology_binomial", "shumilin_ring", "ring", "knomial", "shm_flat"),
        *("shm_knomial", "shm_knary"),
    ),
    "allgather": ("recursive_doubling", "bruck", "ring", "topology_gatherv_bcast", "knomial"),
    "alltoall": ("bruck", "linear", "pairwise", "plum"),
    "scan": ("partial_results", "topology_partial_results"),
}
"""Algorithms in the order of their numbers, which begin at 1."""


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Disables Intel MPI's pinning, which would hide CPUs from the engine."""
    return {"I_MPI_PIN": "off"}


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:  # noqa: ARG001
    """The algorithms of the manual."""
    return [
        Algorithm(collective, name, str(number), number)
        for collective in collectives
        for number, name in enumerate(ALGORITHMS.get(collective, ()), start=1)
    ]


def forcing(collective: str, algorithm: Algorithm | None, parameters: ParameterValues) -> Forcing:
    if algorithm is None:
        return Forcing(DEFAULT)
    env = ((f"I_MPI_ADJUST_{collective.upper()}", str(algorithm.number)),)
    return Forcing(algorithm.name, parameters, env)


def render(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    """Rules that hold for any number of ranks. Raises HockneyError for rules that differ by
    ranks."""
    lines = ["# Written by hockney tune. These rules hold for any number of ranks."]
    for collective in dict.fromkeys(rule.collective for rule in rules):
        of_it = [rule for rule in rules if rule.collective == collective]
        counts = sorted({rule.ranks for rule in of_it})
        if len(counts) > 1:
            raise HockneyError(
                f"rules for {collective} by {' and by '.join(map(str, counts))} ranks: Intel MPI's "
                "variables cannot tell them apart",
                "write them with --format intel-tree, or from files of one number of ranks",
            )
        name = f"I_MPI_ADJUST_{collective.upper()}"
        lines.append(f"export {name}='{';'.join(_ranges(of_it, name))}'")
    return {"": "\n".join(lines) + "\n"}


def _ranges(rules: Sequence[Rule], name: str) -> Iterator[str]:
    """Ranges of all sizes: where no range holds, the library would take one of the rules."""
    begin = 0
    for rule in sorted(rules, key=lambda rule: rule.from_bytes):
        if rule.from_bytes > begin:
            yield f"{OWN}:{begin}-{rule.from_bytes - 1}"
        to = LARGEST_INT if rule.to_bytes is None else rule.to_bytes
        yield f"{_number(rule, name)}:{rule.from_bytes}-{to}"
        begin = to + 1
    if begin <= LARGEST_INT:
        yield f"{OWN}:{begin}-{LARGEST_INT}"


def _number(rule: Rule, name: str) -> str:
    """The library's number of the algorithm, as forced in the measurement."""
    number = rule.setting(name)
    if number is None or not number.isdecimal():
        raise HockneyError(
            f"{rule.collective} by {rule.name}: its launches do not record {name} as a number",
            "measure it with `hockney collective`, which forces algorithms by that",
        )
    return number


def environment_of_rules(path: Path) -> dict[str, str]:
    """The variables that sourcing the file sets."""
    exports = (line.removeprefix("export ") for line in path.read_text().splitlines())
    pairs = (line.partition("=") for line in exports if "=" in line and not line.startswith("#"))
    return {name: value.strip("'\"") for name, _, value in pairs}


def render_tree(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    """Rules as a tree of mpitune: limits are upper ones, -1 is any, and algorithm 0 is the
    library's own decision."""
    tree: Tree = {}
    for collective in dict.fromkeys(rule.collective for rule in rules):
        of_it = [rule for rule in rules if rule.collective == collective]
        tree[f"coll={collective.capitalize()}"] = _tree_by_layout(collective, of_it)
    return {"": json.dumps(tree, indent=1) + "\n"}


def _tree_by_layout(collective: str, rules: Sequence[Rule]) -> Tree:
    """Limits rules with a layout to its ranks per node."""
    own: Tree = {f"comm_size={ANY}": _own_of_ranks(collective)}
    branches: Tree = {}
    for each in sorted({rule.per_node for rule in rules if rule.per_node}):
        if each > 1:
            branches.setdefault(f"ppn={each - 1}", own)
        of_it = [rule for rule in rules if rule.per_node == each]
        branches[f"ppn={each}"] = _tree_by_ranks(collective, of_it)
    others = [rule for rule in rules if not rule.per_node]
    return {**branches, f"ppn={ANY}": _tree_by_ranks(collective, others) if others else own}


def _own_of_ranks(collective: str) -> Tree:
    return {f"comm_id={ANY}": {f"msg_size={ANY}": {f"{collective.upper()}={OWN}": {}}}}


def _tree_by_ranks(collective: str, rules: Sequence[Rule]) -> Tree:
    own = _own_of_ranks(collective)
    branches: Tree = {}
    for ranks in sorted({rule.ranks for rule in rules}):
        branches.setdefault(f"comm_size={ranks - 1}", own)
        of_it = [rule for rule in rules if rule.ranks == ranks]
        sizes = _tree_by_size(collective, of_it)
        branches[f"comm_size={ranks}"] = {f"comm_id={ANY}": sizes}
    return {**branches, f"comm_size={ANY}": own}


def _tree_by_size(collective: str, rules: Sequence[Rule]) -> Tree:
    own: Tree = {f"{collective.upper()}={OWN}": {}}
    branches: Tree = {}
    for rule in sorted(rules, key=lambda rule: rule.from_bytes):
        if rule.from_bytes > 0:
            branches.setdefault(f"msg_size={rule.from_bytes - 1}", own)
        to = ANY if rule.to_bytes is None else rule.to_bytes
        number = _number(rule, f"I_MPI_ADJUST_{collective.upper()}")
        branches[f"msg_size={to}"] = {f"{collective.upper()}={number}": {}}
    return branches if f"msg_size={ANY}" in branches else {**branches, f"msg_size={ANY}": own}


def environment_of_tree(path: Path) -> dict[str, str]:
    """The variable that names a tree: one for text, one for mpitune's own binary file (.dat)."""
    is_text = b"\0" not in path.read_bytes()
    return {"I_MPI_TUNING" if is_text else "I_MPI_TUNING_BIN": str(path.resolve())}


FORMATS = {
    "intel": RulesFormat(
        frozenset(ALGORITHMS),
        render,
        environment_of_rules,
        comment="#",
        read=lambda path: read_variables(path, COLLECTIVES),
    ),
    "intel-tree": RulesFormat(
        frozenset(ALGORITHMS),
        render_tree,
        environment_of_tree,
        read=lambda path: read_tree(path, COLLECTIVES),
        layout_key=lambda nodes, per_node: per_node,  # noqa: ARG005
    ),
}
"""Formats that have neither a fault nor controls: the library has no control variables for its
choice, and none of its releases ends a program for a mistake in its rules."""


def format_for(version: str | None) -> str:  # noqa: ARG001
    return "intel-tree"
