"""XML from nested tuples; all texts are escaped, and what XML cannot hold is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

from crisplogic.errors import ExportError

# The characters that XML 1.0 does not have, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def element(
    tag: str,
    attributes: Mapping[str, str] | None = None,
    children: Sequence[ET.Element] = (),
    text: str | None = None,
) -> ET.Element:
    """An element with attributes, children and text."""
    made = ET.Element(tag, {key: checked(each) for key, each in (attributes or {}).items()})
    made.extend(children)
    if text is not None:
        made.text = checked(text)
    return made


def checked(text: str) -> str:
    """The text itself, if XML can hold it."""
    if _FORBIDDEN.search(text):
        raise ExportError(f"XML has no way to write the text {text!r}")
    return text


def document(root: ET.Element, comments: Sequence[str]) -> str:
    """A document as text, indented, with comments at its head."""
    ET.indent(root)
    head = [f"<!-- {re.sub('-+', '-', _FORBIDDEN.sub('?', each))} -->" for each in comments]
    body = ET.tostring(root, encoding="unicode")
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *head, body]) + "\n"
