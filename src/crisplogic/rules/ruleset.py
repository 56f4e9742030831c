"""RuleSet: rules that predict, print and save themselves; what both tasks share."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

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
from crisplogic.expr.walk import unique_nodes
from crisplogic.files import atomic_writer
from crisplogic.rules import editing
from crisplogic.rules.analysis.directions import Direction
from crisplogic.rules.analysis.evidence import Evidence
from crisplogic.rules.analysis.explanation import Explanation
from crisplogic.rules.formatting import RuleText, format_legend, format_rules
from crisplogic.rules.formulas import format_formulas
from crisplogic.rules.memberships import Membership, distinct_names
from crisplogic.rules.rule import (
    Label,
    Predicts,
    Rule,
    check_columns,
    check_inputs,
    check_rules,
)
from crisplogic.rules.scoring import Scorer
from crisplogic.rules.serialize import from_json, read_text, to_json
from crisplogic.rules.targets import Targets
from crisplogic.tables import Levels, as_matrix

if TYPE_CHECKING:
    import pandas

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

    # Predicting. ``coded`` tables are matrices that :meth:`matrix` made.

    def matrix(self, table: Any, coded: bool = False) -> Floats:
        """Any table with the columns of the rules as numbers, categories as codes.

        A table that is ``coded`` already stays as it is. A data frame needs only the columns
        that rules mention; others are NaN. Shape: returns (rows, features).
        """
        levels = () if coded else self.levels
        return as_matrix(table, self.features, levels, self._mentioned)

    def scores(self, table: Any, coded: bool = False) -> Floats:
        """The score of every rule. Shape: (rows, features) to (rows, rules)."""
        matrix = self.matrix(table, coded)
        values = np.empty((len(matrix), len(self.rules)))
        for chunk, scores in self._scorer.scores(matrix):
            values[chunk] = scores.T
        return values

    def degrees(self, table: Any, coded: bool = False) -> Floats:
        """The inputs of the expressions. Shape: (rows, features) to (rows, inputs)."""
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

    @abstractmethod
    def read_targets(self, rows: int, y: Any, sample_weight: Any) -> Targets[Any]:
        """The classes or numbers ``y`` of some rows, if given, and weights, checked."""

    # Reading

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in the order of the scores; or the name of the number."""
        return tuple(rule.label for rule in self.rules)

    @cached_property
    def expressions(self) -> tuple[Expr, ...]:
        """The expressions, in the order of the scores."""
        return tuple(rule.expression for rule in self.rules)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs of the expressions: different, where the inputs differ."""
        return distinct_names(self.features, self.memberships, self.used)

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
        """The rules, compiled to predict."""
        return Scorer(self.memberships, self.expressions, self.intercepts, self.factors)

    def measure(self) -> Size:
        """Literals, operators and depth of all rules together, shared parts counted once."""
        return self._measured

    @cached_property
    def _measured(self) -> Size:
        return measure(self.expressions, self.counted)

    @property
    def size(self) -> int:
        """The number of literals in all rules together, shared parts counted once."""
        return self._measured.literals

    def to_text(self, notation: Notation = PAPER, numbered: bool = False) -> str:
        """One line a rule; parts that several rules share are named on lines before them.

        ``numbered=True`` prints inputs and classes as numbers, as the paper does.
        """
        return format_rules(self, notation, numbered)

    @staticmethod
    @abstractmethod
    def format_rule(rule: RuleText, notation: Notation) -> str:
        """One rule with its intercept and scale, without its label."""

    def legend(self, numbered: bool = False) -> str:
        """One line a membership that the rules use: what "is high" means for it.

        ``numbered=True`` also says which number stands for which column and class.
        """
        return format_legend(self, numbered)

    def formulas(self, notation: Notation = PAPER, numbered: bool = False) -> str:
        """How values follow from literals, and predictions from values.

        With :meth:`to_text` and :meth:`legend`, all that is needed to compute by hand.
        """
        return format_formulas(self, notation, numbered)

    @abstractmethod
    def format_prediction(self, notation: Notation) -> list[str]:
        """The last lines of :meth:`formulas`: from scores to predictions."""

    def __str__(self) -> str:
        return "\n\n".join(filter(None, (self.to_text(), self.legend(), self.formulas())))

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
        """A pickle keeps the fields only, not what is computed from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_json(self) -> str:
        """The whole rule set as JSON text with a version number.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import RegressionRules
        >>> old = Rule("old", parse("0"))
        >>> rules = RegressionRules(("age",), (Membership(0, 0.0, 9.0),), (old,))
        >>> RuleSet.from_json(rules.to_json()) == rules
        True
        """
        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote: rules of the kind that the text holds.

        On one of the two kinds of rules, text of the other kind is an error.
        """
        from crisplogic.rules import ClassificationRules, RegressionRules  # made of this class

        kinds = {kind.predicts: kind for kind in (ClassificationRules, RegressionRules)}
        try:
            predicts, parts = from_json(text)
            rules: RuleSet = kinds[predicts](*parts)
        except RuleError as error:  # whatever is wrong in a file is the file's fault
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
            return cls.from_json(read_text(path))
        except (RuleFileError, UnicodeDecodeError) as error:
            raise RuleFileError(
                f"{os.fspath(path)} is no crisplogic rule file: {error}"
            ) from error

    # Editing: each returns changed rules, see crisplogic.rules.editing.

    with_threshold = editing.with_threshold
    with_rule = editing.with_rule
    with_term = editing.with_term
    with_intercept = editing.with_intercept
    with_scale = editing.with_scale
    without_term = editing.without_term
    rename = editing.rename

    # Analysis

    @abstractmethod
    def directions(self) -> dict[str, dict[Label, Direction]]:
        """How predictions change as each column rises, whatever the other columns are."""

    @abstractmethod
    def evidence(
        self, table: Any, y: Any = None, sample_weight: Any = None
    ) -> Sequence[Evidence]:
        """What every rule and every term is worth on these rows, one record each.

        Each rule stands before its terms. Without ``y``, what needs it is NaN.
        """

    def to_frame(
        self, table: Any, y: Any = None, sample_weight: Any = None
    ) -> pandas.DataFrame:
        """The records of :meth:`evidence` as a pandas data frame.

        The first column has the labels and is called ``class``, or ``number``.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import ClassificationRules, Ramp
        >>> old = Rule("old", parse("0"))
        >>> rules = ClassificationRules(("age",), (Ramp(0, 30.0, 50.0),), (old,))
        >>> frame = rules.to_frame([[20], [60], [70]])
        >>> frame[["class", "kind", "text", "rows"]].values.tolist()
        [['old', 'rule', 'age>40', 2], ['old', 'term', 'age>40', 2]]
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas: pip install 'crisplogic[pandas]'; "
                "without it use evidence(...), a list of records"
            ) from error
        records = [asdict(each) for each in self.evidence(table, y, sample_weight)]
        return pandas.DataFrame(records).rename(columns={"label": self.predicts})

    @abstractmethod
    def explain(self, row: Any) -> Explanation:
        """Why one row is predicted as it is: the value of every term.

        The ``row`` is a dictionary by column, a row of a data frame, a list of values in the
        order of the columns, or a table of one row.
        """

    @abstractmethod
    def explain_each(self, table: Any) -> Iterator[Explanation]:
        """An explanation of each row of a table, one after the other."""
