"""NumberExplanation: why a number is predicted for a row, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crisplogic.rules.digits import aligned, six_digits
from crisplogic.rules.explanation import Part, in_blocks
from crisplogic.rules.rule import Label
from crisplogic.rules.wording import written_label


@dataclass(frozen=True)
class NumberExplanation:
    """Why a number is predicted for a row.

    It is ``intercept`` anyway, and each of the ``terms`` adds ``scale`` times its value, as
    often as it counts: its amount, in the units of the number. ``predicted`` is what
    :meth:`RuleSet.predict` says, to the last bit. There the values are added before they are
    multiplied, so that intercept and amounts, each rounded by itself, may add up to something
    else in the last digits.

    ``literals`` are all that the rule mentions, each once. ``shared`` are the parts that stand
    inside terms by name only.
    """

    label: Label
    predicted: float
    intercept: float
    scale: float
    terms: tuple[Part, ...]
    counts: tuple[int, ...]
    literals: tuple[Part, ...]
    shared: tuple[tuple[str, Part], ...] = ()

    @property
    def amounts(self) -> tuple[float, ...]:
        """What each term adds to the number."""
        pairs = zip(self.counts, self.terms, strict=True)
        return tuple(count * self.scale * term.value for count, term in pairs)

    @property
    def runner_up(self) -> None:
        """None: of a number there is no next one."""
        return

    def to_dict(self) -> dict[str, Any]:
        """The whole explanation as JSON knows it."""
        return {
            "predicted": self.predicted,
            "runner_up": self.runner_up,
            "number": self.label,
            "intercept": self.intercept,
            "scale": self.scale,
            "terms": [
                {"amount": amount, "count": count, **term.to_dict()}
                for amount, count, term in zip(
                    self.amounts, self.counts, self.terms, strict=True
                )
            ],
            "literals": [literal.to_dict() for literal in self.literals],
            "shared": {name: part.to_dict() for name, part in self.shared},
        }

    def to_text(self) -> str:
        """The number, then what it is anyway and what every term adds to it."""
        headline = f"predicted: {written_label(self.label)} = {six_digits(self.predicted)}"
        shared = [(f"where {name} is", list(part.lines())) for name, part in self.shared]
        return in_blocks(headline, [("", list(self._lines())), *shared])

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Amounts beside the lines of terms; what terms are made of adds nothing by itself."""
        base, *amounts = aligned([self.intercept, *self.amounts], self.scale)
        yield f"  {base}{'':18}anyway", ""
        for amount, term in zip(amounts, self.terms, strict=True):
            for line, (said, seen) in enumerate(term.lines()):
                yield f"  {amount if line == 0 else ' ' * len(amount)}{said}", seen

    def __str__(self) -> str:
        return self.to_text()
