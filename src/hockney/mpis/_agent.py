"""The command that reaches another host: ssh, or what the MPI's launcher was told to use."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence

SSH = ("ssh", "-o", "BatchMode=yes")
"""Nobody is there to type a password."""


def agent_commands(variables: Sequence[str], hosts: Sequence[str], script: str) -> list[list[str]]:
    """A command a host. `variables` name the agent, the first that is set; this host needs none."""
    told = next((os.environ[name] for name in variables if os.environ.get(name)), None)
    agent = shlex.split(told) if told else list(SSH)
    return [["sh", "-c", script] if _is_here(host) else [*agent, host, script] for host in hosts]


def _is_here(host: str) -> bool:
    name = platform.node()
    return host in {"localhost", name, name.partition(".")[0]}
