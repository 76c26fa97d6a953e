"""A record as a line of JSON, and back."""

from __future__ import annotations

import json

import msgspec

from hockney.base.printable import SUSPICIOUS, one_lines
from hockney.records.kinds import KINDS, Record

_decoder = msgspec.json.Decoder(Record)
_encoder = msgspec.json.Encoder()


class _Kind(msgspec.Struct):
    kind: str


_kind_decoder = msgspec.json.Decoder(_Kind)


def decode(line: bytes) -> Record | None:
    """One record; None for an unknown kind. Raises ValueError if the line is not a record."""
    try:
        record: Record = _decoder.decode(line)
        return record
    except msgspec.ValidationError:
        if _kind_decoder.decode(line).kind in KINDS:
            raise
        return None


def try_decode(line: bytes) -> Record | None:
    """One record; None if the line is not a record or of an unknown kind."""
    try:
        return decode(line)
    except ValueError:
        return None


def decode_all(text: bytes, lines: int) -> list[Record] | None:
    """The records of so many lines; None unless each is one record of a known kind."""
    try:
        records: list[Record] = _decoder.decode_lines(text)
    except ValueError:
        return None
    return records if len(records) == lines else None


def encode(record: Record) -> bytes:
    """A record as one line with its newline."""
    try:
        return _encoder.encode(record) + b"\n"
    except UnicodeEncodeError:  # the environment may hold any bytes
        text = json.dumps(msgspec.to_builtins(record), ensure_ascii=False)
        return text.encode(errors="replace") + b"\n"


def is_harmless(text: bytes) -> bool:
    """Whether nothing in the text can be a control character; a quick look that may err."""
    return text.isascii() and b"\\" not in text and b"\x7f" not in text


def tame(record: Record, line: bytes) -> Record:
    """The record with control characters escaped: the file may come from a stranger."""
    if not SUSPICIOUS.search(line):
        return record
    safe: Record = msgspec.convert(one_lines(msgspec.to_builtins(record)), type=Record)
    return safe
