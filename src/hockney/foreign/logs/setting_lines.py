"""Lines in which people, scripts and libraries describe a table's setting in words of their own.

Such a line may be about one launch only (its time, host or job), or belong to the table above it:
these words are ignored, and tables are separated only where each has a value and they differ."""

from __future__ import annotations

import re

from hockney.foreign.logs.commands import LIBRARIES, processes_of
from hockney.foreign.logs.log import Log

CLOCK = re.compile(r"\d\d:\d\d|\d{4}-\d\d-\d\d")
_OF_NODES = r"(?! ?(?:nodes?|hosts?|ranks?|process\w*|procs|tasks?|cores?|threads?|gpus?|ppn)\b)"
_RUN = "run|launch|iteration|iter|trial|repeat|repetition|rep|try|pass|attempt|sample|round|job"
_COUNTED = re.compile(
    rf"\b({_RUN})(?: (?:number|no\.?|nr\.?))?[ .:#_-]{{0,3}}\d+(?: ?(?:of|/) ?\d+)?\b{_OF_NODES}"
    rf"|\b(?:first|second|third|fourth|fifth|last|\d+(?:st|nd|rd|th)) ((?:{_RUN})\b)|#\d+\b",
    re.IGNORECASE,
)
"""Numbers of launches, which do not make another setting."""

_UNIT = r"(?:MPI[ -]?)?(?:ranks|processes|procs|tasks)"
_RANKS = re.compile(
    r"\s*(?:[#*=>-]+ *)?(?:"
    rf"(?:total )?(?:number of |no\. of |num )?{_UNIT}\s*[:=]\s*(\d{{1,9}})"
    r"|(?:export |declare -x )?(?:SLURM_N(?:TASKS|PROCS)|(?:SLURM_)?NPROCS|NTASKS|NRANKS|NP)"
    r"\s*[:=]\s*\"?(\d{1,9})\"?"
    r"|(?:running|launching|starting|testing|using|executing)\b[^:\d]{0,40}? "
    rf"(\d{{1,9}}) {_UNIT}\b(?! ?(?:per|/|a|each)\b)(?: on .{{0,60}})?"
    rf"|(\d{{1,9}}) {_UNIT}"
    r")[\s.=*#-]*",
    re.IGNORECASE,
)
"""Lines that show the number of processes of the tables below."""

_OF_LIBRARIES = (
    re.compile(rf"\b((?:{LIBRARIES})_\w+) set by environment to (\S.{{0,80}}?)[\s.]*$"),
    re.compile(r"\b(NCCL) INFO Using network (\S.{0,40}?)\s*$"),
    re.compile(r"MPI startup\(\): (libfabric provider|libfabric version|library kind): (\S+)"),
    re.compile(r"MPI startup\(\): (Intel\(R\) MPI) Library, Version ([\w.]+)"),
    re.compile(r"^\s*PE \d+:\s+(MPICH_\w+)\s*=\s*(\S.{0,80}?)\s*$"),
    re.compile(r"\b(UCX)\s+INFO\s+Version (\S+)"),
)
_VARIABLES_OF_UCX = re.compile(r"\bUCX_\* env variables?: (.{1,1000})")
_VARIABLE = re.compile(r"(UCX_(?!LOG_)\w{1,60})=(\S{1,80})")

_LEVEL = r"(?:\[[A-Za-z]{2,10}\]:?\s*|[A-Z]{4,8}:\s+)?"
_KEYED = re.compile(
    rf"\s*{_LEVEL}(?:[*-]\s+|#+ *(?=[\w ./-]+=))?"
    r"([A-Za-z][\w ./-]{0,40}?)(\s*[:=]\s*)['\"]?(\S.{0,100}?)['\"]?\s*"
)
_OF_A_LAUNCH = (
    "date time times start started starting end ended elapsed real user sys duration uptime"
    " finished began timestamp job jobid pid id ids uuid host hostname node nodename nodelist"
    " nodefile hosts hostfile hostlist server client master addr address ip port file files log"
    " logs output out path dir directory folder cwd pwd tmp home workdir run runs iteration iter"
    " trial rep repetition launch seed attempt sample round name mail temperature power energy"
    " memory mem load bandwidth latency throughput rate avg average mean min max median total"
    " exit return code rc status state result results warning warn error errors fatal note notes"
    " info debug hint command cmd url usage see count progress rank pe srun mpirun mpiexec"
    " slurmstepd salloc sbatch orted prte hydra ssh bash sh queue priority reason account qos"
    " limits message messages size sizes retry retries loss lost"
)
"""Words of keys whose values differ between launches of one setting, or are results."""
_COUNTS = (
    "nodes nnodes ppn npn threads nthreads cores ncores gpus ngpus sockets numa streams queues"
    " qps channels window rails nics hops level algo alg algorithm threshold eager rndv segment"
    " chunk depth fanout radix degree protocol mode inline mtu version"
)
"""Words of keys whose whole numbers are settings."""
_VERSIONS = (
    "version release kernel driver firmware fw cuda rocm nccl rccl ucx ofed mpi openmpi mpich gcc"
    " libfabric ofi os"
)
"""Words of keys whose numbers with a point are versions, not results."""
_LAUNCH_WORDS, _COUNT_WORDS, _VERSION_WORDS = (
    frozenset(words.split()) for words in (_OF_A_LAUNCH, _COUNTS, _VERSIONS)
)
_DATES = re.compile(
    rf"{CLOCK.pattern}|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}\b|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\b"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d"
    r"|\d ?(?:[num]?s|secs?|seconds?|mins?|minutes?|hours?|GHz|MHz|[KMGT]i?B/s)\b|\d ?%|\d+m\d"
)
"""Times and what else is measured."""
_ENDS = re.compile(
    r"warn|error|fail|abort|exit|done\b|finish|complet|ended|end of|saved|written|wrote|cannot"
    r"|couldn't|success|passed|\bok\b|thank|bye|queued|allocat|submitted|killed|signal"
    r"|\b(?:start|begin|end)\b",
    re.IGNORECASE,
)
"""Words of messages about a launch."""
_FILE = re.compile(r"\.(?:log|out|err|txt|csv|sh|json|dat)\b")
_IDENTITY = re.compile(r"0x[0-9a-f]{2,}|\d{6,}|^\d+:")
_NUMBERED = re.compile(
    r"\b(test|case|measurement|loop|step|batch|series|benchmark|experiment|index)[ .:#_-]{0,3}\d+\b"
    rf"{_OF_NODES}",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"(?<!\S)(?!(?:(?:open|o|i|intel)?mpi|mpich|mvapich|ucx|ofi|gcc|cuda|nccl|rccl|hpcx|osu|omb|lib"
    r"|eth|ib|hsn|mlx|roce|cxi|coll|v)[\d._/-]*(?=[\s,]|$))([a-z][a-z-]*)\d+(?:[.-][\w.-]*)?(?=[\s,]|$)"
)
"""Names of nodes."""
_MOST_WORDS = 6
_LABEL = re.compile(r"(?![#\[<{|$/])[^:;@\[\]<>{}|]{2,60}")
_LOADING = re.compile(
    r"\s*(?:Loading|Loaded|Using|Unloading)(?: modules?)?:? "
    r"((?:[\w.+-]+/v?\d[^\s,]*(?:[ ,]+|$))+)\s*"
)
LISTING = re.compile(r"\s*Currently Loaded Modul(?:es|efiles):?\s*")
_LISTED = re.compile(r"(?:^|\s)\d{1,3}\) +(\S+)")


