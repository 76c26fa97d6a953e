"""hockney watch: looks, alarms and their command, what is asked wrongly, and what a disk loses."""

from __future__ import annotations

import errno
import os
import resource
import time
from datetime import datetime, timedelta, timezone
from importlib import import_module
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families as prometheus

from conftest import RunHockney
from hockney.base.errors import HockneyError
from hockney.base.file_lock import locked
from hockney.cli._watcher import Watcher
from hockney.infer.analysis.history import outlying
from hockney.infer.analysis.history import watch as watching
from hockney.infer.analysis.history.outlying import Outlying
from hockney.infer.analysis.history.readings import Reading, WatchedSeries
from hockney.infer.analysis.history.run_facts import RunFacts
from hockney.infer.analysis.history.watch import Look
from hockney.run.measure.looks import LIST

QUICK = ("--", "pingpong", "--sizes", "8", "--budget", "0.1s", "--launches", "1")
ONCE = ("watch", "--dir", "w", "--once", "--duty", "99%")
BEFORE = 500


@pytest.fixture(autouse=True)
def once_is_always_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a look that was faster than the median of those before, the next is not due yet even
    with the duty of ONCE."""
    real = Watcher.rest_s
    monkeypatch.setattr(Watcher, "rest_s", lambda own: 0.0 if own.duty == 0.99 else real(own))


def listed(folder: Path) -> list[Look]:
    lines = (folder / LIST).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Look) for line in lines]


def of_8_bytes(time_s: float) -> tuple[Reading, ...]:
    return (Reading(WatchedSeries(8), time_s),)


def past(like: Look, folder: Path, slow: int) -> None:
    """A list of looks every half hour up to now, the last ones 30 % slower than before."""
    rng, now = np.random.default_rng(1), datetime.now(timezone.utc)
    looks = [
        msgspec.structs.replace(
            like,
            number=number + 1,
            file=f"look-{number + 1:06d}.jsonl" if number else like.file,
            started=(now - (BEFORE - number) * timedelta(minutes=30)).isoformat(),
            readings=of_8_bytes(
                1e-6
                * (1.3 if number >= BEFORE - slow else 1.0)
                * float(np.exp(0.01 * rng.standard_normal()))
            ),
        )
        for number in range(BEFORE)
    ]
    lines = b"".join(msgspec.json.encode(look) + b"\n" for look in looks)
    (folder / LIST).write_bytes(lines)


def slow_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each further look is half an hour after the one before, and 30 % slower than usual."""
    real, ahead = watching.look_of, count(1)

    def slow(
        number: int, facts: RunFacts, readings: tuple[Reading, ...], wall_s: float | None
    ) -> Look:
        look = real(number, facts, readings, wall_s)
        started = datetime.now(timezone.utc) + next(ahead) * timedelta(minutes=30)
        return msgspec.structs.replace(
            look, readings=of_8_bytes(1.3e-6), started=started.isoformat()
        )

    monkeypatch.setattr(watching, "look_of", slow)


def test_looks_are_kept_and_gone_on_with(hockney: RunHockney, tmp_path: Path) -> None:
    for number in (1, 2):
        done = hockney(*ONCE, *QUICK)
        assert (done.status, f"look {number} at this level" in done.stdout) == (3, True)
    looks = listed(tmp_path / "w")
    assert [(look.number, look.file) for look in looks] == [
        (1, "look-000001.jsonl"),
        (2, "look-000002.jsonl"),
    ]
    early = hockney("watch", "--dir", "w", "--once", "--duty", "0.01%", *QUICK)
    assert (early.status, "the next look is due in" in early.stdout) == (0, True)
    due = hockney("watch", "--dir", "w", "--due", "--duty", "0.01%", *QUICK)
    assert (due.status, 10 < int(due.stdout) < 1_000_000) == (0, True)
    assert hockney("watch", "--dir", "new", "--due", *QUICK).stdout == "0\n"
    kept = hockney("watch", "--dir", "w", "--due", "--duty", "0.01%")
    assert (kept.status, 10 < int(kept.stdout) < 1_000_000) == (0, True), kept.stderr
    other = hockney(*ONCE, "--", "pingpong", "--sizes", "16")
    assert (other.status, "watches something else" in other.stderr) == (2, True)
    assert len(listed(tmp_path / "w")) == 2


