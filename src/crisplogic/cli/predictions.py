"""Predictions chunk by chunk: written as CSV, JSON or Parquet, and summarized."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
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


# What differs by task


class Predictions(ABC):
    """What rules predict from scores, how it is written, and a summary of all rows so far."""

    json_key: str  # of a row
    json_header: str  # what a document says of all rows

    def __init__(self) -> None:
        self.rows = 0

    @abstractmethod
    def add(self, scores: Floats) -> NDArray[Any]:
        """Predict more rows. Shape: ``scores`` (rows, outputs); returns (rows,)."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The summary for JSON."""

    @abstractmethod
    def to_csv(self, predicted: NDArray[Any], delimiter: str) -> list[str]:
        """The cells of predicted rows."""

    @abstractmethod
    def to_json(self, predicted: NDArray[Any]) -> list[str]:
        """The values of predicted rows."""

    @abstractmethod
    def to_arrow(self, predicted: NDArray[Any], pyarrow: Any) -> Any:
        """The column of predicted rows."""


class PredictedClasses(Predictions):
    """Classes, as their positions among the labels.

    >>> predictions = PredictedClasses(("no", "yes"))
    >>> predictions.add(np.array([[0.1, 0.9], [0.2, 0.4]])).tolist()
    [1, 1]
    >>> predictions.to_dict()["classes"]
    [{'class': 'no', 'rows': 0}, {'class': 'yes', 'rows': 2}]
    """

    json_key = "class"

    def __init__(self, labels: tuple[Any, ...]) -> None:
        super().__init__()
        self._labels = labels
        self._json = [json.dumps(label, ensure_ascii=False) for label in labels]
        self._counts = np.zeros(len(labels), dtype=np.int64)
        self.json_header = f'"classes": [{", ".join(self._json)}]'

    def add(self, scores: Floats) -> NDArray[Any]:
        """Predict more rows."""
        self.rows += len(scores)
        predicted: NDArray[np.intp] = scores.argmax(axis=1)
        self._counts += np.bincount(predicted, minlength=len(self._counts))
        return predicted

    def to_dict(self) -> dict[str, Any]:
        """The number of rows of every class."""
        counts = zip(self._labels, self._counts.tolist(), strict=True)
        classes = [{"class": label, "rows": count} for label, count in counts]
        return {"rows": self.rows, "classes": classes}

    def to_csv(self, predicted: NDArray[Any], delimiter: str) -> list[str]:
        """The labels, quoted once and not in every row."""
        cells = [csv_line([label], delimiter) for label in self._labels]
        found: list[str] = np.array(cells, dtype=object)[predicted].tolist()
        return found

    def to_json(self, predicted: NDArray[Any]) -> list[str]:
        """The labels."""
        return [self._json[position] for position in predicted.tolist()]

    def to_arrow(self, predicted: NDArray[Any], pyarrow: Any) -> Any:
        """A dictionary of labels, which are few."""
        labels = pyarrow.array([str(label) for label in self._labels])
        positions = pyarrow.array(predicted.astype(np.int32))
        return pyarrow.DictionaryArray.from_arrays(positions, labels)


