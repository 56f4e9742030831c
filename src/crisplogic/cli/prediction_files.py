"""Where predictions go: a file in the format of its name, or standard output."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import typer

from crisplogic.cli.output import standard_output
from crisplogic.cli.predictions import Content, CsvWriter, JsonWriter, ParquetWriter, Writer
from crisplogic.files import atomic_binary_writer
from crisplogic.rules import RuleSet

PARQUET = ".parquet"
_TSV = partial(CsvWriter, delimiter="\t")
# By the ending of the name, before .gz; without any it is CSV.
TEXT_WRITERS: dict[str, Any] = {
    "": CsvWriter,
    ".csv": CsvWriter,
    ".txt": CsvWriter,
    ".tsv": _TSV,
    ".tab": _TSV,
    ".json": JsonWriter,
}


def check_format(out: Path) -> None:
    """Refuse a name whose ending stands for a format that is not written.

    >>> check_format(Path("predictions.tsv.gz"))
    """
    ending, gzipped = _ending(out)
    if ending in TEXT_WRITERS or (ending == PARQUET and not gzipped) or _is_special(out):
        return
    known = ", ".join(filter(None, TEXT_WRITERS))
    raise typer.BadParameter(
        f"--out cannot write {''.join(out.suffixes[-1 - gzipped :])!r}; the name of the file "
        f"must end in {known}, each also with .gz, or in {PARQUET}"
    )


def _ending(out: Path) -> tuple[str, bool]:
    """The ending of a name, in small letters and without .gz, and whether that was there."""
    gzipped = out.suffix.lower() == ".gz"
    return (Path(out.stem) if gzipped else out).suffix.lower(), gzipped


def _is_special(out: Path) -> bool:
    return out.exists() and not out.is_file()


@contextmanager
def open_writer(out: Path, rules: RuleSet, content: Content) -> Iterator[Writer]:
    """Write to a file in the format of its name, completely or not at all."""
    ending, gzipped = _ending(out)
    with atomic_binary_writer(out) as file:
        if ending == PARQUET:
            writer: Writer = ParquetWriter(rules, content, file)
            yield writer
            writer.close()
            return
        with _open_text(file, gzipped) as text:
            writer = TEXT_WRITERS.get(ending, CsvWriter)(rules, content, text)
            yield writer
            writer.close()


@contextmanager
def open_output(
    rules: RuleSet, content: Content, as_json: bool, at_once: bool
) -> Iterator[Writer]:
    """Write to standard output, byte for byte what a file would get.

    ``at_once`` writes nothing before all is known, so that an error leaves no output.
    """
    make: Any = JsonWriter if as_json else CsvWriter
    if not at_once:
        writer: Writer = make(rules, content, standard_output())
        yield writer
        writer.close()
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as file:
        writer = make(rules, content, file)
        yield writer
        writer.close()
        file.seek(0)
        shutil.copyfileobj(file, standard_output())


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
