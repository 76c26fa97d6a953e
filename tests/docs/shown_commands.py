"""The commands that pages show, and what each is run as here: short, with simulated nodes."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from hockney.cli import cli
from hockney.cli._verb import MeasuringVerb

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = re.compile(r"^ {4,}(?:\$ |salloc [^h]*)?(hockney [a-z].*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"\b(VERB|OPTIONS)\b|\[|\w\|\w|\.\.\.$")
"""[OPTIONS], VERB, slurm|pbs: what a reader fills in. FILE would do as a name."""
IN_TABLE = re.compile(r"`(hockney [a-z][^`]*)`")
"""Commands between backticks, as a table has them."""

NOT_RUN = {
    r"--topology \S+": "needs the switches of a cluster: tests/simgrid/test_fabric.py",
    r"hockney suite ": "takes minutes: tests/cli/test_suite.py",
    r"reproduce (claim\.toml|.*--hosts)": "needs a claim, or nodes: tests/cli/test_reproduce.py",
    r"hockney calibrate": "takes half a minute: tests/cli/test_calibrate.py",
    r"hockney (profile|replay) |tune --profile": "needs a program: tests/profiling",
    r"tune (--check|pingpong|pairs)|--deploy": "starts MPI often: tests/tuning",
    r"mpicc=|--mpicc|--engine|env:": "needs other libraries: tests/cli/test_vary.py",
    r"cpus=0,1;0,2|pairs-active 1,2,4,\.\.\.,all$": "needs more than two CPUs",
    r"overheads .*--budget 30s": "needs its half minute: tests/models/test_loggp.py",
    r"@\w+\.toml": "needs a file of variants: tests/cli/test_vary.py",
    r"--without-bad-nodes": "needs hosts: tests/measure/test_fewer_nodes.py",
    r"--memory": "needs an accelerator: tests/engine/test_devices.py, tests/cli/test_memory.py",
    r"^(?!.*--platform).*--gate": "is for a quiet machine: tests/cli",
    r"--over |--tails": "is for hours: tests/cli",
    r"hockney explain ": "both stand-ins are one run: tests/analysis/test_explanation.py",
    r"hockney watch ": "goes on for ever: tests/cli/test_watch.py",
    r"hockney doctor": "judges this machine: tests/measure/doctor",
    r"--platform (machine\.xml|\S+:(1024|64)\b)": "takes minutes: tests/simgrid",
    r"smpi/send-is-detached-thresh": "run by test_shown.py, with what it prints",
    r"^(?!.*--nodes).* -n (2\.\.)?64\b": "64 ranks on two cores take minutes: tests/simgrid",
    r"congestion .*--load-sizes 1KiB": "an incast of 1 KiB stalls in SimGrid: the cause is unknown",
    r"--form blocking,put-fence,put-flush": "takes long on two cores: tests/engine",
    r"pairs --multi -o|multi-mode multi\.jsonl --json": "run simulated, in references.md",
    r"--ranks 16,64": "takes minutes on two cores: tests/cli/test_collective_study.py",
    r"--launch 'aprun": "needs that launcher: tests/launchers",
    r"hockney job ": "needs a scheduler that starts this MPI: tests/measure/test_job.py",
    r"2x16\.jsonl|4x32\.jsonl|nodes2\.jsonl nodes4": "needs two layouts of ranks: tests/tuning",
    r"tune .*(monday|friday|--beyond)": "needs days, and other ranks: tests/tuning",
    r"--to (goal|simgrid-trace)": "needs the order of calls: tests/profiling/test_order.py",
}
"""Commands of pages that are not run here, with the reason and the tests that run them."""


def shown(page: Path) -> list[str]:
    """The commands of a page, in order, without comments and what is behind a pipe."""
    text = page.read_text().replace("\\\n", " ")
    commands = SHOWN.findall(text)
    if page.name == "coverage.md":
        commands += IN_TABLE.findall(text)
    bare = (re.split(r"\s+#|\s+[|>]\s", command)[0] for command in commands)
    return [command for command in bare if not PLACEHOLDER.search(command)]


def written(words: list[str]) -> set[str]:
    return {words[at + 1] for at, word in enumerate(words[:-1]) if word == "-o"}


def why_not_run(command: str) -> str | None:
    return next((why for what, why in NOT_RUN.items() if re.search(what, command)), None)


@dataclass(frozen=True)
class Here:
    """A command as it is run here."""

    words: list[str]
    reads: list[str]
    """Files that it takes, which the page has made before or takes for granted."""


def here(command: str) -> Here:
    command = command.replace("$(date +%F)", "2026-01-02").replace("FILE...", "FILE")
    words = shlex.split(_simulated(command))[1:]
    verb = cli.get_command(click.Context(cli), words[0])
    if isinstance(verb, MeasuringVerb):
        return Here([*words, *_shortened(words)], [])
    made = written(words)
    reads = [word for word in words[1:] if NAME.search(word) and word not in made]
    writes = words[0] == "report" or (made and words[0] != "history")
    return Here([*words, *(["--force"] if writes else [])], reads)


NAME = re.compile(
    r"^[\w./-]+(\.jsonl|\.log|\.csv|\.out|\.txt|\.toml|/)$|^(FILE|DIRECTORY|RULES|rules)$"
)
OF_NODES = re.compile(r" (--nodes \d+|--hosts \S+|--ranks-per-node \d+|-n [\d.,]+|--place node)")


def _simulated(command: str) -> str:
    """The command with simulated nodes, four at most, in place of nodes that are not here."""
    if "--platform" in command or not re.search("--nodes|--hosts", command):
        return command
    bare = OF_NODES.sub("", command)
    nodes = re.search(r"--nodes (\d+)", command)
    number = min(4, int(nodes[1])) if nodes else 2
    if "hockney overlap" in command:
        return f"{bare} --platform cluster:2"
    return f"{bare} -n {2 * number} --platform cluster:{number} --ranks-per-node 2"


MANY_CASES = ("collective", "halo", "rma")
"""Verbs that time each size by many algorithms, ways and ranks: all their sizes take half a minute
on two cores. Those that a page names are kept."""
FEW_SIZES = "8,1KiB,64KiB"
PRESET_TO = ["--to", "1"]
"""A preset takes its own program's seconds for each size, up to this one."""


def _shortened(words: list[str]) -> list[str]:
    more = ["-q", "--force"]
    if words[0] in MANY_CASES and not {"--sizes", "--refine", "barrier"}.intersection(words):
        more += ["--sizes", FEW_SIZES]
    if "--to" in words:
        more += PRESET_TO
    if "--resume" in words:
        more.remove("--force")
    if words[0] != "startup":
        more += ["--budget", "1s" if "--multi" in words else "300ms"]
    more += ["--launches", "1"]
    if words[0] == "pingpong":
        more += ["--timeout", "300s"]  # ranks that take turns may need minutes a size
    return more
