"""Files that options name are read whole or refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hockney.base.errors import UsageError
from hockney.plan.option_files import LARGEST_FILE, option_text


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "list"
    text = "0 1\n" * (LARGEST_FILE // 4)
    path.write_text(text)
    assert option_text(path, "--pairing list", "") == text


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"\xff\xfe", "not a text file"), (None, "cannot be read: No such file or directory")],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes | None, complaint: str) -> None:
    path = tmp_path / "list"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=f"--roles list:? {complaint}") as error:
        option_text(path, "--roles list", "name another")
    assert "name another" in str(error.value)


@pytest.mark.parametrize("is_endless", [False, True])
def test_a_file_that_is_too_long_is_refused_not_cut(tmp_path: Path, is_endless: bool) -> None:
    path = Path("/dev/zero") if is_endless else tmp_path / "list"
    if not is_endless:
        path.write_bytes(b"")
        os.truncate(path, LARGEST_FILE + 1)
    with pytest.raises(UsageError, match="--topology list: more than 64 MiB"):
        option_text(path, "--topology list", "")
