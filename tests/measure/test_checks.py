from __future__ import annotations

import os

import pytest

from hockney.errors import AskedWronglyError
from hockney.measure.checks import available_memory, check_question, parse_cpus
from hockney.measure.question import Question, Size


def ask(**options: object) -> None:
    check_question(Question("pingpong", (Size(8),), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"ranks": 1}, "at least two ranks"),
        ({"ranks": 0}, "at least two ranks"),
        ({"peers": (0, 2)}, "no rank 2 among 2"),
        ({"budget_s": 10.0, "over_s": 9.0}, "less than the launches take"),
        ({"over_s": 90.0, "platform": "cluster:2"}, "does not drift"),
        ({"cpus": "0"}, "names 1 CPUs for 2 ranks"),
        ({"cpus": "0,99999"}, "may not run on CPU 99999"),
        ({"cpus": "0,,1"}, "not a CPU number"),
        ({"cpus": "3-1"}, "not a CPU number"),
        ({"cpus": "zero"}, "not a CPU number"),
    ],
)
def test_what_cannot_be_is_told(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(AskedWronglyError, match=complaint):
        ask(**options)


def test_messages_beyond_the_memory_are_refused() -> None:
    available = available_memory()
    assert available is not None
    with pytest.raises(AskedWronglyError, match="leave out the largest sizes"):
        check_question(Question("pingpong", (Size(8), Size(available // 2 + 4096))))
    check_question(Question("pingpong", (Size(8), Size(available // 100))))


def test_cpu_lists_are_read_in_their_order() -> None:
    assert parse_cpus("3,0-2,7") == [3, 0, 1, 2, 7]


def test_what_can_be_is_not_refused() -> None:
    ask(cpus=",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:2]))
