"""MPICH: MPIR_CVAR_X_INTRA_ALGORITHM, and selection trees.

The control variables of algorithms are integers without an enumeration; the description lists the
names in the order of the numbers. src/mpi/coll/coll_algorithms.txt lists the restrictions of each
algorithm.

Selection trees are JSON, read by src/mpi/coll/src/csel.c of MPICH 4 and 5. A file replaces all
decisions of the library, and a call without a matching branch ends the program. So the rules are
inserted before the library's own tree, which the library contains as text. There are two trees: the
device's tree chooses how to combine the levels of the machine, and below it another chooses
algorithms. Where a rule applies, the first tree does not split the communicator, and the second
names the algorithm.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from hockney.base.errors import HockneyError
from hockney.plan.bounds import LARGEST_INT
from hockney.plan.workloads.collective import DEFAULT, INT_BYTES
from hockney.run.mpis import (
    ONE_FOR_ALL_SIZES,
    Algorithm,
    Control,
    Engine,
    Forcing,
    Mpi,
    ParameterValues,
    Rule,
    RulesFormat,
    listed,
    other,
    parameters_set,
    with_parameters,
)
from hockney.run.mpis._controls import accepts, read_controls
from hockney.run.mpis._controls import all_controls as all_controls
from hockney.run.mpis._mpich_node import (
    IN_SHARED_MEMORY,
    NODE_SUFFIX,
    is_on_node,
    leaf_on_node,
    node_tree,
    node_variable,
)
from hockney.run.mpis._mpich_own import Tree, library_tree
from hockney.run.mpis._mpich_parameters import PARAMETERS, RADIX, REQUESTS, has_radix
from hockney.run.mpis._mpich_reading import own_decisions, read_rules

LIBRARIES = ("MPICH",)
__getattr__ = partial(getattr, other)
"""All else is as with an unknown library."""
ENDPOINTS: str | None = "MPIR_CVAR_CH4_NUM_VCIS"
PMI = ("pmi2", "cray_shasta", "pmix")
"""MPICH has PMIx only if it was built with it."""
PACKAGES = "Debian: libmpich-dev, Fedora: mpich-devel"
SETTINGS = (
    ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD",),
    ("MPIR_CVAR_CH4_IPC_XPMEM_P2P_THRESHOLD",),
    ("MPIR_CVAR_CH4_CMA_ENABLE",),
    ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE",),
    ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS",),
    ("MPIR_CVAR_CH4_OFI_RNDV_PROTOCOL",),
)
SETTINGS_PREFIXES = ("", "MPIR_CVAR_")
VERBOSE = {**other.VERBOSE, "MPIR_CVAR_DEBUG_SUMMARY": "1"}
TELLS = (*other.TELLS, r"^(provider: [^,]*)", r"^==== (\w+ netmod) Capability ====")
AUTO = "auto"
"""The value that forces nothing."""
SEGMENT_SIZES = {
    ("bcast", "pipelined_tree"): "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE",
    ("allreduce", "tree"): "MPIR_CVAR_ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE",
}
NOT_DEVICE = "1"
"""The number of `none` in MPIR_CVAR_DEVICE_COLLECTIVES."""
FALLBACKS = {"error": "0", "silent": "2"}
"""Numbers in MPIR_CVAR_COLLECTIVE_FALLBACK."""
REDUCE_SCATTERS = frozenset({"reduce_scatter_gather", "reduce_scatter_allgather"})
"""Algorithms that need an element for each rank; k_reduce_scatter_allgather does not."""
MAY_FALL_BACK = REDUCE_SCATTERS | {"smp"}
"""Algorithms that fall back silently, because an error would end every launch: MPI_Init itself
reduces single integers, and smp calls the collective again on the ranks of a node, where it is not
usable. The sizes at which REDUCE_SCATTERS fall back are known."""
NEEDS_POWER_OF_TWO = frozenset(
    {("allgather", "recursive_doubling"), ("reduce_scatter_block", "noncommutative")}
)
DEVICE_SUFFIX = ".ch4"
"""Suffix of the second file."""
SIZE_KEYS = {
    "bcast": "avg_msg_size",
    "reduce": "avg_msg_size",
    "allreduce": "avg_msg_size",
    "alltoall": "avg_msg_size",
    "allgather": "total_msg_size",
    "reduce_scatter_block": "total_msg_size",
}
"""Keys of conditions on the size; the total counts the blocks of all ranks."""
REDUCTIONS = frozenset({"reduce", "allreduce"})


def control_of(variable: str) -> str | None:
    return variable if variable.startswith("MPIR_CVAR_") else None


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:  # noqa: ARG001
    """The algorithms named in the descriptions of the control variables."""
    controls = read_controls(engine)
    words = {
        word
        for control in controls.values()
        if not control.name.endswith("_KVAL")
        for word in re.findall("[A-Za-z]+", control.description or "")
    }
    algorithms = []
    for collective in collectives:
        control = controls.get(_variable(collective))
        own_names = list(_choices(engine, control, words)) if control else []
        algorithms += with_parameters(
            listed(collective, own_names, AUTO), RADIX, REQUESTS, controls
        )
        on_node = controls.get(node_variable(collective), Control(name=""))
        # In 4.0, which lacks the newlines, the variable is accepted and has no effect.
        node_names = re.findall(r"\n\s*(\S+)\s+- ", on_node.description or "")
        if IN_SHARED_MEMORY in node_names:
            every = listed(collective, node_names, AUTO)
            algorithms += [replace(algorithm, on_one_node=True) for algorithm in every]
    return algorithms


def _variable(collective: str) -> str:
    return f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM"


def _choices(engine: Engine, control: Control, words: set[str]) -> Iterator[str]:
    """The names before each " - ". In MPICH 4.0, which lacks the newlines, the preceding word is
    joined to a name ("algorithmsmp - Force ..."); the library is asked which part it accepts, first
    where `words` end, then the longest."""
    description = control.description or ""
    for joined in re.findall(r"(\S+)\s+- ", description):
        if re.search(r"\n\s*" + re.escape(joined) + r"\s+- ", description):
            yield joined
            continue
        name = joined.rpartition(")")[2]
        places = sorted(range(len(name)), key=lambda at: at > 0 and name[:at] not in words)
        parts = (name[at:] for at in places)
        yield next((part for part in parts if accepts(engine, control.name, part)), joined)


def is_segmented(algorithm: Algorithm) -> bool:
    return (algorithm.collective, algorithm.own_name) in SEGMENT_SIZES


def forcing(collective: str, algorithm: Algorithm | None, parameters: ParameterValues) -> Forcing:
    """Disables the device's collectives, and turns a fallback into an error except for
    MAY_FALL_BACK."""
    variable, device = _variable(collective), "MPIR_CVAR_DEVICE_COLLECTIVES"
    if algorithm is None:
        return Forcing(DEFAULT, controls=((variable, None), (device, None)))
    if algorithm.on_one_node:
        level = node_variable(collective)
        controls_on_node = ((level, str(algorithm.number)), (device, None))
        return Forcing(
            algorithm.name, env=((level, algorithm.own_name),), controls=controls_on_node
        )
    fallback = "MPIR_CVAR_COLLECTIVE_FALLBACK"
    to = "silent" if algorithm.own_name in MAY_FALL_BACK else "error"
    env = {variable: algorithm.own_name, device: "none", fallback: to}
    controls: dict[str, str | None] = {
        variable: str(algorithm.number),
        device: NOT_DEVICE,
        fallback: FALLBACKS[to],
    }
    segment = parameters.segment_bytes
    if is_segmented(algorithm):
        chunk = SEGMENT_SIZES[collective, algorithm.own_name]
        controls[chunk] = str(segment) if segment else None
        env |= {chunk: str(segment)} if segment else {}
    others = parameters_set(algorithm, parameters)
    env |= others
    controls |= others
    return Forcing(algorithm.name, parameters, tuple(env.items()), controls=tuple(controls.items()))


def replaced_by(algorithm: Algorithm, ranks: int, bytes_: int, *_: int | None) -> str | None:
    """What MPICH does instead: an error, as `forcing` sets it to, or its own decision."""
    name = algorithm.own_name
    power_of_two = not ranks & (ranks - 1)
    if (algorithm.collective, name) in NEEDS_POWER_OF_TWO and not power_of_two:
        return "gives an error: the number of ranks is not a power of two"
    fewer = bytes_ // INT_BYTES < 1 << (ranks.bit_length() - 1)
    if name in REDUCE_SCATTERS and fewer:
        return "runs its own decision: fewer elements than ranks"
    if name == "pairwise_sendrecv_replace":
        return "gives an error: it is for MPI_IN_PLACE"
    if name == "ccl":
        return "runs its own decision: it is for buffers of a GPU"
    return None


def render(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:
    """The files, by their suffixes; the third only where a rule is about a node's shared memory."""
    on_node = [rule for rule in rules if is_on_node(rule)]
    others = [rule for rule in rules if not is_on_node(rule)]
    trees = {
        "": library_tree(engine, "algorithm="),
        DEVICE_SUFFIX: library_tree(engine, "composition="),
    }
    _insert(others, trees[""], lambda rule, _: _algorithm(rule))
    _insert(others, trees[DEVICE_SUFFIX], lambda _, own: _last_leaf(own))
    if on_node:
        trees[NODE_SUFFIX] = node_tree(engine)
        _insert(on_node, trees[NODE_SUFFIX], lambda rule, _: leaf_on_node(rule))
    return {suffix: json.dumps(tree, indent=1) + "\n" for suffix, tree in trees.items()}


