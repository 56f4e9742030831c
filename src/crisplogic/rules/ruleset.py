"""RuleSet: rules that predict, print and save themselves, for classes and for a number."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError, RuleFileError
from crisplogic.expr import (
    PAPER,
    Expr,
    Notation,
    Size,
    Var,
    measure,
    simplify,
)
from crisplogic.expr.program import chunks
from crisplogic.expr.walk import unique_nodes
from crisplogic.files import atomic_writer
from crisplogic.rules import editing
from crisplogic.rules.analysis.conflicts import conflicts_of
from crisplogic.rules.analysis.directions import directions_of
from crisplogic.rules.analysis.evidence import evidence_of, frame_of
from crisplogic.rules.analysis.explain import explain_row, explain_rows
from crisplogic.rules.checks import check_columns, check_inputs, check_rules
from crisplogic.rules.formatting import legend, printed
from crisplogic.rules.memberships import Membership
from crisplogic.rules.rule import Label, Predicts, Rule
from crisplogic.rules.scoring import Scorer, winners
from crisplogic.rules.serialize import from_json, to_json
from crisplogic.tables import Levels, as_matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RuleSet(ABC):
    """One expression a rule, over memberships of the columns ``features``.

    This is what :class:`ClassificationRules` and :class:`RegressionRules` share. Rules over
    the same columns, memberships and expressions differ in what their scores mean.

    ``intercepts`` has one number a rule, 0 for all by default. ``levels`` has one entry a
    column: None where the column holds numbers. It is empty if all columns do.
    """

    features: tuple[str, ...]
    memberships: tuple[Membership, ...]
    rules: tuple[Rule, ...]
    scale: float = 1.0
    intercepts: tuple[float, ...] = ()
    levels: tuple[Levels | None, ...] = ()

    # What rules predict, as rule files name it.
    predicts: ClassVar[Predicts]
    # Whether a repeated term is written once, after its count. Terms of a number repeat often,
    # those of classes hardly ever.
    counted: ClassVar[bool]

    def __post_init__(self) -> None:
        if not self.intercepts:
            object.__setattr__(self, "intercepts", (0.0,) * len(self.rules))
        for name in ("features", "memberships", "rules", "intercepts", "levels"):
            object.__setattr__(self, name, tuple(getattr(self, name)))  # lists do as well
        if all(each is None for each in self.levels):
            object.__setattr__(self, "levels", ())
        check_rules(self.labels, self.intercepts, self.scale)
        check_columns(self.features, self.levels, self.memberships)
        check_inputs(self.used, len(self.memberships))

    # Predicting. ``coded`` tables are matrices that were read before, by :meth:`matrix`.

    def matrix(self, table: Any, coded: bool = False) -> Floats:
        """Any table with the columns of the rules as numbers, categories as codes.

        A table that is ``coded`` already stays as it is. In a data frame only columns that
        rules mention have to be; others are NaN. Shape: returns (rows, features).
        """
        levels = () if coded else self.levels
        return as_matrix(table, self.features, levels, self._mentioned)

    def scores(self, table: Any, coded: bool = False) -> Floats:
        """The score of every class. Shape: (rows, features) to (rows, classes)."""
        matrix = self.matrix(table, coded)
        values = np.empty((len(matrix), len(self.rules)))
        for chunk, scores in self._scorer.scores(matrix):
            values[chunk] = scores.T
        return values

    def degrees(self, table: Any, coded: bool = False) -> Floats:
        """The memberships that expressions read. Shape: (rows, features) to (rows, inputs)."""
        matrix = self.matrix(table, coded)
        degrees = np.empty((len(matrix), len(self.memberships)))
        for position, membership in enumerate(self.memberships):
            degrees[:, position] = membership.degree(matrix)
        return degrees

    @abstractmethod
    def predict(self, table: Any, coded: bool = False) -> NDArray[Any]:
        """The prediction for every row. Shape: (rows, features) to (rows,)."""

    @property
    @abstractmethod
    def factors(self) -> tuple[float, ...]:
        """What the value of each expression is multiplied by in its score."""

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
    def used(self) -> list[int]:
        """The inputs that rules mention, in order."""
        nodes = unique_nodes(self.expressions)
        return sorted({node.index for node in nodes if isinstance(node, Var)})

    @cached_property
    def _mentioned(self) -> set[int]:
        """The columns that rules mention."""
        return {self.memberships[index].feature for index in self.used}

    @cached_property
    def _scorer(self) -> Scorer:
        """The rules made ready to predict."""
        return Scorer(self.memberships, self.expressions, self.intercepts, self.factors)

    @cached_property
    def measured(self) -> Size:
        """Literals, operators and depth of all rules together, shared parts counted once."""
        return measure(self.expressions, self.counted)

    @property
    def size(self) -> int:
        """The number of literals in all rules together, shared parts counted once."""
        return self.measured.literals

    def to_text(self, notation: Notation = PAPER, numbered: bool = False) -> str:
        """One line a rule; parts that several rules share are named on lines before them.

        Of a number, it says what it is anyway and what a term is worth, times the terms.
        ``numbered=True`` prints inputs and classes as numbers, as the paper does.
        """
        return printed(self, notation, numbered)

    def legend(self, numbered: bool = False) -> str:
        """One line a membership that the rules use: what "is high" means for it.

        ``numbered=True`` also says which number stands for which column and class.
        """
        return legend(self, numbered)

    def __str__(self) -> str:
        return self.to_text()

    # Changing

    def simplified(self, crisp: bool = False) -> Self:
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
        """The whole rule set as JSON text with a version number.

        >>> from crisplogic.expr import parse
        >>> old = Rule("old", parse("0"))
        >>> rules = RegressionRules(("age",), (Membership(0, 0.0, 9.0),), (old,))
        >>> RuleSet.from_json(rules.to_json()) == rules
        True
        """
        return to_json(
            self.features,
            self.memberships,
            self.rules,
            self.scale,
            self.intercepts,
            self.levels,
            self.predicts,
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote: rules of the kind that the text holds.

        On one of the two kinds of rules, text of the other kind is an error.
        """
        kinds = {kind.predicts: kind for kind in (ClassificationRules, RegressionRules)}
        try:
            predicts, parts = from_json(text)
            rules: RuleSet = kinds[predicts](*parts)
        except RuleError as error:  # in a file, whatever makes no sense is the file's fault
            raise RuleFileError(str(error)) from error
        if not isinstance(rules, cls):
            raise RuleFileError(f"its rules predict a {predicts}, not a {cls.predicts}")
        return rules

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rule set to a JSON file, completely or not at all."""
        with atomic_writer(path) as file:
            file.write(self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a rule set from a file that :meth:`save` wrote."""
        try:
            # An editor may have left a byte order mark.
            return cls.from_json(Path(path).read_text(encoding="utf-8-sig"))
        except (RuleFileError, UnicodeDecodeError) as error:
            raise RuleFileError(
                f"{os.fspath(path)} is no crisplogic rule file: {error}"
            ) from error

    # Changing by hand: each gives other rules, see crisplogic.rules.editing.

    with_threshold = editing.with_threshold
    with_rule = editing.with_rule
    with_term = editing.with_term
    with_intercept = editing.with_intercept
    with_scale = editing.with_scale
    without_term = editing.without_term
    rename = editing.rename

    # Looking at the rules themselves

    directions = directions_of

    # Looking at rows

    evidence = evidence_of
    to_frame = frame_of
    explain = explain_row
    explain_each = explain_rows


