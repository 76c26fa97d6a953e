"""Finds the command, the heading and the settings above each table of a log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hockney.foreign.logs.log import Log

LONGEST = 200
"""Most characters of a command or a heading that are kept."""
_LAUNCHERS = (
    r"mpirun|mpiexec(?:\.\w+)?|srun|aprun|jsrun|lrun|prun|prterun|orterun|ibrun|ccc_mprun|yhrun"
    r"|mpprun|flux run|numactl|taskset|(?:singularity|apptainer) exec|(?:docker|podman) run"
)
_PROGRAMS = (
    r"osu_\w+|IMB-\w+|\w+_perf|ib_\w+_(?:lat|bw)|NP(?:mpi|tcp|ibv|shmem)\w*|netgauge|ucx_perftest"
    r"|fi_[a-z]\w+|mpiGraph|mpiBench|network_(?:load_)?test|hpcc|(?:mpi)?linktest\w*"
)
_PROGRAM = re.compile(rf"(?:\S*/)?(?:{_PROGRAMS})")
_COMMAND = re.compile(
    r"(?:[A-Z][a-z]{2,11}(?: \w{1,12})?: )?(?:(?:time|sudo|env|exec|[A-Za-z_]\w*=\S*) +)*"
    rf"(?:[^\s=:]*/)?(?:{_LAUNCHERS}|{_PROGRAMS})(?: .*)?"
)
_PROMPT = re.compile(
    r"\s*(?:\(\w+\) )?(?:\[?[\w.-]{1,64}@[\w.-]{1,64}[^$#%>]{0,80}[$#%>]|[$%]|\+{1,3}) +"
    r"(?=[\w./~\"'])"
)
_CHAINED = re.compile(r"\s*(?:;|&&)\s+")
_NEUTRAL = re.compile(
    r"(?:\S*/)?(?:date|sleep|echo|printf|hostname|cd|pwd|ls|ll|clear|sync|uptime|whoami|exit"
    r"|history|squeue|sinfo|scontrol|sacct|lscpu|lstopo|nvidia-smi|ibstat\w*|free|uname|wait|true|mkdir|rm)\b"
)
"""Commands that change nothing between two starts of a program."""
_REDIRECTED = re.compile(r"\s*(?:[012&]?>|\|\s*tee\b|<\s|;\s*$|&\s*$).*$")
_UNLIKE = re.compile(
    r" (?:--output|--error|--job-name|--jobid)[= ]\S+| (?:-n|-np|--np|--ntasks)[= ]?\d+(?= |$)"
)
"""Options of launchers in which the starts of one setting may differ. The number of processes is an
axis of a point: tables that differ in it are other points."""
_OF_SIZES = {
    r"osu_\w+": r"-m|-i|-x|--message-size|--iterations|--warmup",
    r"\w+_perf": r"-b|-e|-f|-i|-n|-w|--minbytes|--maxbytes|--stepfactor|--iters|--warmup_iters",
    r"ib_\w+": r"-s|-n|--size|--iters",
    r"fi_\w+": r"-S|-I|-w",
    r"ucx_perftest": r"-s|-n|-w",
    r"IMB-\w+": r"-msglog|-iter|-msglen",
    r"netgauge": r"-o|-f|-c|-t|-s|-g",
}
"""Options of programs that choose sizes and repetitions, which are no setting."""

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
_CLOCK = re.compile(r"\d\d:\d\d|\d{4}-\d\d-\d\d")
_COUNTED = re.compile(
    r"\b(run|launch|iteration|iter|trial|repeat|repetition|rep|try|pass|attempt|sample|round|job)"
    r"[ .:#_-]{0,3}\d+(?: ?(?:of|/) ?\d+)?\b|#\d+\b",
    re.IGNORECASE,
)
"""Numbers of launches, which do not make another setting."""
_LIBRARIES = "UCX|UCC|OMPI|MPICH|MPIR|I_MPI|FI|NCCL|RCCL|MV2|PSM2?"
"""With what the variables of libraries begin."""
_ASSIGNED = re.compile(
    r"(?:^|`)\s*(?:(?:export|setenv)\s+([A-Za-z_]\w*)(?:=|\s+)|"
    rf"((?:{_LIBRARIES}|HCOLL|SHARP|PMIX|CUDA|OMP)_\w+)=)"
    r"([^`]{0,150}?)\s*(?:`|;|$)"
)
_KEYED = re.compile(
    r"\s*(?:[#*-]+\s*)?(networks?|fabric|transport|interface|provider|placement|mapping|binding|settings?"
    r"|configuration|node ?list|nodes|hosts)\s*[:=]\s*(\S.{0,120})",
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
_SAID = re.compile(rf"(?:\b(?:with|using)|[\[(,])\s*((?:{_LIBRARIES})_\w+)=([^\s\]),;]{{1,80}})")
"""Variables in a sentence above a table."""
_UNSET = re.compile(r"\s*(?:unset|unsetenv)((?: +\w{1,80})+)\s*")
_MACHINE = re.compile(
    r"\s*(?:[#*-]+\s*)?(host(?:name)?|cluster|machine|system)\s*[:=]\s*([A-Za-z][\w.-]{0,60})\s*",
    re.IGNORECASE,
)
_PROMPT_HOST = re.compile(r"\s*(?:\(\w+\) )?\[?[\w.-]{1,64}@([\w-]{1,64})")
_DIRECTORY = re.compile(r"cd +(\S{1,120})")
_LOADED = re.compile(
    r"(?:^|`)\s*((?:module|ml|spack|conda|source)\b(?: \w+)?) ([^`]{1,150}?)\s*(?:`|$)"
)

_PROCESSES = re.compile(r"(?:^|\s)(?:-n|-np|--np|--ntasks)[ =]?(\d{1,9})(?=\s|$)")
_NODES = re.compile(r"(?:^|\s)(?:-N|--nodes)[ =]?(\d{1,6})(?=\s|$)")
_A_NODE = re.compile(r"(?:^|\s)--(?:ntasks|tasks)-per-node[ =](\d{1,6})(?=\s|$)")


def starts_program(text: str) -> bool:
    """True if a line is a command that starts a program, such as one of a shell's trace."""
    return any(_COMMAND.fullmatch(_bare(part)) for part in _commands(text, _PROMPT.match(text)))


