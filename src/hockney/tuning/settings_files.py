"""Files that set variables: for a shell, for one library, as a module, and how to undo them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from hockney.base.outputs import write_outputs
from hockney.base.units import format_size
from hockney.infer.estimate.interval import interval_words
from hockney.tuning.settings import AlreadySet
from hockney.tuning.settings_choice import Gain, range_text

MCA, CVAR, UCX = "OMPI_MCA_", "MPIR_CVAR_", "UCX_"
WRITTEN = "Written by hockney tune"


def files_of(
    settings: Mapping[str, str], gains: Sequence[Gain] = (), already: Sequence[AlreadySet] = ()
) -> dict[str, str]:
    """The text of each file, by its suffix: a shell's, and those of the libraries that the
    settings are for. Each records at which sizes gains were measured, if any were,
    and which settings are set already."""
    measured = [f"# {range_text(gains)}"] if gains else []
    measured += [f"# {held.sentence}" for held in already if held.setting.variable in settings]
    shell = [f"# {WRITTEN}; to undo: {_undo(settings, already)}", *measured]
    shell += [_gain_text(gain) for gain in gains]
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


def _undo(settings: Mapping[str, str], already: Sequence[AlreadySet]) -> str:
    """What restores the environment: values that it had, and no others."""
    had = {held.setting.variable: held.setting.value for held in already if held.is_in_environment}
    unset = [name for name in settings if name not in had]
    words = [f"export {name}={shlex.quote(had[name])}" for name in settings if name in had]
    return "; ".join([*(["unset " + " ".join(unset)] if unset else []), *words])


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
