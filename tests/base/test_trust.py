"""Directories that another user of the machine could read, prepare or replace."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hockney.base import trust
from hockney.base.trust import UntrustedError, cache_directory, check_private

OTHER = 65534
"""The number of a second user, which every system has."""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be a second user")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "way" / "cache"
    folder.mkdir(mode=0o700, parents=True)
    return folder


def test_a_directory_of_this_user_alone_is_trusted(cache: Path) -> None:
    cache.chmod(0o755)
    check_private(cache)
    assert cache.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("mode", "words"), [(0o777, "writable by all users"), (0o1777, ""), (0o755, "")]
)
def test_modes_on_the_way_are_looked_at(cache: Path, mode: int, words: str) -> None:
    cache.parent.chmod(mode)
    if not words:
        check_private(cache)
        return
    with pytest.raises(UntrustedError, match=words):
        check_private(cache)


def test_a_directory_that_a_group_may_write_is_refused(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.parent.chmod(0o775)
    monkeypatch.setattr(trust, "_is_own_group", lambda _: False)
    with pytest.raises(UntrustedError, match="writable by its group"):
        check_private(cache)
    monkeypatch.setattr(trust, "_is_own_group", lambda _: True)
    check_private(cache)


def test_links_on_the_way_are_followed_one_by_one(cache: Path, tmp_path: Path) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    (open_to_all / "real").symlink_to(cache)
    (tmp_path / "link").symlink_to(open_to_all / "real")
    check_private(tmp_path / "link")
    open_to_all.chmod(0o777)
    with pytest.raises(UntrustedError, match="writable by all users"):
        check_private(tmp_path / "link")


@needs_root
def test_owners_on_the_way_are_looked_at(cache: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(cache)
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    with pytest.raises(UntrustedError, match=f"link belongs to user {OTHER}"):
        check_private(link)
    os.chown(cache.parent, OTHER, OTHER)
    with pytest.raises(UntrustedError, match=f"way belongs to user {OTHER}"):
        check_private(cache)
    os.chown(cache, OTHER, OTHER)
    with pytest.raises(UntrustedError, match="belongs to another user"):
        check_private(cache)


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that those who need the cache expect: they go on without one."""

    def unknown(*_: object) -> str:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(FileNotFoundError, match="HOME is not set"):
        cache_directory()


@needs_root
@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv of util-linux")
def test_a_second_user_neither_reads_nor_prepares_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path, *list(tmp_path.parents)[:-2]):
        if place.stat().st_uid == os.geteuid() and not place.stat().st_mode & 0o001:
            place.chmod(place.stat().st_mode | 0o011)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    kept = cache_directory()
    (kept / "kept").write_text("mine")

    def as_other(script: str) -> int:
        command = ["setpriv", f"--reuid={OTHER}", "--clear-groups", "sh", "-c", script]
        return subprocess.run(command, capture_output=True).returncode

    assert as_other(f"ls {shared}") == 0  # it gets there
    for script in (f"cat {kept}/kept", f"ls {kept}", f"touch {kept}/new", f"mv {kept} {shared}/x"):
        assert as_other(script) != 0, script
    shutil.rmtree(kept)
    assert as_other(f"mkdir -m 700 {kept}") == 0  # prepared, before it is ours
    with pytest.raises(UntrustedError, match="belongs to another user"):
        cache_directory()


@needs_root
@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv of util-linux")
def test_links_that_a_second_user_plants_are_not_followed(tmp_path: Path) -> None:
    """In a directory for temporary files that all may write."""
    shared, victim = tmp_path / "shared", tmp_path / "victim"
    shared.mkdir()
    shared.chmod(0o777)
    victim.write_text("precious")
    for place in range(50):
        link = shared / f"hockney-{place}"
        link.symlink_to(victim)
        os.chown(link, OTHER, OTHER, follow_symlinks=False)
    script = (
        "from hockney.base.temporary import temporary_directory, temporary_file\n"
        "with temporary_directory('hockney-') as a, temporary_file('hockney-') as b:\n"
        "    b.write_text('x'); (a / 'x').write_text('x')\n"
        "    assert not a.is_symlink() and not b.is_symlink()\n"
        "    assert not (a.stat().st_mode | b.stat().st_mode) & 0o077\n"
    )
    env = {**os.environ, "TMPDIR": str(shared)}
    subprocess.run([sys.executable, "-c", script], env=env, check=True)
    assert victim.read_text() == "precious"
    assert len(list(shared.iterdir())) == 50
