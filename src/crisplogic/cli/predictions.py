"""What was predicted, counted some rows at a time: classes, or how large numbers are."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TextIO

import numpy as np
from numpy.typing import NDArray

from crisplogic.cli.output import standard_output
from crisplogic.errors import TableError
from crisplogic.files import atomic_binary_writer

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet


class Tally(Protocol):
    """What is known of all predictions so far."""

    rows: int

    def add(self, predicted: Predicted) -> None:
        """More rows. Shape: (rows,)."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""


def tally_for(rules: RuleSet) -> Tally:
    """A tally of no rows yet."""
    return NumberTally() if rules.predicts == "number" else ClassTally(rules.labels)


class ClassTally:
    """How often each class was predicted.

    >>> tally = ClassTally(("no", "yes"))
    >>> tally.add(np.array([1, 1]))
    >>> tally.to_dict()["classes"]
    [{'class': 'no', 'rows': 0}, {'class': 'yes', 'rows': 2}]
    """

    def __init__(self, labels: tuple[Any, ...]) -> None:
        self.rows = 0
        self._labels = labels
        self._counts = np.zeros(len(labels), dtype=np.int64)

    def add(self, predicted: Predicted) -> None:
        """More rows. Shape: (rows,)."""
        self.rows += len(predicted)
        self._counts += np.bincount(predicted, minlength=len(self._counts))

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        found = zip(self._labels, self._counts.tolist(), strict=True)
        classes = [{"class": label, "rows": count} for label, count in found]
        return {"rows": self.rows, "classes": classes}


class NumberTally:
    """The least, the mean and the greatest number; None as long as there is none.

    >>> tally = NumberTally()
    >>> tally.add(np.array([1.5, 4.5]))
    >>> tally.to_dict()
    {'rows': 2, 'min': 1.5, 'mean': 3.0, 'max': 4.5}
    """

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0.0
        self._least, self._greatest = math.inf, -math.inf

    def add(self, predicted: Predicted) -> None:
        """More rows. Shape: (rows,)."""
        self.rows += len(predicted)
        self._sum += float(predicted.sum())
        self._least = float(predicted.min(initial=self._least))
        self._greatest = float(predicted.max(initial=self._greatest))

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        found = (
            (self._least, self._sum / self.rows, self._greatest) if self.rows else [None] * 3
        )
        return {"rows": self.rows, **dict(zip(("min", "mean", "max"), found, strict=True))}


# Of classes, places among the labels; of numbers, the numbers themselves.
Predicted = NDArray[np.intp] | NDArray[np.float64]
Floats = NDArray[np.float64]


class Writer:
    """Something that takes predictions, some rows after the other."""

    def __init__(self, rules: RuleSet, proba: bool) -> None:
        self.labels = rules.labels
        self.of_number = rules.predicts == "number"
        self.proba = proba

    def write(self, predicted: Predicted, shares: Floats | None) -> None:
        """More rows. Shape: ``predicted`` (rows,), ``shares`` (rows, classes)."""
        raise NotImplementedError

    def close(self) -> None:
        """No more rows."""


class CsvWriter(Writer):
    """The predicted class and, if asked for, the probability of every class, a line a row.

    A number has as many digits as it takes to read the same number again.
    """

    def __init__(self, rules: RuleSet, proba: bool, file: TextIO, delimiter: str = ",") -> None:
        super().__init__(rules, proba)
        self._file = file
        self._delimiter = delimiter
        # Quoted once and not in every row: labels are few.
        self._cells = np.array([self._row([label]) for label in self.labels], dtype=object)
        names = [f"P({label})" for label in self.labels] if proba else []
        # Written with the first rows: whoever reads it should get nothing of a bad table.
        self._header = self._row(["prediction", *names]) + "\n"

    def write(self, predicted: Predicted, shares: Floats | None) -> None:
        """More rows."""
        columns = [self._written(predicted)]
        if shares is not None:
            columns += [[f"{share:.6g}" for share in column] for column in shares.T.tolist()]
        rows = columns[0] if shares is None else map(self._delimiter.join, zip(*columns))  # noqa: B905
        self._file.write(self._header + "\n".join(rows) + "\n")
        self._header = ""

    def close(self) -> None:
        """Here and not at exit, where an error would be too late to report."""
        self._file.write(self._header)
        self._file.flush()

    def _written(self, predicted: Predicted) -> list[str]:
        if self.of_number:
            return list(map(repr, predicted.tolist()))
        cells: list[str] = self._cells[predicted].tolist()
        return cells

    def _row(self, cells: list[Any]) -> str:
        text = io.StringIO()
        csv.writer(text, delimiter=self._delimiter, lineterminator="").writerow(cells)
        return text.getvalue()


