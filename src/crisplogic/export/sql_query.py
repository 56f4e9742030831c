"""The query of a program: SELECTs inside each other, of which each adds columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crisplogic.export.names import comment, identifiers
from crisplogic.export.program import Amount, GradedStatement, Statement, Threshold
from crisplogic.export.program import Sum as Total
from crisplogic.export.sql_code import SqlCode
from crisplogic.export.sql_keywords import KEYWORDS


@dataclass(frozen=True)
class Item:
    """A column of a SELECT: its lines, and a note on what it is."""

    lines: tuple[str, ...]
    note: str = ""


class Query:
    """The query of one program.

    Degrees and terms of graded rules have names of their own, so that no text is repeated.
    ``keep`` are the columns to select beside them, all if it is None; ``taken`` are names that
    no new column may have.
    """

    def __init__(self, code: SqlCode, keep: Sequence[str] | None, taken: set[str]) -> None:
        self.code = code
        self.program = code.program
        self.keep = keep
        self.taken = taken

    def lines(self, source: str, proba: bool) -> list[str]:
        """The lines of the query."""
        found = [source]
        for alias, items in self._helpers():
            found = self._nested(found, [*self._kept(), *items], alias)
        outcome = self.program.outcome
        if isinstance(outcome, Amount):
            [prediction] = self._fresh(["prediction"])
            total = self._amount(self.program.sums[0], prediction, outcome)
            return _select([*self._kept(), total], found)
        labels = outcome.labels
        single = isinstance(outcome, Threshold)
        wanted = ["score"] if single else [f"score_{label}" for label in labels]
        every = self._fresh(
            [*wanted, "prediction", *(f"probability_{label}" for label in labels)]
        )
        scores, prediction, chances = (
            every[: len(wanted)],
            every[len(wanted)],
            every[len(wanted) + 1 :],
        )
        sums = map(self._score, self.program.sums, scores)
        found = self._nested(found, [*self._kept(), *sums], "scored")
        items = [*self._kept(), *([] if self.keep is None else map(_column, scores))]
        items.append(_column(f"{self.code.predicted(outcome, scores)} AS {prediction}"))
        for at, name in enumerate(chances if proba else []):
            items.append(_column(f"{self.code.chance(outcome, scores, at)} AS {name}"))
        return _select(items, found)

    def _kept(self) -> list[Item]:
        return [_column(name) for name in (["*"] if self.keep is None else self.keep)]

    def _nested(self, source: list[str], items: list[Item], alias: str) -> list[str]:
        return ["(", *(f"  {line}" for line in _select(items, source)), f") AS {alias}"]

    def _fresh(self, names: list[str]) -> list[str]:
        """Plain names for new columns, different from each other and from those in use."""
        taken = {*self.taken, *KEYWORDS}
        return [name.lower() for name in identifiers(names, taken)]

    # Graded rules

    def _helpers(self) -> Iterator[tuple[str, list[Item]]]:
        """The columns that scores of graded rules are computed from."""
        code = self.code
        degrees = list(code.varying_degrees())
        names = self._fresh([f"d{number + 1}" for number in range(len(degrees))])
        items = []
        for (index, written), name in zip(degrees, names, strict=True):
            code.degree_names[index] = name
            items.append(_column(f"{written} AS {name}"))
        if items:
            yield "degrees", items
        statements = self.program.statements
        if any(isinstance(each, GradedStatement) for each in statements):
            code.term_names = self._fresh([f"s{at + 1}" for at in range(len(statements))])
            yield (
                "terms",
                [
                    Item((f"{code.statement(at)} AS {name}",), comment(statements[at].words))
                    for at, name in enumerate(code.term_names)
                ],
            )

    # Sums

    def _amount(self, total: Total, name: str, outcome: Amount) -> Item:
        if outcome.transform is None:
            return self._score(total, name)
        return _column(f"{self.code.amount(total, outcome.transform)} AS {name}")

    def _score(self, total: Total, name: str) -> Item:
        """A sum; one of crisp rules stands on several lines, one statement each."""
        if not self.program.crisp or total.factor != 1 or not total.terms:
            return _column(f"{self.code.sum(total)} AS {name}")
        lines = [self.code.number(total.base)] if total.base else []
        for points, number in total.terms:
            statement = self.program.statements[number]
            assert isinstance(statement, Statement)
            sign = "+ " if lines else "  "
            lines.append(f"{sign}{self.code.points(statement, points)}")
        return Item((*lines, f"AS {name}"))


def _column(text: str) -> Item:
    return Item((text,))


def _select(items: Sequence[Item], source: Sequence[str]) -> list[str]:
    """The lines of a SELECT of some columns from a source."""
    lines = ["SELECT"]
    for item in items:
        comma = "" if item is items[-1] else ","
        note = f"  -- {item.note}" if item.note else ""
        lines += [f"  {line}" for line in item.lines]
        lines[-1] += comma + note
    first, *others = source
    return [*lines, f"FROM {first}", *others]
