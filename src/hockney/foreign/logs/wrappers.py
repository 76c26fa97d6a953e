"""Takes the lines of a program out of what stores of logs make of each: JSON of containers, the
journal and loggers, and the tags of Kubernetes, GitLab and syslog.

A line of another form stays as it is. What one program wrote between the lines of another is not
read as theirs: such a log is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from hockney.base.errors import UsageError
from hockney.foreign.logs import prefixes
from hockney.foreign.logs.column_names import is_measured

_DAY, CLOCK = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)"
_TAGGED = re.compile(
    rf"(?P<job>[^\t]{{1,200}}\t[^\t]{{1,200}}\t)?\ufeff?{_DAY}T{CLOCK}{_ZONE} ?(?:"
    r"(?P<stream>std(?:out|err)) (?P<part>[FP])(?: |$)|(?P<step>\d\d[OE])(?P<joins>[+ ]|$)"
    r"|(?(job)|(?!)))(?P<text>.*)"
)
"""CRI, the format of Kubernetes and Podman, whose P marks a part of a line; GitLab, whose + marks
what continues the line before; and GitHub's gh run view --log, with the job and the step."""
_SYSLOG = re.compile(
    rf"(?:(?:[A-Z][a-z]{{2}} [ \d]\d {CLOCK} (?P<short>[\w.-]{{1,64}} [\w./-]{{1,64}}(?:\[\d+\])?)"
    rf"|(?:(?:[A-Z][a-z]{{2}} )?{_DAY}[T ]{CLOCK}(?:{_ZONE}| [A-Z]{{2,5}})?|\[ *\d+\.\d{{6}}\]"
    r"|\d{9,11}\.\d{6}) (?P<long>[\w.-]{1,64} [\w./@-]{1,64}\[\d+\])):"
    rf"|<\d{{1,3}}>1 {_DAY}T{CLOCK}{_ZONE} (?P<full>[\w.-]+ [\w./-]+ [\w-]+) \S+ (?:-|\[[^]]*\]))"
    r"(?: (?P<text>.*)|$)"
)
"""syslog (also RFC 5424) and what journalctl prints, with the host, the name and the process."""

_KEPT = {
    "log": ("stream", "time", "date"),  # Docker, Fluent Bit
    "MESSAGE": ("__REALTIME_TIMESTAMP", "__CURSOR"),  # journalctl -o json
    "line": ("timestamp",),  # Loki
    "textPayload": ("timestamp",),  # Google Cloud
    "message": ("@timestamp", "level", "severity", "levelname"),
    "msg": ("level", "severity"),
}
"""Members that hold a line, with those of which one is beside it."""
_LEVELS = ("level", "severity", "levelname")
_NUMBERED = frozenset({*_LEVELS, "time", "timestamp", "ts", "date", "pid", "v", "lineno", "thread"})
"""Members of loggers that may be numbers: a table has others."""
_MEASURED = re.compile(r"[\d.]{1,9}")
"""A number, not a time of day or since 1970."""
_WRITERS = (
    *("_HOSTNAME", "CONTAINER_NAME", "SYSLOG_IDENTIFIER", "_PID", "container_name", "container_id"),
    *("kubernetes", "labels", "attrs", "hostname", "host", "pod", "pid"),
)
"""Members that name the program, or what it runs in."""
_DAMAGED = re.compile(rf'\{{.*?"(?P<name>{"|".join(_KEPT)})"\s*:\s*"(?P<text>(?:[^"\\]|\\.)*)"?')

_NUMBER = re.compile(r"\s*-?\d")
_OF_LOG = re.compile(r"#|\S[\s,;|]+\S")
"""What a line of a log has: a comment, or two cells."""
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
"""A name that jq reads without quotation marks."""

_LIST_OF_LINES = re.compile(r'\s*"[\w.]*(?:lines|msg|stdout)": \[')
_STRING = re.compile(r'\s*(?P<string>"(?:[^"\\]|\\.)*"),?')
"""The lines of a program in Ansible's output: a list of strings, of which each has a line."""

