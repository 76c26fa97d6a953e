"""MPICH's decisions for the ranks of a node: in shared memory, or by messages.

src/mpid/ch4/shm/posix has algorithms of its own below the device's composition, chosen by
MPIR_CVAR_X_POSIX_INTRA_ALGORITHM or by a third selection tree. The variable's `mpir` leaves a
collective to algorithms made of messages. No leaf of the tree has that name: it is written as a
branch that never holds. The library takes that for `mpir` only if the condition is on the kind of
communicator or on threads, as its own tree has it for ranks with threads.
"""

from __future__ import annotations

from hockney.run.mpis import Engine, Rule
from hockney.run.mpis._mpich_own import Tree, library_tree

NODE_SUFFIX = ".posix"
"""Suffix of the third file, with the node's tree."""
IN_SHARED_MEMORY = "release_gather"
"""The algorithm in shared memory. Without it, the tree has no leaf of a collective, and rules for
it cannot be written."""
BY_MESSAGES = "mpir"
NODE_ALGORITHMS = "algorithm=MPIDI_POSIX_"
NO_THREADS, THREADS = "is_multi_threaded=no", "is_multi_threaded=yes"


def node_variable(collective: str) -> str:
    return f"MPIR_CVAR_{collective.upper()}_POSIX_INTRA_ALGORITHM"


def is_on_node(rule: Rule) -> bool:
    return rule.setting(node_variable(rule.collective)) is not None


def node_tree(engine: Engine | None) -> Tree:
    """MPICH's own decisions for the ranks of a node; raises HockneyError where the library has
    none."""
    return library_tree(engine, NODE_ALGORITHMS, without="algorithm=MPIR_")


def leaf_on_node(rule: Rule) -> Tree:
    """The decision of a rule for the ranks of a node. Algorithms in shared memory are for ranks
    without threads, and reduce in any order: the library's own tree has the same conditions."""
    name = rule.setting(node_variable(rule.collective))
    if name == BY_MESSAGES:
        return {NO_THREADS: {THREADS: {_leaf(rule, IN_SHARED_MEMORY): {}}}}
    return {NO_THREADS: {_leaf(rule, str(name)): {}}}


def _leaf(rule: Rule, name: str) -> str:
    return f"{NODE_ALGORITHMS}mpi_{rule.collective}_{name}"
