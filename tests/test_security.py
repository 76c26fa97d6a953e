"""A test for each line of docs/security.md that no other file tests."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from conftest import TEST_TIMEOUT_S, RunHockney
from hockney.base.errors import UsageError
from hockney.base.result_file import ResultFile
from hockney.plan import Placement, Sampling, single, stored
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.measure.launches.launch import end_strays
from hockney.run.measure.launches.nodes import private_copy, scripts_of
from hockney.run.measure.machine.platforms import platform_file
from hockney.run.measure.preparation import files as files_module
from hockney.run.measure.preparation.files import files_of
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import Engine, Mpi
from long_runs import engines_alive, measuring_into
from report_runs import ATTACK, pingpong_run
from samples import write_run

OTHERS = stat.S_IRWXG | stat.S_IRWXO
READING = (
    "show FILE",
    "fit FILE",
    "compare FILE FILE",
    "history FILE",
    "predict FILE --bytes 8",
    "export FILE --to csv",
    "report FILE",
    "plot FILE -o out.svg",
    "tune FILE",
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A result file whose plan names a program of its author's, and whose label is an attack."""
    program = tmp_path / "mpicc"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/executed\nexit 1\n")
    program.chmod(0o755)
    (tmp_path / "mpiexec").symlink_to(program)
    run = pingpong_run(ATTACK)
    plan = single(Pingpong(sizes="8"), Placement(mpicc=str(program)), Sampling())
    run.header = msgspec.structs.replace(run.header, schema=2, options=stored(plan))
    return write_run(run, tmp_path / "hostile.jsonl")


def test_nothing_that_a_file_names_is_run(hockney: RunHockney, hostile: Path) -> None:
    for words in READING:
        hockney(*(str(hostile) if word == "FILE" else word for word in words.split()))
    hockney("pingpong", "--resume", "-o", str(hostile), "--budget", "0.2s")
    assert not (hostile.parent / "executed").exists()


