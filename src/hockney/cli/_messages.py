"""Options of verbs that send messages between two ranks: threads, layouts, sources."""

from __future__ import annotations

import re
from typing import Any

import click

from hockney.base.errors import UsageError
from hockney.cli._help import in_order, workload_option
from hockney.cli._option_groups import Common
from hockney.cli._parameters import Words
from hockney.plan.bounds import LARGEST_INT, MOST
from hockney.plan.messages import PACKINGS, THREAD_COMMS, Threads
from hockney.plan.words import STANDARD

_THREADS = re.compile(r"(\d{1,99})(?::(\d{1,99}))?")


def _threads(text: str) -> tuple[Threads, ...]:
    """Threads of each rank, as T,S:R,..."""
    parts = text.split(",")
    matches = [match for match in map(_THREADS.fullmatch, parts) if match]
    threads = [(int(match[1]), int(match[2] or match[1])) for match in matches]
    if any(max(numbers) > MOST["threads"] for numbers in threads):
        raise UsageError(f"{text[:40]!r}: at most {MOST['threads']} threads a rank")
    if len(threads) != len(parts):
        raise UsageError(f"{text!r}: write 2 or 1,2,4, or 4:1 for senders and receivers")
    if len(set(threads)) != len(threads):
        raise UsageError(f"{text!r}: a number is given twice")
    return tuple(threads)


def _packing(text: str) -> tuple[str, ...]:
    words = text.split(",")
    if not set(words) <= set(PACKINGS) or len(set(words)) != len(words):
        raise UsageError(f"{text!r}: name some of {', '.join(PACKINGS)}, each once")
    return tuple(words)


MESSAGES = in_order(
    (
        workload_option(
            "--threads",
            type=Words("threads", _threads),
            metavar="T|S:R,...",
            help="Threads of each rank that send at once (MPI_THREAD_MULTIPLE), or of the sender "
            "and of the receiver.",
        ),
        workload_option(
            "--thread-comms",
            type=click.Choice(THREAD_COMMS),
            default="shared",
            help="shared: one communicator for all threads; own: one for each; vci: one, and an "
            "endpoint of the library for each (MPICH's).",
        ),
        workload_option(
            "--datatype",
            metavar="LAYOUT",
            help="Layout of messages, compared with contiguous ones: vector:COUNT:BLOCK:STRIDE, "
            "indexed:LENGTH@OFFSET:..., struct:TYPE@OFFSET:... (bytes) or subarray:64x64:64x1 "
            "(doubles).",
        ),
        workload_option(
            "--receive-datatype",
            metavar="LAYOUT",
            help="Layout into which they are received.",
            show_default="that of --datatype",
        ),
        workload_option(
            "--packing",
            type=Words("packing", _packing, PACKINGS),
            metavar="LIST",
            help="How data get out of and into a layout: by MPI (datatype), MPI_Pack (pack), or "
            "plain copies (hand).",
            show_default="datatype,pack,hand; datatype where the operation takes no other",
        ),
    )
)
"""The options of messages."""
NAMES = ("threads", "thread_comms", "datatype", "receive_datatype", "packing")
"""Parameters of the options of messages."""


def messages_of(
    common: Common, options: dict[str, Any], largest_bytes: int, takes_packing: bool = True
) -> dict[str, Any]:
    """The fields of a workload that the options of messages ask for; takes them out of
    `options`."""
    fields = {name: options.pop(name) for name in NAMES}
    fields["threads"] = fields["threads"] or ()
    if fields["packing"] is not None and not takes_packing:
        raise UsageError(
            f"--packing is for --operation pingpong and --mode {STANDARD}", "leave it out"
        )
    if "thread_comms" in common.given and not fields["threads"]:
        raise UsageError("--thread-comms: there is one thread", "give --threads")
    if fields["packing"] is None:
        usual = [
            packing for packing in PACKINGS if packing != "pack" or largest_bytes <= LARGEST_INT
        ]
        several = takes_packing and fields["datatype"] is not None
        fields["packing"] = tuple(usual) if several else ("datatype",)
    return fields