JOINED = "~"
"""What stands for a part of a line that was joined to another: it ends no table."""
Writer = tuple[tuple[tuple[str, ...], str], ...]
"""What tells a program from others: of JSON the paths and values, in JSON, of members, of text one
without a path."""


@dataclass(frozen=True)
class Kept:
    """A line of a program, or a part of one."""

    text: str
    writer: Writer = ()
    stream: str = ""
    is_part: bool = False
    """True if the next line of the stream continues this one."""
    joins: bool = False
    """True if it continues the line before."""


def unwrapped(lines: Sequence[str], path: Path) -> list[str]:
    """The lines of programs. A part of a line is joined to its first part, and leaves a mark
    behind, so that lines keep their numbers. Raises UsageError where the tables of two programs are
    mixed."""
    bare: list[list[str]] = []
    """The parts of each line."""
    last: dict[tuple[Writer, str], tuple[int, bool]] = {}
    written: dict[Writer, list[int]] = {}
    for line, kept in zip(lines, _kept(lines), strict=True):
        if kept is None:
            bare.append([line])
            continue
        place, is_open = last.get((kept.writer, kept.stream), (len(bare), False))
        if is_open or (kept.joins and place < len(bare)):
            bare[place].append(kept.text)
            bare.append([JOINED])
        else:
            first = len(bare)
            bare += [[text] for text in kept.text.split("\n")]
            place = len(bare) - 1
            written.setdefault(kept.writer, []).extend(range(first, len(bare)))
        last[kept.writer, kept.stream] = place, kept.is_part
    joined = list(map("".join, bare))
    _refuse_mixed(joined, written, path)
    return joined


def _kept(lines: Sequence[str]) -> Iterator[Kept | None]:
    in_json, is_in_list = _in_json(lines), False
    for number, line in enumerate(lines):
        string = _STRING.fullmatch(line) if is_in_list else None
        is_in_list = string is not None or _LIST_OF_LINES.fullmatch(line) is not None
        if string:
            yield Kept(_unescaped(string["string"]))
        elif number in in_json:
            yield in_json[number]
        elif match := _TAGGED.match(line):
            stream = match["stream"] or match["step"] or ""
            is_part, joins = match["part"] == "P", match["joins"] == "+"
            yield Kept(match["text"], stream=stream, is_part=is_part, joins=joins)
        elif match := _SYSLOG.match(line):
            name = match["short"] or match["long"] or match["full"]
            yield Kept(match["text"] or "", (((), name),))
        else:
            yield None


def _in_json(lines: Sequence[str]) -> dict[int, Kept]:
    """The lines that objects hold, by the number of the object's. None where some are rows of a
    table, of which a text is a part, or where no text looks like a line of a log."""
    kept: dict[int, Kept] = {}
    names, whole, open_ended = set[str](), set[int](), set[int]()
    last = Kept("")
    for number, line in enumerate(lines):
        start = line.lstrip("\x1e ")  # of journalctl -o json-seq
        if not start.startswith("{"):
            continue
        try:
            fields = json.loads(start)
        except (ValueError, RecursionError):
            if damaged := _damaged(start, names):
                kept[number] = replace(damaged, writer=last.writer, stream=last.stream)
            continue
        if _is_result(fields):
            return {}
        name = _name_of_text(fields) if isinstance(fields, dict) else None
        text = _text(fields[name]) if name else None
        if name is not None and text is not None:
            names.add(name)
            stream = str(fields.get("stream", ""))
            last = kept[number] = Kept(text.removesuffix("\n"), _writer(fields), stream)
            if name == "log" and text.endswith("\n"):
                whole.add(number)
            elif name == "log":
                open_ended.add(number)
    if not any(_OF_LOG.search(each.text) for each in kept.values()):
        return {}
    if whole:  # it is Docker that wrote them, whose parts of 16 KiB have no newline
        kept |= {number: replace(kept[number], is_part=True) for number in open_ended}
    return kept


