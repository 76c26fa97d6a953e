"""Makes one launch of a session, and stores what it reports."""

from __future__ import annotations

from hockney import records
from hockney.base.confidential import redacted
from hockney.plan.engine import engine_arguments, launch_arguments
from hockney.records import LaunchRecord, Progress
from hockney.run.measure.launches.hang import locate, new_mark, sizes_passed
from hockney.run.measure.launches.launch import Interruption, NodeFinding, Outcome
from hockney.run.measure.launches.start import StartCommand, start_of
from hockney.run.measure.sessions.answer import Answer
from hockney.run.measure.sessions.passes import pass_arguments
from hockney.run.measure.sessions.session import Session

MEASUREMENTS = tuple(
    b'{"kind":"%b"' % kind for kind in (b"samples", b"pair_times", b"start", b"round", b"probe")
)


def launch_case(
    session: Session, answer: Answer, number: int, seconds: float, interruption: Interruption
) -> Outcome:
    """Launches a case, which measures for so many seconds, and adds what it reports to the run."""
    setup, sampling = session.setups.of(answer.case), session.plan.sampling
    case = setup.files.placed(answer.case)
    arguments = engine_arguments(case, sampling, seconds, setup.files.list_file)
    arguments += launch_arguments(number) + case.workload.arguments_now()
    arguments += [*pass_arguments(case, answer.run), *setup.options]
    mark = new_mark()
    arguments += [f"--mark={mark}"] if case.placement.platform is None else []
    start = start_of(setup.mpi, setup.engine, case, arguments)
    measured: list[bytes] = []

    def keep(lines: list[bytes]) -> None:
        # Measurements go to the file unchanged and are decoded after the ranks have ended: decoding
        # would take a core from them on a small node. A line that a killed rank left incomplete is
        # dropped, whatever the launcher appended to it.
        if not lines and session.budget.left_s <= 0.0:
            session.show(answer, number)
        kept = []
        for line in lines:
            if line.startswith(MEASUREMENTS) and line.endswith(b"}\n"):
                measured.append(line)
                kept.append(line)
            else:
                kept.append(_kept(session, answer, line, number, start))
        session.file.write(b"".join(kept))

    def look() -> list[NodeFinding]:
        here = [record for record in map(records.try_decode, measured) if record is not None]
        passed = sizes_passed([*answer.run.samples, *here])
        places = _hosts_of(session, number)
        return locate(setup.mpi, setup.engine, case, mark, passed, places, sampling.timeout_s)

    ended_well = False
    try:
        outcome = start.run(keep, sampling.timeout_s, interruption, on_silence=look)
        ended_well = outcome.exit_status == 0
    finally:
        if not ended_well:
            start.launcher.end_strays()
        for line in measured:
            record = records.try_decode(line)
            if record is not None:
                session.run.add(record)
                answer.run.add(record)
    session.launches_wall_s += outcome.wall_s
    session.failed_starts += outcome.failed_starts
    answer.launches += 1
    return outcome


def _kept(session: Session, answer: Answer, line: bytes, number: int, start: StartCommand) -> bytes:
    """Adds a line of the engine to the run, and returns what is written to the file."""
    record = records.try_decode(line)
    if isinstance(record, Progress):
        session.show(answer, number, record)
        return b""
    if record is None:
        return b""
    if isinstance(record, LaunchRecord):
        record.command, record.env = redacted(start.command), start.env
        record.launcher = start.version
        record.simulated = answer.case.placement.platform is not None
        record.variant = answer.case.variant
        record.axes |= answer.case.workload.launch_axes
        record.block = answer.launches if answer.case.variant else None
        record.left_out = session.left_out
    session.run.add(record)
    answer.run.add(record)
    return records.encode(record)


def _hosts_of(session: Session, number: int) -> dict[int, str]:
    """The host of each rank of a launch, where ranks have reported it."""
    launches = [launch for launch in session.run.launches if launch.launch == number]
    return {place.rank: place.host for launch in launches for place in launch.places if place.host}
