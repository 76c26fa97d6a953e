"""What a sample is, in plain words: the engine records a definition in a few terms of its own."""

from __future__ import annotations

PLAIN = {
    "batch over 2k": "time of k round trips, divided by 2k",
    "whole loop over 2n": "time of all n round trips, divided by 2n",
    "batch over k": "time of k exchanges, divided by k",
    "batch over messages": "time of a batch of messages, divided by their number",
    "larger of two ranks": "on the slower of the two ranks",
    "first rank": "on the first rank",
    "returned buffers": "each message is sent back from the buffer in which it arrived",
    "separate buffers": "sent from one buffer, received into another",
    "cold buffers": "the buffers are not in the caches",
}
"""Plain words of a part of a definition (engine/run.c). Parts that are plain already are not
listed, and those of other programs are left as they are."""


def sample_words(definition: str) -> str:
    """A definition in plain words."""
    return ", ".join(PLAIN.get(part, part) for part in definition.split(", "))
