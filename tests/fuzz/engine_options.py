"""Hostile options of the engine, which is built with sanitizers: its own --help lists them."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from hockney.run.measure.launches.start import MOST_FAILED_STARTS
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.measure.toolchain.mpi import find_mpi

NAMES = ("-",)
FLAGS = "-g -O0 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"
"""Not optimised, it is built in half the time, and no sanitizer is spared anything."""
ENV = {
    # MPI keeps what it allocated until exit; too much memory is refused as malloc refuses it.
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=512",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
NO_MEMORY = "AddressSanitizer failed to allocate"
"""Message of the sanitizer before malloc returns NULL, which the engine must survive."""
COMPLAINTS = ("Sanitizer", "runtime error:", "KILLED BY SIGNAL", "Assertion")
EXPERIMENTS = (
    "pingpong",
    "pingpong",
    "overheads",
    "pairs",
    "cores",
    "collective bcast",
    "collective allreduce",
    "collective alltoallv",
    "collective gatherv",
    "collective reduce_scatter_block",
    "collective ialltoall",
    "collective barrier",
    "collective reduce_scatter --form=persistent",
    "collective bcast --form=put-fence",
    "collective alltoallw",
    "overlap",
    "halo --grid=2",
    "halo --grid=3 --exchange=neighbor,sendrecv",
    "rma put",
    "rma accumulate",
    "startup",
    "congestion pingpong --loads=ring:64:2:0:0 --roles=blocks:2",
    "congestion stream --window=4 --loads=incast:64:2:1e5:1e5 --roles=random:2 --tails",
    "fabric",
    "fabric --switches=HOST=0 --parallel",
    "pairs --threads=2 --thread-comms=own",
    "pingpong --datatype=vector:4:8:16",
    "pingpong --mode=partitioned --partitions=1,2",
    "collective bcast --arrival=random,last-late --skew-times=1",
)
SHORT = ("--seconds", "0.02", "--sizes", "0,8,1KiB", "--rounds", "1:3")
"""Options before all others, which may overrule them."""
USUAL = {
    "ranks": ("2", "3"),
    "peers": ("0,1", "1,0", "0,2"),
    "sizes": ("8", "0,1..4KiB", "8@3+1,16@2"),
    "trains": ("0:900+0.5:0,16:0:0", "16:900+0.5:0,16:0:900+0.5"),
    "seconds": ("0.01", "0"),
    "precision": ("0.5", "0"),
    "rounds": ("1:2", "2:2"),
    "cpus": ("0,1", "1", "0-1"),
    "seconds-a-size": ("0.001", "0"),
    "window": ("1", "1,8", "64"),
    "algorithm": ("linear",),
    "pairing": ("halves", "neighbours", "random", "0-1", "0-1,2-3", "@pairs", "@/dev/null", "@/"),
    "pairs-active": ("1", "1,2"),
    "launch": ("0", "3"),
    "seed": ("1", "77"),
    "read-back": ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "x=1", "x,y=2"),
    "operation": ("pingpong", "exchange", "stream", "bidirectional", "late", "put", "get"),
    "mode": ("standard", "synchronous", "nonblocking", "persistent"),
    "place": ("core", "socket", "numa", "node", "spread", "none"),
    "buffers": ("returned", "separate", "cold"),
    "reduce": ("max", "first"),
    "synchronization": ("flush", "fence,lock", "pscw,lock-all,flush-local"),
    "window-kind": ("allocate", "create,dynamic,shared"),
    "direction": ("one-way", "both-ways"),
    "element": ("int8", "double", "byte"),
    "reduction": ("sum", "bor", "replace"),
    "launched-at": ("1@host", "0@"),
    "loads": ("incast:64:2:0:0", "ring:8:1:1e5:1e5,all-to-all:1024:3:0:0", "ring:0:1:0:0"),
    "roles": ("random:2", "blocks:2", "listed:0,1/2,3", "listed:0/1", "listed:@pairs"),
    "sync": ("clock", "barrier", "messages"),
    "root": ("first", "rotate"),
    "form": ("nonblocking", "persistent", "blocking,persistent", "put-flush", "get-fence"),
    "grid": ("2", "1x2", "3x1"),
    "exchange": ("waitall", "waitsome,persistent", "put-flush,get-flush", "neighborw"),
    "columns": ("hand", "none,datatype"),
    "neighbors": ("faces", "edges", "corners"),
    "threads": ("1", "2", "1,2", "2:1"),
    "thread-comms": ("shared", "own", "vci"),
    "datatype": (
        "vector:4:8:16",
        "indexed:8@0:8@32",
        "struct:int32@0:double@8",
        "subarray:8x8:4x4:2x2",
    ),
    "receive-datatype": ("vector:2:4:8", "subarray:4x4:2x2"),
    "packing": ("datatype", "pack,hand", "hand"),
    "partitions": ("1", "1,2", "4"),
    "stagger": ("0", "1000"),
    "switches": ("HOST=0", "HOST=1,other=0", "@pairs", "x=0"),
    "pass": ("0", "3"),
    "from": ("0", "1"),
    "visits": ("1", "2"),
    "groups": ("1", "2"),
    "arrival": ("none", "ascending,random", "listed,none", "half-late"),
    "skew-ns": ("0", "1000"),
    "skew-times": ("0", "1"),
    "fractions": ("0,1", "0,0.5,1", "@pairs"),
}
"""An option that has no values here is given none."""
ODD = (
    "",
    " ",
    "0",
    "-1",
    "-0",
    "+1",
    "1e5",
    "1e30",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "9" * 12,
    "2147483647",
    "2147483648",
    "4294967296",
    "4294967297",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "9" * 30,
    "9" * 5000,
    "1,",
    ",1",
    "1,,2",
    "1:",
    "1:2:3",
    "0:0:0",
    "1:1e300:1e300",
    "2147483648:0:0",
    "1:nan:0",
    "1:inf:inf",
    "1:-1:-1",
    "0..8",
    "1..",
    "8..1",
    "1..16EiB",
    "16EiB",
    "17179869184GiB",
    "1@",
    "1@+",
    "1@0+0",
    "8@9999999999999",
    "1GiB",
    "3GiB",
    "0-",
    "-1-2",
    "2-1",
    "0-999999999",
    "0-0",
    "0-1,1-2",
    "0,0",
    "0-1,0-1",
    "x",
    "x" * 300,
    "x" * 5000,
    "%s%n",
    '"',
    "\\",
    "\n",
    "\x1b[2J",
    "\udcff",
    "é",
    "=",
    "a=b=c",
    "@",
    "@pairs",
    "@nowhere",
    "--",
)
HANG_S, POLL_S = 300.0, 0.02
POINTS = (
    "8 1e-6\n16 2e-6\n",
    "",
    "x\n",
    "8 nan\n8 inf\n",
    "8 0\n",
    "0 1\n0 1\n",
    "9" * 5000 + "\n",
    "1 1e-320 \n2 1e308\n",
    "8 1e-6\n\x00 2\n",
    "1,2;3\t4e-6\n1,2;3\t4e-6",
)
"""Lines for `hockney-engine fit`."""


@cache
def _engine() -> Path:
    """The engine with sanitizers, from the cache or built into it when it is first needed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOCKNEY_CFLAGS", FLAGS)
        return build_engine(find_mpi(_mpi("mpicc"))).path


