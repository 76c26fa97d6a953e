"""Reads the control variables of an MPI library's collectives, with the engine, through MPI_T."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from hockney.base.errors import HockneyError
from hockney.run.mpis import COMMAND_TIMEOUT_S, Control, Engine, ask_command


def read_controls(engine: Engine) -> dict[str, Control]:
    """The control variables of collectives by name, with their values in this environment. Starts
    no MPI program."""
    return _read(engine, {}, every=False)


def all_controls(
    engine: Engine, env: Mapping[str, str], timeout_s: float = COMMAND_TIMEOUT_S
) -> dict[str, Control]:
    """Every control variable by name, with its value in this environment and `env`."""
    return _read(engine, env, True, timeout_s)


def _read(
    engine: Engine, env: Mapping[str, str], every: bool, timeout_s: float = COMMAND_TIMEOUT_S
) -> dict[str, Control]:
    done = _run(engine, env, every, timeout_s)
    if done.returncode != 0:
        reason = done.stderr.strip() or f"exit status {done.returncode}"
        raise HockneyError(
            f"the control variables of the MPI library cannot be read: {reason}",
            "unset the environment variables that it refuses",
        )
    controls = {}
    for line in done.stdout.splitlines():
        with suppress(msgspec.DecodeError):  # the library and what it loads may print as well
            control = _decoder.decode(line)
            controls[control.name] = control
    return controls


def accepts(engine: Engine, name: str, value: str) -> bool:
    """True if the library accepts `value` for its variable `name` from the environment."""
    return _run(engine, {name: value}).returncode == 0


_decoder = msgspec.json.Decoder(Control)


def _run(
    engine: Engine,
    added: Mapping[str, str],
    every: bool = False,
    timeout_s: float = COMMAND_TIMEOUT_S,
) -> subprocess.CompletedProcess[str]:
    words = ["algorithms", *(["all"] if every else [])]
    limit_s = min(timeout_s, COMMAND_TIMEOUT_S)
    try:
        return ask_command(engine.path, *words, env={**engine.env, **added}, timeout_s=limit_s)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(f"{engine.path} cannot be run: {error}") from error
