"""Prefixes that hosts, containers and loggers put before the lines of a program."""

from __future__ import annotations

import re
import subprocess
from random import Random

import pytest
from reading import numbers, tables

import excerpts as logs
from hockney.base.errors import UsageError
from hockney.foreign.logs import prefixes

OSU = """\
# OSU MPI Latency Test v7.3
# Datatype: MPI_CHAR.

# Size       Avg Latency(us)
1                       1.25
8                       1.28
1024                    2.50
"""
PREFIXES = [
    "node01: ",
    "[pod/osu-0/launcher] ",
    "osu-launcher-1  | ",
    "16756{n}9687.12345{n} ",
    "[ {n}2.345678] ",
    "INFO:osu:",
    "2024-05-01 12:00:0{n},123 - INFO - ",
    "[2024-05-01 12:00:0{n}.123] [info] ",
    "[stdout] ",
    "stdout: ",
    "<1.0>: ",
    "[node01:0] ",
    "#1 0.{n}23 ",
]


def behind(prefix: str, text: str) -> str:
    """The text behind a prefix, in which a digit differs from line to line."""
    lines = enumerate(text.splitlines())
    return "".join(
        f"{prefix.replace('{n}', str(n % 9))}{line}".rstrip() + "\n" for n, line in lines
    )


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("text", [OSU, logs.IMB_4, logs.NCCL, logs.PERFTEST_LATENCY])
def test_a_prefix_of_all_lines_changes_no_number(text: str, prefix: str) -> None:
    expected = [numbers(table) for table in tables(text)]
    assert [numbers(table) for table in tables(behind(prefix, text))] == expected


@pytest.mark.parametrize("form", ["{n:6}\t", "{n}:"], ids=["cat -n", "grep -n"])
@pytest.mark.parametrize("text", [OSU, logs.IMB_4, logs.NCCL, logs.PERFTEST_LATENCY])
def test_numbers_of_lines_are_no_numbers_of_a_table(text: str, form: str) -> None:
    expected = [numbers(table) for table in tables(text)]
    lines = enumerate(text.splitlines(keepends=True), 1)
    numbered = "".join(form.format(n=n) + line for n, line in lines)
    assert [numbers(table) for table in tables(numbered)] == expected


@pytest.mark.parametrize(
    "text", [logs.NETPIPE_3.partition("loop\n")[2], "1\t5\t2e-7\n2\t5\t4e-7\n4\t5\t8e-7\n"]
)
def test_rows_that_begin_like_numbered_lines_keep_their_numbers(text: str) -> None:
    lines = text.splitlines()
    assert prefixes.without_numbers(lines) == lines


@pytest.mark.parametrize("mark", ["\N{ZERO WIDTH SPACE}", "\x1b]0;me@n01\x07", "\x1b[0m"])
def test_what_has_no_width_is_no_part_of_a_number(mark: str) -> None:
    [plain], [marked] = tables(OSU), tables(OSU.replace("8   ", f"8{mark}   "))
    assert numbers(marked) == numbers(plain)


@pytest.mark.parametrize("blank", ["\N{NO-BREAK SPACE}", "\N{EM SPACE}"])
@pytest.mark.parametrize("text", [OSU, logs.IMB_MULTI, logs.NCCL])
def test_blanks_of_web_pages_separate_columns(text: str, blank: str) -> None:
    plain, pasted = tables(text), tables(text.replace(" ", blank))
    assert [table.rows for table in pasted] == [table.rows for table in plain]


def test_tables_of_one_host_after_the_other_are_both_read() -> None:
    text = behind("node01: ", OSU) + "All done\n" + behind("node02: ", OSU)
    assert [len(table.rows) for table in tables(text)] == [3, 3]


def test_a_message_of_another_process_does_not_end_a_prefix() -> None:
    text = behind("[node01:0] ", OSU).replace("[node01:0] 8", "[node02:1] hello\n[node01:0] 8")
    assert numbers(tables(text)[0]) == numbers(tables(OSU)[0])


def mixed(prefix: str = "node0%: ") -> str:
    both = (behind(prefix.replace("%", str(n)), OSU).splitlines() for n in (1, 2))
    lines = zip(*both, strict=True)
    return "".join(f"{line}\n" for pair in lines for line in pair)