def test_modules_of_the_current_directory_are_not_imported(tmp_path: Path) -> None:
    for name in ("click", "json", "numpy", "msgspec"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w'); raise SystemExit(77)\n")
    command = [Path(sys.executable).with_name("hockney"), "show", "nowhere.jsonl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True)
    assert done.returncode != 77
    assert not (tmp_path / "executed").exists()


def test_a_cache_that_all_may_replace_is_not_used(
    built_mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    shared.chmod(0o1777)  # as /tmp is: nobody replaces what another owns
    assert shared in build_engine(built_mpi).path.parents
    shared.chmod(0o777)
    engine = build_engine(built_mpi)
    assert shared not in engine.path.parents
    assert "writable by all users" in engine.notes[0]


def test_what_is_cached_is_the_users_alone(
    built_mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    engine = build_engine(built_mpi)
    for place in (engine.path, engine.path.parent, engine.path.parent.parent):
        assert not place.stat().st_mode & OTHERS, place


def test_an_engine_behind_a_link_is_not_run(
    built_mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    engine = build_engine(built_mpi).path
    elsewhere = tmp_path / "elsewhere"
    engine.rename(elsewhere)
    engine.symlink_to(elsewhere)
    assert not build_engine(built_mpi).path.is_symlink()


def test_a_link_that_lies_in_wait_is_not_followed(
    hockney: RunHockney, measured: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    for name in ("run.jsonl", "page.html", "out.csv", "out.svg"):
        (tmp_path / name).symlink_to(victim)
    with pytest.raises(UsageError, match="exists"):
        ResultFile(tmp_path / "run.jsonl")
    for words in (
        "report FILE -o page.html",
        "export FILE --to csv -o out.csv",
        "plot FILE -o out.svg",
    ):
        done = hockney(*(str(measured) if word == "FILE" else word for word in words.split()))
        assert done.status == 2, done.stderr
    assert not victim.exists()


def test_temporary_files_are_the_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "long_list_of", lambda _: "0-1,2-3")
    plan = single(Pingpong(sizes="8"), Placement(), Sampling())
    before = os.umask(0)
    try:
        with (
            platform_file(Placement(platform="cluster:4")) as placement,
            files_of(plan, tmp_path) as files,
        ):
            assert placement.platform is not None
            assert files.list_file is not None
            assert not Path(placement.platform).parent.stat().st_mode & OTHERS
            assert not Path(files.list_file).stat().st_mode & OTHERS
    finally:
        os.umask(before)
    assert list(tmp_path.iterdir()) == []


def test_what_is_saved_of_a_deleted_file_is_the_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    file = ResultFile(tmp_path / "results" / "run.jsonl")
    file.path.unlink()
    with pytest.raises(Exception, match="was removed"):
        file.write(b"{}\n")
    file.close()
    (saved,) = tmp_path.glob("run-saved-*")
    assert not saved.stat().st_mode & OTHERS


def test_copies_on_nodes_go_where_nobody_can_lie_in_wait(engine: Engine, tmp_path: Path) -> None:
    copies = {private_copy(str(tmp_path), engine) for _ in range(9)}
    assert len(copies) == 9
    copy = copies.pop()
    make, remove = scripts_of(copy)
    subprocess.run(["sh", "-c", make], input=b"engine", check=True)
    assert not copy.parent.stat().st_mode & OTHERS
    assert subprocess.run(["sh", "-c", make], input=b"", capture_output=True).returncode != 0
    assert copy.read_bytes() == b"engine"
    subprocess.run(["sh", "-c", remove], check=True)
    assert not copy.parent.exists()


def test_shared_memory_is_the_users_alone(tmp_path: Path) -> None:
    before = set(Path("/dev/shm").iterdir())
    process = measuring_into(tmp_path / "run.jsonl", "--floor")
    mapped = {
        word
        for pid in engines_alive()
        for word in Path(f"/proc/{pid}/maps").read_text().split()
        if word.startswith("/dev/shm/")
    }
    made = [Path(place) for place in mapped if Path(place) not in before]
    modes = {place.name: place.stat().st_mode for place in made if place.is_file()}
    process.terminate()
    process.communicate(timeout=TEST_TIMEOUT_S)
    assert not {name: oct(mode) for name, mode in modes.items() if mode & OTHERS}


def test_only_processes_with_the_mark_of_a_launch_are_ended() -> None:
    mine, other = (
        subprocess.Popen(["sleep", "60"], env={**os.environ, "HOCKNEY_MARK": name})
        for name in ("test-mine", "test-mine-not")
    )
    try:
        time.sleep(0.2)  # until it is the program with its own environment
        end_strays("test-mine")
        assert mine.wait(timeout=TEST_TIMEOUT_S) == -9
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_words_of_a_batch_script_stay_words(hockney: RunHockney, tmp_path: Path) -> None:
    wild = "$(touch executed) ' \"; touch executed"
    done = hockney.ok(
        "job", "pbs", "--module", wild, "--", "pingpong", "--label", wild, "-o", f"{wild}.jsonl"
    )
    stubs = "module() { :; }; exit() { :; }; mpiexec() { :; }\n"
    words = stubs + re.sub(r"^.*(mpiexec|hockney-engine).*$", ":", done.stdout, flags=re.M)
    subprocess.run(["sh", "-c", words], cwd=tmp_path, capture_output=True, timeout=TEST_TIMEOUT_S)
    assert not (tmp_path / "executed").exists()
    refused = hockney("job", "pbs", "--account", "a\ntouch executed", "--", "pingpong")
    assert refused.status == 2


def test_a_page_runs_only_its_own_script(hockney: RunHockney, hostile: Path) -> None:
    hockney.ok("report", str(hostile), "-o", "page.html")
    page = (hostile.parent / "page.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].replace("&#39;", "'").split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/=]+'", rules["script-src"])
    elements = Elements(page)
    names = {name for _, attributes in elements.found for name in attributes}
    assert not {name for name in names if name.startswith("on")}
    links = {
        attributes.get(name) or "#" for _, attributes in elements.found for name in ("src", "href")
    }
    assert all(link.startswith(("#", "data:")) for link in links), links
    assert "img" not in {tag for tag, _ in elements.found}


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
