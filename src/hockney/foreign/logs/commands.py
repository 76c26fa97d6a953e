"""Recognises commands in the lines of a log: those that start a program, load a module or set a
variable."""

from __future__ import annotations

import re

LONGEST = 200
"""Most characters of a command or a heading that are kept."""
LONGEST_WITHIN = 1000
"""Most characters of a line in which a command is searched that does not begin it."""
MPI_LAUNCHERS = (
    r"mpirun(?:_rsh)?|mpiexec(?:\.\w+)?|srun|aprun|jsrun|lrun|prun|prterun|orterun|ibrun"
    r"|ccc_mprun|yhrun|mpprun|flux (?:run|submit)"
)
_LAUNCHERS = (
    rf"{MPI_LAUNCHERS}|numactl|taskset|(?:singularity|apptainer) exec|(?:docker|podman) run"
)
_PROGRAMS = (
    r"osu_\w+|IMB-\w+|\w+_perf|ib_\w+_(?:lat|bw)|NP(?:mpi|tcp|ibv|shmem)\w*|netgauge|ucx_perftest"
    r"|fi_[a-z]\w+|mpiGraph|mpiBench|network_(?:load_)?test|hpcc|(?:mpi)?linktest\w*"
)
_PROGRAM = re.compile(rf"(?:\S*/)?(?:{_PROGRAMS})")
_FILE_OPTIONS = re.compile(
    r"--?(?:hostfile|machinefile|f|output|output-filename|o|e|error|J|job-name|host|H|w|nodelist|x)"
)
"""Options of launchers whose value may be named like a program."""
_ABOUT_ITSELF = r"(?:noticed|was|has|could|detected|does)\b"
"""What follows the launcher's name in its messages, not in commands."""
_COMMAND = re.compile(
    r"(?:[A-Z][a-z]{2,11}(?: \w{1,12})?: )?(?:(?:time|sudo|env|exec|[A-Za-z_]\w*=\S*) +)*"
    rf"(?:[^\s=:]*/)?(?:{_LAUNCHERS}|{_PROGRAMS})(?: (?!{_ABOUT_ITSELF}).*)?"
)
_WITHIN = re.compile(
    r"(?:^|(?<=[\s'\"`(>:=]))(?P<command>(?:[A-Za-z_]\w*=\S* +)*(?:[^\s=:'\"]*/)?"
    rf"(?:{_LAUNCHERS}) +(?:-.{{0,500}}? )?(?:\.{{0,2}}/\S*|(?:\S*/)?(?:{_PROGRAMS})(?![\w.])).*)"
)
"""A command behind other words: a launcher, its options, and a program."""
_PROSE = re.compile(r" (?:to|the|and|is|are|was|you|we|can|should|then) ")
"""Words of sentences, not of commands."""
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
    r" (?:--output|--error|--job-name|--jobid)[= ]\S+| (?:-n|-np|--np?|--ntasks)[= ]?\d+(?= |$)"
)
"""Options of launchers in which the starts of one setting may differ. The number of processes is an
axis of a point: tables that differ in it are other points."""
_OF_NODES = re.compile(
    r" (?:(?:-N|-a|-r|-c|-ppn|--ppn|-perhost|--?npernode|-w|-H|-host|--host|-f|-hostfile|--hostfile"
    r"|-machinefile|--machinefile)[= ]?|--(?:nodes|nodelist|ntasks-per-node|tasks-per-node"
    r"|tasks_per_rs|nrs|rs_per_host|np)[= ]?|--?map-by[= ]ppr:)\S+(?= )"
)
"""Options of launchers that a larger number of processes may need."""
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
LIBRARIES = "UCX|UCC|OMPI|MPICH|MPIR|I_MPI|FI|NCCL|RCCL|MV2|PSM2?"
"""Prefixes of the variables of libraries."""
ASSIGNED = re.compile(
    r"(?:^|`)\s*(?:(?:export|setenv|declare -x)\s+([A-Za-z_]\w*)(?:=|\s+)|"
    rf"((?:{LIBRARIES}|HCOLL|SHARP|PMIX|CUDA|OMP)_\w+)=)"
    r"([^`]{0,150}?)\s*(?:`|;|$)"
)
LOADED = re.compile(
    r"(?:^|`)\s*((?:module|ml|spack|conda|source)\b(?: \w+)?) ([^`]{1,150}?)\s*(?:`|$)"
)