def with_fault(files: Mapping[str, str]) -> dict[str, str]:
    """The files with an unknown condition at the end: a library that reads it ends the program
    with an error."""
    fault: Tree = {"hockney=fault": {"any": {}}}
    return {suffix: json.dumps({**json.loads(text), **fault}) for suffix, text in files.items()}


def environment_of_rules(path: Path) -> dict[str, str]:
    """The variables that name the files. A user's rules may lack the second. Ours have the third
    only for rules that are about it: elsewhere no collective is left to a node's shared memory."""
    whole = path.resolve()
    variables = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(whole)}
    for suffix, level in ((DEVICE_SUFFIX, "CH4"), (NODE_SUFFIX, "CH4_POSIX")):
        other = whole.with_name(whole.name + suffix)
        if other.exists():
            variables[f"MPIR_CVAR_{level}_COLL_SELECTION_TUNING_JSON_FILE"] = str(other)
    return variables


def _insert(rules: Sequence[Rule], tree: Tree, leaf: Callable[[Rule, Tree], Tree]) -> None:
    """Inserts the rules of each collective before the tree's own decisions for it."""
    for collective in dict.fromkeys(rule.collective for rule in rules):
        of_it = [rule for rule in rules if rule.collective == collective]
        key = f"collective={collective}"
        if key not in tree:
            raise HockneyError(f"this MPICH has no selection tree for {collective}")
        inner = tree[key].get("comm_type=intra")
        if inner is None:  # a collective without a form for intercommunicators
            tree[key] = _by_ranks(of_it, tree[key], leaf)
        else:
            tree[key]["comm_type=intra"] = _by_ranks(of_it, inner, leaf)


