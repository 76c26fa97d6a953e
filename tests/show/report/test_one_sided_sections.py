"""A report has one section for a one-sided operation and one for a whole start-up."""

from __future__ import annotations

from hockney.infer.analysis import Analysis
from hockney.show.report.sections import sections
from hockney.show.report.tables import points_table
from one_sided_samples import one_sided_run, startup_run


def test_what_is_compared_with_has_no_section_of_its_own() -> None:
    (section,) = sections([Analysis(one_sided_run())])
    assert section.title == "One-sided operations"
    assert section.operation == "put"
    assert section.figures[0].heading == "Time over that of the two-sided exchange"
    assert any("faster than a send" in line for line in section.answer)


def test_steps_of_a_start_up_are_in_one_section() -> None:
    (section,) = sections([Analysis(startup_run())])
    assert section.title == "Start-up"
    assert section.answer[0] == "MPI_Init of 4 ranks 40 ms"
    assert [shown.heading for shown in section.figures] == ["Steps by number of processes"]


def test_a_start_up_on_one_number_of_ranks_has_its_figure_and_its_points() -> None:
    analysis = Analysis(startup_run(rank_counts=(4,)))
    (section,) = sections([analysis])
    (shown,) = section.figures
    assert len(shown.alternatives[0].figure.panels[0].bars) == len(analysis.estimates.own())
    assert len(points_table(analysis, section.operation).rows) == len(analysis.estimates.own())