_LAUNCHER = re.compile(
    rf"(?:^|(?<=[\s/'\"`(]))(?<!launcher )(?<!bootstrap )(?<!agent )(?:{MPI_LAUNCHERS})(?=\s)"
)
_WRAPPED = re.compile(r"\b(?:nice(?: -n ?-?\d+)?|ssh|docker run|podman run)\s(?:-\S+\s)*")
"""Programs that start another one, with options of their own that are named like a launcher's."""
_NEXT_PART = re.compile(r"\s:\s")
"""Between the programs that a launcher starts together."""
_PROCESSES = re.compile(r"(?:^|\s)(?:-n|-np|--np?|--ntasks)[ =]?(\d{1,9})(?=\s|$)")
_NODES = re.compile(r"(?:^|\s)(?:-N|--nodes)[ =]?(\d{1,6})(?=\s|$)")
_A_NODE = re.compile(r"(?:^|\s)--(?:ntasks|tasks)-per-node[ =](\d{1,6})(?=\s|$)")
_OPEN_MPI = re.compile(r"mpirun|mpiexec|orterun|prun|prterun")
"""Launchers that may be Open MPI's."""
_OPEN_MPI_PROCESSES = re.compile(r"(?:^|\s)-c[ =](\d{1,9})(?=\s|$)")
"""Other launchers' -c counts CPUs."""
_EACH_HOST = re.compile(
    r"(?:^|\s)(?:--?map-by[ =]['\"]?ppr:(?=\d{1,6}:node(?:[:'\"\s]|$))|(?:-N|--?npernode)[ =])"
    r"(\d{1,6})(?=[:\s]|$)"
)
_HOSTS = re.compile(r"(?:^|\s)(?:-H|--?host)[ =]([\w.,:-]{1,4000})(?=\s|$)")
_SLOTS = re.compile(r"([\w.-]+):(\d{1,6})")
"""A host of Open MPI with its slots, which it fills unless options say otherwise. What a host
without slots gets depends on the version."""
_OPTION = re.compile(r"(?:^|\s)--?(?=\w)")
_FILLS_SLOTS = re.compile(
    r"(?:H|host|x|v|q|wd|wdir|path|prefix|bind-to|rank-by|display|display-\w+|report-\w+|tag-output"
    r"|timestamp-output|output|output-filename|oversubscribe|nooversubscribe|allow-run-as-root"
    r"|(?:g|o|p|pmix|prte)?mca[ =](?!\w*(?:rmaps|ras_|hwloc_|hostfile|rankfile|slots))\S+"
    r"|map-by[ =](?!ppr|seq|rankfile|dist)\w+(?::(?:no)?oversubscribe|:span)*)(?=[\s=]|$)",
    re.IGNORECASE,
)
"""Options of Open MPI that leave one process to each slot. Others may not: files of hosts or ranks,
processes for each node or socket, CPUs for each process."""
_RESOURCE_SETS = re.compile(r"(?:^|\s)(?:-n|--nrs)[ =]?(\d{1,6})(?=\s|$)")
_A_RESOURCE_SET = re.compile(r"(?:^|\s)(?:-a|--tasks_per_rs)[ =]?(\d{1,6})(?=\s|$)")
_TASKS = re.compile(r"(?:^|\s)(?:-p|--np)[ =]?(\d{1,9})(?=\s|$)")


def starts_program(text: str) -> bool:
    """True if a line has a command that starts a program, such as one of a shell's trace."""
    return any(started_in(part) for part in commands_of(text, prompt_of(text)))


def started_in(words: str) -> str | None:
    """The command that a line of these words shows, without a prompt; None without one."""
    bare = words.strip("`# ").removesuffix("\\")
    if _COMMAND.fullmatch(bare):
        return bare
    within = _WITHIN.search(bare) if len(bare) <= LONGEST_WITHIN else None
    if within is None or _PROSE.search(within["command"]):
        return None
    command = re.sub(r"\s*\.{2,}$", "", within["command"])
    quote = bare[within.start() - 1 : within.start()]
    if quote in ("'", '"', "`"):
        return command.partition(quote)[0]
    return re.sub(r"['\"`)]+$", "", command) if _is_open(command) else command


