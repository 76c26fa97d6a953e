"""Reads the switches of nodes from what `ibnetdiscover` prints of an InfiniBand fabric.

It lists cables. Which end is above the other follows from the distance to the nodes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hockney.base.errors import UsageError
from hockney.plan.topology import NAME, SwitchLine, joined

FORMAT = re.compile(r'^\s*Switch\s+\d+\s+"S-[0-9a-fA-F]+"', re.MULTILINE)
"""Found in no other file of switches."""
_SWITCH = re.compile(r'Switch\s+\d+\s+"(S-[0-9a-fA-F]+)"\s+#\s+"([^"]*)"')
_OTHER = re.compile(r'(?:Ca|Rt)\s+\d+\s+"')
_CABLE = re.compile(
    r'\[\d+\](?:\[ext \d+\])?\s+"([SHR]-[0-9a-fA-F]+)"\[(\d+)\]\S*\s*(?:\[ext \d+\])?\s*'
    r'#\s+"([^"]*)"(?:\s+lid \d+)?(?:\s+(\d+)x([A-Z]+\d*))?'
)
_MANAGED = re.compile(r"[^;]*;([^:]+):[^/]*((?:/\w+)*)")
"""What a managed switch calls itself: `MF0;leaf1:MQM8790/U1`."""
_LANE_BPS = {
    **{"SDR": 0.25e9, "DDR": 0.5e9, "QDR": 1e9, "FDR10": 1.25e9, "FDR": 1.705e9},
    **{"EDR": 3.125e9, "HDR": 6.25e9, "NDR": 12.5e9, "XDR": 25e9},
}
"""Bytes per second of data on a lane, without the line code."""
_FEW = 0.25
"""Nodes for each link to other switches below which a switch whose neighbours have more nodes is
above them: nodes for management and storage hang on spines, too."""
BETWEEN = "all-to-all"
"""The switch that stands for the cables between groups, each of which is joined to all others."""
ADVICE = "describe the switches in lines such as `leaf1 node[1-16]`"


@dataclass(frozen=True)
class _Cable:
    line: int
    switch: str
    end: str
    """The node, or the other switch."""
    adapter: tuple[str, int] | None
    """The name and port of the node's adapter; None between switches."""
    speed_Bps: float | None


def infiniband_lines(text: str, source: str) -> Iterator[SwitchLine]:
    """Each switch with what is below it. Of a node with several adapters the first one counts, by
    its name and port. Raises UsageError for switches that make no tree of groups."""
    cables = _cables(text)
    nodes = [cable for cable in cables if cable.adapter is not None]
    first: dict[str, tuple[str, int]] = {}
    for cable in nodes:
        assert cable.adapter is not None
        first[cable.end] = min(first.get(cable.end, cable.adapter), cable.adapter)
    own = [cable for cable in nodes if cable.adapter == first[cable.end]]
    between = [cable for cable in cables if cable.adapter is None]
    heights = _heights(own, between)
    up = [
        cable for cable in between if heights.get(cable.switch, -1) == heights.get(cable.end, 0) + 1
    ]
    below = {cable.end for cable in up}
    level = [
        (cable.switch, cable.end)
        for cable in between
        if cable.switch in heights
        and heights[cable.switch] == heights.get(cable.end)
        and not {cable.switch, cable.end} & below
    ]
    yield from _lines([*own, *up])
    tops = _all_to_all(level, up, source)
    if tops:
        yield SwitchLine(cables[-1].line, BETWEEN, tops, are_nodes=False)


def _cables(text: str) -> list[_Cable]:
    """The cables of all switches; those between switches from both ends."""
    lines = list(enumerate((line.strip() for line in text.splitlines()), start=1))
    names = _switch_names(match.groups() for _, line in lines if (match := _SWITCH.match(line)))
    cables: list[_Cable] = []
    switch: str | None = None
    for number, line in lines:
        if match := _SWITCH.match(line):
            switch = names[match[1]]
        elif _OTHER.match(line):
            switch = None
        elif switch is not None and (match := _CABLE.match(line)):
            end, port, words, lanes, speed = match.groups()
            each = _LANE_BPS.get(speed or "")
            speed_Bps = None if each is None else each * int(lanes)
            if end in names:
                cables.append(_Cable(number, switch, names[end], None, speed_Bps))
            elif end.startswith("H-") and "Aggregation Node" not in words:
                node, _, adapter = words.partition(" ")
                short = node.partition(".")[0]
                name = short if NAME.fullmatch(short) else end
                cables.append(_Cable(number, switch, name, (adapter, int(port)), speed_Bps))
    return cables


def _switch_names(described: Iterable[tuple[str | None, ...]]) -> dict[str, str]:
    """A name of each switch, by its GUID: what it calls itself where that is its own alone."""
    called: dict[str, str] = {}
    for guid, words in described:
        managed = _MANAGED.fullmatch(words or "")
        boards = "" if managed is None or managed[2] == "/U1" else managed[2].replace("/", "-")
        called[guid or ""] = (words or "") if managed is None else managed[1] + boards
    count = Counter(called.values())
    return {
        guid: name if count[name] == 1 and NAME.fullmatch(name) else guid
        for guid, name in called.items()
    }


def _heights(nodes: list[_Cable], between: list[_Cable]) -> dict[str, int]:
    """The number of switches from the nodes up to each switch."""
    own = Counter(cable.switch for cable in nodes)
    links = Counter(cable.switch for cable in between)
    neighbours: dict[str, set[str]] = defaultdict(set)
    for cable in between:
        neighbours[cable.switch].add(cable.end)
    heights = {
        switch: 0
        for switch, count in own.items()
        if count >= _FEW * links[switch]
        or count >= max(own[neighbour] for neighbour in neighbours[switch])
    }
    reached = list(heights)
    for switch in reached:
        for above in sorted(neighbours[switch] - heights.keys()):
            heights[above] = heights[switch] + 1
            reached.append(above)
    return heights


def _lines(cables: list[_Cable]) -> Iterator[SwitchLine]:
    """A line for each two ends; the speeds of cables side by side add up."""
    together: dict[tuple[str, str], list[_Cable]] = defaultdict(list)
    for cable in cables:
        together[cable.switch, cable.end].append(cable)
    for (switch, end), parallel in together.items():
        speeds = [cable.speed_Bps for cable in parallel]
        known = None if None in speeds else sum(speed or 0.0 for speed in speeds)
        are_nodes = parallel[0].adapter is not None
        yield SwitchLine(parallel[0].line, switch, (end,), known, are_nodes=are_nodes)


def _all_to_all(level: list[tuple[str, str]], up: list[_Cable], source: str) -> tuple[str, ...]:
    """The topmost switches that are joined directly. Raises UsageError unless each group of them is
    joined to each other one."""
    parents: dict[str, list[str]] = defaultdict(list)
    for cable in up:
        parents[cable.end].append(cable.switch)
    ends = dict.fromkeys(end for cable in level for end in cable)
    group = joined([*ends, *(cable.switch for cable in up)], parents.values())
    pairs = {frozenset((group[switch], group[other])) for switch, other in level}
    groups = {group[end] for end in ends}
    apart = {pair for pair in pairs if len(pair) == 2}
    if len(apart) < len(groups) * (len(groups) - 1) // 2:
        switch, other = level[0]
        raise UsageError(
            f"{source}: switches {switch} and {other} are joined directly, and not all such "
            "switches are: they make no tree",
            ADVICE,
        )
    return tuple(ends) if len(groups) > 1 else ()
