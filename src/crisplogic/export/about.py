"""Where rules come from: the lines at the head of an export."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crisplogic.errors import ExportError
from crisplogic.export.names import comment
from crisplogic.messages import list_some
from crisplogic.rules.number_format import six_digits

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet


@dataclass(frozen=True)
class About:
    """What is known of some rules beside themselves. What is None is not told.

    ``error`` is the held-out error: the share of wrong classes, or the error of a number.
    ``date`` is when they were learned, as text.
    """

    name: str | None = None
    date: str | None = None
    rows: int | None = None
    error: float | None = None

    @classmethod
    def read(cls, about: About | Mapping[str, Any] | None) -> About:
        """The same from a mapping."""
        if about is None or isinstance(about, About):
            return about or cls()
        try:
            return cls(**about)
        except TypeError:
            known = list_some(cls.__dataclass_fields__)
            raise ExportError(f"about must be a mapping of {known}, got {about!r}") from None

    def lines(self, rules: RuleSet) -> list[str]:
        """What stands at the head of an export, one comment a line, safe in every language."""
        what = list_some(list(map(str, rules.labels)), 8)
        kind = "crisp" if rules.crisp else "graded"
        head = f"Predicts {what} by {kind} rules of {_literals(rules.size)}."
        return [comment(head), comment(self.origin())]

    def origin(self) -> str:
        """Where the rules come from, on one line."""
        from crisplogic import __version__

        return ", ".join([*self._known(), f"crisplogic {__version__}"])

    def _known(self) -> Iterator[str]:
        if self.name:
            yield self.name
        if self.date:
            yield self.date
        if self.rows is not None:
            yield f"learned from {self.rows} rows"
        if self.error is not None and math.isfinite(self.error):
            yield f"held-out error {six_digits(self.error)}"


def _literals(size: int) -> str:
    return "1 literal" if size == 1 else f"{size} literals"
