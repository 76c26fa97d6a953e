"""Logs as containers, the journal, CI and terminals keep them: every number is that of the plain
log, what is no wrapper is not touched, and two programs in one stream are not read as one."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable
from itertools import chain, zip_longest

import pytest
from reading import NAME, numbers, tables

import excerpts as logs
from hockney.base.errors import UsageError
from hockney.foreign.logs import wrappers

TABLES = pytest.mark.parametrize(
    "text",
    [logs.OSU_5, logs.OSU_BCAST_FULL, logs.IMB_4, logs.IMB_MULTI, logs.NCCL, logs.CSV],
    ids=["osu", "osu full", "imb", "imb groups", "nccl", "csv"],
)
TIME = "2026-01-01T00:00:00.1234567Z"


def in_json(name: str, end: str = "", **others: object) -> Callable[[str], str]:
    def wrap(text: str) -> str:
        lines = ({**others, name: line + end} for line in text.splitlines())
        return "".join(json.dumps(line) + "\n" for line in lines)

    return wrap


def in_bytes(text: str) -> str:
    """The journal's form of lines with colours."""
    lines = ([*f"\x1b[0m{line}".encode()] for line in text.splitlines())
    records = ({"MESSAGE": line, "__REALTIME_TIMESTAMP": "1767225600123456"} for line in lines)
    return "".join(json.dumps(record) + "\n" for record in records)


def before(prefix: str) -> Callable[[str], str]:
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines())


