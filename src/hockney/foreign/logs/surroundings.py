"""Finds the command, the heading and the settings above each table of a log."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hockney.foreign.logs import setting_lines
from hockney.foreign.logs.commands import (
    ASSIGNED,
    LIBRARIES,
    LOADED,
    LONGEST,
    changes_nothing,
    commands_of,
    normal,
    prompt_of,
    started_in,
)
from hockney.foreign.logs.log import Log

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S.{0,150}?)\s*#*")
_TITLE = re.compile(r"\s*#\s*(?:OSU|OMB)\b.* Test\b")
"""The first line of a table, which is not a heading above it."""
_COMMENT = re.compile(r"\s*#")
_DECORATED = re.compile(r"\s*[=*~_-]{2,}>?\s*([^=*~_|+-].{0,100}?)\s*[=*~_-]*")
_IN_DIRECTORY = re.compile(r"(?:^|\s)\.\.?/\S")
"""A program whose path depends on the directory."""
_NAMED = re.compile(r"\s{0,3}([A-Za-z][\w ,./()+-]{1,60}):")
_UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,})\s*")
_MARKDOWN = re.compile(r"\s*(?:```|~~~)|#{2,6}\s+\w")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_KEYED = re.compile(
    r"\s*(?:[#*-]+\s*)?(networks?|fabric|transport|interface|provider|placement|mapping|binding|settings?"
    r"|configuration|node ?list|nodes|hosts|cluster|system)\s*[:=]\s*(\S.{0,120})",
    re.IGNORECASE,
)
"""Lines in which people print a setting above a table."""
_NODE = r"(?=[a-z_.-]{0,60}\d)[\w.-]{1,64}"
_OF_NODES = re.compile(
    r"\s*(?:[#*=-]+\s*)?(?:\w[\w -]{0,60} )?(?:for|on|between) (?:nodes|hosts):? "
    rf"({_NODE}(?:[ ,]+(?:and )?{_NODE}){{1,15}})\s*",
    re.IGNORECASE,
)
"""Lines that name the nodes of the next table, which have numbers."""
_IN_SENTENCE = re.compile(
    rf"(?:\b(?:with|using)|[\[(,])\s*((?:{LIBRARIES})_\w+)=([^\s\]),;]{{1,80}})"
)
"""Variables in a sentence above a table."""
_UNSET = re.compile(r"\s*(?:unset|unsetenv)((?: +\w{1,80})+)\s*")
_MACHINE = re.compile(
    r"\s*(?:[#*-]+\s*)?(host(?:name)?|machine)\s*[:=]\s*([A-Za-z][\w.-]{0,60})\s*",
    re.IGNORECASE,
)
_LOADING = ("module ", "spack load ", "conda activate ")
"""Beginnings of commands that are recognised without a prompt."""
_PROMPT_HOST = re.compile(r"\s*(?:\(\w+\) )?\[?[\w.-]{1,64}@([\w-]{1,64})")
_DIRECTORY = re.compile(r"cd +(\S{1,120})")


@dataclass(frozen=True)
class Surroundings:
    command: str | None = None
    """The last command above the table, without its prompt, redirections and sizes."""
    heading: str | None = None
    settings: str | None = None
    """Variables and modules set above the table."""
    nodes: str | None = None
    """Nodes that a line above the table names. They make no other setting."""
    printed: Mapping[str, str] = field(default_factory=dict)
    """What libraries print of their settings above the table or within it."""
    keyed: Mapping[str, str] = field(default_factory=dict)
    """Values of keys above the table."""
    label: str | None = None
    """The last plain line above the table."""


@dataclass
class _State:
    """The state at a line: what the lines read so far show."""

    command: str | None = None
    weak: str | None = None
    """A command after a prompt that may or may not have started a program."""
    headings: list[tuple[int, str]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    modules: dict[str, dict[str, str]] = field(default_factory=dict)
    """What each loading command has loaded, by the name without its version."""
    directory: str | None = None
    nodes: str | None = None
    is_fenced: bool = False
    keyed: dict[str, str] = field(default_factory=dict)
    label: str | None = None
    listed: str | None = None
    """The key of modules that have been listed since the last table."""

    def seen(self) -> Surroundings:
        self.command, self.weak = self.weak or self.command, None
        self.listed = None
        loaded = {name: " ".join(each.values()) for name, each in self.modules.items()}
        known = {**self.settings, **loaded}
        if self.directory and self.command and _IN_DIRECTORY.search(self.command):
            known["directory"] = self.directory
        settings = "; ".join(f"{name}={value}" for name, value in sorted(known.items()))
        path = " / ".join(text for _, text in self.headings)
        return Surroundings(
            self.command,
            path[:LONGEST] or None,
            settings[:LONGEST] or None,
            self.nodes,
            keyed=dict(self.keyed),
            label=self.label,
        )


def surroundings_of(
    log: Log, tables: Sequence[int], ends: Mapping[int, int] | None = None
) -> dict[int, Surroundings]:
    """The surroundings of tables that begin in these lines, in any order; ends: the last line of
    each that has more than its first."""
    starts = sorted(set(tables))
    lasts = [max(start, (ends or {}).get(start, start)) for start in starts]
    state, surroundings = _State(), dict[int, Surroundings]()
    printed: dict[int, dict[str, set[str]]] = {start: {} for start in starts}
    is_markdown = log.path.suffix == ".md" or any(map(_MARKDOWN.match, log.lines))
    for line, text in log.joined():
        place = bisect_left(lasts, line)  # of the table that the line is in, or above
        start = starts[place] if place < len(starts) else 0
        for name, value in setting_lines.by_library(text).items() if start else ():
            printed[start].setdefault(name, set()).add(value)
        if text[:1] and not text[0].isdigit():
            # Comments of a table come before others; a heading of this kind is alone.
            is_alone = line >= len(log.lines) or not log.lines[line].strip()
            is_known = _see(text, state, is_markdown and is_alone)
            underlined = line < len(log.lines) and _UNDERLINE.fullmatch(log.lines[line])
            if underlined and text.strip()[:1].isalpha() and ":" not in text:
                _head(state, 1, text)
                is_known = True
        else:
            is_known = not text
        if not is_known and line < start:
            _see_setting(text, state)
        for below in range(line, line + 1 + text.count("\n")):
            if below in printed:
                surroundings[below] = state.seen()
    return {
        start: replace(above, printed={n: ", ".join(sorted(v)) for n, v in printed[start].items()})
        for start, above in surroundings.items()
    }


def _see(text: str, state: _State, may_head: bool) -> bool:
    """Reads a line. may_head: true if a single # begins a heading, not a comment. Returns whether
    anything in it is known."""
    if _FENCE.match(text):
        state.is_fenced = not state.is_fenced
        return True
    prompt = prompt_of(text)
    known = [
        _see_words(text, words, bool(prompt), state, may_head)
        for words in commands_of(text, prompt)
    ]
    return any(known)


def _see_words(text: str, words: str, prompt: bool, state: _State, may_head: bool) -> bool:
    """Reads one of the commands of a line, or the line."""
    # What is assigned in front of a command holds for it alone, and is part of it.
    command = started_in(words)
    is_assigned = not command and _see_variables(words, state)
    is_shell = prompt or "`" in words or words.startswith(_LOADING)
    loaded = LOADED.search(words) if is_shell else None
    if loaded:
        _load(loaded[1], loaded[2].split(), state)
    if prompt and (host := _PROMPT_HOST.match(text)):
        state.settings["host"] = _without_number(host[1])
    if prompt and (directory := _DIRECTORY.fullmatch(words)):
        state.directory = setting_lines.without_count(directory[1])
    keyed, machine = _KEYED.fullmatch(text), _MACHINE.fullmatch(text)
    if command:
        state.command, state.weak = normal(command), None
    elif keyed:
        state.settings[keyed[1].lower()] = keyed[2].strip()
    elif machine:
        state.settings[machine[1].lower()] = _without_number(machine[2])
    elif nodes := _OF_NODES.fullmatch(text):
        state.nodes = nodes[1]
    elif prompt and not changes_nothing(words):
        state.weak = normal(words)
    elif not state.is_fenced:
        return _see_heading(text, state, may_head) or is_assigned or bool(loaded) or prompt
    elif not _COMMENT.match(text):
        return _see_heading(text, state, may_head=False) or is_assigned
    return True


def _see_setting(text: str, state: _State) -> None:
    """Reads a line between tables that _see() does not know."""
    loading, modules = setting_lines.loading(text), setting_lines.listed(text)
    if setting_lines.LISTING.fullmatch(text):
        state.listed, state.keyed["modules"] = "modules", ""
    elif loading:
        _list("loaded", [loading], state)
    elif modules and state.listed == "modules":
        _list("modules", modules, state)
    elif setting := setting_lines.keyed(text):
        state.keyed[setting[0]] = setting[1]
    elif label := setting_lines.label(text):
        state.label = label


def _list(key: str, names: Sequence[str], state: _State) -> None:
    """Adds modules to those of the lines before; the first line below a table begins anew."""
    before = [state.keyed[key]] if state.listed == key else []
    state.listed, state.keyed[key] = key, " ".join([*before, *names]).strip()


def _see_variables(words: str, state: _State) -> bool:
    """Reads variables that are set; false without any."""
    variables = {each[1] or each[2]: each[3].strip("\"'") for each in ASSIGNED.finditer(words)}
    variables |= dict(_IN_SENTENCE.findall(words))
    state.settings |= variables
    unset = _UNSET.fullmatch(words)
    for name in unset[1].split() if unset else ():
        state.settings.pop(name, None)
    return bool(variables or unset)


def _load(command: str, names: Sequence[str], state: _State) -> None:
    """Enters modules that are loaded: another version replaces one of the same name."""
    verb = command.partition(" ")[2]
    if "purge" in (verb, *names):
        state.modules.clear()
    elif verb in ("unload", "rm"):
        for each in state.modules.values():
            for name in names:
                each.pop(name.partition("/")[0], None)
    else:
        each = state.modules.setdefault(command, {})
        for name in names if verb in ("load", "add") else [" ".join(names)]:
            each[name.partition("/")[0] if verb in ("load", "add") else ""] = name


def _without_number(host: str) -> str:
    """The name of a machine: its other nodes are the same setting."""
    return re.sub(r"\d+", "", host.partition(".")[0]).strip("-_")


def _see_heading(text: str, state: _State, may_head: bool) -> bool:
    """Reads a heading; false without one."""
    if _TITLE.match(text) or setting_lines.LISTING.fullmatch(text):
        return False
    marked, named = _HEADING.fullmatch(text), _NAMED.fullmatch(text)
    decorated = _DECORATED.fullmatch(text)
    if marked and (may_head or len(marked[1]) > 1):
        _head(state, len(marked[1]), marked[2])
    elif decorated:
        _head(state, 7, decorated[1])
    elif named:
        _head(state, 8, named[1])
    return bool((marked and may_head) or decorated or named)


def _head(state: _State, level: int, text: str) -> None:
    """Enters a heading, which ends those of its level and below."""
    words = " ".join(setting_lines.without_count(text).split()).strip(" :*=")
    if any(map(str.isalpha, words)) and not setting_lines.CLOCK.search(text):
        above = [(of, name) for of, name in state.headings if of < level]
        state.headings = [*above, (level, words)]
