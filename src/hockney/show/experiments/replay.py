"""Shows the time of the replayed mix of a program."""

from __future__ import annotations

from hockney.base.units import format_seconds
from hockney.infer.analysis import Analysis
from hockney.show.experiments import pingpong
from hockney.show.one_run import run_lines
from hockney.show.one_run.answer import own_points, precision
from hockney.show.tables.table import MEDIAN_AND_EXTREMES, table_text


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    return [
        f"the whole mix takes {format_seconds(point.typical_s)}{precision(point)}"
        for point in own_points(analysis, operation)
    ]


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    return [
        "\n".join(run_lines.heading(analysis, "time")),
        *(
            table_text(MEDIAN_AND_EXTREMES, analysis.estimates.own(state))
            for state in analysis.estimates.numbers(all_states)
        ),
        "\n".join(run_lines.states_shown(analysis)),
    ]


definitions = run_lines.time_definitions


fields = pingpong.fields