def processes_of(command: str) -> int | None:
    """The number of processes that a launcher is asked for; None where its options do not say."""
    every, nodes, each = (of.search(command) for of in (_PROCESSES, _NODES, _A_NODE))
    if every:
        return int(every[1])
    return int(nodes[1]) * int(each[1]) if nodes and each else None


@dataclass(frozen=True)
class Surroundings:
    command: str | None = None
    """The last command above the table, without its prompt, redirections and sizes."""
    heading: str | None = None
    settings: str | None = None
    """Variables and modules set above the table."""
    nodes: str | None = None
    """Nodes that a line above the table names. Other nodes are no other setting."""


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

    def seen(self) -> Surroundings:
        self.command, self.weak = self.weak or self.command, None
        loaded = {name: " ".join(each.values()) for name, each in self.modules.items()}
        known = {**self.settings, **loaded}
        if self.directory and self.command and _IN_DIRECTORY.search(self.command):
            known["directory"] = self.directory
        settings = "; ".join(f"{name}={value}" for name, value in sorted(known.items()))
        path = " / ".join(text for _, text in self.headings)
        return Surroundings(
            self.command, path[:LONGEST] or None, settings[:LONGEST] or None, self.nodes
        )


def surroundings_of(log: Log, tables: Sequence[int]) -> dict[int, Surroundings]:
    """The surroundings of tables that begin in these lines, in any order."""
    wanted = set(tables)
    state, found = _State(), dict[int, Surroundings]()
    is_markdown = log.path.suffix == ".md" or any(map(_MARKDOWN.match, log.lines))
    for line, text in log.joined():
        if text[:1] and not text[0].isdigit():
            # Comments of a table come before others; a heading of this kind is alone.
            is_alone = line >= len(log.lines) or not log.lines[line].strip()
            _see(text, state, is_markdown and is_alone)
            underlined = line < len(log.lines) and _UNDERLINE.fullmatch(log.lines[line])
            if underlined and text.strip()[:1].isalpha() and ":" not in text:
                _head(state, 1, text)
        for below in range(line, line + 1 + text.count("\n")):
            if below in wanted:
                found[below] = state.seen()
    return found


def _see(text: str, state: _State, may_head: bool) -> None:
    """Reads a line. may_head: true if a single # begins a heading, not a comment."""
    if _FENCE.match(text):
        state.is_fenced = not state.is_fenced
        return
    prompt = _PROMPT.match(text)
    for words in _commands(text, prompt):
        _see_words(text, words, bool(prompt), state, may_head)


