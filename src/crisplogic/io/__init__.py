"""Tables from files: text of all kinds and Parquet in, columns and targets out."""

from crisplogic.io.cells import Cells
from crisplogic.io.chunks import kinds_for, opened_chunks
from crisplogic.io.infer_types import MOST_CLASSES, are_amounts, check_classes
from crisplogic.io.read import Table, read_table
from crisplogic.io.text import DELIMITERS, Layout
from crisplogic.io.values import MISSING

__all__ = [
    "DELIMITERS",
    "MISSING",
    "MOST_CLASSES",
    "Cells",
    "Layout",
    "Table",
    "are_amounts",
    "check_classes",
    "kinds_for",
    "opened_chunks",
    "read_table",
]
