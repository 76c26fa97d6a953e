"""The journal of a suite: one line for each finished run, so that --resume can continue."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import msgspec

from hockney import records
from hockney.base.errors import HockneyError, UsageError
from hockney.base.result_file import ResultFile
from hockney.plan import Plan, difference, plan_of, stored
from hockney.run.measure.sessions.resume import FINISHED

NAME = "suite.jsonl"
LEFT_OUT = "left out: "
"""What the reason of a run begins with that was not measured, before why."""


class Entry(msgspec.Struct):
    """One run of the suite and how it ended."""

    file: str
    label: str
    reason: str
    options: dict[str, object]
    """The plan of the run, as in a run record; empty if the run was left out."""

    @property
    def is_left_out(self) -> bool:
        return self.reason.startswith(LEFT_OUT)


class Journal:
    """The directory of a suite."""

    def __init__(self, directory: Path, resume: bool) -> None:
        self.directory = directory
        path = directory / NAME
        if path.exists() and not resume:
            raise UsageError(
                f"{directory} already holds a suite",
                "continue it with --resume, or name another directory with -o",
            )
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{directory} cannot be made: {error.strerror}") from error
        self._file = ResultFile(path, resume=resume)
        self._entries: dict[str, Entry] = {}
        for line in path.read_bytes().splitlines():
            try:
                entry = msgspec.json.decode(line, type=Entry)
            except ValueError as error:
                raise UsageError(f"{path}: {error}") from error
            self._entries[entry.file] = entry

    def close(self) -> None:
        """Releases the lock on the journal."""
        self._file.close()

    def __iter__(self) -> Iterator[Entry]:
        """The runs that were measured, or tried."""
        return (entry for entry in self._entries.values() if not entry.is_left_out)

    def is_done(self, file: str, plan: Plan) -> bool:
        """True if this plan is measured already. Raises UsageError if the plan changed."""
        entry = self._entries.get(file)
        if entry is None or entry.is_left_out:
            return False
        before = plan_of(entry.options)
        if (
            before is None
            or before.sampling != plan.sampling
            or difference(before, plan) is not None
        ):
            raise UsageError(
                f"{self.directory / file} holds another plan: the suite has changed",
                "put the results of the changed plan into another directory with -o",
            )
        return entry.reason in FINISHED and (self.directory / file).exists()

    def set_aside(self, file: str) -> str | None:
        """Renames the file of a finished run that is no longer whole, so that it is measured again,
        and returns what was wrong and where the rest is. None if the file is whole."""
        path = self.directory / file
        if (why := _why_not_whole(path)) is None:
            return None
        names = (path.with_name(f"{file}.damaged-{number}") for number in count(1))
        left = next(name for name in names if not name.exists())
        try:
            path.rename(left)
        except OSError as error:
            raise HockneyError(
                f"{path} is not whole ({why}), and cannot be renamed: {error.strerror}",
                "move it away, then continue with --resume",
            ) from error
        return f"{file} is not whole ({why}): it is measured again, and the rest is in {left.name}"

    def files(self) -> list[Path]:
        """Result files of the finished runs."""
        done = (entry for entry in self if entry.reason in FINISHED)
        return [self.directory / entry.file for entry in done]

    def note(self, file: str, label: str, plan: Plan, reason: str) -> None:
        self._add(Entry(file, label, reason, stored(plan)))

    def note_left_out(self, file: str, label: str, why: str) -> None:
        """Notes a run that is not measured, unless an earlier part of this suite measured it."""
        before, entry = self._entries.get(file), Entry(file, label, LEFT_OUT + why, {})
        if before is None or (before.is_left_out and before != entry):
            self._add(entry)

    def _add(self, entry: Entry) -> None:
        self._entries[entry.file] = entry
        self._file.write(msgspec.json.encode(entry) + b"\n")


def _why_not_whole(path: Path) -> str | None:
    """Why the file of a finished run does not hold all of it; None if it does."""
    try:
        run = records.read(path)
    except HockneyError as error:
        return error.message.removeprefix(f"{path}: ")
    if run.cut is None and (run.finish is None or run.finish.reason not in FINISHED):
        return "it does not record the end of the run"
    return run.cut
