"""Slow nodes, switches, cables, places and pairs among the times of many pairs: one engine for all
verbs that measure pairs.

What explains most is named first: a node before its pairs, a switch before its nodes; what is named
takes no part in later tests. Hardware that is known to lie between two ranks (places, a topology)
accounts for a time; a level that only the times show does so where it is spread over the network
(profiles.py). Where two explanations fit equally, or a fault could have stayed unseen, there is a
doubt, and no gate passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hockney.infer.analysis.network.boards import Board, Doubt, Judgement, Network, held_doubts
from hockney.infer.analysis.network.fault_search import FaultSearch
from hockney.infer.analysis.network.node_faults import check_halves, find_nodes, find_places
from hockney.infer.analysis.network.outlier_rule import LEAST_MEMBERS
from hockney.infer.analysis.network.pair_faults import find_lines, find_pairs


def judged(boards: Sequence[Board], network: Network) -> Judgement:
    """The slow components of a network, with the doubts that keep a gate from passing."""
    search = FaultSearch(boards, network)
    if boards:
        find_nodes(search)
        check_halves(search)
        find_places(search)
        find_lines(search)
        find_pairs(search)
    outcome = search.outcome
    if not any(outcome.judged.values()):
        why = f"too few pairs to compare: {LEAST_MEMBERS} are needed"
        return Judgement(doubts=[Doubt(why, "measure more of them")])
    outcome.doubts += held_doubts(network.held, outcome.hides)
    return outcome
