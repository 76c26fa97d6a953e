"""The record format, version 2: one JSON object per line. Only this package knows the format.

Readers ignore unknown kinds and keys. A file that was cut
short is valid up to its last whole line. docs/records.md describes every field.
"""

from hockney.records.carriers import PathRecord, PortCounters, TcpBytes
from hockney.records.codec import decode, encode, try_decode
from hockney.records.kinds import (
    KINDS,
    LARGEST_NUMBER,
    LARGEST_WHOLE,
    SCHEMA,
    Completions,
    End,
    Finish,
    Noise,
    PairTimes,
    Probe,
    Progress,
    Record,
    Round,
    Samples,
    Start,
    Summary,
    Switch,
    Tail,
)
from hockney.records.launch_records import (
    Clock,
    LaunchRecord,
    LeftOutNode,
    MpiFacts,
    Place,
    RunRecord,
    Source,
)
from hockney.records.pair_times import PairBlock, visits_made
from hockney.records.reading import LONGEST_FILE, LONGEST_LINE, read
from hockney.records.run import Run
from hockney.records.tables import Table
from hockney.records.visits import Visits

__all__ = [
    "KINDS",
    "LARGEST_NUMBER",
    "LARGEST_WHOLE",
    "LONGEST_FILE",
    "LONGEST_LINE",
    "SCHEMA",
    "Clock",
    "Completions",
    "End",
    "Finish",
    "LaunchRecord",
    "LeftOutNode",
    "MpiFacts",
    "Noise",
    "PairBlock",
    "PairTimes",
    "PathRecord",
    "Place",
    "PortCounters",
    "Probe",
    "Progress",
    "Record",
    "Round",
    "Run",
    "RunRecord",
    "Samples",
    "Source",
    "Start",
    "Summary",
    "Switch",
    "Table",
    "Tail",
    "TcpBytes",
    "Visits",
    "decode",
    "encode",
    "read",
    "try_decode",
    "visits_made",
]
