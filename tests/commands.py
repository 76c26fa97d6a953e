"""Runs of the command, in this process or one of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest
from click.testing import CliRunner

from hockney import cli
from hockney.base.printable import guard_output
from hockney.run.measure.preparation import setup
from hockney.run.measure.toolchain import mpi as find

ONCE = (setup._mpi_and_engine, find.kind_of, find.why_not_whole)
"""What a process finds out once, by its environment."""


@dataclass(frozen=True)
class Done:
    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """What --json printed."""
        return json.loads(self.stdout)

    @property
    def records(self) -> list[dict[str, Any]]:
        """Records on whole lines: two ranks that fail may garble each other's."""
        records = []
        for line in self.stdout.splitlines():
            with suppress(ValueError):
                records.append(json.loads(line))
        return records

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["kind"] == kind]


@dataclass(frozen=True)
class RunCommand:
    """A command that takes words: hockney("show", "run.jsonl")."""

    run: Callable[..., Done]

    def __call__(self, *words: str, **how: Any) -> Done:
        return self.run(*words, **how)

    def ok(self, *words: str, **how: Any) -> Done:
        """A run that must end well."""
        done = self.run(*words, **how)
        assert done.status == 0, done.stderr
        return done

    def refused(self, *words: str, because: str, **how: Any) -> Done:
        """A run that must be refused with these words before anything starts."""
        done = self.run(*words, **how)
        assert done.status == 2, done.stderr
        assert because in done.stderr
        return done


RunHockney = RunEngine = RunCommand


@contextmanager
def in_environment(env: Mapping[str, str]) -> Iterator[None]:
    """Variables for a command in this process, which then knows nothing that it has found out under
    others."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        for once in ONCE if env else ():
            once.cache_clear()
        yield
    for once in ONCE if env else ():
        once.cache_clear()


def run_here(arguments: Sequence[str]) -> Done:
    """Runs the command in this process; returns its output and status."""
    with CliRunner().isolation() as (stdout, stderr, _):
        guard_output()
        status = cli.run(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        # before the streams are put back: the guarded ones close what they are on
        return Done(status, stdout.getvalue().decode(), stderr.getvalue().decode())
