"""Words that nobody means: an answer in plain words, whatever they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunHockney
from hockney.cli import _files

NOT_UTF8 = b"caf\xe9"
LONG = "x" * 300


def hockney_of_bytes(*words: str | bytes | Path, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "hockney", *words],
        cwd=cwd,
        capture_output=True,
        timeout=TEST_TIMEOUT_S,
    )
    assert b"Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    "words",
    [
        ("pingpong", "--label", NOT_UTF8),
        ("pingpong", "--platform", NOT_UTF8),
        ("report", "nowhere.jsonl", "--title", NOT_UTF8),
        ("suite", NOT_UTF8),
    ],
)
def test_text_that_is_not_utf8_is_refused(words: tuple[str | bytes, ...], tmp_path: Path) -> None:
    done = hockney_of_bytes(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert b"is not UTF-8" in done.stderr


@pytest.mark.long
def test_files_may_have_any_name(hockney: RunHockney, measured: Path, tmp_path: Path) -> None:
    name = NOT_UTF8 + b".jsonl"
    (Path(os.fsdecode(bytes(tmp_path) + b"/" + name))).write_bytes(measured.read_bytes())
    for words in (
        ("show", name),
        ("show", name, "--json"),
        ("fit", name, "--json"),
        ("compare", name, name, "--json"),
        ("export", name, "--to", "csv"),
        ("history", name, "--json"),
        ("report", name, name, "-o", NOT_UTF8 + b".html"),
        ("plot", name, name, "-o", NOT_UTF8 + b".svg"),
    ):
        done = hockney(*map(os.fsdecode, words))
        too_few = 3 if words[0] == "history" else 0
        assert done.status == too_few, (words, done.stderr)
    assert hockney_of_bytes("show", name, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("show", LONG),
        ("report", "RUN", "-o", LONG),
        ("plot", "RUN", "-o", f"{LONG}.svg"),
        ("history", LONG),
        ("compare", "RUN", "RUN", "-o", f"{LONG}.svg"),
        ("import", LONG),
        ("suite", LONG),
        ("suite", "acceptance", "-o", LONG),
        ("pingpong", "--platform", LONG),
        ("pingpong", "-o", LONG),
        ("tune", "RUN", "-o", "/"),
    ],
)
def test_names_that_no_file_can_have(
    hockney: RunHockney, measured: Path, words: tuple[str, ...]
) -> None:
    done = hockney(*(str(measured) if word == "RUN" else word for word in words))
    assert done.status in (1, 2)
    assert done.stderr.count("hockney: ") + done.stderr.count("Error: ") == 1


@pytest.mark.parametrize("time", ["1e400s", "1e308h", "0s", "1e99"])
def test_times_that_cannot_be_meant(hockney: RunHockney, time: str) -> None:
    hockney.refused("job", "slurm", "--time", time, "--", "pingpong", because="is not a time")


def test_a_directory_that_is_too_large(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_files, "MOST_ENTRIES", 9)
    for number in range(10):
        (tmp_path / f"{number}.txt").touch()
    hockney.refused("report", ".", because="more than 9 files are in this directory or below")


def test_a_mixed_directory_is_shown_without_what_is_foreign(
    hockney: RunHockney, measured: Path, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "run.jsonl").write_bytes(measured.read_bytes())
    (tmp_path / "runs" / "foreign.jsonl").write_text('{"kind":"weather"}\n')
    (tmp_path / "runs" / "empty.jsonl").touch()
    (tmp_path / "runs" / "cut.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    os.mkfifo(tmp_path / "runs" / "pipe.jsonl")
    done = hockney.ok("report", "runs")
    assert (tmp_path / "report.html").exists()
    assert "left out: runs/foreign.jsonl: not a result file of hockney" in done.stderr
    assert done.stderr.count("left out: ") == 4


def test_what_holds_no_launch_is_not_kept(hockney: RunHockney, tmp_path: Path) -> None:
    words = ("pingpong", "--sizes", "8", "--budget", "0.5s", "-o", "run.jsonl")
    done = hockney(*words, "--timeout", "1ms")
    assert done.status == 1
    assert "reported nothing for " in done.stderr
    assert "for 0 s" not in done.stderr
    assert "nothing was measured: run.jsonl is not kept" in done.stderr
    assert not (tmp_path / "run.jsonl").exists()


def test_advice_is_what_a_verb_can_do(hockney: RunHockney, measured: Path, tmp_path: Path) -> None:
    (tmp_path / "out.csv").touch()
    done = hockney.refused(
        "export", str(measured), "--to", "csv", "-o", "out.csv", because="--force"
    )
    assert "--resume" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "cut.jsonl"),
        ("export", "cut.jsonl", "--to", "csv"),
        ("compare", "cut.jsonl", "cut.jsonl"),
        ("history", "cut.jsonl"),
        ("predict", "cut.jsonl", "--bytes", "8"),
    ],
)
def test_what_could_not_be_read_is_said(
    hockney: RunHockney, measured: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "cut.jsonl").write_bytes(measured.read_bytes()[:-40])
    done = hockney(*words)
    assert "warning: cut.jsonl: " in done.stderr
    assert "what follows is from the rest" in done.stderr


@pytest.mark.parametrize(
    ("option", "value"),
    [("--sizes", "9" * 5000), ("--cpus", "9" * 5000), ("-n", "2,4,...,999999999999")],
)
def test_numbers_that_no_machine_has(hockney: RunHockney, option: str, value: str) -> None:
    done = hockney("collective", "bcast", option, value)
    assert done.status == 2
    assert "is not a" in done.stderr or "can be asked for" in done.stderr
