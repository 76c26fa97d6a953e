"""Elements of an XML file with their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat


@dataclass
class Element:
    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)


class BadXmlError(Exception):
    """The text is not XML. `words` has the reason, `line` the place."""

    def __init__(self, words: str, line: int) -> None:
        super().__init__(words)
        self.words, self.line = words, line


def root_of(text: str) -> Element:
    """The outermost element. Files that declare entities, which may grow without bounds, are
    refused. Raises BadXmlError."""
    parser = expat.ParserCreate()
    top = Element("", 0, {})
    open_ = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        element = Element(name, parser.CurrentLineNumber, attributes)
        open_[-1].children.append(element)
        open_.append(element)

    def end(_: str) -> None:
        open_.pop()

    def entity(*_: Any) -> None:
        raise BadXmlError("it declares entities", parser.CurrentLineNumber)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise BadXmlError(expat.ErrorString(error.code), error.lineno) from error
    return top.children[0]
