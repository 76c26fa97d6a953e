from __future__ import annotations

from dataclasses import replace

from hockney.measure.question import Question, Size, options_of

QUESTION = Question("collective", (Size(8),), controls=(("A", "1"), ("B", None)))


def test_what_must_be_read_back_is_told_to_the_engine() -> None:
    assert "--read-back=A=1,B" in QUESTION.engine_arguments(0, 1.0)


def test_questions_are_stored_by_what_they_share_and_what_each_has_of_its_own() -> None:
    four = replace(QUESTION, ranks=4, title="four")
    options = options_of([QUESTION, four])
    assert options["experiment"] == "collective"
    assert "ranks" not in options
    assert options["questions"] == [{"ranks": 2, "title": None}, {"ranks": 4, "title": "four"}]
    assert options_of([four]) == four.options()