def load() -> None:
    _engine()
    _options()


def _mpi(name: str) -> str:
    return str(Path(sys.prefix) / "bin" / name)


@cache
def _options() -> list[str]:
    """All that --help names."""
    done = subprocess.run([_engine(), "--help"], capture_output=True, text=True, env=_env())
    assert done.returncode == 0, done.stderr
    return sorted(set(re.findall(r"--([a-z][a-z-]+)", done.stdout)))


def _env() -> dict[str, str]:
    return {**os.environ, **ENV}


def words_of(number: int) -> str:
    """Number of ranks and command line of that number, as JSON."""
    chance = random.Random(number)
    if chance.random() < 0.05:
        options = chance.choice((["points"], ["--ordinary", "points"], [], ["nowhere"], ["."]))
        return json.dumps([1, "fit", *options, chance.choice(POINTS)])
    words = [*chance.choice(EXPERIMENTS).split(), *SHORT]
    if words[0] == "overheads":
        words += ["--trains", chance.choice(USUAL["trains"])]
    for name in chance.choices(_options(), k=chance.randint(1, 5)):
        words.append(f"--{name}")
        if name in USUAL:
            words.append(chance.choice(USUAL[name] if chance.random() < 0.6 else ODD))
    if chance.random() < 0.05:
        words.insert(chance.randrange(len(words) + 1), chance.choice(ODD))
    return json.dumps([chance.choice((1, 2, 2, 2, 3, 4)), *words])


def attempt(_number: int, _name: str, words: str, directory: Path) -> None:
    """Runs it: no sanitizer complains, it ends in time with status 0, 1 or 2 and says why it ends
    badly, and its records are JSON."""
    ranks, *arguments = json.loads(words)
    arguments = [word.replace("HOST=", f"{os.uname().nodename}=") for word in arguments]
    (directory / "pairs").write_text("0-1,2-3")
    if arguments[0] == "fit":
        (directory / "points").write_text(arguments.pop())
    launch = [_mpi("mpiexec"), "-n", str(ranks)] if ranks > 1 else []
    for _ in range(MOST_FAILED_STARTS + 1):
        status, stdout, stderr = _ended(
            [*launch, _engine(), *map(os.fsencode, arguments)], directory
        )
        words_said = (stdout + stderr).replace(NO_MEMORY, "")
        # hydra drops what a failing rank wrote once in some hundred failing runs.
        is_silent = status and "hockney-engine: " not in stderr
        if not is_silent or any(word in words_said for word in COMPLAINTS):
            break
    assert status is not None, f"no end within {HANG_S:.0f} s: {words_said[-2000:]}"
    assert not any(word in words_said for word in COMPLAINTS), words_said[-6000:]
    assert status in (0, 1, 2), f"status {status}: {words_said[-2000:]}"
    assert status == 0 or "hockney-engine: " in stderr, (
        f"failed without a word: {words_said[-2000:]}"
    )
    if status == 0 and '{"kind"' in stdout:
        kinds = [json.loads(line)["kind"] for line in stdout.splitlines()]
        assert kinds[-1] == "end", stdout[-2000:]


def _ended(command: list[str | bytes | Path], directory: Path) -> tuple[int | None, str, str]:
    """The status of a command, None if it does not end in time, and what it printed."""
    with (directory / "out").open("wb") as out, (directory / "err").open("wb") as err:
        process = subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=_env(),
            start_new_session=True,
        )
        polls = (process.poll() for _ in range(int(HANG_S / POLL_S)) if not time.sleep(POLL_S))
        status = next((status for status in polls if status is not None), None)
        if status is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    stdout, stderr = ((directory / name).read_text(errors="replace") for name in ("out", "err"))
    return status, stdout, stderr
