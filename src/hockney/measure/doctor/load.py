"""What else takes the CPUs now."""

from __future__ import annotations

import os
import time
from pathlib import Path

from hockney.measure.doctor.cpus import CPU, allowed_list
from hockney.measure.doctor.finding import Finding, cannot_tell, text_of
from hockney.spec.placement import parse_cpus

LOOK_S = 0.2
"""Between two looks at counters that tick every 10 ms or less."""
BUSY, TAKEN = 0.10, 0.50
"""Shares of the allowed CPUs: disturbed, and so busy that ranks must share."""
BUSY_LOAD = 0.5
"""Running processes a CPU over the last minute."""
STOLEN = 0.01
"""Share of the time that a hypervisor kept from us."""
IDLE, IOWAIT, STEAL, COUNTED = 3, 4, 7, 8
"""Columns of a CPU in /proc/stat (proc(5)); those behind are counted in the first ones as well."""
CULPRITS, LEAST_TICKS = 3, 2
"""How many processes are named, each of which took so many ticks between the looks."""


def busy_cpus(root: Path) -> Finding:
    """How much of our CPUs was used, by whom, while we slept."""
    name = "busy CPUs"
    before = _ticks_of_processes(root)
    shares = _busy_and_stolen(root)
    if shares is None:
        return cannot_tell(name, "/proc/stat")
    busy = shares[0]
    fact = f"{100.0 * busy:.0f} % of the allowed CPUs' time"
    if busy <= BUSY:
        return Finding(name, "ok", fact)
    after = _ticks_of_processes(root)
    took = sorted(((after[who] - before.get(who, after[who])), who) for who in after)
    culprits = [who for ticks, who in reversed(took[-CULPRITS:]) if ticks >= LEAST_TICKS]
    return Finding(
        name,
        "bad" if busy > TAKEN else "warn",
        f"{fact} is taken" + (f" by {', '.join(culprits)}" if culprits else ""),
        "stop what runs, or measure when it has ended; on a shared node ask for all of it "
        "(Slurm: --exclusive)",
    )


def _ticks_of_processes(root: Path) -> dict[str, int]:
    """Clock ticks that each process but our own has used so far, as user and as system."""
    ticks = {}
    for file in root.glob("proc/[0-9]*/stat"):
        before, _, fields = (text_of(file) or "").rpartition(") ")
        words = fields.split()
        if len(words) > 12 and file.parent.name != str(os.getpid()):
            name = before.partition("(")[2]
            ticks[f"{name} (pid {file.parent.name})"] = int(words[11]) + int(words[12])
    return ticks


def _busy_and_stolen(root: Path) -> tuple[float, float] | None:
    """Shares of the allowed CPUs' time between two looks; None where it cannot be told."""
    before = _ticks_of_cpus(root)
    time.sleep(LOOK_S)
    after = _ticks_of_cpus(root)
    if not before or len(before) != len(after):
        return None
    spent = [last - first for first, last in zip(before, after, strict=True)]
    total = sum(spent)
    if total <= 0:
        return None
    busy = total - spent[IDLE] - spent[IOWAIT] - spent[STEAL]
    return busy / total, spent[STEAL] / total


def _ticks_of_cpus(root: Path) -> list[int]:
    """Columns of /proc/stat, summed over the allowed CPUs."""
    allowed = allowed_list(root)
    ours = {f"cpu{cpu}" for cpu in parse_cpus(allowed)} if allowed else {"cpu"}
    rows = [line.split() for line in (text_of(root / "proc/stat") or "").splitlines()]
    counted = [row[1 : COUNTED + 1] for row in rows if row[0] in ours and len(row) > COUNTED]
    return [sum(map(int, column)) for column in zip(*counted, strict=True)]


def load_average(root: Path) -> Finding:
    """Of the last minute: what runs now and then is missed by a short look."""
    name = "load average"
    words = (text_of(root / "proc/loadavg") or "").split()
    online = text_of(root / CPU / "online")
    if not words or not online:
        return cannot_tell(name, f"/proc/loadavg or /{CPU}/online")
    count = len(parse_cpus(online))
    fact = f"{words[0]} over the last minute, on {count} CPUs"
    if float(words[0]) <= BUSY_LOAD * count:
        return Finding(name, "ok", fact)
    return Finding(
        name, "warn", fact, "see with top what comes and goes; wait a minute if it has just ended"
    )


def stolen_time(root: Path) -> Finding:
    """What the hypervisor gave to others while we wanted to run."""
    name = "stolen time"
    shares = _busy_and_stolen(root)
    if shares is None:
        return cannot_tell(name, "/proc/stat")
    fact = f"{100.0 * shares[1]:.1f} %"
    if shares[1] <= STOLEN:
        return Finding(name, "ok", fact)
    return Finding(
        name,
        "warn",
        f"{fact} of the time goes to the host's other guests",
        "measure when they are quiet, or on cores that are yours alone (pinned vCPUs)",
    )
