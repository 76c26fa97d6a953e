"""A launcher whose command the user gives: --launch 'aprun -n {ranks} {command}'."""

from __future__ import annotations

import os
import shlex
import shutil
import string
from collections.abc import Sequence

from hockney.base.confidential import redacted
from hockney.base.errors import UsageError
from hockney.plan import Case, Placement
from hockney.run.launchers import LAUNCHERS, Launcher
from hockney.run.mpis import Mpi

COMMAND = "command"
PLACEHOLDERS = ("ranks", "ranks_per_node", "nodes", "hosts", COMMAND)
VARIABLE = "HOCKNEY_LAUNCH"
"""The variable with the template of every run that names no launcher."""


class _Template(Launcher):
    """The template, split into words, is `programs`."""

    def command(self, program: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:  # noqa: ARG002
        return self._filled(case.placement, engine)

    def _filled(self, placement: Placement, command: Sequence[str]) -> list[str]:
        words: list[str] = []
        for word in self.programs:
            if word == f"{{{COMMAND}}}":
                words += command
            else:
                named = {name: _value(name, placement, command) for name in _fields(word)}
                words.append(word.format(**named))
        return words

    def reach(self, program: str, placement: Placement, script: str) -> list[list[str]]:
        if placement.hosts:
            return super().reach(program, placement, script)
        nodes = placement.node_count or 1
        one_each = Placement(ranks=nodes, nodes=nodes, ranks_per_node=1)
        return [self._filled(one_each, ["sh", "-c", script])]


def template_of(placement: Placement) -> str | None:
    """The template of a placement; that of the environment where it names no launcher. Simulations
    have their own launcher."""
    if placement.platform is not None:
        return None
    if placement.launch is not None or placement.launcher:
        return placement.launch
    return os.environ.get(VARIABLE) or None


def template_launcher(template: str, placement: Placement) -> Launcher:
    """The launcher of a template; raises UsageError where it cannot start a placement's ranks."""
    where = f"--launch {template!r}"
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error
    try:
        fields = [name for word in words for name in _fields(word)]
    except ValueError as error:
        raise UsageError(f"{where}: {error}", "write {{ and }} for braces") from error
    unknown = sorted(set(fields) - set(PLACEHOLDERS))
    if unknown:
        raise UsageError(
            f"{where}: there is no placeholder {{{unknown[0]}}}",
            f"there are {', '.join(f'{{{name}}}' for name in PLACEHOLDERS)}",
        )
    if COMMAND not in fields:
        raise UsageError(
            f"{where} has no {{{COMMAND}}}",
            "write where the program goes: 'aprun -n {ranks} {command}'",
        )
    if _fields(words[0]) or shutil.which(words[0]) is None:
        raise UsageError(f"{where}: {words[0]}: no such command")
    if redacted(words) != words:
        raise UsageError(
            f"--launch of {words[0]}: a word looks like a credential, and result files keep them",
            "set it in the environment instead",
        )
    if "hosts" in fields and not placement.hosts:
        raise UsageError(f"{where}: no hosts are known", "name them with --hosts")
    # The launcher behind it is unknown: the messages of any may appear.
    every = [
        failure for module in LAUNCHERS.all().values() for failure in module.LAUNCHER.start_failures
    ]
    return _Template(name=words[0], programs=tuple(words), start_failures=tuple(every))


def _fields(word: str) -> list[str]:
    """The names of the placeholders of a word; raises ValueError where one has a format."""
    fields = []
    for _, name, form, conversion in string.Formatter().parse(word):
        if form or conversion:
            raise ValueError(f"{{{name}}} takes no format")
        if name is not None:
            fields.append(name)
    return fields


def _value(name: str, placement: Placement, command: Sequence[str]) -> str:
    """What a placeholder stands for; without nodes, this host is the only one."""
    if name == COMMAND:
        return shlex.join(command)
    return {
        "ranks": str(placement.ranks),
        "ranks_per_node": str(placement.per_node or placement.ranks),
        "nodes": str(placement.node_count or 1),
        "hosts": ",".join(placement.hosts[: placement.node_count]),
    }[name]