def without_count(text: str) -> str:
    """The words without numbers of launches."""
    return _COUNTED.sub(r"\1\2", text)


def ranks_in(text: str) -> int | None:
    """The number of processes that a line shows; None without one."""
    match = _RANKS.fullmatch(text)
    return next(int(each) for each in match.groups() if each) if match else None


def processes_by_line(log: Log, program: re.Pattern[str]) -> tuple[dict[int, int], dict[int, int]]:
    """The numbers of processes that commands of the program ask for, and those that other lines
    show, each by its first line."""
    commands, others = dict[int, int](), dict[int, int]()
    for line, text in log.joined():
        processes = processes_of(text) if program.search(text) else None
        if processes is not None:
            commands[line] = processes
        elif (count := ranks_in(text)) is not None:
            others[line] = count
    return commands, others


def by_library(text: str) -> dict[str, str]:
    """The settings that a library prints in this line."""
    settings = {m[1]: m[2] for of in _OF_LIBRARIES if (m := of.search(text))}
    variables = _VARIABLES_OF_UCX.search(text)
    return {**settings, **dict(_VARIABLE.findall(variables[1] if variables else ""))}


def keyed(text: str) -> tuple[str, str] | None:
    """The key and the value of a line that is a setting."""
    match = _KEYED.fullmatch(text)
    if match is None or ranks_in(text) is not None:
        return None
    key, sign, value = match.groups()
    words = set(re.split(r"[\s_./-]+", re.sub(r"\d+", "", key).lower()))
    is_host = key.islower() and any(map(str.isdigit, key))
    if len(words) > _MOST_WORDS or len(key) == 1 or is_host:
        return None
    is_assigned = sign == "=" and not words & _LAUNCH_WORDS and not _IDENTITY.search(value)
    is_count = is_assigned or words & _COUNT_WORDS
    is_setting = is_count if value.isdecimal() else _is_words(words, value)
    name = key if key.isupper() and "_" in key else re.sub(r"\s*\d+", "", key).lower()
    return (name, _without_nodes(value)) if is_setting else None


def _is_words(key: set[str], value: str) -> bool:
    """True if the value is words, and not specific to a launch."""
    is_number = re.fullmatch(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?(?:\s\D*)?", value)
    is_measured = is_number and not key & _VERSION_WORDS
    strange = any(of.search(value) for of in (_DATES, _ENDS, _FILE, _IDENTITY))
    return not (key & _LAUNCH_WORDS or is_measured or strange)


def label(text: str) -> str | None:
    """The words of a plain line that may name the setting of the table below it."""
    text = text.strip()
    match = _LABEL.fullmatch(text)
    is_short = match and len(text.split()) <= _MOST_WORDS and not text.endswith(".")
    is_other = any(of.search(text) for of in (_DATES, _ENDS, _FILE))
    if not is_short or is_other or _KEYED.fullmatch(text):
        return None
    if text[-1:].isdigit() and _LAUNCH_WORDS & set(text.lower().split()):
        return None
    words = re.sub(r"\d{5,}", "", _without_nodes(text)).strip()
    return words if re.search(r"[A-Za-z]{2}", words) and ranks_in(text) is None else None


def _without_nodes(text: str) -> str:
    """The words without numbers of launches and nodes."""
    words = _NUMBERED.sub(r"\1", without_count(text))
    return " ".join(_HOST.sub(r"\1", words).split())


def loading(text: str) -> str | None:
    """The modules that a line says are being loaded."""
    match = _LOADING.fullmatch(text)
    return " ".join(match[1].replace(",", " ").split()) if match else None


def listed(text: str) -> list[str]:
    """The modules in a line of a numbered list."""
    return _LISTED.findall(text)
