"""Predictions chunk by chunk, written as CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from crisplogic.cli.summaries import ClassCounts, NumberRange
from crisplogic.errors import TableError
from crisplogic.io import KeptColumns
from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet
from crisplogic.rules.analysis.reasons import Reasons

Floats = NDArray[np.float64]

PREDICTION, REASONS = "prediction", "reasons"


class Content(NamedTuple):
    """What is written beside predictions: probabilities, reasons, columns of the table."""

    kept: KeptColumns
    proba: bool = False
    reasons: bool = False


class Predictions(NamedTuple):
    """Predictions for some rows: positions of classes, or numbers, and what is beside them.

    Shape: ``predicted`` (rows,), ``proba`` (rows, classes).
    """

    predicted: NDArray[Any]
    proba: Floats | None
    reasons: Reasons | None
    kept: list[Any]


def unique_names(names: Iterable[str]) -> list[str]:
    """Names of columns, each once: a name that was there before gets a number.

    >>> unique_names(["id", "prediction", "id", "prediction"])
    ['id', 'prediction', 'id_2', 'prediction_2']
    """
    unique: dict[str, None] = {}
    for name in names:
        other, number = name, 1
        while other in unique:
            number += 1
            other = f"{name}_{number}"
        unique[other] = None
    return list(unique)


class Writer(ABC):
    """Predicts from scores and writes classes or numbers, and what :class:`Content` says."""

    def __init__(self, rules: RuleSet, content: Content) -> None:
        self._rules = rules
        self._content = content
        self._classes = rules if isinstance(rules, ClassificationRules) else None
        self.summary = ClassCounts(rules.labels) if self._classes else NumberRange()
        # What is known once all rows are written; JSON has room for it.
        self.footer: dict[str, Any] = {}

    @property
    def names(self) -> list[str]:
        """The columns of the file, once the table is open: first the table's, then our own."""
        kept, proba, reasons = self._content
        shares = [f"P({label})" for label in self._rules.labels if proba]
        return unique_names([*kept.names, PREDICTION, *shares, *[REASONS] * reasons])

    @property
    def renamed(self) -> str | None:
        """The column of the predictions, if the table has one of the usual name."""
        name = self.names[len(self._content.kept.names)]
        return None if name == PREDICTION else name

    def write(self, scores: Floats, reasons: Reasons | None = None) -> None:
        """Write more rows. Shape: ``scores`` (rows, outputs)."""
        predicted, proba = scores[:, 0], None
        if self._classes:
            predicted = scores.argmax(axis=1)
            proba = self._classes.probabilities(scores) if self._content.proba else None
        elif isinstance(self._rules, RegressionRules):
            predicted = self._rules.numbers(predicted)
        self.summary.add(predicted)
        self._write(Predictions(predicted, proba, reasons, self._content.kept.cells))

    @abstractmethod
    def _write(self, predictions: Predictions) -> None: ...

    @abstractmethod
    def close(self) -> None:
        """End the file; here and not at exit, where an error could not be reported."""

    def _labels(self, predicted: NDArray[Any]) -> list[Any]:
        """The labels of classes, or numbers."""
        if self._classes is None:
            return list(predicted.tolist())
        labels = self._classes.labels
        return [labels[position] for position in predicted.tolist()]


class CsvWriter(Writer):
    """One line per row."""

    def __init__(
        self, rules: RuleSet, content: Content, file: TextIO, delimiter: str = ","
    ) -> None:
        super().__init__(rules, content)
        self._file = file
        self._writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        # Written with the first rows, so that a bad table leaves no output at all.
        self._needs_header = True

    def _write(self, predictions: Predictions) -> None:
        columns = [_to_texts(cells) for cells in predictions.kept]
        columns.append(self._labels(predictions.predicted))
        if predictions.proba is not None:
            shares = predictions.proba.T.tolist()
            columns += ([f"{share:.6g}" for share in column] for column in shares)
        if predictions.reasons is not None:
            columns.append(predictions.reasons.lines())
        self._write_header()
        self._writer.writerows(zip(*columns, strict=True))

    def _write_header(self) -> None:
        if self._needs_header:
            self._writer.writerow(self.names)
        self._needs_header = False

    def close(self) -> None:
        """Write the header if there were no rows."""
        self._write_header()
        self._file.flush()


