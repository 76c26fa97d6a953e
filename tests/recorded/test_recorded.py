"""Files that version 1 of the record format wrote give the numbers that they gave then.

expected.json.zst holds what the version that measured them worked out. Points are found again by
their axes: `renamed` says how version 1 spelled them, and nothing else may differ.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import kept_short
from recorded.answers import answers_of, expected, files, name_of

RELATIVE = 1e-9
"""Sums in another order, and other versions of the numeric libraries, differ by less."""
OF_FITS = 1e-7
"""The same of what is fitted: OpenBLAS has other kernels for other processors, and where a jump is
the small difference of two lines, their rounding is seen at 1e-8 (OPENBLAS_CORETYPE=Prescott)."""
MODES = ("synchronous", "nonblocking", "persistent")
UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
AXES = (
    *("operation", "algorithm", "bytes", "ranks", "peers", "mode", "segment_bytes", "window"),
    *("pairs", "overlap", "train", "state"),
)
BESIDE = ("statistic", "rank", "launch")
"""What else tells two entries of one point apart."""
WORDS = frozenset({"verdict", "statistic", "model", "experiment"})
"""Text that is an answer; other text may be worded anew."""
MIXED = frozenset(
    {
        ("collective-forced", "predict"),
        ("collective-forced-again", "predict"),
        ("collective-overlap-forced", "predict"),
        ("nccl_tests_pairwise_N2G1-alltoall", "predict"),
        ("nccl_tests_pairwise_N2G1-sendrecv", "predict"),
    }
)
"""Answers for which times of several algorithms were taken for those of one message; they are
refused now."""
JUDGED = frozenset({"ratio", "low", "high", "p", "verdict", "launches_needed", "notes"})
"""What `compare` judges by another rule now (one estimand, exact p, drift between runs), and its
notes, which have every exclusion."""
CORRELATED = ("osu_bcast_orfeo_THIN_alg_np_size-unknown", "osu_latency_gke_size128-pingpong")
"""Logs of so many launches that their correlation counts: their intervals are wider now."""
FAR_OFF = frozenset(
    {
        *("mode-standard", "osu_bibw_ib_compute003-bibandwidth", "pairs-four"),
        *("pingpong-openmpi", "pingpong-two-buffers", "preset-imb", "preset-itmo"),
    }
)
"""Files with a time more than e times off its line. Their fits stopped short of the least criterion
when they were recorded."""
PLACES = frozenset({"places"})
"""Published systems beside which a run was put: there were a few, and are some dozens now."""
LONG = frozenset(
    {
        "pingpong-refine",
        "osu_latency_gke_size128-pingpong",
        "nodecomm_maxrate_bluewaters-pairs",
        "osu_bcast_orfeo_THIN_alg_np_size-unknown",
        "osu_gce_2node_launch1-pingpong",
        "osu_gce_2node_launch2-pingpong",
        "collective-forced-again",
        "pingpong-mpich-again",
    }
)
"""Of many sizes or launches, or another of a kind: the first one's segments take longer to fit than
those of all other files together."""
INTERVALS = frozenset({"low_s", "high_s", "confidence"})
SHORT_FILES = [file for file in files() if name_of(file) not in LONG]
EVERY = expected()
TRAIN = re.compile(r"n (\d+), send delay (\S+)\+(\S+) ns, receive delay (\S+)\+(\S+) ns")


def renamed(old: dict[str, Any], experiment: str) -> dict[str, Any]:
    """The axes of version 2 that version 1 held in `algorithm` and `ranks`."""
    name = old.get("algorithm")
    new = {**old, "segment_bytes": None, "window": None, "overlap": False, "mode": None}
    new["train"] = None
    if old["operation"] == "pingpong":
        new["mode"], name = (name, None) if name in MODES else ("standard", name)
    if not isinstance(name, str):  # none, or a number in the cell of a table
        name, words = None, name
    else:
        words = None
    if name and name.startswith("window "):
        new["window"], name = int(name.removeprefix("window ")), None
    if name and name.endswith("overlapped"):
        new["overlap"] = True
        name = name.removesuffix("overlapped").removesuffix(", ") or None
    if name and name.endswith(" segments"):
        name, size = name.removesuffix(" segments").split(", ")
        number, unit = size.split()
        new["segment_bytes"] = int(number) * UNITS[unit]
    if name and (train := TRAIN.fullmatch(name)):
        messages, *delays = train.groups()
        names = (
            "send_delay_ns",
            "send_delay_ns_per_B",
            "receive_delay_ns",
            "receive_delay_ns_per_B",
        )
        new["train"] = {
            "messages": int(messages),
            **dict(zip(names, map(float, delays), strict=True)),
        }
        name = None
        if messages == "0":
            new |= of_one_delay(old)
    if old.get("pairs") is None and old.get("ranks"):
        one_pair = old["ranks"] > 2 and len(str(old.get("peers") or "").split()) == 2
        if experiment in ("pairs", "cores") or one_pair:
            new["pairs"] = int(old["ranks"]) // 2
    return {**new, "algorithm": words if name is None else name}


def of_one_delay(old: dict[str, Any]) -> dict[str, Any]:
    """Version 1 timed 64 send delays without messages as one sample."""
    times = {key: _scaled(old[key], 1.0 / 64.0) for key in old if key.endswith(("_s", "_ns"))}
    rates = {key: _scaled(old[key], 64.0) for key in old if key.endswith("_Bps")}
    return times | rates


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, list):
        return [_scaled(one, factor) for one in value]
    return value * factor if isinstance(value, float | int) else value


def is_point(value: Any) -> bool:
    return isinstance(value, dict) and "operation" in value and "bytes" in value


def differences(old: Any, new: Any, experiment: str, where: str = "") -> list[str]:
    """What differs, each with its place."""
    if isinstance(old, dict):
        return _of_dicts(old, new, experiment, where)
    if isinstance(old, list):
        if old and all(map(is_point, old)):
            return _of_points(old, new, experiment, where)
        if not isinstance(new, list) or len(old) != len(new):
            return [f"{where}: {old} is {new} now"]
        pairs = zip(old, new, strict=True)
        return [
            d
            for i, (a, b) in enumerate(pairs)
            for d in differences(a, b, experiment, f"{where}[{i}]")
        ]
    if isinstance(old, str):
        return []
    same = (
        math.isclose(old, new, rel_tol=_tolerance(where), abs_tol=1e-300)
        if isinstance(old, float | int) and isinstance(new, float | int)
        else old == new
    )
    return [] if same else [f"{where}: {old} is {new} now"]


def _tolerance(where: str) -> float:
    return OF_FITS if where.startswith("fit.") else RELATIVE


def _of_dicts(old: dict[str, Any], new: Any, experiment: str, where: str) -> list[str]:
    if not isinstance(new, dict):
        return [f"{where}: is {new} now"]
    wanted = renamed(old, experiment) if is_point(old) else old
    found = []
    for key, value in old.items():
        place = f"{where}.{key}"
        if key in AXES:
            if is_point(old) and key in new and _plain(new[key]) != _plain(wanted[key]):
                found.append(f"{place}: {value} is {new[key]} now")
        elif key not in new:
            found.append(f"{place}: is missing")
        elif key in WORDS and isinstance(value, str) and value != new[key]:
            found.append(f"{place}: {value} is {new[key]} now")
        else:
            found += differences(wanted[key], new[key], experiment, place)
    return found


def _of_points(old: list[dict[str, Any]], new: Any, experiment: str, where: str) -> list[str]:
    """Each point beside the one of the same axes, in whatever order they come."""
    if not isinstance(new, list) or len(new) != len(old):
        return [f"{where}: there are {len(old)} points, and {len(new or ())} now"]
    known = renamed(old[0], experiment)
    names = [name for name in (*AXES, *BESIDE) if name in new[0] and name in known]
    by_axes: dict[tuple[str, ...], dict[str, Any]] = {}
    for point in new:
        key = tuple(_plain(point.get(name)) for name in names)
        if key in by_axes:
            return [f"{where}: {dict(zip(names, key, strict=True))} comes twice"]
        by_axes[key] = point
    found = []
    for point in old:
        wanted = renamed(point, experiment)
        key = tuple(_plain(wanted.get(name)) for name in names)
        place = f"{where}[{', '.join(key)}]"
        if key in by_axes:
            found += _of_dicts(point, by_axes[key], experiment, place)
        else:
            found.append(f"{place}: is missing")
    return found


def _plain(value: Any) -> str:
    """Numbers, lists and tuples alike."""
    if isinstance(value, dict):
        return str({key: float(item) for key, item in value.items()})
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value)
    return f"{value:g}" if isinstance(value, int | float) else str(list(value))


@pytest.mark.parametrize("file", kept_short(files(), SHORT_FILES), ids=name_of)
def test_the_numbers_of_a_recorded_file_have_not_changed(file: Path) -> None:
    old, new = EVERY[name_of(file)], answers_of(file)
    found = []
    for question, answer in old.items():
        if answer is None:  # it was refused; if it is answered now, that is no loss
            continue
        if (name_of(file), question) in MIXED:
            assert new[question] is None
            continue
        old_answer, new_answer = answer, new[question]
        if question == "csv":
            old_answer, new_answer = _as_rows(old_answer), _as_rows(new_answer)
        if question == "compare":
            old_answer = _without(old_answer, JUDGED)
        if question == "show":
            old_answer = _without(old_answer, PLACES)
        if name_of(file) in CORRELATED:
            old_answer = _without(old_answer, INTERVALS)
        if name_of(file) in FAR_OFF and question in ("fit", "predict"):
            assert not is_worse(old_answer, new_answer)
            continue
        experiment = old["show"]["run"]["experiment"]
        found += differences(old_answer, new_answer, experiment, question)
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:20])


def is_worse(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """True if any of the fits has a higher criterion."""
    pairs = zip(old.get("fits", ()), new.get("fits", ()), strict=True)
    return any(a["criterion"] and b["criterion"] > a["criterion"] + OF_FITS for a, b in pairs)


def _without(answer: Any, names: frozenset[str]) -> Any:
    if isinstance(answer, dict):
        return {key: _without(item, names) for key, item in answer.items() if key not in names}
    return [_without(item, names) for item in answer] if isinstance(answer, list) else answer


def _as_rows(rows: Any) -> Any:
    """Rows of CSV as points: trains in one axis, names of no algorithm as such."""
    for row in rows or ():
        parts = {
            key.removeprefix("train_"): row.pop(key)
            for key in list(row)
            if key.startswith("train_")
        }
        if parts:
            row["train"] = parts if parts["messages"] is not None else None
        if isinstance(row.get("overlap"), str):
            row["overlap"] = row["overlap"] == "True"
    return rows


def test_every_recorded_file_has_its_numbers() -> None:
    assert sorted(EVERY) == sorted(map(name_of, files()))
    assert len(EVERY) >= 40
    assert any(row["operation"] == "train" for row in EVERY["overheads-mpich"]["csv"])
