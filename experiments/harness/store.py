"""Measurements in one JSON Lines file: one line each, kept for the next run.

Every change writes the whole file anew under a temporary name and renames it. A reader never
meets half a line, whenever a run is killed, and lines are always sorted by name, so that diffs
are small. That costs milliseconds, while a measurement takes seconds or more. Only the main
process of a run writes; workers return their figures to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crisplogic.files import atomic_writer

Document = dict[str, Any]

FILE_NAME = "measurements.jsonl"


class SettingsChangedError(ValueError):
    """A stored measurement was made with other settings than those of today."""


@dataclass(frozen=True)
class Store:
    """Documents by name, ``vehicle/03`` for one, in a file of a folder."""

    folder: Path

    @property
    def path(self) -> Path:
        """The file that holds all measurements."""
        return self.folder / FILE_NAME

    def load(self) -> dict[str, Document]:
        """All documents by name; none if there is no file yet."""
        if not self.path.exists():
            return {}
        found: dict[str, Document] = {}
        # Text may hold characters at which str.splitlines would cut: only "\n" ends a line.
        with self.path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                name, document = self._parse(line, number)
                if name in found:
                    raise ValueError(f"{self.path} has two lines named {name}; remove one")
                found[name] = document
        return found

    def find(self, questions: Mapping[str, Document]) -> dict[str, Document]:
        """The documents of these names that are stored, each checked against its question.

        A document holds the question that it answers. If that is another one, this is an
        error: figures of different settings must never end up in one table.
        """
        known = self.load()
        found = {name: known[name] for name in questions if name in known}
        for name, document in found.items():
            differences = list(_differences(questions[name], document))
            if differences:
                raise SettingsChangedError(
                    f"{name} in {self.path} was measured with other settings"
                    f" ({'; '.join(differences)});"
                    " pass --again to start over, or --output with another folder"
                )
        return found

    def add(self, name: str, document: Document) -> None:
        """Store a document, in place of another of this name."""
        self._write({**self.load(), name: document})

    def collect(self, other: Store) -> None:
        """Add all documents of another store; a name that both know keeps the later one."""
        found = other.load()
        if not found:
            raise FileNotFoundError(f"there are no measurements in {other.path}")
        known = self.load()
        later = {
            name: document
            for name, document in found.items()
            if name not in known or known[name]["date"] <= document["date"]
        }
        self._write({**known, **later})

    def forget(self, names: Iterable[str]) -> None:
        """Remove documents, where there are any."""
        known, unwanted = self.load(), set(names)
        if unwanted & known.keys():
            self._write({name: known[name] for name in known if name not in unwanted})

    def _write(self, documents: Mapping[str, Document]) -> None:
        lines = [_to_line(name, documents[name]) for name in sorted(documents)]
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_writer(self.path) as file:
            file.writelines(lines)

    def _parse(self, line: str, number: int) -> tuple[str, Document]:
        """The name and the document of a line that someone may have edited since."""
        try:
            document = json.loads(line)
            name = document.pop("name")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise ValueError(
                f"line {number} of {self.path} is damaged ({error}); remove it and start again"
            ) from error
        return name, document


def _to_line(name: str, document: Document) -> str:
    """A line of JSON, without the NaN and Infinity that Python would add to the language."""
    named = {"name": name, **document}
    return json.dumps(named, ensure_ascii=False, allow_nan=False) + "\n"


def _differences(question: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    """How the answer differs from the question, part by part.

    A new setting that is None or False changes nothing and is no difference.

    >>> list(_differences({"fold": 1, "of": {"a": 2}}, {"fold": 1, "of": {"a": 3, "b": 4}}))
    ['of: a was 3 and is 2', 'of: b was 4 and is gone']
    """
    for key, asked in question.items():
        stored = answer.get(key)
        if isinstance(asked, Mapping) and isinstance(stored, Mapping):
            gone = [name for name in stored if name not in asked]
            yield from (f"{key}: {text}" for text in _differences(asked, stored))
            yield from (f"{key}: {name} was {stored[name]!r} and is gone" for name in gone)
        elif key not in answer and asked not in (None, False):
            yield f"{key} is new"
        elif stored != asked and key in answer:
            yield f"{key} was {stored!r} and is {asked!r}"
