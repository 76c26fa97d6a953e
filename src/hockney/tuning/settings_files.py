"""Files that set variables: for a shell, for one library, as a module, and how to undo them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from hockney.base.confidential import HIDDEN
from hockney.base.outputs import write_outputs
from hockney.base.units import format_size
from hockney.infer.estimate.interval import interval_words
from hockney.tuning.settings import AlreadySet
from hockney.tuning.settings_choice import Gain, range_text

MCA, CVAR, UCX = "OMPI_MCA_", "MPIR_CVAR_", "UCX_"
WRITTEN = "Written by hockney tune"
KEPT = "HOCKNEY_BEFORE_"
"""Begins the name of the shell's variable that keeps a value which must not be written."""


def files_of(
    settings: Mapping[str, str], gains: Sequence[Gain] = (), already: Sequence[AlreadySet] = ()
) -> dict[str, str]:
    """The text of each file, by its suffix: a shell's, and those of the libraries that the
    settings are for. Each records at which sizes gains were measured, if any were,
    and which settings are set already."""
    measured = [f"# {range_text(gains)}"] if gains else []
    measured += [f"# {held.sentence}" for held in already if held.setting.variable in settings]
    had = {held.setting.variable: held.in_environment for held in already}
    before = {name: value for name in settings if (value := had.get(name)) is not None}
    shell = [f"# {WRITTEN}; to undo: {_undo(settings, before)}", *measured]
    shell += [_gain_text(gain) for gain in gains]
    for name in _hidden(before):  # once: this file may be read twice
        shell.append(f'{KEPT}{name}="${{{KEPT}{name}-${{{name}-}}}}"')
    shell += [f"export {name}={shlex.quote(value)}" for name, value in settings.items()]
    files = {"": shell}
    of_mca = {n.removeprefix(MCA): v for n, v in settings.items() if n.startswith(MCA)}
    if of_mca:
        head = f"# {WRITTEN}: lines for ~/.openmpi/mca-params.conf or etc/openmpi-mca-params.conf"
        files[".mca-params.conf"] = [head, *measured, *(f"{n} = {v}" for n, v in of_mca.items())]
    of_mpich = {n: v for n, v in settings.items() if n.startswith(CVAR)}
    if of_mpich:
        head = f"# {WRITTEN}: lines for /etc/mpich.conf"
        files[".mpich.conf"] = [head, *measured, *(f"{n}={v}" for n, v in of_mpich.items())]
    of_ucx = {n: v for n, v in settings.items() if n.startswith(UCX)}
    if of_ucx:
        head = f"# {WRITTEN}: lines for ucx.conf in $UCX_CONFIG_DIR"
        files[".ucx.conf"] = [head, *measured, *(f"{n}={v}" for n, v in of_ucx.items())]
    return {suffix: "\n".join(lines) + "\n" for suffix, lines in files.items()}


def _undo(settings: Mapping[str, str], before: Mapping[str, str]) -> str:
    """What restores the environment, from the values that it had. A secret is not written: the
    shell keeps it."""
    hidden = _hidden(before)
    unset = [name for name in settings if name not in before]
    words = ["unset " + " ".join(unset)] if unset else []
    words += [
        f"export {name}={shlex.quote(value)}" for name, value in before.items() if value != HIDDEN
    ]
    words += [f'export {name}="${KEPT}{name}"' for name in hidden]
    words += ["unset " + " ".join(f"{KEPT}{name}" for name in hidden)] if hidden else []
    return "; ".join(words)


def _hidden(before: Mapping[str, str]) -> list[str]:
    return [name for name, value in before.items() if value == HIDDEN]


SUFFIXES = ("", ".mca-params.conf", ".mpich.conf", ".ucx.conf", ".lua", ".tcl")


def modules_of(variables: Mapping[str, str], gains: Sequence[Gain] = ()) -> dict[str, str]:
    """An environment module, in Lua (Lmod) and in Tcl; unloading it undoes it."""
    what = "Tuning of MPI by hockney tune" + (f", {range_text(gains)}" if gains else "")
    lua = [f"whatis({_in_lua(what)})"]
    lua += [f"setenv({_in_lua(name)}, {_in_lua(value)})" for name, value in variables.items()]
    tcl = ["#%Module1.0", f"module-whatis {{{what}}}"]
    tcl += [f"setenv {_in_tcl(name)} {_in_tcl(value)}" for name, value in variables.items()]
    return {".lua": "\n".join(lua) + "\n", ".tcl": "\n".join(tcl) + "\n"}


def _in_lua(text: str) -> str:
    """A string of Lua, whose escapes are not those of JSON: bytes by their decimal numbers."""
    plain = re.compile(rb'[^ -~]|["\\]')
    escaped = plain.sub(lambda match: b"\\%03d" % match[0][0], os.fsencode(text))
    return f'"{escaped.decode()}"'


def _in_tcl(text: str) -> str:
    """A word of Tcl, in which nothing is substituted: braces need not be balanced."""
    if not text:
        return "{}"
    return re.sub(r"[\x00-\x1f]|[^\w./:,=+-]", _escaped_for_tcl, text, flags=re.ASCII)


def _escaped_for_tcl(match: re.Match[str]) -> str:
    letter = match[0]
    if ord(letter) < ord(" "):
        return f"\\{ord(letter):03o}"
    return letter if ord(letter) > ord("~") else f"\\{letter}"


def deployed(variables: Mapping[str, str]) -> dict[str, str]:
    """Files beside a file of rules that make a whole site use it: modules, and lines for the files
    that its library reads everywhere. Variables for a shell are in .sh."""
    files = files_of(variables)
    return {".sh": files.pop("")} | files | modules_of(variables)


def _gain_text(gain: Gain) -> str:
    interval = interval_words(gain.interval, "{:.2f}".format)
    return (
        f"# {format_size(gain.bytes)}: {gain.times_faster:.2f}{interval} times as fast, "
        f"{gain.verdict}"
    )


def write(path: Path, texts: Mapping[str, str], force: bool) -> list[Path]:
    """Writes the files and returns their paths, by suffix; force: replaces existing files."""
    # A path in a text need not be UTF-8.
    return write_outputs(
        [(path.with_name(path.name + suffix), os.fsencode(text)) for suffix, text in texts.items()],
        force,
    )
