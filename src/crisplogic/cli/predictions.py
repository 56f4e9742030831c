"""Predictions as they are written: text, JSON or Parquet, some rows at a time."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np
from numpy.typing import NDArray

from crisplogic.cli.output import standard_output
from crisplogic.errors import TableError
from crisplogic.files import atomic_binary_writer

Labels = Sequence[Any]
Winners = NDArray[np.intp]
Floats = NDArray[np.float64]


class Writer:
    """Something that takes predictions, some rows after the other."""

    def __init__(self, labels: Labels, proba: bool) -> None:
        self.labels = labels
        self.proba = proba

    def write(self, winners: Winners, shares: Floats | None) -> None:
        """More rows. Shape: ``winners`` (rows,), ``shares`` (rows, classes)."""
        raise NotImplementedError

    def close(self) -> None:
        """No more rows."""


class CsvWriter(Writer):
    """The predicted class and, if asked for, the probability of every class, a line a row."""

    def __init__(self, labels: Labels, proba: bool, file: TextIO, delimiter: str = ",") -> None:
        super().__init__(labels, proba)
        self._file = file
        self._delimiter = delimiter
        # Quoted once and not in every row: labels are few.
        self._cells = np.array([self._row([label]) for label in labels], dtype=object)
        names = [f"P({label})" for label in labels] if proba else []
        # Written with the first rows: whoever reads it should get nothing of a bad table.
        self._header = self._row(["prediction", *names]) + "\n"

    def write(self, winners: Winners, shares: Floats | None) -> None:
        """More rows."""
        columns = [self._cells[winners].tolist()]
        if shares is not None:
            columns += [[f"{share:.6g}" for share in column] for column in shares.T.tolist()]
        rows = columns[0] if shares is None else map(self._delimiter.join, zip(*columns))  # noqa: B905
        self._file.write(self._header + "\n".join(rows) + "\n")
        self._header = ""

    def close(self) -> None:
        """Here and not at exit, where an error would be too late to report."""
        self._file.write(self._header)
        self._file.flush()

    def _row(self, cells: list[Any]) -> str:
        text = io.StringIO()
        csv.writer(text, delimiter=self._delimiter, lineterminator="").writerow(cells)
        return text.getvalue()


class JsonWriter(Writer):
    """One document: the classes, and an entry a row."""

    def __init__(self, labels: Labels, proba: bool, file: TextIO) -> None:
        super().__init__(labels, proba)
        self._file = file
        self._classes = [json.dumps(label, ensure_ascii=False) for label in labels]
        self._before = f'{{"classes": [{", ".join(self._classes)}], "predictions": [\n'

    def write(self, winners: Winners, shares: Floats | None) -> None:
        """More rows."""
        rows = [f'{{"class": {self._classes[winner]}' for winner in winners.tolist()]
        if shares is not None:
            written = (", ".join(f"{share:.6g}" for share in row) for row in shares.tolist())
            rows = [
                f'{row}, "probabilities": [{each}]'
                for row, each in zip(rows, written, strict=True)
            ]
        self._file.write(self._before + "},\n".join(rows) + "}")
        self._before = ",\n"

    def close(self) -> None:
        """The end of the document."""
        self._file.write("\n]}\n")
        self._file.flush()


class ParquetWriter(Writer):
    """The same columns as in CSV, probabilities to the last bit."""

    def __init__(self, labels: Labels, proba: bool, file: BinaryIO) -> None:
        super().__init__(labels, proba)
        pyarrow, parquet = _pyarrow()
        self._arrow = pyarrow
        words = pyarrow.array([str(label) for label in labels])
        self._words = words
        names = [f"P({label})" for label in labels] if proba else []
        kind = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        fields = [("prediction", kind), *((name, pyarrow.float64()) for name in names)]
        self._schema = pyarrow.schema(fields)
        self._writer = parquet.ParquetWriter(file, self._schema)

    def write(self, winners: Winners, shares: Floats | None) -> None:
        """More rows."""
        codes = self._arrow.array(winners.astype(np.int32))
        columns = [self._arrow.DictionaryArray.from_arrays(codes, self._words)]
        if shares is not None:
            columns += [self._arrow.array(column) for column in shares.T]
        self._writer.write_batch(
            self._arrow.RecordBatch.from_arrays(columns, schema=self._schema)
        )

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
def writer_for(out: Path, labels: Labels, proba: bool) -> Iterator[Writer]:
    """A file of predictions, of the kind that its name says; complete or not there at all."""
    with atomic_binary_writer(out) as file:
        suffixes = [suffix.lower() for suffix in out.suffixes]
        if suffixes[-1:] == [".parquet"]:
            writer: Writer = ParquetWriter(labels, proba, file)
            yield writer
            writer.close()
            return
        packed = suffixes[-1:] == [".gz"]
        with _text(file, packed) as text:
            writer = _text_writer(suffixes[-2:-1] if packed else suffixes[-1:])(
                labels, proba, text
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
    return lambda labels, proba, text: CsvWriter(labels, proba, text, delimiter)


@contextmanager
def writer_to_output(labels: Labels, proba: bool, as_json: bool) -> Iterator[Writer]:
    """Standard output, byte for byte what a file would get."""
    kind = JsonWriter if as_json else CsvWriter
    writer: Writer = kind(labels, proba, standard_output())
    yield writer
    writer.close()