def test_a_loss_raises_an_alarm_once_and_runs_its_command(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hockney(*ONCE, *QUICK)
    (first,) = listed(tmp_path / "w")
    past(first, tmp_path / "w", slow=2)
    slow_looks(monkeypatch)
    command = 'printf "%s %s" "$HOCKNEY_RATIO" "$HOCKNEY_TEXT" >> alarm.txt'
    statuses, texts = [], []
    for _ in range(6):
        done = hockney(*ONCE, "--on-alarm", command, "--prometheus", "w.prom", *QUICK)
        statuses.append(done.status)
        texts.append(done.stdout)
    assert statuses.count(1) == 1
    at = statuses.index(1)
    assert set(statuses[:at]) <= {0}
    assert set(statuses[at + 1 :]) <= {3}, "the new level is being learnt"
    assert "SLOWER: 8 B takes 1.3" in texts[at]
    assert "by chance once in" in texts[at]
    said = (tmp_path / "alarm.txt").read_text()
    assert float(said.split()[0]) == pytest.approx(1.3, rel=0.02)
    assert said.count("SLOWER") == 1
    families = {family.name: family for family in prometheus((tmp_path / "w.prom").read_text())}
    (alarms,) = families["hockney_watch_alarms"].samples
    assert alarms.value == 1


def a_node_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look by itself shows it."""
    slow = (Outlying("node n3 is slow", "1.9 times at 8 B", 8, 1.9),)
    monkeypatch.setattr(outlying, "outlying_in", lambda _: slow)


def test_an_outlier_whose_third_look_fails_is_an_alarm_at_the_fourth_once(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was none for ever; and the page was not written anew."""
    a_node_is_slow(monkeypatch)
    alarm = ("--on-alarm", 'echo "$HOCKNEY_FILE" >> alarms.txt', "--page", "w.html")
    for _ in range(2):
        assert hockney(*ONCE, *alarm, *QUICK).status == 3
    assert "OUTLIER" not in (tmp_path / "w.html").read_text()

    def full(*_: object) -> int:
        raise HockneyError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(Watcher, "_say", full)
        assert "no space left" in hockney(*ONCE, *alarm, *QUICK).stderr
    done = hockney(*ONCE, *alarm, *QUICK)
    assert (done.status, "note: OUTLIER: node n3 is slow" in done.stderr) == (1, True), done.stderr
    line = "OUTLIER: node n3 is slow: 1.9 times at 8 B, in each of the last 4 looks"
    assert line in done.stdout
    assert line in (tmp_path / "w.html").read_text()
    done = hockney(*ONCE, *alarm, *QUICK)
    assert (done.status, "OUTLIER" in done.stdout + done.stderr) == (3, False), "announced"
    assert (tmp_path / "alarms.txt").read_text() == "look-000001.jsonl\n"
    monkeypatch.setattr(outlying, "outlying_in", lambda _: ())
    assert hockney(*ONCE, *alarm, *QUICK).status == 3
    a_node_is_slow(monkeypatch)
    assert [hockney(*ONCE, *alarm, *QUICK).status for _ in range(3)] == [3, 3, 1], "another row"


def test_a_loss_at_a_look_that_was_not_judged_is_an_alarm_at_the_next(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was a note, and the watch was content for ever."""
    hockney(*ONCE, *QUICK)
    past(listed(tmp_path / "w")[0], tmp_path / "w", slow=2)
    slow_looks(monkeypatch)

    def killed(*_: object) -> int:
        raise HockneyError("killed")

    alarm = ("--on-alarm", 'echo "$HOCKNEY_RATIO" >> alarms.txt')
    assert hockney(*ONCE, *alarm, *QUICK).status == 0
    with monkeypatch.context() as patch:
        patch.setattr(Watcher, "_say", killed)
        for _ in range(4):
            hockney(*ONCE, *alarm, *QUICK)
    done = hockney(*ONCE, *alarm, *QUICK)
    assert (done.status, "\nSLOWER: 8 B takes 1.3" in f"\n{done.stdout}") == (1, True), done.stderr
    assert hockney(*ONCE, *alarm, *QUICK).status == 3
    (tmp_path / "w" / "state.npz").unlink()
    assert hockney(*ONCE, *alarm, *QUICK).status == 3, "the looks show that it was reported"
    assert len((tmp_path / "alarms.txt").read_text().splitlines()) == 1


def test_an_outlier_that_was_reported_is_no_alarm_after_the_state_is_lost(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_node_is_slow(monkeypatch)
    assert [hockney(*ONCE, *QUICK).status for _ in range(4)] == [3, 3, 1, 3]
    (tmp_path / "w" / "state.npz").unlink()
    assert hockney(*ONCE, *QUICK).status == 3


def test_an_alarm_is_given_where_its_metrics_cannot_be_written(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look failed before the alarm; it is given once."""
    a_node_is_slow(monkeypatch)
    words = ("--on-alarm", "echo alarm >> alarms.txt", "--prometheus", "absent/w.prom")
    for _ in range(4):
        done = hockney(*ONCE, *words, *QUICK)
        assert (done.status, "absent/w.prom" in done.stderr) == (2, True), done.stderr
    assert (tmp_path / "alarms.txt").read_text() == "alarm\n"


def test_a_mark_is_noted_and_begins_a_level(hockney: RunHockney, tmp_path: Path) -> None:
    hockney(*ONCE, *QUICK)
    assert hockney("watch", "--dir", "w", "--mark", "new firmware").status == 0
    assert "look 1 at this level" in hockney(*ONCE, *QUICK).stdout
    assert [look.mark for look in listed(tmp_path / "w")] == [None, "new firmware", None]
    absent = hockney("watch", "--dir", "absent", "--mark", "new")
    assert (absent.status, "holds no watch" in absent.stderr) == (2, True)


def test_a_look_whose_launcher_fails_at_once_counts_for_the_duty(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the watch that goes on, and for the next one of --once; a mark comes after it."""
    rests_s: list[float] = []

    def sleep(rest_s: float) -> None:
        rests_s.append(rest_s)
        raise KeyboardInterrupt

    clock = SimpleNamespace(time=time.time, sleep=sleep)
    monkeypatch.setattr(import_module("hockney.cli.watch"), "time", clock)
    words = ("watch", "--dir", "w", "--duty", "0.001%")
    done = hockney(*words, *QUICK, "--launch", "false {ranks} {command}")
    assert "this look failed" in done.stderr
    assert rests_s[0] > 0.0
    assert hockney(*words, "--once").status == 0, "no look is due"
    assert hockney("watch", "--dir", "w", "--mark", "new mpiexec").status == 0
    assert [(look.number, look.mark) for look in listed(tmp_path / "w")] == [
        (1, None),
        (2, "new mpiexec"),
    ]


def test_two_watchers_of_one_directory_are_refused(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    with locked(tmp_path / "w" / "watch.lock", 0.0):
        done = hockney(*ONCE, *QUICK)
    assert (done.status, "being watched by another process" in done.stderr) == (2, True)
    assert hockney(*ONCE, *QUICK).status == 3


def test_what_is_damaged_is_made_again(hockney: RunHockney, tmp_path: Path) -> None:
    for _ in range(2):
        hockney(*ONCE, *QUICK)
    folder = tmp_path / "w"
    before = listed(folder)
    (folder / LIST).write_text("{ damaged\n")
    (folder / "state.npz").write_bytes(b"PK damaged")
    done = hockney(*ONCE, *QUICK)
    assert done.status == 3, done.stderr
    assert "1 line was damaged; 2 looks read from result files again" in done.stderr
    assert [look.readings for look in listed(folder)[:2]] == [look.readings for look in before]
    (folder / "plan.json").write_text("{")
    done = hockney(*ONCE, *QUICK)
    assert (done.status, "plan.json is damaged" in done.stderr) == (2, True)


def test_the_nodes_of_a_network_are_followed_in_a_file_of_their_own(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, folder = watching.look_of, tmp_path / "w"
    series = [WatchedSeries(8, "node", (f"n{number}",)) for number in range(200)]
    nodes = tuple(Reading(each, 1.0) for each in series)

    def network(
        number: int, facts: RunFacts, readings: tuple[Reading, ...], wall_s: float | None
    ) -> Look:
        look = real(number, facts, readings, wall_s)
        return msgspec.structs.replace(look, readings=(*readings, *nodes))

    monkeypatch.setattr(watching, "look_of", network)
    for _ in range(2):
        done = hockney(*ONCE, *QUICK)
        assert "slowest of 200 parts: node n0 at 8 B (1.000)" in done.stdout
    assert [len(look.readings) for look in listed(folder)] == [1, 1]
    path = folder / "parts.bin"
    path.unlink()
    done = hockney(*ONCE, *QUICK)
    assert "parts.bin lacked 2 looks; 2 looks read from result files again" in done.stderr
    assert "look 3 at this level" in done.stdout
    path.write_bytes(path.read_bytes()[:-40] + bytes(40))
    done = hockney(*ONCE, *QUICK)
    assert (done.status, "parts.bin is damaged at look 3" in done.stderr) == (2, True)
    assert "remove it" in done.stderr


def test_a_look_whose_file_is_not_whole_is_left_out(hockney: RunHockney, tmp_path: Path) -> None:
    hockney(*ONCE, *QUICK)
    folder = tmp_path / "w"
    (folder / LIST).unlink()
    file = folder / "look-000001.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    done = hockney(*ONCE, *QUICK)
    assert f"left out: w/{file.name}: line" in done.stderr
    assert [bool(look.readings) for look in listed(folder)] == [False, True]


@pytest.mark.long
def test_a_full_disk_loses_no_look_that_was_kept(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hockney(*ONCE, *QUICK)
    folder = tmp_path / "w"
    past(listed(folder)[0], folder, slow=0)
    whole = (folder / LIST).read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 10, limits[1]))
    try:
        done = hockney(*ONCE, *QUICK, process=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert done.status == 1
    assert "Traceback" not in done.stderr
    assert (folder / LIST).read_bytes() == whole
    write = os.write

    def full(file: int, line: bytes) -> int:
        if b'"readings"' not in line:
            return write(file, line)
        write(file, line[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        done = hockney(*ONCE, *QUICK)
    assert (done.status, "is added later" in done.stderr) == (1, True), done.stderr
    assert (folder / LIST).read_bytes() == whole
    hockney(*ONCE, *QUICK)
    assert [look.number for look in listed(folder)] == list(range(1, BEFORE + 3))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("watch", "--once"), "--dir"),
        (("watch", "--dir", "w", "--once", "--duty", "0"), "fraction above 0 and 100 % at most"),
        (("watch", "--dir", "w", "--once", "--duty", "101%"), "fraction above 0 and 100 % at most"),
        (("watch", "--dir", "w", "--once", "--", "show"), "not a verb that measures"),
        (
            ("watch", "--dir", "w", "--once", "--", "pingpong", "-o", "x"),
            "-o is for hockney watch",
        ),
        (("watch", "--dir", "w", "--", "pingpong", "--gate"), "--gate is for hockney watch"),
        (("watch", "--dir", "w", "--mark", "new", "--due"), "--due has no effect with --mark"),
    ],
)
def test_what_is_asked_wrongly_is_said(
    hockney: RunHockney, words: tuple[str, ...], complaint: str
) -> None:
    done = hockney(*words)
    assert (done.status, complaint in done.stderr) == (2, True)