def _is_open(command: str) -> bool:
    """True if a quotation began before the command."""
    is_in_brackets = command.count(")") > command.count("(")
    return is_in_brackets or any(command.count(mark) % 2 for mark in "'\"`")


def prompt_of(text: str) -> re.Match[str] | None:
    return _PROMPT.match(text)


def changes_nothing(words: str) -> bool:
    """True if a command after a prompt changes nothing between two starts of a program."""
    return any(of.search(words) for of in (LOADED, ASSIGNED)) or bool(_NEUTRAL.match(words))


def commands_of(text: str, prompt: re.Match[str] | None) -> list[str]:
    """The commands of a line that are chained by ; or &&; the whole line where nothing shows that
    a shell ran it."""
    words = " ".join((text[prompt.end() :] if prompt else text).replace("\\\n", " ").split())
    if ";" not in words and "&&" not in words:
        return [words]
    first, *others = _CHAINED.split(words)
    is_shell = prompt or any(of.search(first) for of in (LOADED, ASSIGNED)) or started_in(first)
    return [first, *others] if is_shell else [words]


def processes_of(command: str) -> int | None:
    """The number of processes that a launcher is asked for, over all programs that it starts
    together; None where its options do not show it. Without a launcher, such options before the
    program are read."""
    command = " ".join(command.replace("\\\n", " ").split())
    launchers = list(_LAUNCHER.finditer(command[: _program_at(command)]))
    if not launchers:
        return _by_options(_WRAPPED.sub(" ", command))
    last = launchers[-1]
    processes = _of_sets if last[0] == "jsrun" else _by_options
    processes = _of_hosts if _OPEN_MPI.fullmatch(last[0]) else processes
    counts = [processes(part) for part in _NEXT_PART.split(command[last.end() :])]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _program_at(part: str) -> int:
    """Where the program begins; the end without one."""
    before, at = "", 0
    for word in re.finditer(r"\S+", part):
        is_program = re.match(rf"['\"]?(?:\S*/)?(?:{_PROGRAMS})", word[0])
        if is_program and "=" not in word[0] and not _FILE_OPTIONS.fullmatch(before):
            return word.start()
        before, at = word[0], word.end()
    return at


def _by_options(part: str) -> int | None:
    part = part[: _program_at(part)]
    every, nodes, each = (of.search(part) for of in (_PROCESSES, _NODES, _A_NODE))
    if every:
        return int(every[1])
    return int(nodes[1]) * int(each[1]) if nodes and each else None


def _of_hosts(part: str) -> int | None:
    """Open MPI's processes, which follow from its hosts if no number is given."""
    options = part[: _program_at(part)]
    every, each = (of.search(options) for of in (_OPEN_MPI_PROCESSES, _EACH_HOST))
    known = int(every[1]) if every else _by_options(part)
    listed = _HOSTS.findall(options)
    if known is not None or len(listed) != 1:
        return known
    hosts = [host for host in listed[0].split(",") if host]
    if each:
        return int(each[1]) * len({host.partition(":")[0] for host in hosts})
    slots = [_SLOTS.fullmatch(host) for host in hosts]
    others = [at for at in _OPTION.finditer(options) if not _FILLS_SLOTS.match(options, at.end())]
    counts = [int(slot[2]) for slot in slots if slot]
    return sum(counts) if counts and len(counts) == len(hosts) and not others else None


def _of_sets(part: str) -> int | None:
    """The tasks of jsrun, whose -n counts resource sets."""
    part = part[: _program_at(part)]
    every, sets, each = (of.search(part) for of in (_TASKS, _RESOURCE_SETS, _A_RESOURCE_SET))
    if every or not sets:
        return int(every[1]) if every else None
    return int(sets[1]) * (int(each[1]) if each else 1)


def normal(command: str) -> str:
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


def without_nodes(command: str) -> str:
    """A normal command without what depends on the number of processes."""
    at = _program_at(command)
    return " ".join((_OF_NODES.sub("", f"{command[:at]} ") + command[at:]).split())
