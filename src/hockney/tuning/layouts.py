"""Layouts: how ranks are spread over nodes, and what measured cells they have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.records import Place, Run

LAYOUT = re.compile(r"(\d{1,7})x(\d{1,7})")
EVERY = "all"
"""--layouts without a list: those that were measured."""


@dataclass(frozen=True, order=True)
class NodeLayout:
    nodes: int
    per_node: int

    def __str__(self) -> str:
        return f"{self.nodes}x{self.per_node}"

    @property
    def ranks(self) -> int:
        return self.nodes * self.per_node


def parse_layouts(text: str) -> tuple[NodeLayout, ...]:
    """The layouts of "2x1,4x32"; empty for EVERY."""
    if text == EVERY:
        return ()
    layouts = []
    for word in text.split(","):
        parts = LAYOUT.fullmatch(word.strip())
        if parts is None or not int(parts[1]) * int(parts[2]):
            raise UsageError(
                f"--layouts {word!r}: not NODESxRANKS_PER_NODE",
                "write --layouts=2x1,4x32, or --layouts as the last word for all of them",
            )
        layouts.append(NodeLayout(int(parts[1]), int(parts[2])))
    return tuple(dict.fromkeys(layouts))


def layouts_in(run: Run) -> dict[int, NodeLayout]:
    """Layouts by number of ranks; a number has none where its nodes have different numbers of
    ranks."""
    layouts = {}
    for launch in run.launches:
        layout = layout_of(launch.places)
        if layout is not None:
            layouts[layout.ranks] = layout
    return layouts


def layout_of(places: Sequence[Place]) -> NodeLayout | None:
    by_host = Counter(place.host for place in places)
    counts = set(by_host.values())
    if len(counts) != 1 or None in by_host:
        return None
    return NodeLayout(len(by_host), counts.pop())


def chosen(analyses: Sequence[Analysis], layouts: Iterable[NodeLayout]) -> list[NodeLayout]:
    """The measured layouts, or those of them that were requested."""
    measured = {layout for analysis in analyses for layout in layouts_in(analysis.run).values()}
    if not measured:
        raise UsageError(
            "--layouts: these files do not record on which hosts their ranks ran",
            "measure them again with this version",
        )
    missing = [layout for layout in layouts if layout not in measured]
    if missing:
        raise UsageError(
            f"--layouts: {', '.join(map(str, missing))} was not measured",
            f"these files have {', '.join(map(str, sorted(measured)))}; measure the others: "
            f"hockney collective ... --nodes {missing[0].nodes} "
            f"--ranks-per-node {missing[0].per_node}",
        )
    return sorted(set(layouts) or measured)
