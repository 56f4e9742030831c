"""Remarks: what reading a table did that its user should know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Remark:
    """Something that was not read as it stands: which ``columns``, how many cells or rows.

    ``kind`` is for programs, ``message`` for people. ``remedies`` are parameters that would
    read it otherwise, as those of a :class:`~crisplogic.errors.TableError`.

    >>> Remark("left_out", "left out, as names are: 'who'", ("who",)).to_dict()
    {'kind': 'left_out', 'message': "left out, as names are: 'who'", 'columns': ['who']}
    """

    kind: str
    message: str
    columns: tuple[str, ...] = ()
    count: int | None = None
    remedies: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The remark for JSON."""
        count = {} if self.count is None else {"count": self.count}
        return {
            "kind": self.kind,
            "message": self.message,
            "columns": list(self.columns),
            **count,
        }


def limit_remark(column: str, example: str, count: int) -> Remark:
    """Limits such as <5 were read as numbers."""
    return Remark(
        "limits",
        f"read as the number without its sign: {count} cell(s) of {column!r}, such as "
        f"{example[:80]!r}",
        (column,),
        count,
        {"missing": example},
    )


def unit_remark(column: str, unit: str, count: int) -> Remark:
    """Numbers were read without their unit."""
    return Remark(
        "unit", f"read as numbers without {unit!r}: column {column!r}", (column,), count
    )
