"""Prose that the writers of version 1 made becomes the axes that it was made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.records import LaunchRecord, Run, Samples
from hockney.records.version1 import axes_in, buffers_of
from hockney.spec.axes import MODES, STANDARD, Point, method_text
from hockney.spec.trains import Train
from hockney.units import format_size
from samples import HEADER

NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,30}", fullmatch=True).filter(
    lambda name: name not in (*MODES, "overlapped", "unsegmented")
)
DELAYS = st.floats(0.0, 1e9).map(lambda value: float(f"{value:.9g}"))
TRAINS = st.builds(
    Train,
    messages=st.integers(0, 10**6),
    send_delay_ns=DELAYS,
    send_delay_ns_per_B=DELAYS,
    receive_delay_ns=DELAYS,
    receive_delay_ns_per_B=DELAYS,
)


def label(name: str, segment: int | None, overlapped: bool) -> str:
    """As version 1 wrote it for a collective."""
    words = [name]
    if segment:
        words.append(f"{format_size(segment)} segments")
    elif segment == 0:
        words.append("unsegmented")
    return ", ".join([*words, *(["overlapped"] if overlapped else [])])


def upgraded(
    operation: str,
    algorithm: str | None,
    experiment: str = "collective",
    ranks: int = 4,
    peers: tuple[int, ...] = (),
) -> Samples:
    header = HEADER.__class__(schema=1, hockney="0.1.0", id="1", experiment=experiment)
    run = Run(header)
    run.add(LaunchRecord(launch=0, definition="batch over 2k, larger of two ranks, two buffers"))
    run.add(
        Samples(
            launch=0,
            round=0,
            operation=operation,
            algorithm=algorithm,
            bytes=8,
            ranks=ranks,
            peers=peers,
            repetitions=1,
            ns=[1.0],
        )
    )
    return run.samples[0]


@given(NAMES, st.none() | st.integers(0, 2**40), st.booleans())
def test_a_forced_algorithm(name: str, segment: int | None, overlapped: bool) -> None:
    read = upgraded("ibcast", label(name, segment, overlapped))
    assert (read.algorithm, read.segment_bytes, read.overlap) == (name, segment, overlapped)
    assert method_text(read) == label(name, segment, overlapped)


@given(TRAINS, st.sampled_from(["train", "late"]))
def test_a_train(train: Train, operation: str) -> None:
    words = method_text(Point(operation=operation, train=train, bytes=8))
    read = upgraded(operation, words)
    assert (read.algorithm, read.train) == (None, train)


@given(st.integers(1, 10**8), st.integers(1, 1000))
def test_a_window_and_the_pairs(window: int, pairs: int) -> None:
    read = upgraded("stream", f"window {window}", "pairs", 2 * pairs, (0, 1))
    assert (read.algorithm, read.window, read.pairs) == (None, window, pairs)


@pytest.mark.parametrize("mode", MODES[1:])
def test_a_mode(mode: str) -> None:
    read = upgraded("pingpong", mode, "pairs", 2, (0, 1))
    assert (read.algorithm, read.mode, read.pairs) == (None, mode, 1)
    assert upgraded("pingpong", None).mode == STANDARD
    assert upgraded("exchange", mode).algorithm == mode


@pytest.mark.parametrize("experiment", ["pingpong", "overheads"])
def test_a_ping_pong_is_of_no_number_of_pairs(experiment: str) -> None:
    read = upgraded("pingpong", None, experiment, 2, (0, 1))
    assert (read.pairs, read.buffers) == (None, "separate")


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("train", "binomial"),
        ("train", "n 16, send delay +++ ns, receive delay 0+0 ns"),
        ("train", "n 16, send delay 1e999e+0 ns, receive delay 0+0 ns"),
        ("stream", "window \N{SUPERSCRIPT TWO}"),
        ("stream", "window 64 of 65"),
        ("bcast", "chain, 8.5 KiB segments"),
        ("bcast", "chain, 1024 B segments"),
        ("bcast", "chain, many segments"),
        ("bcast", "3, 4"),
        ("bcast", "window"),
        ("pingpong", "ring"),
    ],
)
def test_a_name_that_cannot_be_understood_is_kept(operation: str, name: str) -> None:
    read = upgraded(operation, name)
    assert read.algorithm == name
    assert read.train is read.window is read.segment_bytes is None


@given(st.text(max_size=60), st.sampled_from(["bcast", "pingpong", "train", "stream"]))
def test_no_name_is_an_error(name: str, operation: str) -> None:
    """And what is understood is said in the same words again."""
    found = {"algorithm": name, **axes_in(operation, name)}
    point = Point(operation=operation, bytes=8, **found)
    assert method_text(point) == name or point.train is not None or name == STANDARD


def test_what_is_of_version_2_stays() -> None:
    run = Run(HEADER)
    run.add(LaunchRecord(launch=0, buffers="cold", definition="..., one buffer"))
    run.add(
        Samples(
            launch=0,
            round=0,
            operation="pingpong",
            mode="persistent",
            bytes=8,
            ranks=8,
            pairs=3,
            peers=(0, 1),
            repetitions=1,
            ns=[1.0],
        )
    )
    (read,) = run.samples
    assert (read.mode, read.pairs, read.buffers) == ("persistent", 3, "cold")


@pytest.mark.parametrize(
    ("launch", "buffers"),
    [
        ({"definition": "batch over 2k, larger of two ranks, one buffer"}, "returned"),
        ({"definition": "batch over 2k, larger of two ranks, two buffers"}, "separate"),
        ({"definition": "batch over 2k, one buffer", "cold_bytes": 1024}, "cold"),
        ({"definition": "from the common start to the last rank's end"}, None),
        ({}, None),
    ],
)
def test_the_buffers(launch: dict[str, object], buffers: str | None) -> None:
    assert buffers_of(LaunchRecord(launch=0, **launch)) == buffers  # type: ignore[arg-type]