def test_programs_are_mixed_where_the_lines_of_any_two_overlap() -> None:
    draw = Random(1)
    for _ in range(300):
        spans = [sorted(draw.choices(range(40), k=2)) for _ in range(draw.randint(0, 6))]
        places = [{first: 0, last: 0} for first, last in spans]
        alone = [
            place
            for place in places
            if all(max(place) < min(of) or max(of) < min(place) for of in places if of is not place)
        ]
        assert prefixes.apart(places) == alone


@pytest.mark.parametrize(
    "prefix",
    [
        "[{of},0]<stdout>:",
        "2026-01-01T00:00:0{n}.123Z [{of},1]<stdout>:",
        "Jan  1 01:00:00 node0{of} osu: ",
    ],
)
def test_programs_that_take_turns_are_all_read(prefix: str) -> None:
    turns = (behind(prefix.replace("{of}", str(turn % 2)), OSU) for turn in range(4))
    assert [numbers(table) for table in tables("".join(turns))] == [numbers(tables(OSU)[0])] * 4


def test_programs_are_mixed_where_one_has_a_line_within_a_table_of_the_other() -> None:
    rows = OSU.splitlines()
    first, second = (f"[{of},0]<stdout>:" for of in (1, 2))
    lines = [*(first + row for row in rows[:5]), *(second + row for row in rows), first + rows[5]]
    with pytest.raises(UsageError, match="behind"):
        tables("".join(f"{line}\n" for line in lines))


def test_a_title_with_other_blanks_before_it_has_no_other_prefix() -> None:
    text = OSU + " \n" + logs.PERFTEST_LATENCY
    with pytest.raises(UsageError, match=r"could be osu \(line 1\), perftest"):
        tables(behind("2026-01-01 12:00:0{n} ", text))


def quoted(form: str) -> str:
    return "".join(form.format(line) + "\n" for line in OSU.splitlines())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (mixed(), "line 1 has 'OSU MPI Latency Test' behind 'node01: '"),
        *(
            (mixed(prefix), "behind '")
            for prefix in ("[1,%]<stdout>:", "nid% 0: ", "[rank%]: ", "[node0%] ", "osu-%  | ")
        ),
        (
            mixed("2026-01-01T00:00:0{n}.123Z [1,%]<stdout>:"),
            "behind '2026-01-01T00:00:00.123Z [1,1",
        ),
        (
            mixed("[2026-01-01T00:00:0{n}.123Z] osu-%  | "),
            "behind '[2026-01-01T00:00:00.123Z] osu-1",
        ),
        (quoted("b'{}\\n'"), 'behind "b\'"'),
        (quoted('    "{}\\n",'), "behind '    \"'"),
    ],
    ids=[
        *("hosts", "tags", "ranks of hosts", "ranks", "names", "containers", "tags at times"),
        *("containers at times", "bytes", "notebook"),
    ],
)
def test_a_title_behind_other_words_says_how_to_remove_them(text: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        tables(text)
    assert words in str(error.value)
    script = re.search(r"sed -n '(.*)' some.log", str(error.value))
    assert script is not None
    left = subprocess.run(
        ["sed", "-n", script[1]], input=text, capture_output=True, text=True, check=True
    )
    assert numbers(tables(left.stdout)[0]) == numbers(tables(OSU)[0])


def test_a_title_behind_other_words_beside_a_table_is_said() -> None:
    [table] = tables(f"{OSU}\n{mixed()}")
    assert any("line 9 has 'OSU MPI Latency Test' behind 'node01: '" in n for n in table.notes)


def test_a_row_with_a_decimal_comma_among_others_has_no_such_advice() -> None:
    [table] = tables(OSU.replace("1.28", "1,28"))
    assert not any("decimal commas" in note for note in table.notes)
    assert table.dropped == [6]


def test_decimal_commas_say_how_to_write_points() -> None:
    text = OSU.replace("1.25", "1,25").replace("1.28", "1.001,28").replace("2.50", "2,50")
    with pytest.raises(UsageError) as error:
        tables(text)
    script = re.search(r"sed '(.*)' some.log", str(error.value))
    assert script is not None
    left = subprocess.run(
        ["sed", script[1]], input=text, capture_output=True, text=True, check=True
    )
    assert list(numbers(tables(left.stdout)[0]).values()) == pytest.approx(
        [1.25e-6, 1001.28e-6, 2.5e-6]
    )
