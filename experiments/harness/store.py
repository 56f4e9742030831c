"""A folder of JSON documents: each complete or not there, and kept for the next run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crisplogic.files import atomic_writer

Document = dict[str, Any]


class SettingsChangedError(ValueError):
    """What is stored answers another question than the one that is asked now."""


@dataclass(frozen=True)
class Store:
    """Documents by name, ``folds/vehicle/03`` for one, below a folder."""

    folder: Path

    def read(self, name: str, question: Mapping[str, Any]) -> Document | None:
        """The document that answers the question, or nothing if there is none of this name.

        A document holds the question that it answers. If that is another one, this is an
        error: figures of different settings must never end up in one table.
        """
        path = self._path(name)
        if not path.exists():
            return None
        document = _parsed(path)
        differences = list(_differences(question, document))
        if differences:
            raise SettingsChangedError(
                f"{path} was measured with other settings ({'; '.join(differences)}); "
                "pass --again to start over, or --output with another folder"
            )
        return document

    def write(self, name: str, document: Document) -> None:
        """Keep a document; whoever stops us on the way leaves no half of it."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(path) as file:
            file.write(to_json(document))

    def forget(self, names: Iterable[str]) -> None:
        """Remove documents, where there are any."""
        for name in names:
            self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def to_json(document: Document) -> str:
    """JSON text, without the NaN and Infinity that Python would add to the language."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _parsed(path: Path) -> Document:
    """A document that someone may have edited since."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({error}); remove it and start again") from error
    if not isinstance(document, dict):
        raise ValueError(f"{path} holds no JSON object; remove it and start again")  # noqa: TRY004
    return document


def _differences(question: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    """What the answer says otherwise, part by part.

    A setting that there was not yet and that is None or False asks for nothing: it is no
    difference.

    >>> list(_differences({"fold": 1, "of": {"a": 2}}, {"fold": 1, "of": {"a": 3, "b": 4}}))
    ['of: a was 3 and is 2', 'of: b was 4 and is gone']
    """
    for key, asked in question.items():
        told = answer.get(key)
        if isinstance(asked, Mapping) and isinstance(told, Mapping):
            gone = [name for name in told if name not in asked]
            yield from (f"{key}: {text}" for text in _differences(asked, told))
            yield from (f"{key}: {name} was {told[name]!r} and is gone" for name in gone)
        elif key not in answer and asked not in (None, False):
            yield f"{key} is new"
        elif told != asked and key in answer:
            yield f"{key} was {told!r} and is {asked!r}"