def _to_texts(cells: Any) -> Sequence[str]:
    """Cells as texts. Those of text files are; those of pyarrow have values."""
    return cells if isinstance(cells, list) else [_to_text(cell) for cell in cells.to_pylist()]


def _to_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, default=str) if isinstance(value, list | dict) else str(value)


class JsonWriter(Writer):
    """One document with one entry per row."""

    def __init__(self, rules: RuleSet, content: Content, file: TextIO) -> None:
        super().__init__(rules, content)
        self._file = file
        what: dict[str, Any] = {"number": rules.labels[0]}
        if self._classes is not None:
            what = {"classes": list(rules.labels)}
        self._header = f'{_to_json(what)[:-1]}, "predictions": ['
        self._separator = "\n"

    def _write(self, predictions: Predictions) -> None:
        key = "predicted" if self._classes is None else "class"
        entries = [{key: label} for label in self._labels(predictions.predicted)]
        if predictions.proba is not None:
            # Six digits, as in CSV.
            shares = ([float(f"{share:.6g}") for share in row] for row in predictions.proba)
            _add(entries, "probabilities", shares)
        if predictions.reasons is not None:
            _add(entries, REASONS, ([r._asdict() for r in row] for row in predictions.reasons))
        if predictions.kept:
            names = unique_names(self._content.kept.names)
            columns = [_to_values(cells) for cells in predictions.kept]
            rows = zip(*columns, strict=True)
            _add(entries, "columns", (dict(zip(names, row, strict=True)) for row in rows))
        self._file.write(self._header + self._separator + ",\n".join(map(_to_json, entries)))
        self._header, self._separator = "", ",\n"

    def close(self) -> None:
        """Write the end of the document."""
        footer = "".join(
            f", {_to_json(key)}: {_to_json(self.footer[key])}" for key in self.footer
        )
        self._file.write(f"{self._header}\n]{footer}}}\n")
        self._file.flush()


def _add(entries: list[dict[str, Any]], key: str, values: Iterable[Any]) -> None:
    for entry, value in zip(entries, values, strict=True):
        entry[key] = value


def _to_values(cells: Any) -> Sequence[Any]:
    """Cells as values of JSON, which has no NaN and no infinity."""
    return cells if isinstance(cells, list) else [_to_value(cell) for cell in cells.to_pylist()]


def _to_value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


class ParquetWriter(Writer):
    """The columns of CSV, with numbers to the last bit, and columns of the types they have."""

    def __init__(self, rules: RuleSet, content: Content, file: BinaryIO) -> None:
        super().__init__(rules, content)
        self._arrow, self._parquet = _import_pyarrow()
        self._file = file
        self._writer: Any = None

    def _write(self, predictions: Predictions) -> None:
        kept = map(self._as_array, predictions.kept)
        columns = [*kept, self._column(predictions.predicted)]
        if predictions.proba is not None:
            columns += [self._arrow.array(column) for column in predictions.proba.T]
        if predictions.reasons is not None:
            columns.append(self._arrow.array(predictions.reasons.lines(), self._arrow.string()))
        table = self._arrow.Table.from_arrays(columns, names=self.names)
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def _as_array(self, cells: Any) -> Any:
        return (
            self._arrow.array(cells, self._arrow.string()) if isinstance(cells, list) else cells
        )

    def _column(self, predicted: NDArray[Any]) -> Any:
        if self._classes is None:
            return self._arrow.array(predicted)
        positions = self._arrow.array(predicted.astype(np.int32))
        labels = self._arrow.array([str(label) for label in self._classes.labels])
        return self._arrow.DictionaryArray.from_arrays(positions, labels)

    def close(self) -> None:
        """Write the footer, and the columns if there were no rows."""
        if self._writer is None:
            count = len(self._rules.labels)
            nothing: list[Any] = [[] for _ in self._content.kept.names]
            proba = np.empty((0, count)) if self._content.proba else None
            reasons = Reasons(np.empty((0, 0), object), np.empty((0, 0)))
            explained = reasons if self._content.reasons else None
            kind = np.float64 if self._classes is None else np.int32
            self._write(Predictions(np.empty(0, kind), proba, explained, nothing))
        self._writer.close()


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise TableError(
            "writing Parquet needs pyarrow: pip install 'crisplogic[parquet]'; "
            "or write a CSV file"
        ) from error
    return pyarrow, pyarrow.parquet