class JsonWriter(Writer):
    """One document: the classes, or what the number is called, and an entry a row."""

    def __init__(self, rules: RuleSet, proba: bool, file: TextIO) -> None:
        super().__init__(rules, proba)
        self._file = file
        self._labels = [json.dumps(label, ensure_ascii=False) for label in self.labels]
        classes = f'"classes": [{", ".join(self._labels)}]'
        what = f'"number": {self._labels[0]}' if self.of_number else classes
        self._head = f'{{{what}, "predictions": ['
        self._before = "\n"

    def write(self, predicted: Predicted, shares: Floats | None) -> None:
        """More rows."""
        if self.of_number:
            rows = [f'{{"predicted": {number!r}' for number in predicted.tolist()]
        else:
            rows = [f'{{"class": {self._labels[place]}' for place in predicted.tolist()]
        if shares is not None:
            written = (", ".join(f"{share:.6g}" for share in row) for row in shares.tolist())
            rows = [
                f'{row}, "probabilities": [{each}]'
                for row, each in zip(rows, written, strict=True)
            ]
        self._file.write(self._head + self._before + "},\n".join(rows) + "}")
        self._head, self._before = "", ",\n"

    def close(self) -> None:
        """The end of the document."""
        self._file.write(f"{self._head}\n]}}\n")
        self._file.flush()


class ParquetWriter(Writer):
    """The same columns as in CSV, probabilities to the last bit."""

    def __init__(self, rules: RuleSet, proba: bool, file: BinaryIO) -> None:
        super().__init__(rules, proba)
        pyarrow, parquet = _pyarrow()
        self._arrow = pyarrow
        self._words = pyarrow.array([str(label) for label in self.labels])
        names = [f"P({label})" for label in self.labels] if proba else []
        words = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        kind = pyarrow.float64() if self.of_number else words
        fields = [("prediction", kind), *((name, pyarrow.float64()) for name in names)]
        self._schema = pyarrow.schema(fields)
        self._writer = parquet.ParquetWriter(file, self._schema)

    def write(self, predicted: Predicted, shares: Floats | None) -> None:
        """More rows."""
        columns = [self._column(predicted)]
        if shares is not None:
            columns += [self._arrow.array(column) for column in shares.T]
        self._writer.write_batch(
            self._arrow.RecordBatch.from_arrays(columns, schema=self._schema)
        )

    def _column(self, predicted: Predicted) -> Any:
        if self.of_number:
            return self._arrow.array(predicted)
        places = self._arrow.array(predicted.astype(np.int32))
        return self._arrow.DictionaryArray.from_arrays(places, self._words)

    def close(self) -> None:
        """The end of the file, where Parquet keeps what is in it."""
        self._writer.close()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise TableError(
            "to write Parquet, pyarrow is needed: pip install 'crisplogic[parquet]'; "
            "or write a CSV file"
        ) from error
    return pyarrow, pyarrow.parquet


@contextmanager
def writer_for(out: Path, rules: RuleSet, proba: bool) -> Iterator[Writer]:
    """A file of predictions, of the kind that its name says; complete or not there at all."""
    with atomic_binary_writer(out) as file:
        suffixes = [suffix.lower() for suffix in out.suffixes]
        if suffixes[-1:] == [".parquet"]:
            writer: Writer = ParquetWriter(rules, proba, file)
            yield writer
            writer.close()
            return
        packed = suffixes[-1:] == [".gz"]
        with _text(file, packed) as text:
            writer = _text_writer(suffixes[-2:-1] if packed else suffixes[-1:])(
                rules, proba, text
            )
            yield writer
            writer.close()


@contextmanager
def _text(file: BinaryIO, packed: bool) -> Iterator[TextIO]:
    # No time in it, so that the same predictions are the same bytes.
    stream: Any = (
        gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") if packed else file
    )
    text = TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()
        if packed:
            stream.close()


def _text_writer(suffix: list[str]) -> Any:
    if suffix == [".json"]:
        return JsonWriter
    delimiter = "\t" if suffix in ([".tsv"], [".tab"]) else ","
    return lambda rules, proba, text: CsvWriter(rules, proba, text, delimiter)


@contextmanager
def writer_to_output(rules: RuleSet, proba: bool, as_json: bool) -> Iterator[Writer]:
    """Standard output, byte for byte what a file would get."""
    kind = JsonWriter if as_json else CsvWriter
    writer: Writer = kind(rules, proba, standard_output())
    yield writer
    writer.close()
