"""Predictions chunk by chunk: written as CSV, JSON or Parquet, and summarized."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np
from numpy.typing import NDArray

from crisplogic.cli.output import standard_output
from crisplogic.errors import TableError
from crisplogic.files import atomic_binary_writer
from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet

Floats = NDArray[np.float64]


# Summaries


class ClassCounts:
    """How often each class is predicted, by its position among the labels.

    >>> summary = ClassCounts(("no", "yes"))
    >>> summary.add(np.array([1, 1]))
    >>> summary.to_dict()
    {'rows': 2, 'classes': [{'class': 'no', 'rows': 0}, {'class': 'yes', 'rows': 2}]}
    """

    def __init__(self, labels: tuple[Any, ...]) -> None:
        self.rows = 0
        self._labels = labels
        self._counts = np.zeros(len(labels), dtype=np.int64)

    def add(self, predicted: NDArray[Any]) -> None:
        """Count more rows. Shape: (rows,)."""
        self.rows += len(predicted)
        self._counts += np.bincount(predicted, minlength=len(self._counts))

    def to_dict(self) -> dict[str, Any]:
        """The summary for JSON."""
        counts = zip(self._labels, self._counts.tolist(), strict=True)
        classes = [{"class": label, "rows": count} for label, count in counts]
        return {"rows": self.rows, "classes": classes}


class NumberRange:
    """The smallest, the mean and the largest predicted number; None if there are no rows.

    >>> summary = NumberRange()
    >>> summary.add(np.array([1.5, 4.5]))
    >>> summary.to_dict()
    {'rows': 2, 'min': 1.5, 'mean': 3.0, 'max': 4.5}
    """

    def __init__(self) -> None:
        self.rows = 0
        self._sum, self._min, self._max = 0.0, math.inf, -math.inf

    def add(self, predicted: NDArray[Any]) -> None:
        """Take more rows into account. Shape: (rows,)."""
        self.rows += len(predicted)
        self._sum += float(predicted.sum())
        self._min = float(predicted.min(initial=self._min))
        self._max = float(predicted.max(initial=self._max))

    def to_dict(self) -> dict[str, Any]:
        """The summary for JSON."""
        if not self.rows:
            return {"rows": 0, "min": None, "mean": None, "max": None}
        mean = self._sum / self.rows
        return {"rows": self.rows, "min": self._min, "mean": mean, "max": self._max}


# Formats


class Writer(ABC):
    """Predicts from scores and writes: classes and, with ``proba``, probabilities, or numbers.

    A predicted class is its position among the labels.
    """

    def __init__(self, rules: RuleSet, proba: bool) -> None:
        self._rules = rules
        self._classes = rules if isinstance(rules, ClassificationRules) else None
        self._label = rules.labels[0]
        self._proba = proba
        self._names = ["prediction", *(f"P({label})" for label in rules.labels if proba)]
        self.summary = ClassCounts(rules.labels) if self._classes else NumberRange()

    def write(self, scores: Floats) -> None:
        """Write more rows. Shape: ``scores`` (rows, outputs)."""
        predicted, proba = scores[:, 0], None
        if self._classes:
            predicted = scores.argmax(axis=1)
            proba = self._classes.probabilities(scores) if self._proba else None
        elif isinstance(self._rules, RegressionRules):
            predicted = self._rules.numbers(predicted)
        self.summary.add(predicted)
        self._write(predicted, proba)

    @abstractmethod
    def _write(self, predicted: NDArray[Any], proba: Floats | None) -> None: ...

    @abstractmethod
    def close(self) -> None:
        """End the file; here and not at exit, where an error could not be reported."""

    def _format_labels(self, format_: Callable[[Any], str]) -> list[str] | None:
        """The labels of classes, formatted once and not in every row; None for numbers."""
        return list(map(format_, self._classes.labels)) if self._classes else None


def _format(predicted: NDArray[Any], labels: list[str] | None) -> list[str]:
    """Labels, or numbers with all digits that it takes to read them again.

    >>> _format(np.array([1, 0]), ["no", "yes"]), _format(np.array([0.1]), None)
    (['yes', 'no'], ['0.1'])
    """
    if labels is None:
        return list(map(repr, predicted.tolist()))
    return [labels[position] for position in predicted.tolist()]


class CsvWriter(Writer):
    """One line per row."""

    def __init__(self, rules: RuleSet, proba: bool, file: TextIO, delimiter: str = ",") -> None:
        super().__init__(rules, proba)
        self._file = file
        self._delimiter = delimiter
        self._cells = self._format_labels(lambda label: csv_line([label], delimiter))
        # Written with the first rows, so that a bad table leaves no output at all.
        self._header = csv_line(self._names, delimiter) + "\n"

    def _write(self, predicted: NDArray[Any], proba: Floats | None) -> None:
        rows = _format(predicted, self._cells)
        if proba is not None:
            shares = ([f"{share:.6g}" for share in column] for column in proba.T.tolist())
            rows = list(map(self._delimiter.join, zip(rows, *shares, strict=True)))
        self._file.write(self._header + "\n".join(rows) + "\n")
        self._header = ""

    def close(self) -> None:
        """Write the header if there were no rows."""
        self._file.write(self._header)
        self._file.flush()


class JsonWriter(Writer):
    """One document with one entry per row."""

    def __init__(self, rules: RuleSet, proba: bool, file: TextIO) -> None:
        super().__init__(rules, proba)
        self._file = file
        self._labels = self._format_labels(_to_json)
        what = f'"number": {_to_json(self._label)}'
        if self._labels is not None:
            what = f'"classes": [{", ".join(self._labels)}]'
        self._header = f'{{{what}, "predictions": ['
        self._separator = "\n"

    def _write(self, predicted: NDArray[Any], proba: Floats | None) -> None:
        key = "predicted" if self._labels is None else "class"
        rows = [f'{{"{key}": {value}' for value in _format(predicted, self._labels)]
        if proba is not None:
            shares = (", ".join(f"{share:.6g}" for share in row) for row in proba.tolist())
            rows = [
                f'{row}, "probabilities": [{each}]'
                for row, each in zip(rows, shares, strict=True)
            ]
        self._file.write(self._header + self._separator + "},\n".join(rows) + "}")
        self._header, self._separator = "", ",\n"

    def close(self) -> None:
        """Write the end of the document."""
        self._file.write(f"{self._header}\n]}}\n")
        self._file.flush()


class ParquetWriter(Writer):
    """The columns of CSV, with numbers to the last bit."""

    def __init__(self, rules: RuleSet, proba: bool, file: BinaryIO) -> None:
        super().__init__(rules, proba)
        self._arrow, parquet = _import_pyarrow()
        self._labels = self._format_labels(str)
        kinds = [self._column(np.empty(0)).type] + [self._arrow.float64()] * len(
            self._names[1:]
        )
        self._schema = self._arrow.schema(list(zip(self._names, kinds, strict=True)))
        self._writer = parquet.ParquetWriter(file, self._schema)

    def _write(self, predicted: NDArray[Any], proba: Floats | None) -> None:
        columns = [self._column(predicted)]
        if proba is not None:
            columns += [self._arrow.array(column) for column in proba.T]
        self._writer.write_batch(
            self._arrow.RecordBatch.from_arrays(columns, schema=self._schema)
        )

    def _column(self, predicted: NDArray[Any]) -> Any:
        if self._labels is None:
            return self._arrow.array(predicted)
        positions = self._arrow.array(predicted.astype(np.int32))
        return self._arrow.DictionaryArray.from_arrays(
            positions, self._arrow.array(self._labels)
        )

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()


_to_json = partial(json.dumps, ensure_ascii=False)


def csv_line(cells: list[Any], delimiter: str) -> str:
    """Cells as one line of CSV.

    >>> csv_line(["a,b", 1], ",")
    '"a,b",1'
    """
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="").writerow(cells)
    return text.getvalue()


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


# Files


@contextmanager
def open_writer(out: Path, rules: RuleSet, proba: bool) -> Iterator[Writer]:
    """Write to a file in the format of its name, completely or not at all."""
    suffixes = [suffix.lower() for suffix in out.suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    suffix = "".join(suffixes[-2:-1] if gzipped else suffixes[-1:])
    with atomic_binary_writer(out) as file:
        if suffixes[-1:] == [".parquet"]:
            writer: Writer = ParquetWriter(rules, proba, file)
            yield writer
            writer.close()
            return
        with _open_text(file, gzipped) as text:
            writer = _text_writer(suffix)(rules, proba, text)
            yield writer
            writer.close()


@contextmanager
def open_output(rules: RuleSet, proba: bool, as_json: bool) -> Iterator[Writer]:
    """Write to standard output, byte for byte what a file would get."""
    writer = _text_writer(".json" if as_json else ".csv")(rules, proba, standard_output())
    yield writer
    writer.close()


def _text_writer(suffix: str) -> Any:
    if suffix == ".json":
        return JsonWriter
    return partial(CsvWriter, delimiter="\t" if suffix in (".tsv", ".tab") else ",")


@contextmanager
def _open_text(file: BinaryIO, gzipped: bool) -> Iterator[TextIO]:
    stream: Any = file
    if gzipped:  # without a time, so that the same predictions are the same bytes
        stream = gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="")
    text = TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()
        if gzipped:
            stream.close()