def _is_result(fields: Any) -> bool:
    """True if a member, also of another, has a number and the name of a time or a rate."""
    members = [*fields.items()] if isinstance(fields, dict) else []
    while members:
        name, value = members.pop()
        if isinstance(value, dict) and name not in _WRITERS:
            members += value.items()
        is_number = isinstance(value, (str, int, float)) and _NUMBER.match(str(value))
        is_of_log = name in _KEPT or name in _NUMBERED
        if is_number and not is_of_log and is_measured(name):
            return True
    return False


def _name_of_text(fields: dict[str, Any]) -> str | None:
    numbers = {name for name, value in fields.items() if isinstance(value, (int, float))}
    if numbers - _NUMBERED:
        return None
    for name, beside in _KEPT.items():
        stamps = [each for each in beside if each in fields and _is_stamp(each, fields[each])]
        if name in fields and stamps:
            return name
    return None


def _is_stamp(name: str, value: Any) -> bool:
    return name in _LEVELS or _MEASURED.fullmatch(str(value)) is None


def _text(value: Any) -> str | None:
    """The text; the journal has a list of bytes where these are not all printable."""
    if isinstance(value, list):
        try:
            return bytes(value).decode(errors="replace")
        except (TypeError, ValueError):
            return None
    return value if isinstance(value, str) else None


def _writer(fields: dict[str, Any]) -> Writer:
    flat: dict[tuple[str, ...], str] = {}
    for name in _WRITERS:
        value = fields.get(name)
        if isinstance(value, dict):
            parts = sorted((part, of) for part, of in value.items() if isinstance(of, str))
            flat |= {(name, part): json.dumps(of, ensure_ascii=False) for part, of in parts}
        elif value is not None:
            flat[name,] = json.dumps(value, ensure_ascii=False)
    return tuple(flat.items())


def _damaged(line: str, names: set[str]) -> Kept | None:
    """What is left of the text in an object that is cut: a mark at its end shows that it may lack
    digits."""
    match = _DAMAGED.match(line)
    if match is None or match["name"] not in names:
        return None
    text = _unescaped(f'"{match["text"]}"')
    end = "" if match[0].endswith('"') else "\N{REPLACEMENT CHARACTER}"
    return Kept(text.removesuffix("\n") + end)


def _unescaped(string: str) -> str:
    """The text of a string of JSON."""
    try:
        return str(json.loads(string))
    except ValueError:
        return string.strip('"')


def _refuse_mixed(lines: Sequence[str], written: dict[Writer, list[int]], path: Path) -> None:
    """Raises UsageError where a program has lines of a table between those of another."""
    writers = list(written)
    pair = prefixes.mixed([{place: lines[place] for place in written[of]} for of in writers])
    if pair is not None:
        first, second = (writers[number] for number in pair)
        if set(first) <= set(second):  # nothing selects the first alone
            first, second = second, first
        path_in_json, value = next(each for each in first if each not in second)
        other = dict(second).get(path_in_json, "another program")
        selected = _selection(path_in_json, value) if path_in_json else f"grep -F {quote(value)}"
        raise UsageError(
            f"{path}: tables of {_shown(value)} and of {_shown(other)} are mixed",
            f"import each alone: {selected} {quote(path.name)} | hockney import -",
        )


def _selection(path_in_json: tuple[str, ...], value: str) -> str:
    """The command that selects the objects whose member has this value, and lines that are damaged:
    they are warned of when they are imported."""
    first, *others = path_in_json
    parts = (
        f".{name}" if _PLAIN_NAME.fullmatch(name) else f"[{json.dumps(name)}]" for name in others
    )
    member = f".{first}{''.join(parts)}"
    return "jq -Rr " + quote(f"select([fromjson? | {member}?] | . == [] or . == [{value}])")


def _shown(value: str) -> str:
    return value.strip('"')
