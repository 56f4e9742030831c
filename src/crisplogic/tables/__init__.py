"""Tables of any kind, read as columns of numbers and text, and encoded as matrices."""

from crisplogic.tables.columns import Columns, read_columns
from crisplogic.tables.encode import (
    UNSEEN,
    Levels,
    as_matrix,
    find_levels,
    looks_like_identifier,
)
from crisplogic.tables.kinds import Column, Numbers, Text
from crisplogic.tables.schema import Kind, Schema, infer_schema, learn_levels

__all__ = [
    "UNSEEN",
    "Column",
    "Columns",
    "Kind",
    "Levels",
    "Numbers",
    "Schema",
    "Text",
    "as_matrix",
    "find_levels",
    "infer_schema",
    "learn_levels",
    "looks_like_identifier",
    "read_columns",
]
