"""Views of a profile."""

from __future__ import annotations

from profile_samples import calls, profile

from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import colour_range
from hockney.show.profiles.figures import calls as calls_figure
from hockney.show.profiles.figures import traffic
from hockney.show.profiles.profile import profile_parts


def test_sizes_up_to_the_same_power_of_two_are_one_line() -> None:
    """A program whose messages have each their own size; 32 KiB and 32 KiB + 1 B are apart."""
    sent = [calls(0, "MPI_Send", 1, 20_000 + n, peer=1, time_s=0.01) for n in range(50)]
    sent += [calls(0, "MPI_Send", 3, size, peer=1, time_s=1e-3) for size in (32768, 32769)]
    summary = ProfileSummary(profile(*sent, calls(0, "MPI_Barrier", 7, datatype=None, time_s=1e-4)))
    rows = [row.split() for row in profile_parts(summary)[2].splitlines()]
    assert [(row[0], row[2], row[3]) for row in rows[1:]] == [
        ("MPI_Send", "20000..32768", "53"),
        ("MPI_Send", "32769", "3"),
        ("MPI_Barrier", "0", "7"),
    ]
    [panel] = calls_figure.describe(summary).panels
    assert panel.y.names[0] == "Send, 20000 B .. 32 KiB, 2 ranks"


def test_nearly_the_same_traffic_has_nearly_the_same_colour() -> None:
    both = [calls(r, "MPI_Send", 1, 25_000_000 + r, peer=1 - r) for r in (0, 1)]
    [panel] = traffic.describe(ProfileSummary(profile(*both))).panels
    assert colour_range(panel) == (2.0**24, 2.0**25)