def _commands(text: str, prompt: re.Match[str] | None) -> list[str]:
    """The commands of a line that are chained by ; or &&; the whole line where nothing shows that
    it is one of a shell."""
    words = " ".join((text[prompt.end() :] if prompt else text).replace("\\\n", " ").split())
    if ";" not in words and "&&" not in words:
        return [words]
    first, *others = _CHAINED.split(words)
    is_shell = prompt or any(of.search(first) for of in (_LOADED, _ASSIGNED))
    return [first, *others] if is_shell or _COMMAND.fullmatch(_bare(first)) else [words]


def _bare(words: str) -> str:
    return words.strip("`# ").removesuffix("\\")


def _see_words(text: str, words: str, prompt: bool, state: _State, may_head: bool) -> None:
    """Reads one of the commands of a line, or the line."""
    bare = _bare(words)
    # What is assigned in front of a command holds for it alone, and is part of it.
    is_command = _COMMAND.fullmatch(bare)
    if not is_command:
        _see_variables(words, state)
    loaded = _LOADED.search(words) if prompt or "`" in words or words.startswith("module") else None
    if loaded:
        _load(loaded[1], loaded[2].split(), state)
    if prompt and (host := _PROMPT_HOST.match(text)):
        state.settings["host"] = _without_number(host[1])
    if prompt and (directory := _DIRECTORY.fullmatch(words)):
        state.directory = _COUNTED.sub(r"\1", directory[1])
    keyed, machine = _KEYED.fullmatch(text), _MACHINE.fullmatch(text)
    if keyed:
        state.settings[keyed[1].lower()] = keyed[2].strip()
    elif machine:
        state.settings[machine[1].lower()] = _without_number(machine[2])
    elif nodes := _OF_NODES.fullmatch(text):
        state.nodes = nodes[1]
    elif is_command:
        state.command, state.weak = _normal(bare), None
    elif prompt and not _NEUTRAL.match(words) and not loaded and not _ASSIGNED.search(words):
        state.weak = _normal(words)
    elif not state.is_fenced:
        _see_heading(text, state, may_head)
    elif not _COMMENT.match(text):
        _see_heading(text, state, may_head=False)


def _see_variables(words: str, state: _State) -> None:
    for assigned in _ASSIGNED.finditer(words):
        state.settings[assigned[1] or assigned[2]] = assigned[3].strip("\"'")
    state.settings |= dict(_SAID.findall(words))
    if unset := _UNSET.fullmatch(words):
        for name in unset[1].split():
            state.settings.pop(name, None)


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
    """The name of a machine: other nodes of it are no other setting."""
    return re.sub(r"\d+", "", host.partition(".")[0]).strip("-_")


def _see_heading(text: str, state: _State, may_head: bool) -> None:
    if _TITLE.match(text):
        return
    marked, named = _HEADING.fullmatch(text), _NAMED.fullmatch(text)
    decorated = _DECORATED.fullmatch(text)
    if marked and (may_head or len(marked[1]) > 1):
        _head(state, len(marked[1]), marked[2])
    elif decorated:
        _head(state, 7, decorated[1])
    elif named:
        _head(state, 8, named[1])


def _head(state: _State, level: int, text: str) -> None:
    """Enters a heading, which ends those of its level and below."""
    words = " ".join(_COUNTED.sub(r"\1", text).split()).strip(" :*=")
    if any(map(str.isalpha, words)) and not _CLOCK.search(text):
        above = [(of, name) for of, name in state.headings if of < level]
        state.headings = [*above, (level, words)]


def _normal(command: str) -> str:
    """A command without what differs between two starts of the same setting."""
    command = _REDIRECTED.sub("", re.sub(r"^(?:[A-Z][\w ]*: |time |exec )+", "", command))
    program = next((w for w in command.split() if _PROGRAM.fullmatch(w)), None)
    if program is None:
        return command[:LONGEST]
    before, _, after = f" {command} ".partition(f" {program} ")
    name = program.rpartition("/")[2]
    sizes = next((options for of, options in _OF_SIZES.items() if re.fullmatch(of, name)), None)
    if sizes:
        after = re.sub(rf" (?:{sizes})[= ]\S+(?= )", "", f" {after} ")
    return " ".join(f"{_UNLIKE.sub('', before)} {program} {after}".split())[:LONGEST]
