"""The libraries of accelerators, each by its interface (accelerator.h), on a fake of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, Done, fake_library
from fake_libraries import FLAGS
from hockney.run.measure.toolchain.build import ENGINE

HERE = Path(__file__).parent
SOURCES = ENGINE.directory / "accelerators"
INTERFACES = sorted(path.stem for path in SOURCES.glob("*.c"))
NAMES = {
    "cuda": ("CUDA 12.4", "Fake GPU", "fa"),
    "hip": ("ROCm 6.3", "Fake Instinct", "fb"),
    "level_zero": ("Level Zero 1.9", "Fake Max", "fc"),
}
Check = Callable[..., Done]


@pytest.fixture(scope="session", params=INTERFACES)
def interface(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def check(interface: str, tmp_path_factory: pytest.TempPathFactory) -> Check:
    fake = fake_library(interface)
    program = tmp_path_factory.mktemp(interface) / "accelerator_check"
    sources = [str(HERE / "accelerator_check.c"), str(SOURCES / f"{interface}.c")]
    command = ["cc", *FLAGS, f"-I{ENGINE.directory}", "-o", str(program), *sources, "-ldl"]
    subprocess.run(command, check=True)

    def run(mode: str, *words: str, devices: str = "", path: Path = fake.path.parent) -> Done:
        env = {
            **os.environ,
            "LD_LIBRARY_PATH": str(path),
            f"HOCKNEY_FAKE_{interface.upper()}": mode,
            "HOCKNEY_FAKE_DEVICES": devices,
        }
        done = subprocess.run(
            [program, *words], env=env, capture_output=True, text=True, timeout=TEST_TIMEOUT_S
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.mark.parametrize("mode", ["plain", "strict", "async", "strict,async", "wrong-device"])
@pytest.mark.parametrize("device", ["0", "1"])
def test_every_memory(check: Check, mode: str, device: str) -> None:
    done = check(mode, device, *([] if "strict" in mode else ["reads"]))
    assert done.status == 0, done.stdout + done.stderr
    assert done.stdout.endswith("\n0 wrong\n")


def test_descriptions(check: Check, interface: str) -> None:
    whole, name, uuid = NAMES[interface]
    done = check("memory=1000000", devices="0001:0a:00.0,0000:c1:00.0,0000:c2:00.0")
    # CUDA writes addresses in upper case.
    assert done.stdout.lower().splitlines()[:4] == [
        f"{whole.lower()}, 3 devices",
        f"{name.lower()} 0, 0001:0a:00.0, uuid {uuid}..00, 1000000 bytes, managed 1, peer 1",
        f"{name.lower()} 1, 0000:c1:00.0, uuid {uuid}..01, 1000000 bytes, managed 1, peer 0",
        f"{name.lower()} 2, 0000:c2:00.0, uuid {uuid}..02, 1000000 bytes, managed 1, peer 1",
    ]
    assert "managed 0, peer 0\n" in check("no-managed,no-peer").stdout


REFUSED = {
    "none": ("not opened: no device", "not opened: cuInit: no CUDA-capable device"),
    "no-managed": ("allocate: ",),
    "memory=1000": ("out of memory", "out of device memory"),
    "gone=20": (
        "device lost",
        "unspecified launch failure",
        "CUDA-capable device(s) is/are busy or unavailable",
    ),
}


@pytest.mark.parametrize("mode", list(REFUSED))
def test_why_not(check: Check, mode: str) -> None:
    done = check(mode)
    assert done.status == 1
    assert any(words in done.stdout for words in REFUSED[mode]), done.stdout


def test_mistakes_have_words(check: Check) -> None:
    """What does not fit, and what is none of its memory: the call, its words and its number."""
    lines = dict(
        line.split(": ", 1) for line in check("strict").stdout.splitlines() if ": " in line
    )
    assert "invalid argument (" in lines["too much"]
    assert "memory (" in lines["too large"]
    assert "invalid argument (" in lines["no memory"]


def test_no_library(check: Check, tmp_path: Path) -> None:
    done = check("", path=tmp_path)
    assert done.stdout.startswith("not opened: no lib")


def test_an_old_version(check: Check, interface: str) -> None:
    """ROCm 5 numbers memory otherwise, and knows no address of the host; CUDA needs a driver."""
    done = check("old", "0", "reads")
    if interface == "cuda":
        assert "the driver is for CUDA 10.2, 11.0 is needed" in done.stdout
    else:
        assert done.status == 0, done.stdout
        assert done.stdout.startswith(
            {"hip": "ROCm 5.2", "level_zero": "Level Zero 1.0"}[interface]
        )
