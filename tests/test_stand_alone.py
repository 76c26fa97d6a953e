"""Records of the engine without a run record before them, as a user collects them where there is no
Python."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from conftest import TEST_TIMEOUT_S, RunHockney, kept_short
from hockney import records
from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.plan import Placement, Sampling, single, sizes_of
from hockney.plan.command_lines import workload_in_command
from hockney.plan.workloads import WORKLOADS
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import SCHEMA, Run, RunRecord
from hockney.run.measure.sessions.session import new_run
from hockney.run.mpis import Engine, Mpi, family_of
from starting import mpi_command

FEW = ("--rounds", "3:3", "--seconds", "60", "--sizes", "8,1KiB")
ASKED = {
    "pingpong": ("pingpong", *FEW),
    "collective": ("collective", "allreduce", *FEW),
    "pairs": ("pairs", "--pairs-active", "1,2", *FEW),
    "halo": ("halo", "--grid", "2x2", *FEW),
}


Launched = Callable[..., bytes]


@pytest.fixture(scope="module")
def launched(mpi: Mpi, engine: Engine) -> Launched:
    """The records of a launch, as its launcher writes them: launched("pingpong", labelled=True)."""

    @cache
    def launch(experiment: str, labelled: bool = False, *more: str) -> bytes:
        ranks = 2 if experiment == "pingpong" else 4
        words = [str(engine.path), *ASKED.get(experiment, (experiment,)), *more]
        command = mpi_command(mpi, ranks, [*words, "--oversubscribe"])
        if labelled:
            command[1:1] = _labels(mpi)
        env = {**os.environ, **family_of(mpi).environment(mpi)}
        done = subprocess.run(command, capture_output=True, timeout=TEST_TIMEOUT_S, env=env)
        assert done.returncode == 0 or "--such" in more, done.stderr
        return done.stdout

    return launch


def _labels(mpi: Mpi) -> list[str]:
    """What makes its launcher label lines by their rank."""
    if mpi.launcher == "openmpi":
        return ["--tag-output"] if mpi.launcher_version.startswith("4") else ["--output", "tag"]
    return ["-l"]


def read(path: Path, *parts: bytes) -> Run:
    path.write_bytes(b"".join(parts))
    return records.read(path)


def as_result_file(path: Path, header: RunRecord, launches: Sequence[bytes]) -> Run:
    """The same records as hockney stores them: after a run record, with numbered launches."""
    lines = [records.encode(header)]
    for number, text in enumerate(launches):
        tag = text[: text.index(b'{"kind"')]
        for line in (text.replace(tag, b"") if tag else text).splitlines():
            record = {**json.loads(line), "launch": number}
            lines.append(json.dumps(record).encode() + b"\n")
    return read(path, *lines)


def header_of(experiment: str) -> RunRecord:
    return RunRecord(schema=SCHEMA, hockney="0.2.0", id="1", experiment=experiment)


def content_of(run: Run) -> list[object]:
    return [*run.records()][1:]


@pytest.mark.parametrize("experiment", kept_short(ASKED, {"pingpong"}))
def test_they_are_the_points_of_a_result_file(
    launched: Launched, tmp_path: Path, experiment: str
) -> None:
    launches = [launched(experiment, True), launched(experiment)]
    run = read(tmp_path / "records.txt", *launches)
    stored = as_result_file(tmp_path / "run.jsonl", header_of(experiment), launches)
    assert content_of(run) == content_of(stored)
    assert [launch.launch for launch in run.launches] == [0, 1]
    assert (run.header.experiment, run.cut, run.notes) == (experiment, None, [])
    assert Analysis(run).estimates == Analysis(stored).estimates


def test_what_they_do_not_have_is_null(launched: Launched, tmp_path: Path) -> None:
    header = read(tmp_path / "records.txt", launched("pingpong")).header
    assert datetime.fromisoformat(header.started or "").tzinfo == timezone.utc
    assert (header.label, header.source, header.environment) == (None, None, {})
    assert header.options == {
        "asked": ["pingpong", "--sizes=8,1KiB", "--seconds=60", "--rounds=3:3", "--oversubscribe"]
    }


def test_the_run_is_the_same_whenever_it_is_read(launched: Launched, tmp_path: Path) -> None:
    text = launched("pingpong")
    first = read(tmp_path / "a.txt", text).header.id
    assert read(tmp_path / "b.txt", b"TACC: starting\n", text, text).header.id == first
    assert read(tmp_path / "c.txt", launched("pingpong", True)).header.id != first


@pytest.mark.parametrize("option", ["--every-iteration", "--tails", "--sweep"])
def test_what_it_was_asked_counts_as_in_a_plan(option: str) -> None:
    field = option.removeprefix("--").replace("-", "_")
    workload = workload_in_command({"asked": ["pingpong", "--sizes=8@100+10", option]})
    plan = Pingpong(sizes=sizes_of([8]), **{field: True})
    assert workload is not None
    for name in ("times_every_iteration", "ends_by_time", "ends_by_precision"):
        assert getattr(workload, name) == getattr(plan, name)


@pytest.mark.parametrize("experiment", sorted(set(WORKLOADS.names()) - {"late"}))
def test_each_experiment_has_a_workload(experiment: str) -> None:
    word = {"collective": "bcast", "rma": "put", "congestion": "stream"}.get(experiment)
    words = [experiment, *filter(None, [word]), "--sizes=8", "--verify", "--sync=barrier"]
    workload = workload_in_command({"asked": words})
    assert workload is not None
    assert (workload.experiment, getattr(workload, "verify", True)) == (experiment, True)


def test_every_iteration_is_read_as_from_a_plan(launched: Launched, tmp_path: Path) -> None:
    text = launched("pingpong", False, "--every-iteration")
    plan = single(
        Pingpong(sizes=sizes_of([8, 1024]), every_iteration=True), Placement(), Sampling()
    )
    stored = as_result_file(tmp_path / "run.jsonl", new_run(plan, None).header, [text])
    run = read(tmp_path / "records.txt", text)
    assert Analysis(run).variability == Analysis(stored).variability


@pytest.mark.parametrize(
    "words",
    [["show"], ["fit"], ["show", "--json"], ["report", "-o", "r.html"], ["export", "--to", "csv"]],
    ids=" ".join,
)
def test_verbs_read_them(
    hockney: RunHockney, launched: Launched, tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "records.txt").write_bytes(b"Loading modules\n" + launched("pingpong", True))
    done = hockney.ok(*words, "records.txt")
    if words == ["show"]:
        assert "line 1 ('Loading modules') is no record and was passed over" in done.stderr
        assert "only 1 launch: too few for an interval (5 make one); append" in done.stderr
        assert "interval" not in done.stdout


@pytest.mark.long
def test_they_are_compared(hockney: RunHockney, launched: Launched, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(launched("pingpong", True))
    (tmp_path / "b.txt").write_bytes(launched("pingpong"))
    done = hockney("compare", "a.txt", "b.txt")
    assert done.status in (0, 1, 3), done.stderr
    assert "unknown" in done.stdout


def test_a_failure_is_reported(launched: Launched, tmp_path: Path) -> None:
    failed, good = launched("pingpong", True, "--no", "--such"), launched("pingpong")
    with pytest.raises(UsageError, match="no launch measured anything: see hockney-engine --help"):
        read(tmp_path / "failed.txt", failed)
    run = read(tmp_path / "records.txt", good, failed, good)
    assert run.notes == ["a start failed before it measured: see hockney-engine --help"]
    assert [launch.launch for launch in run.launches] == [0, 1]
    assert [end.launch for end in run.ends] == [0, 1]


def changed(text: bytes, old: bytes, new: bytes) -> bytes:
    assert old in text
    return text.replace(old, new)


def _without_asked(text: bytes) -> bytes:
    before, _, rest = text.partition(b'"schema":')
    return before + rest[rest.index(b"],") + 2 :]


@dataclass(frozen=True)
class Refused:
    made: Callable[[bytes], bytes]
    words: str
    hint: str = ""


REFUSED = {
    "another size": Refused(
        lambda text: text + changed(text, b"--sizes=8,1KiB", b"--sizes=8"),
        "another question than the first: --sizes was 8,1KiB, and is 8",
        "a file of its own: head -n ",
    ),
    "another experiment": Refused(
        lambda text: text + changed(text, b'["pingpong"', b'["pairs"'),
        "the experiment was pingpong, and is pairs",
    ),
    "another option": Refused(
        lambda text: text + changed(text, b'["pingpong"', b'["pingpong","--verify"'),
        "--verify was not given, and is given",
    ),
    "another MPI": Refused(
        lambda text: text + changed(text, b'"library":"', b'"library":"Other '),
        "the MPI library was ",
    ),
    "more ranks": Refused(
        lambda text: text + changed(text, b'"places":[', b'"places":[{"rank":7},'),
        "the number of ranks was 2, and is 3",
    ),
    "another engine": Refused(
        lambda text: text + changed(text, b'"engine":"', b'"engine":"9.'), "the engine was "
    ),
    "a newer format": Refused(
        lambda text: changed(text, b'"schema":2', b'"schema":3'),
        "has version 3 of the record format",
        "install a newer hockney",
    ),
    "an engine that does not record what it was asked": Refused(
        _without_asked, "does not record what it was asked", "build the engine"
    ),
    "at the same time": Refused(
        lambda text: b"".join(line + line for line in text.splitlines(keepends=True)),
        "launches that ran at the same time are mixed",
        "a file each",
    ),
    "no launch record": Refused(
        lambda text: text[text.index(b"\n") + 1 :], "without the first one of a launch"
    ),
    "a result file behind them": Refused(
        lambda text: text + records.encode(header_of("pingpong")), "begins another result file"
    ),
    "nothing": Refused(lambda _: b"", "an empty file"),
    "blank lines": Refused(lambda _: b"\r\n\n", "an empty file"),
    "JSON of another program": Refused(
        lambda _: b'{"kind":"launch","launch":0,"pad":"39A"}\n', "not a result file of hockney"
    ),
    "JSON": Refused(lambda _: b'{"nodes":[1,2]}\n[3]\n', "not a result file of hockney"),
    "a question that is none": Refused(
        lambda text: changed(text, b'"asked":["pingpong"', b'"asked":["--pingpong"'),
        "does not record what it was asked",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_run_is_refused(
    hockney: RunHockney, launched: Launched, tmp_path: Path, name: str
) -> None:
    refused = REFUSED[name]
    (tmp_path / "records.txt").write_bytes(refused.made(launched("pingpong")))
    done = hockney.refused("show", "records.txt", because=refused.words)
    assert (done.stdout, refused.hint in done.stderr) == ("", True)
    assert "hockney: records.txt: " in done.stderr


def test_options_of_one_launch_are_no_question(launched: Launched, tmp_path: Path) -> None:
    first = launched("pingpong", False, "--launch", "7", "--seed", "8")
    run = read(tmp_path / "records.txt", first, launched("pingpong"))
    assert [(launch.launch, launch.seed) for launch in run.launches] == [(0, 8), (1, 1)]
    assert {visit.launch for visit in run.samples} == {0, 1}


def test_a_launch_that_was_killed_is_named(launched: Launched, tmp_path: Path) -> None:
    text = launched("pingpong")
    part = text[: text.rindex(b'{"kind":"samples"') + 40]
    run = read(tmp_path / "records.txt", part, text)
    line = part.count(b"\n") + 1
    assert run.cut == f"line {line} is cut short or damaged, and ignored"
    assert run.notes == ["launch 0 has no end: it was killed"]
    assert [launch.launch for launch in run.launches] == [0, 1]
    whole = read(tmp_path / "whole.txt", text)
    assert len(run.samples) == 2 * len(whole.samples) - 1


@pytest.mark.parametrize("end", [1, 5, 60])
def test_a_file_that_was_cut_is_read_up_to_the_cut(
    launched: Launched, tmp_path: Path, end: int
) -> None:
    text = launched("pingpong", True)
    start = text.rindex(b'{"kind":"samples"')
    run = read(tmp_path / "records.txt", text[: start + end])
    line = text[:start].count(b"\n") + 1
    assert run.cut == f"line {line} is cut short or damaged, and ignored"


def test_a_line_of_a_record_in_pieces_is_never_dropped_silently(
    launched: Launched, tmp_path: Path
) -> None:
    text = launched("pingpong")
    start = text.rindex(b'{"kind":"samples"')
    at = text.index(b'"ns":[', start) + 12
    run = read(tmp_path / "records.txt", text[:at], b"[1] help!\n", text[at:])
    assert run.cut == "2 lines are cut short or damaged, and ignored"
    assert len(run.samples) == len(read(tmp_path / "whole.txt", text).samples) - 1


def test_import_refers_to_show(hockney: RunHockney, launched: Launched, tmp_path: Path) -> None:
    (tmp_path / "records.txt").write_bytes(b"module list\n" + launched("pingpong", True))
    hockney.refused("import", "records.txt", because="hockney show records.txt")


def test_compressed_records_are_found_in_a_directory(
    hockney: RunHockney, launched: Launched, tmp_path: Path
) -> None:
    (tmp_path / "d").mkdir()
    packed = zstandard.compress(launched("pingpong", True))
    (tmp_path / "d" / "a.jsonl.zst").write_bytes(packed)
    assert "left out" not in hockney.ok("report", "d", "-o", "r.html").stderr


def test_history_takes_them_by_their_dates(
    hockney: RunHockney, launched: Launched, tmp_path: Path
) -> None:
    (tmp_path / "d").mkdir()
    before, _, after = launched("pingpong").partition(b'"started":"20')
    for year in (b"25", b"24", b"26"):
        text = before + b'"started":"20' + year + after[2:]
        (tmp_path / "d" / f"{year.decode()}.jsonl").write_bytes(text)
    done = hockney("history", "d", "--json")
    assert (done.status, done.stderr) == (3, "")  # three runs are too few to judge
    [system] = done.json["systems"]
    files = [Path(point["file"]).stem for point in system["trends"][0]["points"]]
    assert files == ["24", "25", "26"]


TAGS = st.sampled_from(
    [
        *(b"", b"[0] ", b"0: ", b"  0: ", b"[1,0]<stdout>:", b"[1,0]<stdout>: ", b"<stdout>: "),
        *(b"[prterun-n1-77@1,0]<stdout>: ", b"[1,0][n1:2034]<stdout>: ", b"(0 on node-17) "),
        b"Wed Nov 25 20:33:54 2026[1,0]<stdout>:",
        b"[Wed Nov 25 20:34:57 2026][1,0]<stdout>: ",
        b"2026-11-25T20:33:54.123456Z ",
    ]
)
BANNERS = st.sampled_from(
    [
        b"TACC:  Starting up job 1234\n",
        b"Lmod has detected the following error: {none}\n",
        b"[1,1]<stderr>: 1: warning: 0: [0] \n",
        b"Application 9 resources: utime ~1s, stime ~1s, Rss ~1500, inblocks ~2\n",
        b'{"event":"job","id":12}\n',
        b"\x1b[31mError\x1b[0m \xff\xfe\n",
        b"\n",
        b"\r\n",
    ]
)


@given(
    data=st.data(),
    tag=TAGS,
    piece=st.none() | st.just(-26) | st.integers(25, 400),  # -26: before the newline
    carriage=st.booleans(),
)
def test_nothing_that_launchers_add_changes_the_result(
    launched: Launched,
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    tag: bytes,
    piece: int | None,
    carriage: bool,
) -> None:
    text, path = launched("pingpong"), tmp_path_factory.getbasetemp() / "tagged.txt"
    expected = read(path, text)
    added, banners = b"", 0
    for line in text.splitlines(keepends=True):
        for banner in data.draw(st.lists(BANNERS, max_size=1)):
            added, banners = added + banner, banners + bool(banner.strip())
        # Open MPI 4: a tag before every so many bytes that it forwards, the first after 25.
        parts = [line] if piece is None else [line[:25], line[25 : 25 + piece], line[25 + piece :]]
        added += b"".join(tag + part for part in parts if part)
    if carriage:
        added = added.replace(b"\r", b"").replace(b"\n", b"\r\n")
    run = read(path, added)
    assert run.header == expected.header
    assert content_of(run) == content_of(expected)
    assert run.cut is None
    counted = [str(banners)] if banners > 1 else ["line"] if banners else []
    assert [note.partition(" ")[0] for note in run.notes] == counted