@dataclass(frozen=True)
class ClassificationRules(RuleSet):
    """Rules that predict a class, one rule a class.

    The score of a class is the value of its expression plus its intercept. The class with the
    greatest score is predicted, the first of them in a tie. ``scale`` times the scores are the
    logits of the probabilities.

    >>> from crisplogic.expr import parse
    >>> rules = ClassificationRules(
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

    predicts = "class"
    counted = False

    def predict(self, table: Any, coded: bool = False) -> NDArray[Any]:
        """The class of every row. Shape: (rows, features) to (rows,)."""
        matrix = self.matrix(table, coded)
        labels = _array_of(self.labels)
        classes = np.empty(len(matrix), dtype=labels.dtype)
        for chunk, scores in self._scorer.scores(matrix):
            labels.take(winners(scores), out=classes[chunk], mode="clip")  # checks nothing
        return classes

    def predict_proba(self, table: Any, coded: bool = False) -> Floats:
        """The probability of every class. Shape: (rows, features) to (rows, classes)."""
        values = self.scores(table, coded)
        for chunk in chunks(len(values)):
            values[chunk] = self.probabilities(values[chunk])
        return values

    def probabilities(self, scores: Floats) -> Floats:
        """The probabilities that scores mean. Shape: (rows, classes) to (rows, classes)."""
        return softmax(self.scale * scores)

    @property
    def factors(self) -> tuple[float, ...]:
        """1 for every class: the scale only changes the probabilities."""
        return (1.0,) * len(self.rules)

    conflicts = conflicts_of


@dataclass(frozen=True)
class RegressionRules(RuleSet):
    """One rule that predicts a number. Its label is the name of the number.

    The score is the number itself: the intercept plus ``scale`` times the value of the
    expression. So a true term adds ``scale``, and a false one subtracts it.

    >>> from crisplogic.expr import parse
    >>> price = RegressionRules(
    ...     features=("rooms", "age"),
    ...     memberships=(Membership(0, 4.0, 8.0), Membership(1, 0.0, 100.0)),
    ...     rules=(Rule("price", parse("0 + ~(0 & 1)")),),
    ...     scale=4.5,
    ...     intercepts=(22.5,),
    ... )
    >>> print(price)
    price = 22.5 + 4.5 × (rooms + ¬(rooms & age))
    >>> price.predict([[8, 0], [8, 100], [4, 50]]).tolist()
    [31.5, 22.5, 22.5]
    """

    predicts = "number"
    counted = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.rules) != 1:
            raise RuleError(
                f"rules that predict a number have one rule, that of the number; "
                f"got {self.labels}"
            )

    def predict(self, table: Any, coded: bool = False) -> Floats:
        """The number of every row. Shape: (rows, features) to (rows,)."""
        return self.scores(table, coded)[:, 0]

    @property
    def factors(self) -> tuple[float, ...]:
        """The scale: it is part of the number."""
        return (self.scale,)


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
