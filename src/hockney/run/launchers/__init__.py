"""Launchers, one file each: what starts the ranks of a program, whatever its MPI library.

A launcher is recognised by the words of its `--version`, or by the name of its program. The class
Launcher starts ranks as MPI's standard says (`mpiexec -n RANKS PROGRAM`); a module's LAUNCHER
shows where its launcher differs.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hockney.base.errors import HockneyError, UsageError
from hockney.base.registry import Registry
from hockney.plan import Case, Placement
from hockney.run.mpis import Mpi

COMMAND_TIMEOUT_S = 60.0
"""Long, because a busy controller answers late."""
SSH = ("ssh", "-o", "BatchMode=yes")
"""BatchMode: never ask for a password."""


@dataclass(frozen=True, kw_only=True)
class Launcher:
    name: str
    """The name in records."""
    programs: tuple[str, ...]
    """Names of its program, the most usual first."""
    says: str | None = None
    """Regular expression found in the output of its `--version`; None where the name of the program
    identifies it."""
    number: str | None = None
    """Regular expression whose first group is the version in that output; None for its first
    line."""
    starts: tuple[str, ...] = ()
    """The libraries whose programs it starts, its own first; empty for those of any library."""
    start_failures: tuple[str, ...] = ()
    """Messages of transient failures. Only failures before any rank reports count as transient."""
    unbound: tuple[str, ...] = ()
    """Options by which it leaves ranks unpinned, because the engine pins."""
    ranks: str = "-n"
    """The option for the number of ranks."""
    per_node: str | None = None
    """The option for the ranks of each node."""
    in_turn: tuple[str, ...] | None = None
    """Options by which neighbouring ranks are on different nodes; None where there are none."""
    hosts: str | None = None
    """The option for hosts."""
    between_hosts: str = ","
    host_file: str | None = None
    """The option for a file with a host in each line."""
    host_list: tuple[str, str] | None = None
    """The option for hosts in a script, and the printf format of a host and its slots."""
    agents: tuple[str, ...] = ()
    """Variables that name the command which reaches another host, instead of ssh."""

    def version(self, program: Path, words: str) -> str | None:
        """The version of the launcher `program`, whose `--version` printed `words`; None for a
        launcher of another kind."""
        known = program.name in self.programs if self.says is None else re.search(self.says, words)
        if not known:
            return None
        number = re.search(self.number, words) if self.number else None
        return number[1] if number else words.strip().partition("\n")[0] or program.name

    def command(self, program: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:  # noqa: ARG002
        """The command line by which the launcher `program` starts `engine` on all ranks of a
        case."""
        placement = case.placement
        words = [program, *self.unbound, *self._hosts_of(placement)]
        return [*words, *self._layout(placement), *self._count(placement), *engine]

    def _count(self, placement: Placement) -> list[str]:
        return [self.ranks, str(placement.ranks)]

    def _hosts_of(self, placement: Placement) -> list[str]:
        hosts = placement.hosts[: placement.node_count]
        if not hosts:
            return []
        if self.hosts is None:
            raise self._cannot("take hosts", "leave out --hosts")
        return [self.hosts, self.between_hosts.join(hosts)]

    def _layout(self, placement: Placement) -> list[str]:
        """Options for the ranks of each node."""
        each = placement.per_node
        if placement.place == "node" and each != 1:
            if self.in_turn is None:
                raise self._cannot("place neighbours on different nodes", "leave out --place node")
            return list(self.in_turn)
        if each is None:
            return []
        if self.per_node is None:
            raise self._cannot("take a number of ranks per node", "leave out --nodes")
        return [self.per_node, str(each)]

    def _cannot(self, what: str, advice: str) -> UsageError:
        return UsageError(
            f"{self.name} cannot {what}",
            f"{advice}, or write its command with --launch (docs/clusters.md)",
        )

    def reach(self, program: str, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG002
        """Commands that together run a shell script once on each node: one for each host, over ssh
        or the first of `agents` that is set. This host needs none."""
        agent = next((os.environ[name] for name in self.agents if os.environ.get(name)), None)
        words = shlex.split(agent) if agent else list(SSH)
        hosts = placement.hosts[: placement.node_count]
        return [
            ["sh", "-c", script] if _is_here(host) else [*words, host, script] for host in hosts
        ]

    def end_strays(self) -> None:
        """Ends ranks of this process that survive a killed launcher. Most launchers take their
        ranks with them."""


def _is_here(host: str) -> bool:
    name = platform.node()
    return host in {"localhost", name, name.partition(".")[0]}


class LauncherModule(Protocol):
    LAUNCHER: Launcher


LAUNCHERS = Registry(__name__, "launcher", LauncherModule, group="hockney.launchers", separator="_")
UNKNOWN = "standard"
"""The launcher for unrecognised programs."""


def launcher_named(name: str) -> Launcher:
    return LAUNCHERS.find(name).LAUNCHER


def own_launcher(mpi: Mpi) -> Launcher:
    """The launcher that belongs to the MPI."""
    return launcher_named(mpi.launcher)


def recognised(program: Path, words: str) -> tuple[str, str]:
    """The module of the launcher `program`, whose `--version` printed `words`, and its version."""
    for name, module in LAUNCHERS.all().items():
        version = module.LAUNCHER.version(program, words)
        if version is not None:
            return name, version
    return UNKNOWN, words.strip().partition("\n")[0] or "its version is unknown"


def given(options: Mapping[str, object]) -> list[str]:
    """The options that have a value, each in one word."""
    return [f"{name}={value}" for name, value in options.items() if value]


def our_name() -> str:
    """The name of jobs and steps that this process starts, by which survivors are found."""
    return f"hockney-{os.getpid()}"


def answer(command: Sequence[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs one of a scheduler's commands."""
    try:
        return subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_TIMEOUT_S,
        )
    except FileNotFoundError as error:
        raise UsageError(
            f"{command[0]} not found: is this a login node of such a cluster?",
            "without --submit the script is printed; submit it there",
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(f"{command[0]}: {error}") from error
