"""Tables of any kind, read as columns of numbers and text, and encoded as matrices."""

from crisplogic.tables.column_matrix import ColumnMatrix, are_plain_numbers, as_columns
from crisplogic.tables.columns import Columns, read_columns
from crisplogic.tables.encode import as_matrix
from crisplogic.tables.kinds import Column, Numbers, Text
from crisplogic.tables.levels import (
    TRUTH,
    UNSEEN,
    Levels,
    find_levels,
    find_number_levels,
    looks_like_identifier,
)
from crisplogic.tables.schema import Kind, Range, Schema, infer_schema, learn_levels
from crisplogic.tables.unseen import (
    UnseenColumn,
    UnseenFinder,
    UnseenValues,
    find_unseen,
    unseen_values_ignored,
    warn_of_unseen,
)

__all__ = [
    "TRUTH",
    "UNSEEN",
    "Column",
    "ColumnMatrix",
    "Columns",
    "Kind",
    "Levels",
    "Numbers",
    "Range",
    "Schema",
    "Text",
    "UnseenColumn",
    "UnseenFinder",
    "UnseenValues",
    "are_plain_numbers",
    "as_columns",
    "as_matrix",
    "find_levels",
    "find_number_levels",
    "find_unseen",
    "infer_schema",
    "learn_levels",
    "looks_like_identifier",
    "read_columns",
    "unseen_values_ignored",
    "warn_of_unseen",
]