class PredictedNumbers(Predictions):
    """Numbers, written with as many digits as it takes to read the same number again.

    >>> predictions = PredictedNumbers("price")
    >>> predictions.add(np.array([[1.5], [4.5]])).tolist()
    [1.5, 4.5]
    >>> predictions.to_dict()
    {'rows': 2, 'min': 1.5, 'mean': 3.0, 'max': 4.5}
    """

    json_key = "predicted"

    def __init__(self, label: Any) -> None:
        super().__init__()
        self._sum, self._min, self._max = 0.0, math.inf, -math.inf
        self.json_header = f'"number": {json.dumps(label, ensure_ascii=False)}'

    def add(self, scores: Floats) -> NDArray[Any]:
        """Predict more rows."""
        self.rows += len(scores)
        predicted = scores[:, 0]
        self._sum += float(predicted.sum())
        self._min = float(predicted.min(initial=self._min))
        self._max = float(predicted.max(initial=self._max))
        return predicted

    def to_dict(self) -> dict[str, Any]:
        """The range and the mean of all numbers; None if there are none."""
        if not self.rows:
            return {"rows": 0, "min": None, "mean": None, "max": None}
        mean = self._sum / self.rows
        return {"rows": self.rows, "min": self._min, "mean": mean, "max": self._max}

    def to_csv(self, predicted: NDArray[Any], delimiter: str) -> list[str]:
        """The numbers, which need no quotes."""
        return self.to_json(predicted)

    def to_json(self, predicted: NDArray[Any]) -> list[str]:
        """The numbers in full."""
        return list(map(repr, predicted.tolist()))

    def to_arrow(self, predicted: NDArray[Any], pyarrow: Any) -> Any:
        """The numbers to the last bit."""
        return pyarrow.array(predicted)


def predictions_of(rules: RuleSet) -> Predictions:
    """Predictions of no rows yet."""
    if isinstance(rules, RegressionRules):
        return PredictedNumbers(rules.labels[0])
    return PredictedClasses(rules.labels)


# Formats


class Writer(ABC):
    """Writes predictions and, with ``proba``, the probabilities of classes."""

    def __init__(self, rules: RuleSet, proba: bool) -> None:
        self.predictions = predictions_of(rules)
        self._names = ["prediction"]
        self._classes = rules if proba and isinstance(rules, ClassificationRules) else None
        if self._classes:
            self._names += [f"P({label})" for label in rules.labels]

    def write(self, scores: Floats) -> None:
        """Write more rows. Shape: ``scores`` (rows, outputs)."""
        proba = self._classes.probabilities(scores) if self._classes else None
        self._write(self.predictions.add(scores), proba)

    @abstractmethod
    def _write(self, predicted: NDArray[Any], proba: Floats | None) -> None: ...

    @abstractmethod
    def close(self) -> None:
        """End the file; here and not at exit, where an error could not be reported."""


class CsvWriter(Writer):
    """One line per row."""

    def __init__(self, rules: RuleSet, proba: bool, file: TextIO, delimiter: str = ",") -> None:
        super().__init__(rules, proba)
        self._file = file
        self._delimiter = delimiter
        # Written with the first rows, so that a bad table leaves no output at all.
        self._header = csv_line(self._names, delimiter) + "\n"

    def _write(self, predicted: NDArray[Any], proba: Floats | None) -> None:
        rows = self.predictions.to_csv(predicted, self._delimiter)
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
        self._header = f'{{{self.predictions.json_header}, "predictions": ['
        self._separator = "\n"

    def _write(self, predicted: NDArray[Any], proba: Floats | None) -> None:
        key = self.predictions.json_key
        rows = [f'{{"{key}": {value}' for value in self.predictions.to_json(predicted)]
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
    """The columns of CSV, with probabilities to the last bit."""

    def __init__(self, rules: RuleSet, proba: bool, file: BinaryIO) -> None:
        super().__init__(rules, proba)
        self._arrow, parquet = _import_pyarrow()
        none = self.predictions.to_arrow(np.empty(0), self._arrow)
        kinds = [none.type, *[self._arrow.float64()] * (len(self._names) - 1)]
        self._schema = self._arrow.schema(list(zip(self._names, kinds, strict=True)))
        self._writer = parquet.ParquetWriter(file, self._schema)

    def _write(self, predicted: NDArray[Any], proba: Floats | None) -> None:
        columns = [self.predictions.to_arrow(predicted, self._arrow)]
        if proba is not None:
            columns += [self._arrow.array(column) for column in proba.T]
        self._writer.write_batch(
            self._arrow.RecordBatch.from_arrays(columns, schema=self._schema)
        )

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()


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
