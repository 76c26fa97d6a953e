"""The control variables of an MPI library's collectives, as the engine reads them through MPI_T."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

import msgspec

from hockney.errors import HockneyError
from hockney.mpis import COMMAND_TIMEOUT_S, Engine


class Control(msgspec.Struct, kw_only=True):
    """A control variable; choices are those of an enumeration."""

    name: str
    description: str | None = None
    value: str | None = None
    choices: list[str] = []


def read_controls(engine: Engine) -> dict[str, Control]:
    """All of them by name, with their values in this environment. Starts no MPI program."""
    done = _run(engine, {})
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise HockneyError(
            f"the control variables of the MPI library cannot be read: {said}",
            "unset the variables that it refuses",
        )
    controls = [_decoder.decode(line) for line in _text(done.stdout).splitlines()]
    return {control.name: control for control in controls}


def accepts(engine: Engine, name: str, value: str) -> bool:
    """Whether the library takes `value` for its variable `name` from the environment."""
    return _run(engine, {name: value}).returncode == 0


_decoder = msgspec.json.Decoder(Control)


def _text(stdout: bytes) -> str:
    """Descriptions are anybody's words, not always UTF-8."""
    return stdout.decode(errors="replace")


def _run(engine: Engine, added: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            [engine.path, "algorithms"],
            capture_output=True,
            timeout=COMMAND_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **added},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(f"{engine.path} cannot be run: {error}") from error
