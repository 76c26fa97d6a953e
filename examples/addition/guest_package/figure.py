"""A figure: the sizes that were measured."""

from hockney.show.drawing.description import Figure, Panel, PlotAxis, Series

TAKES, SHARED, CHOICE = (), True, None
"""Options of `plot` that it heeds; whether runs share it; what readers of the page choose."""


def describe(analyses, options):  # noqa: ARG001
    sizes = [float(point.bytes) for one in analyses for point in one.estimates.headline]
    across, up = PlotAxis("size", "the guest's size"), PlotAxis("count", "y")
    panel = Panel(across, up, [Series("", sizes, sizes)])
    return Figure("guest", "Sizes", (panel,), ())
