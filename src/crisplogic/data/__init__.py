"""Tables from files: text of all kinds and Parquet in, columns and targets out."""

from crisplogic.data.cells import Cells
from crisplogic.data.chunks import kinds_for, opened_chunks
from crisplogic.data.classes import MOST_CLASSES, are_amounts, check_classes
from crisplogic.data.layout import DELIMITERS, Layout
from crisplogic.data.table import Table, read_table
from crisplogic.data.words import MISSING

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
