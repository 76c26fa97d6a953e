from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from conftest import RunHockney
from hockney import records
from hockney.base.printable import one_line, printable
from hockney.records import End, LaunchRecord, Place
from samples import HEADER

NASTY = "real\x1b[2J\x07\nfake\x9b31m\u202e\tline"


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = printable(text)
    assert all(letter in "\t\n" or letter >= " " for letter in shown)
    assert not any("\x7f" <= letter <= "\x9f" for letter in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert "\n" not in one_line(text)
    assert printable(shown) == shown


def test_ordinary_text_stays_as_it_is() -> None:
    assert printable("8 µs – ±1 %\n\tnœud-1 日本") == "8 µs – ±1 %\n\tnœud-1 日本"


def nasty_file(path: Path) -> Path:
    header = msgspec.structs.replace(HEADER, label=NASTY, experiment=NASTY)
    launch = LaunchRecord(
        launch=0,
        definition=NASTY,
        places=[Place(rank=rank, host=NASTY, refused=NASTY, pinned=False) for rank in (0, 1)],
    )
    end = End(launch=0, reason="failed", message=NASTY)
    path.write_bytes(b"".join(map(records.encode, (header, launch, end))))
    return path


def test_words_of_a_file_are_one_line_of_printable_text(tmp_path: Path) -> None:
    run = records.read(nasty_file(tmp_path / "run.jsonl"))
    safe = "real\\u001b[2J\\u0007\\u000afake\\u009b31m\\u202e\\u0009line"
    assert (run.header.label, run.launches[0].definition) == (safe, safe)
    assert (run.launches[0].places[0].host, run.ends[0].message) == (safe, safe)


def test_what_strangers_wrote_never_reaches_the_terminal(
    hockney: RunHockney, tmp_path: Path
) -> None:
    nasty_file(tmp_path / "run.jsonl")
    (tmp_path / "run\x07.jsonl").write_text("{}")
    for arguments in (
        ["show", "run.jsonl"],
        ["show", "run.jsonl", "--json"],
        ["compare", "run.jsonl", "run.jsonl"],
        ["fit", "run.jsonl"],
        ["show", "run\x07.jsonl"],
    ):
        done = hockney(*arguments)
        for text in (done.stdout, done.stderr):
            assert printable(text) == text
    assert "\\u0007" in hockney("show", "run\x07.jsonl").stderr


def test_a_name_that_is_no_utf8_is_told_not_tripped_over(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hockney", "show", b"nowhere\xff"],
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 2
    assert b"no such file" in done.stderr
    assert b"Traceback" not in done.stderr
