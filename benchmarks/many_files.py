"""Time and memory of report and history over hundreds and thousands of files.

    python many_files.py run.jsonl [--files 300] [--keep DIRECTORY]

Each file is a real one, best of 100 to 200 KB, with times that differ by a few per cent, one day
after the file before.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID

import numpy as np
from large_files import SPREAD, measured, scaled

FIRST = datetime(2026, 1, 1, tzinfo=timezone.utc)


def write_files(small: Path, folder: Path, files: int) -> None:
    """Writes the files that are not there yet."""
    lines = small.read_bytes().splitlines(keepends=True)
    header = json.loads(lines[0])
    for number in range(files):
        path = folder / f"{number:05}.jsonl"
        if path.exists():
            continue
        chance = np.random.default_rng(number)
        header["id"] = str(UUID(bytes=chance.bytes(16)))
        header["started"] = (FIRST + timedelta(days=number)).isoformat()
        factor = float(np.exp(chance.normal(0.0, SPREAD)))
        first = json.dumps(header).encode() + b"\n"
        path.write_bytes(first + b"".join(scaled(line, factor) for line in lines[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("small", type=Path)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument(
        "--keep", type=Path, help="directory for the files, and where they are kept"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        folder = args.keep or Path(directory) / "runs"
        folder.mkdir(exist_ok=True)
        write_files(args.small, folder, args.files)
        os.environ["XDG_CACHE_HOME"] = str(Path(directory) / "cache")
        page = Path(directory) / "report.html"
        words = {
            "report": ("report", str(folder), "-o", str(page), "--force"),
            "history": ("history", str(folder)),
        }
        print("| verb | s | MiB, largest process | MiB, all processes | page, MB |\n" + "|---" * 5)
        for name in ("report", "report", "history", "history"):
            wall_s, largest, every = measured(list(words[name]))
            size = f"{page.stat().st_size / 1e6:.1f}" if name == "report" else ""
            print(f"| {name} | {wall_s:.1f} | {largest:.0f} | {every:.0f} | {size} |", flush=True)


if __name__ == "__main__":
    main()
