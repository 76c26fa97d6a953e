"""Makes a profile of the files that the ranks of a program recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from hockney.base.errors import HockneyError
from hockney.profiling.kinds import MOST_ACTS, Acts, Blame, Calls, Profile, Program, RankRecord
from hockney.profiling.layout import (
    COARSE_BYTES,
    DATATYPES,
    ENDS,
    FIRST_BIN_TICKS,
    MEMORY_NAMES,
    NO_GROUP,
    NO_LAUNCHER,
    PROBLEM_NAME,
    TRACE_NAME,
    RankFile,
    Records,
    buffers_in,
    read_rank,
    text,
)
from hockney.profiling.waits import Waits, waits_of

LEAST_BLAME = 1e-3
"""Least fraction of a rank's waiting for which another rank is blamed."""


def collect(directory: Path, program: Program) -> Profile:
    """The profile of all ranks whose files are in the directory. Unreadable files are ignored;
    `cut` has the error of the last one, or the recorder's message."""
    profile = Profile(program)
    files = []
    for path in sorted(directory.iterdir()):
        if path.name.startswith((TRACE_NAME, ".")):
            continue
        if path.name == PROBLEM_NAME:
            profile.cut = text(path.read_bytes())
            continue
        try:
            files.append(read_rank(path))
        except (HockneyError, OSError) as error:
            profile.cut = str(error)
    if files:
        first_line = bytes(files[0].header["library"]).partition(b"\n")[0]
        library = text(b" ".join(first_line.split()))
        profile.program = replace(program, library=library or None)
    for job, of_job in enumerate(_jobs(files)):
        _add_job(profile, job, of_job)
    return profile


def _jobs(files: Sequence[RankFile]) -> Iterator[list[RankFile]]:
    """The ranks of each MPI_COMM_WORLD, by start. Jobs of different launchers are separated by the
    launcher's identity, successive ones of the same processes by their ranks, and those without a
    launcher by the time, too."""
    jobs: list[list[RankFile]] = []
    for file in sorted(files, key=lambda file: int(file.header["first_ns"])):
        for of_job in jobs:
            if _belongs(file, of_job):
                of_job.append(file)
                break
        else:
            jobs.append([file])
    for of_job in jobs:
        yield sorted(of_job, key=lambda file: int(file.header["rank"]))


def _belongs(file: RankFile, of_job: Sequence[RankFile]) -> bool:
    """Whether a rank belongs to a job, by the job's ranks that started before."""
    first, rank = of_job[0].header, int(file.header["rank"])
    if any(first[name] != file.header[name] for name in ("job", "ranks")):
        return False
    if any(int(member.header["rank"]) == rank for member in of_job):
        return False
    # With one launcher, some ranks may have ended before others are recorded to begin.
    return int(first["job"]) != NO_LAUNCHER or not any(
        member.header["boot"] == file.header["boot"]
        and ENDS.get(int(member.header["state"])) == "finalized"
        and int(member.header["last_ns"]) < int(file.header["first_ns"])
        for member in of_job
    )


def _add_job(profile: Profile, job: int, files: Sequence[RankFile]) -> None:
    waits, blamed, errors = waits_of(files)
    for file, waited, blames, error in zip(files, waits, blamed, errors, strict=True):
        rank = int(file.header["rank"])
        profile.ranks.append(_rank(job, file, error))
        for place in np.flatnonzero(file.cells["count"]):
            profile.calls.append(_calls(job, file, file.cells[place], waited, int(place)))
        profile.acts += _acts(job, file)
        for other, seconds in zip(files, blames.tolist(), strict=True):
            if seconds > LEAST_BLAME * blames.sum():
                blame = Blame(
                    job=job, rank=rank, for_rank=int(other.header["rank"]), seconds=seconds
                )
                profile.blames.append(blame)


