"""Reads zstd as far as it is whole: frames one after the other."""

from __future__ import annotations

import io
from typing import IO, Any

CHUNK = 1024
"""Bytes decompressed at once: at the best compression, 128 KiB of text in 4 bytes, they give
32 MiB."""


class ZstdFrames(io.RawIOBase):
    """The decompressed content of a file, which it closes. A file that ends inside a frame was cut,
    even after a whole line, which the library's own reader does not report: EOFError."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._compressed, self._plain = b"", memoryview(b"")
        self._frame: Any = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            self._compressed = self._compressed or self._file.read(CHUNK)
            if not self._compressed:
                if self._frame is not None:
                    raise EOFError("the file ends inside a zstd frame")
                return 0
            self._decompress()
        part = self._plain[: len(buffer)]
        self._plain = self._plain[len(part) :]
        buffer[: len(part)] = part
        return len(part)

    def _decompress(self) -> None:
        import zstandard

        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._plain = memoryview(self._frame.decompress(self._compressed))
        self._compressed = b""
        if self._frame.eof:
            self._compressed, self._frame = self._frame.unused_data, None

    def close(self) -> None:
        self._file.close()
        super().close()