def in_halves(first: str, second: str) -> Callable[[str], str]:
    def wrap(text: str) -> str:
        lines = ((line[: len(line) // 2], line[len(line) // 2 :]) for line in text.splitlines())
        return "".join(f"{first}{start}\n{second}{end}\n" for start, end in lines)

    return wrap


def docker_halves(text: str) -> str:
    parts = ((line[: len(line) // 2], line[len(line) // 2 :] + "\n") for line in text.splitlines())
    beside = {"stream": "stdout", "time": TIME}
    return "".join(json.dumps({"log": part, **beside}) + "\n" for part in chain(*parts))


def github(text: str) -> str:
    begin = f"{TIME} ##[group]Run mpirun\n{TIME} \x1b[36;1mcd bench\x1b[0m\n{TIME} ##[endgroup]\n"
    return begin + before(f"{TIME} ")(text) + f"{TIME} ##[error]Process completed with code 1.\n"


def gitlab(text: str) -> str:
    end = "section_end:1767225601:step_script\r\x1b[0K\n\x1b[32;1mJob succeeded\x1b[0;m\n"
    begin = "section_start:1767225600:step_script\r\x1b[0K\x1b[36;1mExecuting\x1b[0;m\n"
    return before("2026-01-01T00:00:00.123456Z 00O ")(begin + text + end)


def boxed(vertical: str, rule: str) -> Callable[[str], str]:
    def wrap(text: str) -> str:
        width = max(map(len, text.splitlines()))
        ends = rule[0] + rule[1] * (width + 2) + rule[2] + "\n"
        lines = (f"{vertical} {line:{width}} {vertical}\n" for line in text.splitlines())
        return ends + "".join(lines) + ends

    return wrap


WRAPPED = {
    "docker": in_json("log", "\n", stream="stdout", time=TIME),
    "docker, long lines": docker_halves,
    "fluent bit": in_json("log", stream="stdout", date=1767225600.5, kubernetes={"pod_name": "a"}),
    "fluent bit, times": in_json("log", stream="stdout", date=1767225600.5, time=TIME),
    "fluent bit, dates": in_json("log", date=1767225600.5),
    "fluentd": in_json("log", container_id="a", source="stdout", time="2026-01-01 00:00:00 +0000"),
    "journal": in_json("MESSAGE", __REALTIME_TIMESTAMP="1767225600123456", _PID="12", PRIORITY="6"),
    "journal, bytes": in_bytes,
    "loki": in_json("line", timestamp=TIME, labels={"pod": "a"}),
    "logger": in_json("msg", level="info", ts=1767225600.5, pid=12),
    "cri": before(f"{TIME} stdout F "),
    "cri, long lines": in_halves(f"{TIME} stdout P ", f"{TIME} stdout F "),
    "podman": before("2026-01-01T00:00:00.123456789+01:00 stdout F "),
    "syslog": before("Nov  8 12:00:00 host slurm[123]: "),
    "syslog of now": before("2026-01-01T00:00:00.123456+00:00 host osu[123]: "),
    "rfc 5424": before('<34>1 2026-01-01T00:00:00.123Z host osu 123 ID47 [x@1 a="b"] '),
    "journal, full": before("Thu 2026-01-01 12:00:00 UTC host osu[123]: "),
    "journal, precise": before("Jan 01 12:00:00.123456 host osu[123]: "),
    "journal, unix": before("1767225600.123456 host osu[123]: "),
    "journal, monotonic": before("[  123.456789] host osu[123]: "),
    "syslog of labels": before("Nov  8 12:00:00 host slurm[123]: 0: "),
    "github": github,
    "gh run view": before(f"osu (ubuntu-latest)\tRun osu\t{TIME} "),
    "gitlab": gitlab,
    "gitlab, parts": in_halves(f"{TIME} 01O ", f"{TIME} 01O+"),
    "buildkite": before("\x1b_bk;t=1767225600123\x07"),
    "jenkins": before("12:00:00  "),
    "srun --label": before(" 12: "),
    "kubectl --prefix": before("[pod/osu-0/launcher] "),
    "stern": before("osu-launcher-x7k2p launcher "),
    "light box": boxed("\N{BOX DRAWINGS LIGHT VERTICAL}", "\u256d\u2500\u256e"),
    "heavy box": boxed("\N{BOX DRAWINGS HEAVY VERTICAL}", "\u250f\u2501\u2513"),
}


@TABLES
@pytest.mark.parametrize("name", WRAPPED)
def test_every_number_is_that_of_the_plain_log(name: str, text: str) -> None:
    wrapped = WRAPPED[name](text)
    assert list(map(numbers, tables(wrapped))) == list(map(numbers, tables(text)))


@pytest.mark.parametrize("text", [logs.OSU_BCAST_FULL, logs.IMB_4, logs.IMB_MULTI, logs.NCCL])
def test_a_frame_of_ascii_is_taken_off_tables_of_sizes(text: str) -> None:
    framed = boxed("|", "+-+")(text)
    assert list(map(numbers, tables(framed))) == list(map(numbers, tables(text)))


@pytest.mark.parametrize("rule", ["+------+---------------+\n", ""])
def test_a_grid_around_rows_keeps_their_numbers(rule: str) -> None:
    rows = [("# Size", "Latency (us)"), ("8", "1.75"), ("1024", "2.25")]
    grid = "".join(f"| {size:6} | {time:13} |\n{rule}" for size, time in rows)
    edge = "+------+---------------+\n"
    [table] = tables(f"# OSU MPI Latency Test v7.4\n{edge}{grid}{edge}")
    assert numbers(table) == {(8, "mean"): 1.75e-6, (1024, "mean"): 2.25e-6}


@pytest.mark.parametrize("name", ["ucx", "ucx old", "gpcnet"])
def test_boxes_that_a_program_prints_itself_stay(name: str) -> None:
    text = logs.EXCERPTS[name][1]
    assert wrappers.unwrapped(text.splitlines(), NAME) == text.splitlines()
    in_box = boxed("\N{BOX DRAWINGS LIGHT VERTICAL}", "\u256d\u2500\u256e")(text)
    assert list(map(numbers, tables(in_box))) == list(map(numbers, tables(text)))


@pytest.mark.parametrize("name", logs.EXCERPTS)
def test_no_excerpt_is_taken_for_a_wrapper(name: str) -> None:
    lines = logs.EXCERPTS[name][1].splitlines()
    if name != "osu nonblocking":  # which has one
        assert wrappers.unwrapped(lines, NAME) == lines


@pytest.mark.parametrize(
    "line",
    [
        '{"size": 8, "latency_us": 1.25, "message": "ok", "level": "info"}',
        '{"log": "run1.log", "time": 1.25e-6, "size": 8}',
        '{"line": "eth0", "timestamp": "2026-01-01", "size": 8, "latency_us": 1.25}',
        '{"msg": 8, "level": 1}',
        '{"log": "a"}',
        '["log", "time"]',
        "2026-01-01T00:00:00Z 8 1.25",
        "Jan 01 12:00 host osu: 8 1.25",
        "[1,0]<stdout>: 8 1.25",
        "| 8 | 1.25 |",
    ],
)
def test_what_is_no_wrapper_stays(line: str) -> None:
    assert wrappers.unwrapped([line, line], NAME) == [line, line]


@pytest.mark.parametrize(
    "beside",
    [
        {"level": "info", "msg": "the result"},
        {"timestamp": TIME, "line": "0"},
        {"time": TIME, "log": "bcast: 8 ranks"},
        {"stream": "stdout", "log": "# a run"},
    ],
)
@pytest.mark.parametrize("form", [str, float])
def test_results_are_rows_whatever_text_they_have(
    beside: dict[str, str], form: Callable[[float], object]
) -> None:
    rows = [{**beside, "bytes": str(8 << n), "latency_us": form(n + 1.5)} for n in range(3)]
    begin = {"level": "info", "msg": "begins with 3 sizes", "@timestamp": TIME}
    for lines in (rows, [*rows, begin]):
        [table] = tables("".join(json.dumps(line) + "\n" for line in lines))
        assert [row.value_s for row in table.rows] == [1.5e-6, 2.5e-6, 3.5e-6]


def test_results_within_results_are_no_lines_of_a_log() -> None:
    result = {"bytes": 8, "latency_us": 1.5}
    line = json.dumps({"level": "info", "message": "the result", "result": result})
    assert wrappers.unwrapped([line, line], NAME) == [line, line]


def test_words_alone_are_no_lines_of_a_log() -> None:
    line = json.dumps({"level": "info", "message": "result"})
    assert wrappers.unwrapped([line, line], NAME) == [line, line]


def test_a_record_that_is_cut_loses_no_row_without_a_word() -> None:
    wrapped = WRAPPED["docker"](logs.OSU_5).splitlines()
    at = next(n for n, line in enumerate(wrapped) if '"log": "1048576' in line)
    for end, left in (("103.4", 2), ('103.43\\n"', 3)):
        cut = wrapped[at][: wrapped[at].index("103.43")] + end
        [table] = tables("\n".join([*wrapped[:at], cut, *wrapped[at + 1 :]]))
        assert len(table.rows) == left
        assert table.dropped == ([at + 1] if left == 2 else [])


@pytest.mark.parametrize("name", ["docker", "fluent bit", "journal", "logger"])
def test_a_cut_record_is_of_the_program_before_it(name: str) -> None:
    wrapped = WRAPPED[name](logs.OSU_5).replace('"stdout"', '"stdout", "attrs": {"tag": "x"}')
    lines = wrapped.splitlines()  # cut behind the number
    at = next(n for n, line in enumerate(lines) if "1.14" in line)
    cut = lines[at][: lines[at].index("1.14") + 7]
    [table] = tables("\n".join([*lines[:at], cut, *lines[at + 1 :]]))
    assert numbers(table) == numbers(tables(logs.OSU_5)[0])


OTHER = logs.OSU_5.replace("1.07", "9.07").replace("\n0 ", "\n2 ")


def mixed(first: Callable[[str], str], second: Callable[[str], str]) -> str:
    lines = zip_longest(first(logs.OSU_5).splitlines(), second(OTHER).splitlines())
    return "".join(f"{line}\n" for pair in lines for line in pair if line is not None)


def labelled(name: str | None) -> Callable[[str], str]:
    attrs = {"attrs": {"com.docker.service-name": name}} if name else {}
    return in_json("log", "\n", stream="stdout", time=TIME, **attrs)


def pino(pid: int) -> Callable[[str], str]:
    return in_json("msg", level=30, time=1767225600123, pid=pid, hostname="n1")


def jq(member: str, value: str) -> str:
    return f"jq -Rr 'select([fromjson? | {member}?] | . == [] or . == [{value}])'"


def docker(name: str) -> Callable[[str], str]:
    return in_json("log", "\n", stream="stdout", time=TIME, container_name=name)


def pod(name: str) -> Callable[[str], str]:
    return in_json("log", stream="stdout", date=1767225600.5, kubernetes={"pod_name": name})


@pytest.mark.parametrize(
    ("first", "second", "remedy"),
    [
        (docker("a"), docker("b"), jq(".container_name", '"a"')),
        (pod("a"), pod("b"), jq(".kubernetes.pod_name", '"a"')),
        (pino(11), pino(12), jq(".pid", "11")),
        (
            labelled("a"),
            labelled("it's"),
            jq('.attrs["com.docker.service-name"]', '"a"'),
        ),
        (
            labelled("it's"),
            labelled(None),
            jq('.attrs["com.docker.service-name"]', '"it\'"\'"\'s"'),
        ),
        (
            before("Nov  8 12:00:00 n1 osu[12]: "),
            before("Nov  8 12:00:00 n2 osu[12]: "),
            "grep -F 'n1 osu[12]'",
        ),
    ],
    ids=["containers", "pods", "processes", "labels", "a label or none", "hosts"],
)
def test_two_programs_in_one_stream_are_not_read_as_one(
    first: Callable[[str], str], second: Callable[[str], str], remedy: str
) -> None:
    text = mixed(first, second)
    with pytest.raises(UsageError, match=r"tables of .* and of .* are mixed") as refused:
        tables(text)
    assert f"{remedy} some.log | hockney import -" in str(refused.value)
    command = shlex.split(remedy)
    if shutil.which(command[0]):
        damaged = text + text.splitlines()[0][:40]
        left = subprocess.run(command, input=damaged, capture_output=True, text=True, check=True)
        assert numbers(tables(left.stdout)[0]) == numbers(tables(logs.OSU_5)[0])
        assert damaged.splitlines()[-1] in left.stdout or command[0] != "jq"
    apart = first(logs.OSU_5) + second(OTHER)
    assert list(map(numbers, tables(apart))) == [
        numbers(tables(text)[0]) for text in (logs.OSU_5, OTHER)
    ]


def test_two_programs_are_refused_whichever_has_no_name() -> None:
    with pytest.raises(UsageError, match="tables of a and of another program are mixed"):
        tables(mixed(labelled(None), labelled("a")))


def test_what_other_services_write_between_the_rows_does_no_harm() -> None:
    text = mixed(
        before("Nov  8 12:00:00 n1 osu[12]: "),
        lambda _: "Nov  8 12:00:00 n1 sshd[7]: Accepted publickey for ana\n" * 5,
    )
    assert numbers(tables(text)[0]) == numbers(tables(logs.OSU_5)[0])