def _by_ranks(rules: Sequence[Rule], own: Tree, leaf: Callable[[Rule, Tree], Tree]) -> Tree:
    """Limits rules to P ranks by a condition "up to P" after one "up to P - 1". Conditions "below
    P" include P in some places of the library."""
    branches: Tree = {}
    for ranks in sorted({rule.ranks for rule in rules}):
        branches.setdefault(f"comm_size<={ranks - 1}", own)
        of_it = [rule for rule in rules if rule.ranks == ranks]
        branches[f"comm_size<={ranks}"] = _by_layout(of_it, own, leaf)
    return {**branches, "comm_size=any": own}


def _by_layout(rules: Sequence[Rule], own: Tree, leaf: Callable[[Rule, Tree], Tree]) -> Tree:
    """Limits rules with a layout to its ranks per node, in the same way."""
    if rules[0].per_node is None:
        return _by_size(rules, own, leaf)
    branches: Tree = {}
    for per_node in sorted({rule.per_node or 0 for rule in rules}):
        branches.setdefault(f"comm_avg_ppn<={per_node - 1}", own)
        of_it = [rule for rule in rules if rule.per_node == per_node]
        branches[f"comm_avg_ppn<={per_node}"] = _by_size(of_it, own, leaf)
    return {**branches, "comm_size=any": own}


