"""A log with a line "guest: BYTES MICROSECONDS" for each size: read, written and shown."""

from hockney.foreign.logs.table import BYTES, Column, LogTable
from hockney.plan import Size
from hockney.plan.preset import Preset

HEADED = True
"""Whether a heading shows the format, which is stronger evidence than columns that fit."""
ONLY = None
"""The only experiment that the format can hold; None for all."""


def recognise(log):
    """The number of the line that shows the format; None if no line does."""
    return next((number for number, line in log.numbered() if line.startswith("guest:")), None)


def read(log):
    table = LogTable("pingpong", "Guest", recognise(log), ranks=2)
    for number, line in log.numbered():
        table.add_row(number, line.split()[1:], (BYTES, Column("mean", "as the guest says")))
    return [table]


def write(analysis):
    """The whole file, of a run with all conclusions about it."""
    return f"{len(analysis.run.launches)} launches".encode()


def layout(run, points):  # noqa: ARG001
    """One curve as the program's table, for `show --format guest`."""
    return "".join(f"guest: {point.bytes}" for point in points)


def preset():
    """The program's sizes and repetitions, for `--preset guest`."""
    return Preset((Size(16, repetitions=5),))
