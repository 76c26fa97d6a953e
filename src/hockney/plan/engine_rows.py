"""The engine's options, one row each: engine/options.def is generated from engine_options.py and
the knobs.

python -m hockney.plan.engine_rows > src/hockney/engine/options.def

C takes from that file which options there are, which experiments accept them, the members that hold
them and the usage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from hockney.plan.engine_options import EVERY, ROWS, C, F, N, T
from hockney.plan.knobs import Knob, knobs_of, option_of, words_of
from hockney.plan.option_row import OptionKind, OptionRow
from hockney.plan.workloads import WORKLOADS, workload_type


def of_knobs() -> Iterator[OptionRow]:
    """Rows of the knobs without one in ROWS; experiments accept them if their workload has the
    field."""
    ours = {row.name for row in ROWS}
    rows: dict[str, OptionRow] = {}
    for experiment in WORKLOADS.names():
        hints = get_type_hints(workload_type(experiment), include_extras=True)
        for name, knob in knobs_of(workload_type(experiment)).items():
            option = option_of(name).removeprefix("--")
            if option in ours:
                continue
            having = rows[option].experiments if option in rows else frozenset()
            rows[option] = _of_knob(option, knob, hints[name], having | {experiment})
    yield from rows.values()


def _of_knob(option: str, knob: Knob, hint: Any, experiments: frozenset[str]) -> OptionRow:
    words, kinds = words_of(hint), {bool: F, int: C, float: N, str: T}
    return OptionRow(
        option,
        OptionKind.WORD if words else kinds[get_args(hint)[0]],
        experiments,
        knob.help[0].lower() + knob.help[1:].rstrip("."),
        "|".join(words) or knob.metavar,
        is_axis=knob.axis is not None,
    )


def text() -> str:
    """The whole of engine/options.def."""
    lines = [
        "/* Made by python -m hockney.plan.engine_rows: change the rows there, or a knob's.",
        "   OPTION(kind, member, name, argument, experiments, words, is_axis, usage) */",
    ]
    for row in (*ROWS, *of_knobs()):
        member = row.member or row.name.replace("-", "_")
        argument = "required_argument" if row.metavar else "no_argument"
        usage = "\n       ".join(f'"{line}\\n"' for line in row.usage.splitlines())
        words = f'"{row.metavar}"' if row.kind is OptionKind.WORD else "NULL"
        lines.append(
            f'OPTION({row.kind.name}, {member}, "{row.name}", {argument}, '
            f"{_mask(row.experiments)}, {words}, {int(row.is_axis)},\n       {usage})"
        )
    return "\n".join([*lines, "#undef OPTION", ""])


def _mask(experiments: frozenset[str]) -> str:
    if experiments == EVERY:
        return "EVERY"
    return " | ".join(f"ON({name.upper()})" for name in sorted(experiments))


if __name__ == "__main__":
    print(text(), end="")
