"""docs/records.schema.json agrees with the types and with real result files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = DOCS / "records.schema.json"


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_schema_is_that_of_the_types() -> None:
    made = subprocess.run(
        [sys.executable, DOCS / "records_schema.py"], capture_output=True, text=True, check=True
    )
    assert made.stdout == SCHEMA.read_text(), "python docs/records_schema.py > " + SCHEMA.name


def test_a_measured_file_is_valid(measured: Path, validator: Draft202012Validator) -> None:
    lines = measured.read_text().splitlines()
    assert {json.loads(line)["kind"] for line in lines} >= {"run", "launch", "samples", "end"}
    for line in lines:
        validator.validate(json.loads(line))


def test_every_kind_of_the_kept_files_is_valid(validator: Draft202012Validator) -> None:
    kept = sorted((DOCS.parent / "tests/fuzz/samples").glob("*.jsonl"))
    assert len(kept) > 1
    for line in "".join(path.read_text() for path in kept).splitlines():
        validator.validate(json.loads(line))


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "samples", "launch": 0},
        {"kind": "end", "launch": 0, "reason": None},
        {"kind": "probe", "launch": -1, "round": 0, "peers": [0, 1], "handover_ns": 1.0},
    ],
)
def test_what_is_no_record_is_not_valid(
    wrong: dict[str, object], validator: Draft202012Validator
) -> None:
    assert not validator.is_valid(wrong)
