"""GOAL's binary form is the same profile as its text, and damaged files are refused."""

from __future__ import annotations

import base64
import gzip
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_goal import GOAL, read

from hockney.base.errors import UsageError
from hockney.foreign.programs import profile_in
from hockney.profiling.kinds import Profile
from hockney.profiling.order import order_of

BINARY = base64.b64decode("""
fxAAAAAAAAACAAAAAAAmAAAAAAAAADQBAAAAAAAANAEAAAAAAAC9AQAAAAAAAAYAAAACAAAAAAAAAAIAAAAAAAAA
AwAAAADoAwAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAEAAAABAAAAAQEAAAAABAAAAAAAAAcAAAAAAAEAAAABAAAA
AAAAAAIAAAAAAAAAAgEAAAAACAAAAAAAAAgAAAAAAAEAAAACAAAAAAAAAAMAAAABAAAAAwAAAACIEwAAAAAAAAAA
AAAAAAAAAAADAAAAAQAAAAMAAAABAAAAAwAAAABkAAAAAAAAAAAAAAAAAAEAAAAEAAAAAAAAAAUAAAACAAAAAQEA
AAAIAAAAAAAAAP////8AAAAAAAAFAAAAAAAAAAUAAAABAAAAAwAAAAQAAAAFAAAABQAAAAMAAAACAAAAAAAAAAIA
AAAAAAAAAgAAAAAABAAAAAAAAAcAAAAAAAEAAAAAAAAAAAAAAAEAAAABAAAAAQAAAAAACAAAAAAAAAgAAAAAAAAA
AAABAAAAAAAAAAEAAAAAAAAAAgAAAAAIAAAAAAAAAP////8AAAAAAAABAAAAAAAAAAEAAAABAAAA
""")
"""What ATLAHS' txt2bin made of GOAL."""
OF_RANK = 8 + 6 + 2 * 16
"""Where the operations of rank 0 begin."""


def made(path: Path, content: bytes) -> tuple[Profile, list[str]]:
    path.write_bytes(content)
    profile_and_notes = profile_in(path)
    assert profile_and_notes is not None
    return profile_and_notes


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_it_is_the_same_as_its_text(tmp_path: Path, pack: type[bytes]) -> None:
    profile, notes = made(tmp_path / "a.bin", pack(BINARY))
    expected, _ = read(tmp_path, GOAL)
    assert order_of(profile).ranks == order_of(expected).ranks
    assert notes == []


@pytest.mark.parametrize(
    ("place", "number", "words"),
    [
        (8, 0, "0 ranks are out of range"),
        (8, 300, "ends early, before its 300 ranks"),
        (OF_RANK, 90, "rank 0 is damaged"),
        (14, 4000, "rank 0 lies outside of the file"),
        (OF_RANK + 8 + 8 + 39 + 5, 5, "rank 0: no rank 5"),
        (OF_RANK + 8 + 8 + 39 + 5, 2**32 - 1, "rank 0 receives from any source"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path: Path, place: int, number: int, words: str) -> None:
    content = BINARY[:place] + number.to_bytes(4, "little") + BINARY[place + 4 :]
    with pytest.raises(UsageError) as raised:
        made(tmp_path / "a.bin", content)
    assert words in str(raised.value)


def test_no_part_of_a_file_is_taken_for_all_of_it(tmp_path: Path) -> None:
    for length in range(8, len(BINARY)):
        with pytest.raises(UsageError):
            made(tmp_path / "a.bin", BINARY[:length])


@given(st.integers(8, len(BINARY) - 1), st.integers(0, 255))
def test_a_byte_that_changed_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    path = tmp_path_factory.mktemp("goal") / "a.bin"
    with suppress(UsageError):
        made(path, BINARY[:place] + bytes([byte]) + BINARY[place + 1 :])
