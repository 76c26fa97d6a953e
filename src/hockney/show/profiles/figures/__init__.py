"""What each figure of a program's profile shows: one file a figure, found by its name.

A module has `HEADING`, its title in a report, and `describe(summary)`, which gives a description of
the figure. It works nothing out and draws nothing: `hockney.show.drawing` does that, for files and
for the report's page alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hockney.base.registry import Registry

if TYPE_CHECKING:
    from hockney.profiling.summary import ProfileSummary
    from hockney.show.drawing.description import Figure


class ProfileFigureModule(Protocol):
    HEADING: str

    def describe(self, summary: ProfileSummary) -> Figure: ...


PROFILE_FIGURES = Registry(__name__, "figure of a profile", ProfileFigureModule)
"""The values of `hockney plot --what` for profiles."""


def describe_profile(name: str, summary: ProfileSummary) -> Figure:
    """The figure of that name; raises UsageError where the profile lacks its data."""
    return PROFILE_FIGURES.find(name).describe(summary)
