"""The place of the recorder, and the fate of an older profile."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from profiled_programs import build

from conftest import RunHockney, first_of
from hockney.base.errors import UsageError
from hockney.profiling.kinds import read
from hockney.run.measure.recording import preloadable
from hockney.run.measure.toolchain.build import build_recorder
from hockney.run.mpis import Mpi

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def ends(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(mpi, tmp_path_factory.mktemp("ends"), HERE / "ends.c")


@pytest.mark.parametrize("cache", first_of(["evil.so $LIB", "a b:c"]))
def test_a_cache_where_the_loader_would_split_its_path(
    cache: str, mpi: Mpi, ends: Path, hockney: RunHockney, tmp_path: Path
) -> None:
    """A part of the path that is relative would load a library of the current directory."""
    bait = tmp_path / "evil.c"
    bait.write_text('__attribute__((constructor)) static void run(void) { puts("ran"); }\n')
    build(mpi, tmp_path, bait, "-shared", "-fPIC", "-include", "stdio.h")
    for name in ("b", "evil.so"):
        (tmp_path / name).write_bytes((tmp_path / "evil").read_bytes())
    shutil.copytree(Path(os.environ["XDG_CACHE_HOME"]), tmp_path / cache)  # nothing is built anew
    env = {"XDG_CACHE_HOME": cache, "MPICC": str(mpi.mpicc)}
    words = ["--mpicc", str(mpi.mpicc), "-o", "p.jsonl", "--", str(ends), "nothing"]
    done = hockney("profile", *words, env=env)
    assert (done.status, done.stdout) == (6, ""), done.stderr
    assert "cannot be preloaded" not in done.stderr
    assert [rank.end for rank in read(tmp_path / "p.jsonl").ranks] == ["finalized"]


def test_a_path_that_splits_is_refused_where_there_is_no_other(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = tmp_path / "a b"
    split.mkdir()
    recorder = split / "recorder.so"
    recorder.write_bytes(build_recorder(mpi)[0].read_bytes())
    monkeypatch.setattr("tempfile.tempdir", str(split))
    with pytest.raises(UsageError, match="splits LD_PRELOAD"), preloadable(recorder, split):
        pass


@pytest.mark.long
def test_an_older_profile_stays_until_the_new_one_is_whole(
    mpi: Mpi, ends: Path, hockney: RunHockney, tmp_path: Path
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("precious\n")
    path.chmod(0o640)
    options = ["--mpicc", str(mpi.mpicc), "--force", "-o", "p.jsonl"]
    done = hockney("profile", *options, "--", "grep", "-c", "precious", "p.jsonl", process=True)
    assert (done.status, done.stdout) == (1, "1\n")
    assert "nothing was recorded" in done.stderr
    assert path.read_text() == "precious\n"
    done = hockney("profile", *options, "--", str(ends), "nothing", process=True)
    assert done.status == 6
    assert [rank.end for rank in read(path).ranks] == ["finalized"]
    assert path.stat().st_mode & 0o777 == 0o640
    assert {file.name for file in tmp_path.iterdir()} == {"p.jsonl"}


@pytest.mark.long
def test_a_profile_whose_file_is_gone_is_kept_elsewhere(
    mpi: Mpi, ends: Path, hockney: RunHockney, tmp_path: Path
) -> None:
    words = ["--mpicc", str(mpi.mpicc), "-o", "p.jsonl", "--"]
    done = hockney("profile", *words, "sh", "-c", f"rm p.jsonl; {ends} nothing", process=True)
    assert done.status == 1
    kept = [file for file in tmp_path.iterdir() if file.suffix == ".jsonl"]
    assert len(kept) == 1
    assert kept[0].name in done.stderr
    assert os.access(kept[0], os.R_OK)
    assert [rank.end for rank in read(kept[0]).ranks] == ["finalized"]
