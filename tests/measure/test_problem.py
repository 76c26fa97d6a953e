"""How a problem is written: the sentence, and apart from it what was printed and what to do."""

from __future__ import annotations

from hockney.base.errors import UsageError
from hockney.run.measure.launches.launch import NodeFinding, Outcome
from hockney.run.measure.sessions.answer import Problem
from hockney.run.measure.sessions.failures import failure_of

ABORTED = Problem("launch 0 failed: exit status 6", printed=("no memory", "  Aborted"))


def test_what_a_launch_printed_is_below_the_sentence() -> None:
    assert str(ABORTED).splitlines() == [
        "launch 0 failed: exit status 6; the last lines of its output:",
        "    no memory",
        "      Aborted",
    ]
    assert ABORTED.first_line == "launch 0 failed: exit status 6"
    assert ABORTED.shortened == (
        "launch 0 failed: exit status 6; the last lines of its output: Aborted"
    )


def test_an_error_is_the_problem_that_it_describes() -> None:
    error = UsageError("cc could not build the engine; its output:\n    no cc", "name another")
    problem = Problem.of(error)
    assert str(problem) == str(error)
    assert problem.first_line == "cc could not build the engine; its output:"
    assert problem.shortened == "cc could not build the engine; its output: name another"
    assert Problem("interrupted").shortened == "interrupted"


def test_a_hang_has_words_for_verbs_without_a_timeout() -> None:
    outcome = Outcome(-15, 9.0, silent_s=8.0, findings=[NodeFinding("rank 1 is stopped")])
    problem = failure_of(3, outcome, [], [], can_resume=True)
    assert problem is not None
    ended = "launch 3 reported nothing for 8 s and was ended"
    assert problem.sentence == f"{ended} (--timeout sets how long to wait); rank 1 is stopped"
    assert problem.without_options == ended
