"""Tables of every kind that people bring, as numbers and texts; numpy alone."""

from crisplogic.tables.columns import Columns, read
from crisplogic.tables.encode import (
    UNSEEN,
    Levels,
    as_matrix,
    find_levels,
    looks_like_identifier,
)
from crisplogic.tables.kinds import Column, Numbers, Text
from crisplogic.tables.schema import Kind, Schema, learn_schema

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
    "learn_schema",
    "looks_like_identifier",
    "read",
]
