"""The text of a file as people keep logs: compressed, in UTF-16, or piped in."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import random
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from hockney.base.errors import UsageError
from hockney.base.zstd_frames import ZstdFrames

LARGEST_LOG = 32 * 1024 * 1024
"""Largest log (bytes), after decompression; larger ones must be split."""
MOST_LINES = 200_000
LINES_SAMPLED = 10_000
SAMPLED = 2048
"""Most characters of which the encoding is guessed."""
MOSTLY_ASCII = 0.9
"""Least fraction of characters of a log that are ASCII."""
MOSTLY = 0.5
"""Least fraction of lines with the same words that is mentioned."""
_WORDS = re.compile(rb"[A-Za-z]{2,20}(?: [A-Za-z]{2,20})?(?= )")
LONGEST_LINE = 1024 * 1024
"""Most characters of a line of a file that is read line by line: a damaged one may have no other,
and a small compressed one may hold gigabytes."""
STDIN = Path("-")
PIPED = Path("stdin")
"""Name of a log that was piped in."""

Opener = Callable[[IO[bytes]], io.BufferedIOBase]
_COMPRESSED: dict[bytes, tuple[str, Opener]] = {
    b"\x1f\x8b": (".gz", lambda file: gzip.GzipFile(fileobj=file)),
    b"\x28\xb5\x2f\xfd": (".zst", lambda file: io.BufferedReader(ZstdFrames(file))),
    b"\xfd7zXZ\x00": (".xz", lzma.LZMAFile),
    b"]\x00\x00": (".lzma", lzma.LZMAFile),
    b"BZh": (".bz2", bz2.BZ2File),
}
"""Suffix of a compressed file and the function that opens it, by the file's first bytes."""
LONGEST_MAGIC = max(map(len, _COMPRESSED))
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # begins as that of UTF-16 does
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_ARCHIVES = (b"PK\x03\x04", b"Rar!", b"7z\xbc\xaf\x27\x1c")
_NO_TEXT = (
    b"%PDF-",
    b"{\\rtf",
    b"\x1f\x9d",
    b'\x04"M\x18',
    b"\xff\x06\x00\x00sNaPpY",
    b"\x89PNG",
    b"\x7fELF",
)
"""Beginnings of documents, of files of other compressors (compress, lz4, snappy), and of others."""
_TAR, _TAR_AT = b"ustar", 257
"""Mark of a tar file, and its place in the file."""


def text_of(path: Path) -> str:
    """The file's text; bytes that are no text become replacement characters. Raises
    UsageError where it cannot be read, is too large, or holds several files."""
    try:
        if path == STDIN:
            content = sys.stdin.buffer.read(LARGEST_LOG + 1)
        else:
            with path.open("rb") as file:
                content = file.read(LARGEST_LOG + 1)
    except IsADirectoryError as error:
        raise UsageError(
            f"{path} is a directory", f"name the files in it: {path / '*.log'}"
        ) from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    content = _decompressed(content, path)
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")  # as old spreadsheets end their lines
    if content.startswith(_ARCHIVES) or content[_TAR_AT:].startswith(_TAR):
        raise UsageError(
            f"{path} is an archive or a spreadsheet",
            "unpack it, or save its sheets as CSV, and import those files",
        )
    if content.startswith(_NO_TEXT):
        raise UsageError(
            f"{path} is no text", "decompress it, or save it as plain text, and import that"
        )
    if len(content) > LARGEST_LOG or content.count(b"\n") > MOST_LINES:
        raise UsageError(
            f"{path}: larger than {LARGEST_LOG >> 20} MiB or {MOST_LINES} lines",
            _way_out(content, path),
        )
    return _decoded(content)


def _way_out(content: bytes, path: Path) -> str:
    """What to do about a log that is too large: often most of its lines are messages of a
    library."""
    lines = content.splitlines()
    # At random: every hundredth line of tables of a hundred lines would be a title.
    some = random.Random(1).sample(lines, min(len(lines), LINES_SAMPLED))
    words = Counter(match[0] for line in some if (match := _WORDS.search(line)))
    most, count = words.most_common(1)[0] if words else (b"", 0)
    if count < len(some) * MOSTLY:
        return "extract the tables, and import those"
    named = most.decode(errors="replace")
    return (
        f"extract the tables; {count / len(some):.0%} of its lines have {named!r}: "
        f"grep -v {named!r} {path.name} | hockney import -"
    )


def opened(path: Path) -> Iterator[str]:
    """The lines of a file, one after the other, however large it is. Raises UsageError where it
    cannot be read."""
    with stream_of(path) as content:
        text = io.TextIOWrapper(content, errors="replace")
        while line := text.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise UsageError(f"{path}: a line is longer than {LONGEST_LINE >> 10} KiB")
            yield line


@contextmanager
def stream_of(path: Path) -> Iterator[IO[bytes]]:
    """The file, decompressed. Raises UsageError where it cannot be read."""
    import zstandard

    try:
        with path.open("rb") as file:
            magic = file.read(LONGEST_MAGIC)
            file.seek(0)
            openers = (of for start, (_, of) in _COMPRESSED.items() if magic.startswith(start))
            opener = next(openers, None)
            content = file if opener is None else io.BufferedReader(opener(file))
            yield content
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
        raise UsageError(
            f"{path}: cannot be decompressed: {error}", "decompress what is left of it by hand"
        ) from error


def stem_of(path: Path) -> str:
    """The file's name without its suffix, and without that of its compression."""
    is_compressed = path.suffix in {suffix for suffix, _ in _COMPRESSED.values()}
    return Path(path.stem).stem if is_compressed else path.stem


def _decompressed(content: bytes, path: Path) -> bytes:
    import zstandard

    opener = next((o for magic, (_, o) in _COMPRESSED.items() if content.startswith(magic)), None)
    if opener is None:
        return content
    try:
        return opener(io.BytesIO(content)).read(LARGEST_LOG + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
        raise UsageError(
            f"{path}: cannot be decompressed: {error}", "decompress what is left of it by hand"
        ) from error


def _decoded(content: bytes) -> str:
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace")
    return content.decode(_unmarked_encoding(content), errors="replace")


def _unmarked_encoding(content: bytes) -> str:
    """UTF-16, as some consoles write it without a mark, if nearly every second byte is 0."""
    some = content[: 2 * SAMPLED]
    even, odd = some[::2], some[1::2]
    if odd and odd.count(0) >= MOSTLY_ASCII * len(odd) and not even.count(0):
        return "utf-16-le"
    if odd and even.count(0) >= MOSTLY_ASCII * len(even) and not odd.count(0):
        return "utf-16-be"
    return "utf-8"
