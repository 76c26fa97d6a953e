"""Watching: what begins a level, what is never pooled, and what a damaged directory is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from hockney.infer.analysis.history import course
from hockney.infer.analysis.history import watch as watching
from hockney.infer.analysis.history.course import LevelChange
from hockney.infer.analysis.history.readings import Reading, WatchedSeries
from hockney.infer.analysis.history.watch import Look, Shown, Watch, mark_of, name_of
from hockney.infer.analysis.history.watch_state import resume, state_of
from hockney.infer.estimate import detector
from hockney.run.measure.looks import LIST, append_look, read_looks
from hockney.run.measure.parts_file import PartsFile
from hockney.show.history.watch_lines import alarm_environment, change_line
from hockney.show.report import render_watch

BEGAN = datetime(2026, 1, 5, tzinfo=timezone.utc)
LEARNED = 400
"""Looks of half an hour, more than the week after which a change of an hour counts."""


def looks(*ratios: float, count: int = LEARNED, seed: int = 5) -> Iterator[Look]:
    """Looks every half hour with 1 % of noise, and more with these ratios."""
    rng = np.random.default_rng(seed)
    for number, ratio in enumerate([1.0] * count + list(ratios)):
        time_s = 1e-6 * ratio * float(np.exp(0.01 * rng.standard_normal()))
        yield Look(
            number + 1,
            (BEGAN + number * timedelta(minutes=30)).isoformat(),
            f"look-{number + 1:06d}.jsonl",
            "pingpong, MPICH, here",
            ("0.2.0", "MPICH 5", "-"),
            (
                Reading(WatchedSeries(8), time_s),
                Reading(WatchedSeries(65536), 20.0 * time_s / ratio),
            ),
            3.0,
        )


def taken(every: Iterator[Look] | list[Look], watch: Watch | None = None) -> list[Shown]:
    watch = watch or Watch(0.01)
    return [watch.take(look) for look in every]


def changes_of(shown: Sequence[Shown]) -> list[LevelChange]:
    return [change for look in shown for change in look.changes]


def test_a_loss_is_an_alarm_of_its_size_alone_with_its_start() -> None:
    watch = Watch(0.01)
    (alarm,) = changes_of(taken(looks(*[1.1] * 6), watch))
    (watched,) = watch.systems.values()
    assert watched.series[alarm.series] == WatchedSeries(8)
    assert (alarm.at, alarm.seen - alarm.at < 6) == (LEARNED, True)
    assert alarm.interval.low < 1.1 < alarm.interval.high


def test_a_mark_begins_a_level_without_an_alarm() -> None:
    every = list(looks(*[1.1] * 300))
    shown = taken([*every[:LEARNED], mark_of(LEARNED + 1, "new firmware"), *every[LEARNED:]])
    assert not changes_of(shown)


def test_another_version_begins_a_level_and_is_said() -> None:
    every = list(looks(*[1.1] * 20))
    new = [replace(look, identity=("0.2.0", "MPICH 6", "-")) for look in every[LEARNED:]]
    shown = taken([*every[:LEARNED], *new])
    assert not changes_of(shown)
    notes = [note for look in shown for note in look.notes]
    assert notes == ["MPI version MPICH 5 -> MPICH 6: a new level begins here, as with --mark"]


def test_other_hosts_are_judged_apart() -> None:
    every = list(looks(*[1.1] * 20))
    other = [replace(look, system="pingpong, MPICH, there") for look in every[LEARNED:]]
    watch = Watch(0.01)
    assert not any(look.changes for look in taken([*every[:LEARNED], *other], watch))
    assert [len(system.looks) for system in watch.systems.values()] == [LEARNED, 20]


def test_the_name_of_a_thousand_hosts_is_short_and_theirs_alone() -> None:
    """Lists of earlier versions have all of them, and are of the same system."""
    hosts = [f"n{number}" for number in range(1000)]
    names = [f"fabric, MPICH, {' and '.join(some)}" for some in (hosts, [*hosts[:-1], "new"])]
    short = [name_of(name, "fabric, MPICH") for name in names]
    assert short[0].startswith("fabric, MPICH, n0 and 999 more (")
    assert short[0] != short[1]
    assert name_of(short[0], "fabric, MPICH") == name_of(names[0], None) == short[0]
    few = "pingpong, MPICH, here and there"
    assert name_of(few, "pingpong, MPICH") == few
    watch = Watch(0.01)
    every = list(looks())
    systems = [(names[0], None)] * 200 + [(short[0], None)] * 100 + [(short[0], "fabric, MPICH")]
    taken(
        [
            replace(look, system=system, kind=kind)
            for look, (system, kind) in zip(every, systems + systems[-1:] * 99, strict=True)
        ],
        watch,
    )
    (watched,) = watch.systems.values()
    assert len(watched.looks) == LEARNED


def test_a_large_network_of_which_nodes_are_down_is_the_same_one(tmp_path: Path) -> None:
    nodes = [WatchedSeries(8, "node", (f"n{number}",)) for number in range(200)]
    some = [nodes, nodes[1:], nodes[:150], nodes[:10], nodes[1:10]]
    looks = [network_look(number, up) for number, up in enumerate(some, 1)]
    for kind in (None, "fabric, MPICH"):
        parts = PartsFile(tmp_path)
        watch = Watch(0.01, parts.of)
        of_kind = [replace(look, kind=kind) for look in looks]
        shown = taken([append_look(tmp_path, look, parts) for look in of_kind], watch)
        assert shown[1].notes == ["this look lacks 1 of the 201 numbers that are followed"]
        counts = [len(watched.looks) for watched in watch.systems.values()]
        assert counts == [2, 1, 1, 1], "of fewer nodes, each set is a system"


@pytest.mark.parametrize(
    "systems",
    [
        [("fabric, night", ""), ("fabric, day", "")],
        [("fabric, night", None), ("fabric, day", None)],
        [("fabric, a, night", ""), ("fabric, a, day", "")],
        [("", "fabric, MPICH"), ("", "fabric, MPICH, simulated")],
        [("", "fabric, MPICH"), ("fabric, MPICH", "")],
    ],
)
def test_a_large_network_is_joined_where_all_but_its_hosts_is_equal(
    tmp_path: Path, systems: list[tuple[str, str | None]]
) -> None:
    nodes = [WatchedSeries(8, "node", (f"n{number}",)) for number in range(200)]
    parts = PartsFile(tmp_path)
    watch = Watch(0.01, parts.of)
    looks = [network_look(number, nodes[number:]) for number in range(2)]
    for look, (system, kind) in zip(looks, systems, strict=True):
        of_system = replace(look, system=system or look.system, kind=kind)
        watch.take(append_look(tmp_path, of_system, parts))
    assert len(watch.systems) == 2


def network_look(number: int, up: Sequence[WatchedSeries]) -> Look:
    """A look of a network of these nodes, as in lists of earlier versions."""
    system = f"fabric, MPICH, {' and '.join(series.names[0] for series in up)}"
    readings = (Reading(WatchedSeries(8), 1e-6), *(Reading(series, 1.0) for series in up))
    started = (BEGAN + number * timedelta(minutes=30)).isoformat()
    return Look(number, started, "f", system, ("", "", ""), readings)


def test_a_label_of_the_users_is_kept_as_it_is() -> None:
    text = "pingpong, before and after and then and again and more"
    watch = Watch(0.01)
    (look,) = looks(count=1)
    watch.take(replace(look, system=text, kind=""))
    (watched,) = watch.systems.values()
    assert watched.label == text
    long = " and ".join([text] * 200)
    assert name_of(long, "") == long


def test_a_system_of_many_hosts_has_a_short_label() -> None:
    watch = Watch(0.01)
    (look,) = looks(count=1)
    text = "pingpong, MPICH, a and b and c and d and e"
    for kind in (None, "pingpong, MPICH"):
        watch.take(replace(look, system=text, kind=kind))
        (watched,) = watch.systems.values()
        assert re.fullmatch(r"pingpong, MPICH, a and 4 more \([0-9a-f]{8}\)", watched.label)


def test_a_look_of_other_sizes_is_not_pooled() -> None:
    every = list(looks(1.0))
    odd = replace(every[-1], readings=(Reading(WatchedSeries(8), 1e-6),))
    assert "other sizes" in taken([*every[:LEARNED], odd])[-1].notes[0]


def test_a_clock_that_goes_back_is_said_once_and_looks_stay_in_order() -> None:
    every = list(looks(*[1.1] * 6))
    back = [
        replace(
            look, started=(datetime.fromisoformat(look.started) - timedelta(days=2)).isoformat()
        )
        for look in every[150:]
    ]
    shown = taken([*every[:150], *back])
    assert sum("the clock went back" in note for look in shown for note in look.notes) == 1
    assert [change.at for change in changes_of(shown)] == [LEARNED]


def test_a_state_goes_on_as_if_never_interrupted() -> None:
    every = list(looks(*[1.1] * 6))
    whole = changes_of(taken(every))
    watch, rest = Watch(0.01), Watch(0.01)
    taken(every[: LEARNED + 2], watch)
    state = state_of(watch, every[: LEARNED + 2])
    assert resume(rest, every, state) == LEARNED + 2
    assert changes_of(taken(every[LEARNED + 2 :], rest)) == whole
    assert resume(Watch(0.02), every, state) == 0, "judged by another tolerance"
    for damaged in (state[:100], state[:-40], b"", b"\0" * 300):
        with pytest.raises(ValueError, match=r"\w"):
            resume(Watch(0.01), every, damaged)


def test_lines_that_are_damaged_are_left_out_and_the_list_written_anew(tmp_path: Path) -> None:
    every = list(looks(count=5))
    lines = [msgspec.json.encode(look) for look in every]
    lines[2] = lines[2].replace(b'"readings"', b'"of another version"')
    (tmp_path / LIST).write_bytes(b"\n".join(lines) + b"\n")
    kept_looks, notes = read_looks(tmp_path, lambda *_: None, PartsFile(tmp_path))
    assert [look.number for look in kept_looks] == [1, 2, 4, 5]
    assert "1 line was damaged" in notes[0]
    assert read_looks(tmp_path, lambda *_: None, PartsFile(tmp_path)) == (kept_looks, [])


NODES = tuple(WatchedSeries(8, "node", (f"n{number}",)) for number in range(32))


def network_looks(slow: int, count: int) -> list[Look]:
    """Looks of a network of 32 nodes, of which one becomes 20 % slower after the first ones."""
    rng = np.random.default_rng(7)
    every = [*looks(*[1.0] * count)]
    return [
        replace(
            look,
            readings=(
                *look.readings,
                *(
                    Reading(
                        series,
                        (1.2 if number == slow and at >= LEARNED else 1.0)
                        * float(np.exp(0.01 * rng.standard_normal())),
                    )
                    for number, series in enumerate(NODES)
                ),
            ),
        )
        for at, look in enumerate(every)
    ]


def test_a_node_that_becomes_slow_is_named_and_no_other_one() -> None:
    watch = Watch(0.01)
    shown = taken(network_looks(3, 6), watch)
    (watched,) = watch.systems.values()
    named = [watched.series[change.series] for change in changes_of(shown)]
    assert named == [NODES[3]]
    (change,) = changes_of(shown)
    words = change_line(watched, change)
    assert "SLOWER: node n3 at 8 B takes 1." in words
    assert "as long as usual, relative to its peers" in words


def test_parts_in_their_file_give_the_alarms_that_they_gave_in_the_list(tmp_path: Path) -> None:
    """In a directory whose first looks have them in the list, and after the state was read."""
    every = network_looks(3, 6)
    before = changes_of(taken(every))
    parts = PartsFile(tmp_path)
    kept = [*every[:200], *(append_look(tmp_path, look, parts) for look in every[200:])]
    assert all(len(look.readings) == 2 and look.parts for look in kept[200:])
    watch = Watch(0.01, PartsFile(tmp_path).of)
    taken(kept[: LEARNED + 2], watch)
    state = state_of(watch, kept[: LEARNED + 2])
    watch = Watch(0.01, PartsFile(tmp_path).of)
    assert resume(watch, kept, state) == LEARNED + 2
    after = changes_of(taken(kept[LEARNED + 2 :], watch))
    assert [change[:4] for change in after] == [change[:4] for change in before]
    assert after[0].ratio == pytest.approx(before[0].ratio, rel=1e-6)
    (watched,) = watch.systems.values()
    assert [now.series for now in watched.now()] == list(watched.series)


def test_of_many_series_the_newest_looks_are_in_memory_and_judged_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = network_looks(3, 6)
    before = changes_of(taken(every))
    monkeypatch.setattr(watching, "LARGE", 8)
    for module in (course, detector):
        monkeypatch.setattr(module, "KEPT", 300)
    watch, rest = Watch(0.01), Watch(0.01)
    shown = taken(every[: LEARNED + 2], watch)
    (watched,) = watch.systems.values()
    assert (len(watched.looks), len(watched.course.values)) == (LEARNED + 2, 300)
    resume(rest, every, state_of(watch, every[: LEARNED + 2]))
    for each in (watch, rest):
        changes = changes_of(taken(every[LEARNED + 2 :], each))
        assert [change[:4] for change in changes] == [change[:4] for change in before]
        assert "node n3 at 8 B takes 1." in render_watch(each, "Watch of here")
    assert not changes_of(shown)


def changed_after(watch: Watch, every: list[Look], split: int) -> list[tuple[str, int]]:
    """The parts that changed, and when that was seen, where a new process goes on at a look."""
    shown = taken(every[:split], watch)
    rest = Watch(0.01)
    assert resume(rest, every, state_of(watch, every[:split])) == split
    shown += taken(every[split:], rest)
    (watched,) = rest.systems.values()
    assert "Slower since 2026-01-13 " in render_watch(rest, "Watch of here")
    changes = changes_of(shown)
    return [(watched.series[c.series].names[0], c.seen - c.at < 6) for c in changes]


@pytest.mark.parametrize("split", [LEARNED + 7, LEARNED + 30])
def test_a_change_in_a_large_network_is_learnt_for_itself(
    monkeypatch: pytest.MonkeyPatch, split: int
) -> None:
    """Another one soon afterwards is seen there, and in a small network first learnt what is
    usual."""
    every = network_looks(3, 40)
    later = LEARNED + 20
    for number, look in enumerate(every[later:], later):
        readings = tuple(
            Reading(NODES[5], 1.2 * reading.value) if reading.series == NODES[5] else reading
            for reading in look.readings
        )
        every[number] = replace(look, readings=readings)
    assert changed_after(Watch(0.01), every, split) == [("n3", True)]
    monkeypatch.setattr(watching, "LARGE", 8)
    watch = Watch(0.01)
    assert changed_after(watch, every, split) == [("n3", True), ("n5", True)]


@pytest.mark.parametrize("is_large", [True, False])
def test_changes_within_the_tolerance_are_no_evidence_of_others_in_a_large_network(
    is_large: bool,
) -> None:
    rng = np.random.default_rng(3)
    followed = course.Course(100, 0.01, is_large=is_large)
    for at in range(LEARNED):
        values = 0.01 * rng.standard_normal(100)
        values[60] += 0.1 * (at >= LEARNED - 3)
        followed.look(1800.0 * at, values)
    assert not followed.changes
    judge = followed.levels[0].detector
    assert judge is not None
    judge.evidence[:50] = 1e30
    judge.evidence[60] = 3.0 * judge.limit  # of 51 series that changed 100 / 51 is enough
    assert [change.series for change in followed._judge()] == ([] if is_large else [60])
    judge.evidence[60] = 101.0 * judge.limit
    assert is_large == bool(followed._judge())


def test_a_state_has_not_the_looks_again() -> None:
    watch, every = Watch(0.01), network_looks(99, 6)
    taken(every, watch)
    assert len(state_of(watch, every)) < len(every) * len(NODES) * 8 + 2500 * len(NODES)


def test_a_look_that_lacks_a_node_counts_it_as_usual() -> None:
    every = network_looks(99, 6)
    lacks = [replace(look, readings=look.readings[:-1]) for look in every[-3:]]
    watch = Watch(0.01)
    shown = taken([*every[:-3], *lacks], watch)
    assert not changes_of(shown)
    assert not any(each.notes for each in shown[:-3])
    (watched,) = watch.systems.values()
    count = len(watched.series)
    assert shown[-1].notes == [f"this look lacks 1 of the {count} numbers that are followed"]
    assert len(watched.now()) == count - 1


def test_what_the_first_look_lacked_is_said_not_to_be_followed() -> None:
    every = network_looks(20, 6)
    first = replace(every[0], readings=every[0].readings[:-1])
    shown = taken([first, *every[1:]], Watch(0.01))
    assert all("1 number is not followed" in each.notes[0] for each in shown[1:])


def test_the_text_of_an_alarm_of_a_thousand_nodes_fits_a_variable() -> None:
    watch = Watch(0.01)
    shown = taken(network_looks(3, 6), watch)
    (watched,) = watch.systems.values()
    (change,) = changes_of(shown)
    text = alarm_environment(watched, [change] * 1000)["HOCKNEY_TEXT"]
    assert len(text) < 100_000
    assert text.endswith("\nand 900 more")
    assert alarm_environment(watched, [change] * 2)["HOCKNEY_TEXT"].count("SLOWER") == 2


def test_the_page_says_first_what_changed() -> None:
    watch = Watch(0.01)
    taken([*network_looks(3, 6), mark_of(999, "new firmware")], watch)
    page = render_watch(watch, "Watch of here")
    assert "Slower since 2026-01-13 " in page
    assert page.index("node n3 at 8 B takes 1.") < page.index("Newest look")
    assert "new firmware" in page
