"""What is wrong with the layout of a drawn figure: the renderer of matplotlib knows the boxes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from hockney.show.drawing.looks import paper

SLACK_POINTS = 0.5
"""Boxes of text are wider than its ink; so far (points, each) two may overlap."""


def layout_faults(canvas: Canvas) -> list[str]:
    """Texts over others, over marks of the legend and outside of the figure, and points that the
    border of their axes hides or cuts."""
    texts = _drawn_texts(canvas)
    whole = canvas.bbox
    faults = [
        f"outside: {words!r}"
        for words, box in texts
        if not (box.x0 >= whole.x0 and box.x1 <= whole.x1)
        or not (box.y0 >= whole.y0 and box.y1 <= whole.y1)
    ]
    faults += [
        f"over each other: {words!r} and {other!r}"
        for (words, first), (other, second) in combinations(texts, 2)
        if _overlap(first, second)
    ]
    for axes in canvas.axes:
        legend = axes.get_legend()
        handles = legend.legend_handles if legend else []
        faults += [
            f"over a mark of the legend: {words!r}"
            for handle in handles
            if handle is not None
            for words, box in texts
            if _overlap(handle.get_window_extent(), box)
        ]
        faults += _cut_points(axes)
    return faults


def _drawn_texts(canvas: Canvas) -> list[tuple[str, Bbox]]:
    """Every text that is drawn, ticks within the limits only, and its box (pixels)."""
    drawn: dict[int, Text] = {}
    draw = Text.draw

    def noted(text: Text, *rest: object, **named: object) -> None:
        if text.get_visible() and text.get_text().strip():
            drawn[id(text)] = text
        draw(text, *rest, **named)  # type: ignore[arg-type]

    renderer = FigureCanvasAgg(canvas).get_renderer()
    with pytest.MonkeyPatch.context() as patch, paper():
        patch.setattr(Text, "draw", noted)
        canvas.draw_without_rendering()  # the boxes are the same, and no pixel is painted
        slack = SLACK_POINTS * canvas.dpi / 72.0
        return [
            (text.get_text(), Text.get_window_extent(text, renderer).padded(-slack))
            for text in drawn.values()
        ]


def _overlap(bbox: Bbox, other: Bbox) -> bool:
    return bbox.x0 < other.x1 and other.x0 < bbox.x1 and bbox.y0 < other.y1 and other.y0 < bbox.y1


def _cut_points(axes: Axes) -> Iterator[str]:
    """Points beyond the border, and marks of which it hides a part."""
    border = axes.get_window_extent()
    for line in axes.lines:
        is_cut = line.get_clip_on() and line.get_marker() not in ("", "None", None)
        radius = line.get_markersize() * axes.figure.dpi / 144.0 if is_cut else 0.0
        points = np.column_stack([np.asarray(values, float) for values in line.get_data()])
        places = line.get_transform().transform(points)
        low, high = border.min + radius - 0.01, border.max - radius + 0.01
        cut = np.isfinite(places).all(axis=1) & ((places < low) | (places > high)).any(axis=1)
        if cut.any():
            yield f"cut: {line.get_label()!r} at {points[cut][0].tolist()}"