def _rank(job: int, file: RankFile, clock_error_s: float | None) -> RankRecord:
    header = file.header
    numbers = ("rank", "ranks", "lost_calls", "lost_requests", "unfinished")
    same: dict[str, Any] = {name: int(header[name]) for name in numbers}
    same |= {name: text(header[name]) for name in ("host", "boot", "cpus", "cache", "program")}
    return RankRecord(
        job=job,
        **same,
        cpu=int(header["cpu_first"]) if header["cpu_first"] >= 0 else None,
        end=ENDS.get(int(header["state"]), "lost"),
        wall_s=file.wall_s,
        clock_error_s=clock_error_s,
        lost_s=int(header["lost_ticks"]) * file.s_per_tick,
        recording_s=file.recording_s,
        cpu_wait_s=int(header["cpu_wait_ns"]) * 1e-9 if header["cpu_wait_ns"] >= 0 else None,
    )


def _calls(job: int, file: RankFile, cell: Records, waits: Waits, place: int) -> Calls:
    tick = file.s_per_tick
    group = int(cell["group"])
    known = file.groups[group] if group < len(file.groups) else None
    count, seen = int(cell["count"]), int(waits.seen[place])
    peer = int(cell["peer"])
    return Calls(
        job=job,
        rank=int(file.header["rank"]),
        call=_name(file, int(cell["call"])),
        started=_name(file, int(cell["started"])) if cell["started"] else None,
        communicator_size=None if group == NO_GROUP or known is None else int(known["size"]),
        communicator="" if known is None else text(known["name"]),
        members=None if known is None else f"{int(known['members']):016x}",
        peer=peer if peer >= 0 else None,
        datatype=DATATYPES[int(cell["datatype"])],
        memory=MEMORY_NAMES[int(cell["memory"])],
        region=file.regions[int(cell["region"])] if cell["region"] else "",
        bytes=int(cell["bytes"]),
        bytes_sum=int(cell["bytes_sum"]),
        is_coarse=bool(cell["coarse"] & COARSE_BYTES),
        count=count,
        time_s=int(cell["ticks"]) * tick,
        most_s=int(cell["most_ticks"]) * tick,
        completion_s=int(cell["completion_ticks"]) * tick,
        # Unmatched calls are assumed to have waited like the others.
        wait_s=float(waits.seconds[place]) * count / seen if seen else None,
        seen=seen,
        buffers=buffers_in(int(cell["buffers"])),
        untimed=min(int(cell["untimed"]), count),
        histogram=tuple(
            (FIRST_BIN_TICKS * 2.0 ** (number + 1) * tick, int(calls))
            for number, calls in enumerate(cell["bins"])
            if calls
        ),
    )


def _acts(job: int, file: RankFile) -> Iterator[Acts]:
    """The order of a rank's calls, in lines of up to MOST_ACTS."""
    if file.acts is None or not len(file.acts):
        return
    acts, tick = file.acts, file.s_per_tick * 1e9
    exits = np.maximum.accumulate(acts["exit"].astype(np.int64))
    begins = np.concatenate([[int(file.header["began_ticks"])], exits[:-1]])
    before = np.maximum(acts["enter"].astype(np.int64) - begins, 0)
    # The time of a call that waits for several requests counts for the first.
    inside = np.maximum(acts["exit"].astype(np.int64) - np.maximum(acts["enter"], begins), 0)
    sizes = {int(group["members"]): int(group["size"]) for group in file.groups}
    digests, group = np.unique(acts["members"], return_inverse=True)
    groups = tuple((f"{int(digest):016x}", sizes.get(int(digest), 0)) for digest in digests)
    columns = {
        "what": acts["what"],
        "before_ns": np.rint(before * tick).astype(np.int64),
        "inside_ns": np.rint(inside * tick).astype(np.int64),
        "bytes": acts["bytes"],
        "peer": acts["peer"],
        "tag": acts["tag"],
        "request": acts["request"],
        "call": np.maximum(acts["call"].astype(np.int64) - 1, 0),
        "group": group,
    }
    for first in range(0, len(acts), MOST_ACTS):
        is_last = first + MOST_ACTS >= len(acts)
        yield Acts(
            job=job,
            rank=int(file.header["rank"]),
            calls=tuple(file.names),
            groups=groups,
            left_out=file.acts_left_out if is_last else 0,
            **{
                name: tuple(column[first : first + MOST_ACTS].tolist())
                for name, column in columns.items()
            },
        )


def _name(file: RankFile, number: int) -> str:
    return file.names[number - 1] if 0 < number <= len(file.names) else "a call of MPI"
