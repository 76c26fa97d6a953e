from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hockney.base.allowed import allowed_count
from hockney.base.errors import UsageError
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import Engine, Mpi


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hockney"


def wrapper(mpi: Mpi, path: Path, before: str = "") -> Mpi:
    """The MPI through a wrapper that runs `before` first."""
    path.write_text(f'#!/bin/sh\n{before}\nexec "{mpi.mpicc}" "$@"\n')
    path.chmod(0o755)
    return replace(mpi, mpicc=path)


def runs(engine: Engine) -> bool:
    done = subprocess.run([engine.path, "--version"], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.startswith("hockney-engine ")


def test_it_is_built_once(built_mpi: Mpi, cache: Path) -> None:
    first = build_engine(built_mpi)
    assert runs(first)
    assert cache in first.path.parents
    assert first.path.stat().st_mode & 0o077 == 0
    built = first.path.stat().st_mtime_ns
    assert build_engine(built_mpi).path.stat().st_mtime_ns == built


@pytest.mark.long
@pytest.mark.usefixtures("cache")
def test_another_wrapper_flag_or_module_makes_another_engine(
    built_mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = {
        build_engine(built_mpi).path,
        build_engine(wrapper(built_mpi, tmp_path / "mpicc")).path,
    }
    monkeypatch.setenv("HOCKNEY_CFLAGS", "-DHOCKNEY_FAULTS")
    paths.add(build_engine(built_mpi).path)
    monkeypatch.setenv("LOADEDMODULES", "some/module")
    paths.add(build_engine(built_mpi).path)
    assert len(paths) == 4


def test_two_at_once_build_one_engine_on_all_cpus(
    built_mpi: Mpi, cache: Path, tmp_path: Path
) -> None:
    log, busy, side_by_side = tmp_path / "log", tmp_path / "busy", tmp_path / "side_by_side"
    slow = wrapper(
        built_mpi,
        tmp_path / "mpicc",
        f"""case "$*" in
            *-show*) ;;
            *" -c "*)
                [ -e {busy} ] && touch {side_by_side}
                touch {busy}
                "{built_mpi.mpicc}" "$@"
                status=$?; rm -f {busy}; exit $status ;;
            *) echo x >>{log}; sleep 1 ;;
        esac""",
    )
    program = (
        "from pathlib import Path; from hockney.run.measure.toolchain.mpi import Mpi\n"
        "from hockney.run.measure.toolchain.build import build_engine\n"
        f"print(build_engine(Mpi(Path({str(slow.mpicc)!r}), Path('x'), 'mpich', 'hydra', '')).path)"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    paths = {process.communicate()[0].strip() for process in started}
    assert len(paths) == 1
    assert cache in Path(paths.pop()).parents
    assert log.read_text() == "x\n"
    assert side_by_side.exists() == (allowed_count() > 1)


def test_a_cache_that_others_may_write_is_not_used(built_mpi: Mpi, cache: Path) -> None:
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    engine = build_engine(built_mpi)
    assert runs(engine)
    assert cache not in engine.path.parents
    assert "writable by other users" in engine.notes[0]


@pytest.mark.skipif(os.getuid() != 0, reason="giving a directory away needs root")
def test_a_cache_of_somebody_else_is_not_used(built_mpi: Mpi, cache: Path) -> None:
    cache.mkdir(parents=True)
    os.chown(cache, 12345, 12345)
    engine = build_engine(built_mpi)
    assert runs(engine)
    assert "belongs to another user" in engine.notes[0]


@pytest.mark.usefixtures("cache")
def test_an_engine_that_others_may_change_is_not_run(built_mpi: Mpi) -> None:
    engine = build_engine(built_mpi)
    engine.path.write_text("#!/bin/sh\necho planted\n")
    engine.path.chmod(0o777)
    assert runs(build_engine(built_mpi))


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("left_bytes", [0, 20_000])
def test_a_damaged_engine_is_built_again(built_mpi: Mpi, left_bytes: int) -> None:
    engine = build_engine(built_mpi)
    os.truncate(engine.path, left_bytes)
    again = build_engine(built_mpi)
    assert runs(again)
    assert "was damaged, and was built again" in again.notes[0]
    assert build_engine(built_mpi).notes == ()


def test_a_wrapper_that_builds_nothing_is_refused(built_mpi: Mpi, cache: Path) -> None:
    nothing = replace(built_mpi, mpicc=Path("/bin/true"))
    with pytest.raises(UsageError, match="built no program that runs here"):
        build_engine(nothing)
    assert not list(cache.glob("*/hockney-engine"))


@pytest.mark.long
@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("before", "words", "advice"),
    [
        ('[ "$1" = -show ] || exec cc -x c "$@"', "mpi.h is missing", "mpich-devel"),
        (
            "echo 't.c:1:10: fatal error: stdio.h: No such file or directory' >&2; exit 1",
            "stdio.h is missing",
            "libc6-dev",
        ),
    ],
    ids=["MPI", "C"],
)
def test_a_wrapper_that_cannot_compile_gets_one_sentence(
    built_mpi: Mpi, tmp_path: Path, before: str, words: str, advice: str
) -> None:
    half = wrapper(replace(built_mpi, family="mpich"), tmp_path / "mpicc", before)
    with pytest.raises(UsageError) as refused:
        build_engine(half)
    assert refused.value.message == f"{half.mpicc} cannot compile MPI programs: {words}"
    assert advice in (refused.value.advice or "")


def test_a_cache_that_cannot_be_made_is_no_hindrance(
    built_mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file where the directory should be: even root cannot write there."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    engine = build_engine(built_mpi)
    assert runs(engine)
    assert "for this run only" in engine.notes[0]


def mounted(directory: Path, options: str) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", options, "none", str(directory)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a file system needs root")


@pytest.mark.long
@pytest.mark.parametrize("options", ["size=16k,mode=700", "ro,mode=700"])
def test_a_full_or_read_only_cache_is_no_hindrance(
    built_mpi: Mpi, cache: Path, options: str
) -> None:
    cache.mkdir(parents=True)
    mounted(cache, options)
    try:
        engine = build_engine(built_mpi)
        assert runs(engine)
        assert "for this run only" in engine.notes[0]
    finally:
        subprocess.run(["umount", str(cache)], check=True)


def test_a_wrapper_that_fails_has_its_message_shown(
    built_mpi: Mpi, cache: Path, tmp_path: Path
) -> None:
    broken = wrapper(built_mpi, tmp_path / "mpicc", "echo 'cannot find cc1' >&2; exit 3")
    with pytest.raises(UsageError, match="exit status 3") as error:
        build_engine(broken)
    assert "cannot find cc1" in str(error.value)
    assert not list(cache.glob("*/hockney-engine"))


@pytest.mark.usefixtures("cache")
def test_a_missing_compiler_is_told(mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("MPICH_CC", "OMPI_CC"):
        monkeypatch.setenv(variable, "no-such-compiler")
    with pytest.raises(UsageError, match="could not build the engine") as error:
        build_engine(mpi)
    assert "no-such-compiler" in str(error.value)
