"""The command that reaches another host: ssh, or the agent set for the MPI's launcher."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence

SSH = ("ssh", "-o", "BatchMode=yes")
"""BatchMode: never ask for a password."""


def agent_commands(variables: Sequence[str], hosts: Sequence[str], script: str) -> list[list[str]]:
    """A command for each host. The first of `variables` that is set names the agent; this host
    needs none."""
    agent_words = next((os.environ[name] for name in variables if os.environ.get(name)), None)
    agent = shlex.split(agent_words) if agent_words else list(SSH)
    return [["sh", "-c", script] if _is_here(host) else [*agent, host, script] for host in hosts]


def _is_here(host: str) -> bool:
    name = platform.node()
    return host in {"localhost", name, name.partition(".")[0]}
