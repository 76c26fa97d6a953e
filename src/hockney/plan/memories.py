"""Memories in which messages lie: host, pinned, managed, device, or two of them for two sides."""

from __future__ import annotations

import re
from typing import Literal, get_args

from hockney.base.errors import UsageError
from hockney.base.units import format_size, parse_size
from hockney.plan.bounds import LARGEST_INT

Memory = Literal["host", "pinned", "managed", "device"]
MEMORIES: tuple[Memory, ...] = get_args(Memory)
"""host: the host's. pinned: the host's, which a device reaches without a copy by its driver.
managed: in pages that move between both. device: on the device."""
HOST, DEVICE = "host", "device"
WHOLE = "whole"
"""A staged message that is copied in one piece."""
_DEVICES = re.compile(r"near|local|\d{1,3}(?:,\d{1,3})*")


def read_memories(text: str) -> str:
    """The engine's list, such as "host/device/device,host", from the user's, which may have blanks
    for slashes. Raises UsageError for unknown memories and for one that is given twice."""
    memories: list[str] = []
    for word in text.replace("/", " ").split():
        sides = word.split(",")
        if len(sides) > 2 or not set(sides) <= set(MEMORIES):
            raise UsageError(
                f"{word!r}: unknown memory",
                f"name {', '.join(MEMORIES)}, or two of them such as device,host",
            )
        memories.append(",".join(dict.fromkeys(sides)))
    if not memories or len(set(memories)) < len(memories):
        raise UsageError(f"{text!r}: name one or more memories, each once")
    return "/".join(memories)


def sides_of(memories: str) -> list[tuple[str, str]]:
    """For each memory of the engine's list, that of the rank that sends first and of the other."""
    split = [memory.split(",") for memory in memories.split("/") if memory]
    return [(sides[0], sides[-1]) for sides in split]


def read_devices(text: str) -> str:
    """The engine's choice of devices: near, local, or a list. Raises UsageError."""
    if not _DEVICES.fullmatch(text):
        raise UsageError(
            f"{text!r}: unknown device", "write near, local, or a device of each rank: 0,1"
        )
    return text


def read_blocks(text: str) -> str:
    """The engine's list of blocks in which messages are staged. Raises UsageError."""
    words = text.split(",")
    blocks = [0 if word == WHOLE else parse_size(word) for word in words]
    if any(block == 0 and word != WHOLE for block, word in zip(blocks, words, strict=True)):
        raise UsageError(f"{text!r}: a block has a byte or more", "write whole, or 256KiB")
    if len(set(blocks)) < len(blocks) or max(blocks) > LARGEST_INT:
        raise UsageError(f"{text!r}: name blocks below 2 GiB, each once", "write whole,256KiB")
    return ",".join(WHOLE if block == 0 else str(block) for block in blocks)


def staging_text(block: int) -> str:
    """How a message is staged: "staged whole", "staged by 256 KiB"."""
    return f"staged by {format_size(block)}" if block else "staged whole"