def _by_size(rules: Sequence[Rule], own: Tree, leaf: Callable[[Rule, Tree], Tree]) -> Tree:
    if rules[0].to_bytes is None:
        return _guarded(rules[0], own, leaf)
    name = SIZE_KEYS[rules[0].collective]
    scale = rules[0].ranks if name == "total_msg_size" else 1
    branches: Tree = {}
    for rule in sorted(rules, key=lambda rule: rule.from_bytes):
        below = scale * rule.from_bytes - 1
        if below >= 0 and f"{name}<={below}" not in branches:
            branches[f"{name}<={_checked(below)}"] = own
        end = scale * ((rule.to_bytes or 0) + 1) - 1
        branches[f"{name}<={_checked(end)}"] = _guarded(rule, own, leaf)
    return {**branches, f"{name}=any": own}


def _checked(size: int) -> int:
    if size > LARGEST_INT:  # the library reads conditions with atoi
        raise HockneyError(f"a rule for {size} B: MPICH reads sizes up to {LARGEST_INT} B only")
    return size


def _guarded(rule: Rule, own: Tree, leaf: Callable[[Rule, Tree], Tree]) -> Tree:
    """Leaves the library its decision for user-defined operations, which were not measured, and for
    fewer elements than ranks where the algorithm needs one for each."""
    chosen = leaf(rule, own)
    if rule.collective not in REDUCTIONS:
        return chosen
    if own_name(rule) in REDUCE_SCATTERS:
        chosen = {"count<pow2": own, "count=any": chosen}
    return {"is_op_built_in=no": own, "is_op_built_in=yes": chosen}


def own_name(rule: Rule) -> str:
    """The library's name of the algorithm, as forced in the measurement."""
    variable = _variable(rule.collective)
    name = rule.setting(variable) or rule.setting(node_variable(rule.collective))
    if not name:
        raise HockneyError(
            f"{rule.collective} by {rule.name}: its launches do not record {variable}",
            "measure it with `hockney collective`, which forces algorithms by it",
        )
    return name


def _algorithm(rule: Rule) -> Tree:
    name = own_name(rule)
    parameters = PARAMETERS.get((rule.collective, name), {})
    values: Tree = {
        f"{key}={rule.setting(f'MPIR_CVAR_{variable}', default)}": {}
        for key, (variable, default) in parameters.items()
    }
    form = "allcomm" if name == "nb" else "intra"
    return {f"algorithm=MPIR_{rule.collective.capitalize()}_{form}_{name}": values}


def _last_leaf(tree: Tree) -> Tree:
    """The device's last decision, for a communicator that is not split."""
    while True:
        key, below = list(tree.items())[-1]
        if key.startswith("composition="):
            return {key: below}
        tree = below


FORMATS = {
    "mpich": RulesFormat(
        frozenset(SIZE_KEYS) | ONE_FOR_ALL_SIZES,
        render,
        environment_of_rules,
        with_fault,
        suffixes=("", DEVICE_SUFFIX, NODE_SUFFIX),
        read=read_rules,
        layout_key=lambda nodes, per_node: per_node,  # noqa: ARG005
        has_radix=has_radix,
        own=own_decisions,
    )
}
"""A format that has no controls: MPICH reports string variables as their defaults."""


def format_for(version: str | None) -> str:  # noqa: ARG001
    return "mpich"
