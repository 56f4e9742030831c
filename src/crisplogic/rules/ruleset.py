"""RuleSet: everything that is needed to predict, print and keep rules. No torch in sight."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import UNKNOWN
from crisplogic.errors import RuleError, RuleFileError
from crisplogic.expr import (
    PAPER,
    Const,
    Expr,
    Notation,
    Size,
    Var,
    measure,
    simplify,
)
from crisplogic.expr.lexicon import written_name
from crisplogic.expr.nodes import Operation
from crisplogic.expr.plan import chunks
from crisplogic.expr.walk import unique_nodes
from crisplogic.files import atomic_writer
from crisplogic.render import definitions, named_parts, to_text
from crisplogic.rules.document import from_json, to_json
from crisplogic.rules.membership import Membership
from crisplogic.rules.rule import Label, Rule
from crisplogic.rules.scoring import Scorer, winners
from crisplogic.rules.table import as_matrix

Floats = NDArray[np.float64]

# Greater scales would only make infinities of scores; probabilities are 0 or 1 long before.
MOST_SCALE = 1e100


@dataclass(frozen=True)
class RuleSet:
    """One expression a class, over memberships of the columns ``features``.

    A score is the value of the expression plus the class's intercept (0 for all by default,
    as in the paper). The class with the greatest score is predicted, the first of them in a
    tie. ``scale`` times the scores are the logits of the probabilities.

    >>> from crisplogic.expr import parse
    >>> rules = RuleSet(
    ...     features=("glucose", "age"),
    ...     memberships=(Membership(0, 0.0, 200.0), Membership(1, 20.0, 80.0)),
    ...     rules=(Rule("ill", parse("0 & 1")), Rule("well", parse("~0"))),
    ... )
    >>> print(rules)
    ill  = glucose & age
    well = ¬glucose
    >>> rules.predict([[190.0, 70.0], [80.0, 30.0]]).tolist()
    ['ill', 'well']
    >>> rules.size
    3
    """

    features: tuple[str, ...]
    memberships: tuple[Membership, ...]
    rules: tuple[Rule, ...]
    scale: float = 1.0
    intercepts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.intercepts:
            object.__setattr__(self, "intercepts", (0.0,) * len(self.rules))
        for name in ("features", "memberships", "rules", "intercepts"):  # lists do as well
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.rules:
            raise RuleError("a rule set needs at least one rule")
        if len(set(self.labels)) < len(self.labels):
            raise RuleError(f"every class has one rule, got rules for {self.labels}")
        bounded = all(abs(intercept) < MOST_SCALE for intercept in self.intercepts)
        if len(self.intercepts) != len(self.rules) or not bounded:
            raise RuleError(
                f"every class has one finite intercept, got {self.intercepts} "
                f"for {len(self.rules)} rules (in size below {MOST_SCALE:g})"
            )
        if not 0 < self.scale < MOST_SCALE:
            raise RuleError(
                f"the scale must lie between 0 and {MOST_SCALE:g}, got {self.scale}"
            )
        if len(set(self.features)) < len(self.features):
            raise RuleError(f"column names must differ from each other, got {self.features}")
        for membership in self.memberships:
            if not 0 <= membership.feature < len(self.features):
                raise RuleError(
                    f"a membership is about column {membership.feature}, "
                    f"but there are {len(self.features)} columns, counted from 0"
                )
        if self._used and self._used[-1] >= len(self.memberships):
            raise RuleError(
                f"a rule uses input {self._used[-1]}, "
                f"but there are {len(self.memberships)} inputs, counted from 0"
            )

    # Predicting

    def scores(self, table: Any) -> Floats:
        """The score of every class. Shape: (rows, features) to (rows, classes)."""
        matrix = as_matrix(table, self.features)
        values = np.empty((len(matrix), len(self.rules)))
        for chunk, scores in self._scorer.scores(matrix):
            values[chunk] = scores.T
        return values

    def degrees(self, table: Any) -> Floats:
        """The memberships that expressions read. Shape: (rows, features) to (rows, inputs)."""
        matrix = as_matrix(table, self.features)
        degrees = np.empty((len(matrix), len(self.memberships)))
        for position, membership in enumerate(self.memberships):
            degrees[:, position] = membership.degree(matrix)
        return degrees

    def predict(self, table: Any) -> NDArray[Any]:
        """The class of every row. Shape: (rows, features) to (rows,)."""
        matrix = as_matrix(table, self.features)
        labels = _array_of(self.labels)
        classes = np.empty(len(matrix), dtype=labels.dtype)
        for chunk, scores in self._scorer.scores(matrix):
            labels.take(winners(scores), out=classes[chunk], mode="clip")  # checks nothing
        return classes

    def predict_proba(self, table: Any) -> Floats:
        """The probability of every class. Shape: (rows, features) to (rows, classes)."""
        values = self.scores(table)
        for chunk in chunks(len(values)):
            values[chunk] = self.probabilities(values[chunk])
        return values

    def probabilities(self, scores: Floats) -> Floats:
        """What scores say of the classes. Shape: (rows, classes) to (rows, classes)."""
        return softmax(self.scale * scores)

    # Reading

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in the order of the scores."""
        return tuple(rule.label for rule in self.rules)

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The expressions, in the order of the scores."""
        return tuple(rule.expression for rule in self.rules)

    @property
    def names(self) -> tuple[str, ...]:
        """What each input of the expressions is called."""
        return tuple(each.name(self.features[each.feature]) for each in self.memberships)

    @cached_property
    def _used(self) -> list[int]:
        """The inputs that rules mention, in order."""
        nodes = unique_nodes(self.expressions)
        return sorted({node.index for node in nodes if isinstance(node, Var)})

    @cached_property
    def _scorer(self) -> Scorer:
        """The rules made ready to predict."""
        return Scorer(self.memberships, self.expressions, self.intercepts)

    @cached_property
    def measured(self) -> Size:
        """Literals, operators and depth of all rules together, shared parts counted once."""
        return measure(self.expressions)

    @property
    def size(self) -> int:
        """The number of literals in all rules together, shared parts counted once."""
        return self.measured.literals

    def to_text(self, notation: Notation = PAPER, numbered: bool = False) -> str:
        """One line a rule; parts that several rules share are named on lines before them.

        ``numbered=True`` prints inputs and classes as numbers, as the paper does.
        """
        names = None if numbered else self.names
        classes = self._heads(numbered)
        taken = {*(names or ()), *classes}
        shared = named_parts(self.expressions, taken)
        heads = [*shared.values(), *classes]
        bodies = [
            *definitions(shared, names, notation).values(),
            *(
                _with_intercept(
                    expr,
                    to_text(expr, names, notation, shared),
                    intercept,
                    numbered,
                    alone=isinstance(expr, Operation) and expr not in shared,
                )
                for expr, intercept in zip(self.expressions, self.intercepts, strict=True)
            ),
        ]
        width = max(map(len, heads))
        lines = (f"{head:<{width}} = {body}" for head, body in zip(heads, bodies, strict=True))
        return "\n".join(lines)

    def legend(self, numbered: bool = False) -> str:
        """One line a membership that the rules use: what "is high" means for it.

        ``numbered=True`` also says which number stands for which column and class.
        """
        heads = [written_name(self.names[index]) for index in self._used]
        if numbered:
            heads = [f"{i} = {name}" for i, name in zip(self._used, heads, strict=True)]
        readings = [self.memberships[index].reading() for index in self._used]
        width = max(map(len, heads), default=0)
        lines = [f"{head:<{width}}  {text}" for head, text in zip(heads, readings, strict=True)]
        if numbered:
            lines += map(" = ".join, zip(self._heads(True), self._heads(False), strict=True))
        return "\n".join(lines)

    def _heads(self, numbered: bool) -> list[str]:
        if numbered:
            return [f"c_{number}" for number in range(len(self.rules))]
        return [
            written_name(label) if isinstance(label, str) else str(label)
            for label in self.labels
        ]

    def __str__(self) -> str:
        return self.to_text()

    # Changing

    def simplified(self, crisp: bool = False) -> RuleSet:
        """The same rules, simplified; see :func:`crisplogic.expr.simplify`."""
        return replace(
            self,
            rules=tuple(
                Rule(rule.label, simplify(rule.expression, crisp)) for rule in self.rules
            ),
        )

    # Keeping

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle keeps: the fields. What was worked out from them can be again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_json(self) -> str:
        """The whole rule set as JSON text with a version number."""
        return to_json(self.features, self.memberships, self.rules, self.scale, self.intercepts)

    @classmethod
    def from_json(cls, text: str) -> RuleSet:
        """Read what :meth:`to_json` wrote."""
        try:
            return cls(*from_json(text))
        except RuleError as error:  # in a file, whatever makes no sense is the file's fault
            raise RuleFileError(str(error)) from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rule set to a JSON file, completely or not at all."""
        with atomic_writer(path) as file:
            file.write(self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RuleSet:
        """Read a rule set from a file that :meth:`save` wrote."""
        try:
            # An editor may have left a byte order mark.
            return cls.from_json(Path(path).read_text(encoding="utf-8-sig"))
        except (RuleFileError, UnicodeDecodeError) as error:
            raise RuleFileError(
                f"{os.fspath(path)} is no crisplogic rule file: {error}"
            ) from error


def _with_intercept(
    expr: Expr, text: str, intercept: float, numbered: bool, alone: bool
) -> str:
    """A score as text: an expression that says nothing gives way to the number.

    Logic that is ``alone`` has no brackets yet, and needs them beside a number.
    """
    # Where inputs are numbers, a whole intercept would look like one of them.
    size = f"{abs(intercept)!r}" if numbered else f"{abs(intercept):.15g}"
    if expr == Const(UNKNOWN):
        return f"-{size}" if intercept < 0 else size
    if intercept == 0:
        return text
    text = f"({text})" if alone else text
    return f"{text} {'+' if intercept > 0 else '-'} {size}"


def softmax(logits: Floats) -> Floats:
    """Probabilities of rows of logits. Shape: (rows, classes) to (rows, classes).

    >>> softmax(np.array([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Floats = weights / weights.sum(axis=1, keepdims=True)
    return probabilities


def _array_of(labels: tuple[Label, ...]) -> NDArray[Any]:
    """Labels as an array that gives them back as they are.

    >>> _array_of((1, 2)).dtype, _array_of((1, "2")).tolist()
    (dtype('int64'), [1, '2'])
    """
    array = np.asarray(labels)
    if repr(array.tolist()) == repr(list(labels)):
        return array
    return np.array(labels, dtype=object)  # numpy would have made all of them text, or floats
