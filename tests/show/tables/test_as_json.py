"""JSON of any value: what it cannot hold is null or escaped."""

from __future__ import annotations

import json

from hockney.show.tables.as_json import dumps, encoded


def test_what_is_not_finite_is_null() -> None:
    assert json.loads(dumps({"a": [float("nan"), float("inf"), 1.5]})) == {"a": [None, None, 1.5]}


def test_a_name_that_is_not_utf8_is_escaped_and_the_rest_is_kept() -> None:
    value = {"file": "caf\udce9.jsonl", "times_s": (float("nan"), 2.0)}
    shown = json.loads(encoded(value))
    assert shown == {"file": "caf\\udce9.jsonl", "times_s": [None, 2.0]}
