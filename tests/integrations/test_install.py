"""What `make run` and `make test` install with, where there is a uv and where there is none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci/install"
PYTHON = """#!/bin/sh
echo "python $*" >>"$LOG"
case "$*" in
    "-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    *"--target build/uv uv") $FETCH ;;
    "-m pip config get global.index-url") echo simple:index ;;
esac
"""
UV = """#!/bin/sh
echo "uv $* $UV_DEFAULT_INDEX" >>"$LOG"
"""
IN_NEW_ENVIRONMENT = "python -m venv --without-pip .venv"
ASKED_UV = "uv pip install --quiet --python .venv/bin/python -e . "


def calls(directory: Path, fetch: str = "false", uv: str | None = None) -> list[str]:
    """The commands that the script called, in order, with this uv on PATH and a pip whose fetch is
    `fetch`."""
    tools = directory / "tools"
    tools.mkdir()
    for name, text in {"python": PYTHON, **({"uv": uv} if uv else {})}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    for name in ("mkdir", "cp"):
        (tools / name).symlink_to(shutil.which(name) or name)
    log = directory / "log"
    env = {"PATH": str(tools), "PYTHON": str(tools / "python"), "LOG": str(log), "FETCH": fetch}
    sh = shutil.which("sh") or "sh"
    subprocess.run([sh, SCRIPT, "-e", "."], cwd=directory, env=env, check=True)
    return log.read_text().splitlines()


def test_the_uv_on_path_installs_into_an_environment_without_pip(tmp_path: Path) -> None:
    assert calls(tmp_path, uv=UV) == [IN_NEW_ENVIRONMENT, ASKED_UV]


def test_a_fetched_uv_asks_the_package_index_that_pip_asks(tmp_path: Path) -> None:
    fetched = tmp_path / "fetched"
    fetched.write_text(UV)
    fetched.chmod(0o755)
    bin_of_uv = tmp_path / "build/uv/bin"
    bin_of_uv.mkdir(parents=True)
    commands = calls(tmp_path, fetch=f"cp {fetched} {bin_of_uv}/uv")
    assert commands[0].endswith("--target build/uv uv")
    assert commands[-2:] == [IN_NEW_ENVIRONMENT, f"{ASKED_UV}simple:index"]


@pytest.mark.parametrize("uv", [None, UV + "exit 1\n"], ids=["none", "failing"])
def test_pip_installs_where_uv_does_not(tmp_path: Path, uv: str | None) -> None:
    *_, environment, installed = calls(tmp_path, uv=uv)
    assert environment == "python -m venv .venv"
    assert installed.startswith("python -m pip install")
    assert installed.endswith(" -e .")
