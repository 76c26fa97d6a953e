"""Files that pages take for granted: results, logs and directories, under their names there."""

from __future__ import annotations

import re
from pathlib import Path

import zstandard
from shown_commands import ROOT

import excerpts
from samples import past_run, varied_run, write_run

RECORDED = ROOT / "tests" / "recorded"
PROFILE = ROOT / "tests" / "fuzz" / "samples" / "profiles" / "known_calls.jsonl"
RUNS = {
    r" allreduce\.jsonl$": "recorded/collective-segments-mpich.jsonl.zst",
    r"tune |collective-best": "recorded/collective-forced.jsonl.zst",
    r"records\.txt": "fuzz/samples/by-hand.txt",
    r"--what startup": "fuzz/samples/startup.jsonl",
    r"--what matrix": "recorded/cores-simulated.jsonl.zst",
    r"overheads\.jsonl": "recorded/overheads-mpich.jsonl.zst",
    r"(before|mpich|A|a|good|first|02-.*)\.jsonl": "recorded/pingpong-mpich.jsonl.zst",
    r"": "recorded/pingpong-openmpi.jsonl.zst",
}
"""The recorded file that is read, by a pattern of the command or the name; the first match
counts."""
LOGS = {
    r"times\.csv|a\.csv": "size,lat\n8,1.5\n64,1.6\n1024,2.5\n",
    r"imb": excerpts.IMB_MULTI,
    r"perflogs": excerpts.NETWORKS["reframe 4"][1],
    r"np\.out": "1: 1 bytes 1000 times --> 5.00 Mbps in 1.53 usec\n",
    r"": excerpts.OSU_RATE,
}


def provide(name: str, command: str, directory: Path) -> None:
    """Makes the file of that name, if no command of the page has made it. FILE is another each
    time."""
    path = directory / name
    if path.exists() and name != "FILE":
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith("/") or name in ("DIRECTORY", "good", "night-2026-01-02"):
        path.mkdir()
        for day in range(8):
            write_run(past_run(day), path / f"{day}.jsonl")
    elif re.search(r"(^|/)(p|profile)\.jsonl", name):
        path.write_bytes(PROFILE.read_bytes())
    elif name in ("varied.jsonl", "ab.jsonl"):
        write_run(varied_run(12, {"first": 1.0, "second": 1.05}), path)
    elif (path.suffix in (".jsonl", "") and not name.endswith("rules")) or name == "records.txt":
        kept = next(kept for what, kept in RUNS.items() if re.search(what, f"{command} {name}"))
        content = (ROOT / "tests" / kept).read_bytes()
        path.write_bytes(_decompressed(content) if kept.endswith(".zst") else content)
    elif path.suffix in (".log", ".txt", ".csv", ".out"):
        path.write_text(next(text for what, text in LOGS.items() if re.search(what, name)))


def _decompressed(content: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(content)
