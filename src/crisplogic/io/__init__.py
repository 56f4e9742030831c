"""Read tables from files: CSV and its relatives, Parquet and Feather."""

from crisplogic.io.cells import MISSING, Cells
from crisplogic.io.chunks import column_kinds, open_chunks
from crisplogic.io.infer_types import MOST_CLASSES, check_classes, looks_continuous
from crisplogic.io.kept import KeptColumns
from crisplogic.io.read import Table, read_table
from crisplogic.io.remarks import Remark
from crisplogic.io.text import DELIMITERS, Layout

__all__ = [
    "DELIMITERS",
    "MISSING",
    "MOST_CLASSES",
    "Cells",
    "KeptColumns",
    "Layout",
    "Remark",
    "Table",
    "check_classes",
    "column_kinds",
    "looks_continuous",
    "open_chunks",
    "read_table",
]
