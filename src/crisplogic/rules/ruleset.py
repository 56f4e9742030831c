"""RuleSet: rules that predict, print and save themselves; what both tasks share."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError, RuleFileError
from crisplogic.expr import (
    PAPER,
    Expr,
    Notation,
    Size,
    measure,
    simplify,
)
from crisplogic.expr.connectives import operators_of, with_operators
from crisplogic.expr.walk import inputs_in
from crisplogic.files import atomic_writer, read_text
from crisplogic.rules import editing
from crisplogic.rules.analysis.counterfactual import Goal
from crisplogic.rules.analysis.directions import Direction
from crisplogic.rules.analysis.evidence import Evidence
from crisplogic.rules.analysis.explanation import Explanation
from crisplogic.rules.analysis.importance import measure_importance
from crisplogic.rules.analysis.reasons import find_reasons
from crisplogic.rules.analysis.shape import measure_shape
from crisplogic.rules.describe import describe, has_words
from crisplogic.rules.formatting import (
    RuleText,
    Wording,
    distinct_labels,
    format_legend,
    format_rules,
)
from crisplogic.rules.formulas import format_formulas
from crisplogic.rules.history import Note
from crisplogic.rules.latex import to_latex
from crisplogic.rules.markup import Cell, Table, fenced, to_html
from crisplogic.rules.memberships import Membership, distinct_names
from crisplogic.rules.rule import (
    Label,
    Predicts,
    Rule,
    check_columns,
    check_inputs,
    check_logic,
    check_ranges,
    check_rules,
    with_truth_levels,
)
from crisplogic.rules.scoring import Scorer
from crisplogic.rules.serialize import from_json, to_json
from crisplogic.rules.statements import measure_statements
from crisplogic.rules.targets import Targets
from crisplogic.tables import (
    ColumnMatrix,
    Levels,
    Range,
    UnseenFinder,
    UnseenValues,
    are_plain_numbers,
    as_columns,
    as_matrix,
    find_unseen,
    warn_of_unseen,
)
from crisplogic.tables.columns import is_frame
from crisplogic.threads import run_in_threads

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]
# With fewer rows a thread, starting it takes longer than it saves.
MIN_ROWS_PER_THREAD = 50_000
# Fields with an entry for each column, input or rule.
_LISTED = ("features", "memberships", "rules", "intercepts", "levels", "ranges")


# From a table, who looks at its columns, and rows, to the scores or winners of each chunk.
ScoresOf = Callable[[Any, UnseenFinder | None, slice], Iterator[tuple[slice, NDArray[Any]]]]
# What to do with those of a chunk.
UseScores = Callable[[slice, NDArray[Any]], None]


@dataclass(frozen=True)
class RuleSet(ABC):
    """One expression a rule, over memberships of the columns ``features``.

    This is what :class:`ClassificationRules` and :class:`RegressionRules` share. Rules over
    the same columns, memberships and expressions differ in what their scores mean.

    ``intercepts`` has one number a rule, 0 for all by default. ``levels`` has one entry a
    column: None where the column holds numbers. It is empty if all columns do. ``ranges`` has
    the least and the greatest number of such a column in training, None where it is unknown.

    ``crisp`` rules are yes or no: every membership is a :class:`Step`, a :class:`Flag`, a
    :class:`Level` or a :class:`Missing`, and logic is Kleene's: *and* is the minimum, *or* the
    maximum. So a term is false (-1), unknown (0) or true (1), and nothing in between.

    ``history`` are notes of who changed the rules by hand. Rule files keep them; they say
    nothing of what rules predict, so rules that differ in them alone are equal.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import RegressionRules, Step
    >>> price = Rule("price", parse("0 & 1"))
    >>> steps = Step(0, 6.0), Step(1, 80.0)
    >>> rules = RegressionRules(("rooms", "size"), steps, (price,), crisp=True)
    >>> rules.scores([[7, 90], [7, None], [6, None]])[:, 0].tolist()
    [1.0, 0.0, -1.0]
    """

    features: tuple[str, ...]
    memberships: tuple[Membership, ...]
    rules: tuple[Rule, ...]
    scale: float = 1.0
    intercepts: tuple[float, ...] = ()
    levels: tuple[Levels | None, ...] = ()
    ranges: tuple[Range | None, ...] = ()
    crisp: bool = field(default=False, kw_only=True)
    history: tuple[Note, ...] = field(default=(), kw_only=True, compare=False, repr=False)

    # What rules predict, as rule files name it.
    predicts: ClassVar[Predicts]

    def __post_init__(self) -> None:
        if not self.intercepts:
            object.__setattr__(self, "intercepts", (0.0,) * len(self.rules))
        for name in (*_LISTED, "history"):
            object.__setattr__(self, name, tuple(getattr(self, name)))  # lists do as well
        levels = with_truth_levels(self.features, self.levels, self.memberships)
        object.__setattr__(self, "levels", levels)
        for name in ("levels", "ranges"):
            if all(each is None for each in getattr(self, name)):
                object.__setattr__(self, name, ())
        check_rules(self.labels, self.intercepts, self.scale)
        check_columns(self.features, self.levels, self.memberships)
        check_ranges(self.features, self.ranges)
        check_inputs(self.used, len(self.memberships))
        check_logic(self.crisp, self.memberships, self.expressions)

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
        matrix = self._matrix(table, coded)
        values = np.empty((len(matrix), len(self.rules)))

        def write(chunk: slice, scores: Floats) -> None:
            values[chunk] = scores.T

        self._for_chunks(self._scorer.scores, write, table, matrix, coded)
        return values

    def _matrix(self, table: Any, coded: bool) -> NDArray[Any] | ColumnMatrix:
        """What to predict from. Arrays of numbers and columns of data frames stay as they are,
        in any precision.
        """
        fits = are_plain_numbers(table) and table.shape[1:] == (len(self.features),)
        if fits and (coded or not self._coded):
            return np.asarray(table)
        if not coded and ((fits and self._coded_are_numbers) or is_frame(table)):
            return as_columns(table, self.features, self.levels, self._mentioned)
        return self.matrix(table, coded)

    def _for_chunks(
        self, scores_of: ScoresOf, use: UseScores, table: Any, matrix: Any, coded: bool
    ) -> None:
        """Compute scores or winners chunk by chunk of rows, on all cores if that pays.

        ``matrix`` is what was made of the table. At the end it warns of values never seen,
        unless the table is ``coded``.
        """
        finder = None if coded else UnseenFinder(self.features, self.levels, self.ranges)

        def run(rows: slice) -> None:
            for chunk, scores in scores_of(matrix, finder, rows):
                use(chunk, scores)

        run_in_threads(run, len(matrix), least=MIN_ROWS_PER_THREAD)
        if finder is not None:
            warn_of_unseen(finder.found(table, len(matrix)))

    def unseen_values(self, table: Any, matrix: Floats | None = None) -> UnseenValues:
        """The values of a table that training never saw, in the columns that rules mention.

        These are values of a category that are none of its ``levels``, and numbers that are
        outside the ``ranges`` by more than their width. A missing value is not among them.
        ``matrix`` is the table as :meth:`matrix` made it, where that is known already.

        Predictions warn (:class:`~crisplogic.errors.UnseenValuesWarning`) where there are more
        than a few, unless the table is ``coded``.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import ClassificationRules, Flag
        >>> ill, well = Rule("ill", parse("0")), Rule("well", parse("unknown"))
        >>> rules = ClassificationRules(("smoker",), (Flag(0),), (ill, well))
        >>> unseen = rules.unseen_values([["yes"], ["often"], [None]])
        >>> unseen.columns["smoker"].rows, unseen.columns["smoker"].examples
        (1, {'often': 1})
        """
        matrix = self.matrix(table) if matrix is None else matrix
        return find_unseen(
            table, matrix, self.features, self.levels, self.ranges, self._mentioned
        )

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

    @abstractmethod
    def outputs(self, scores: Floats) -> Floats:
        """What scores mean: probabilities of classes, or numbers.

        Shape: (rows, rules) to (rows, rules).
        """

    @property
    @abstractmethod
    def factors(self) -> tuple[float, ...]:
        """What the value of each expression is multiplied by in its score."""

    @abstractmethod
    def read_targets(self, rows: int, y: Any, sample_weight: Any) -> Targets[Any]:
        """The classes or numbers ``y`` of some rows, if given, and weights, checked."""

    def renamed_labels(self, labels: Mapping[Label, Label]) -> dict[str, Any]:
        """Fields that name labels, after some labels were renamed."""
        return {}

    def heads(self) -> list[str]:
        """What each rule is called in print."""
        return distinct_labels(self.labels)

    def own_parts(self) -> dict[str, Any]:
        """What only rules of this kind have, if it is there, as rule files hold it."""
        return {}

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
        return inputs_in(self.expressions)

    @property
    def mentioned_columns(self) -> list[str]:
        """The names of the columns that rules mention, in their order."""
        return [self.features[feature] for feature in sorted(self._mentioned)]

    @cached_property
    def _mentioned(self) -> set[int]:
        """The columns that rules mention."""
        return {self.memberships[index].feature for index in self.used}

    @cached_property
    def _coded(self) -> list[Levels]:
        """The levels of columns that rules mention."""
        levels = (self.levels[at] for at in sorted(self._mentioned)) if self.levels else ()
        return [each for each in levels if each is not None]

    @cached_property
    def _coded_are_numbers(self) -> bool:
        """Whether an array of numbers may have the values of all levels."""
        return all(each.are_ordered for each in self._coded)

    @cached_property
    def _scorer(self) -> Scorer:
        """The rules, compiled to predict."""
        return Scorer(
            self.memberships, self.expressions, self.intercepts, self.factors, self.crisp
        )

    def measure(self) -> Size:
        """Literals, operators and depth of all rules together, shared parts counted once.

        Of crisp rules every statement is written once, and in full.
        """
        return self._measured

    @cached_property
    def _measured(self) -> Size:
        return measure_statements(self) if self.crisp else measure(self.expressions)

    @property
    def size(self) -> int:
        """The number of literals in all rules together, shared parts counted once.

        Of crisp rules: the literals of all statements, each written once and in full.
        """
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

    def legend(self, numbered: bool = False, notation: Notation = PAPER) -> str:
        """One line a membership that the rules use: what "is high" means for it.

        ``numbered=True`` also says which number stands for which column and class.
        """
        return format_legend(self, notation, numbered)

    def formulas(self, notation: Notation = PAPER, numbered: bool = False) -> str:
        """How values follow from literals, and predictions from values.

        With :meth:`to_text` and :meth:`legend`, all that is needed to compute by hand.
        """
        return format_formulas(self, notation, numbered)

    @abstractmethod
    def format_prediction(self, notation: Notation) -> list[str]:
        """The last lines of :meth:`formulas`: from scores to predictions."""

    def describe(self, notes: bool = True) -> str:
        """The rules with all that is needed to compute every prediction by hand.

        Crisp rules are written in plain words: a checklist for two classes, a score card for
        several, a base and amounts for a number. Graded rules, and crisp ones of thousands of
        literals, are written in the notation of logic, with legend and formulas. Without
        ``notes`` these are left out, and what is said of unknown values and probabilities.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import ClassificationRules, Step
        >>> both = Rule("ill", parse("0 + 1")), Rule("well", parse("unknown"))
        >>> steps = Step(0, 40.0), Step(1, 31.5)
        >>> rules = ClassificationRules(
        ...     ("age", "body mass"), steps, both, 1.0, (-1.5, 0.0), crisp=True
        ... )
        >>> print(rules.describe(notes=False))
        ill, if both of these statements hold:
          - age is above 40
          - body mass is above 31.5
        otherwise well
        """
        if has_words(self):
            return describe(self).to_text(notes)
        texts = (self.to_text(), self.legend(), self.formulas()) if notes else (self.to_text(),)
        return "\n\n".join(filter(None, texts))

    def to_markdown(self) -> str:
        """The rules, their legend and formulas as blocks of code in Markdown.

        Crisp rules are a list or a table in plain words.
        """
        if has_words(self):
            return describe(self).to_markdown()
        texts = self.to_text(), self.legend(), self.formulas()
        return "\n\n".join(map(fenced, filter(None, texts)))

    def _repr_html_(self) -> str:
        """The rules as a table that notebooks show; their legend is folded away."""
        if has_words(self):
            return describe(self).to_html()
        return to_html([self._table()], legend="\n\n".join(self._notes()))

    def _repr_latex_(self) -> str:
        """The same in LaTeX, for notebooks that become papers."""
        if has_words(self):
            return describe(self).to_latex()
        return to_latex([self._table()], notes=self._notes())

    def _table(self) -> Table:
        wording = Wording(self)
        shared = [(name, wording.whole(part)) for part, name in wording.shared.items()]
        rules = zip(wording.heads, wording.bodies, strict=True)
        rows = [[Cell(head), Cell(text, code=True)] for head, text in [*shared, *rules]]
        return Table("", [self.predicts, "rule"], rows)

    def _notes(self) -> list[str]:
        return list(filter(None, (self.legend(), self.formulas())))

    def __str__(self) -> str:
        return self.describe()

    # Changing

    def simplified(self, crisp: bool = False) -> Self:
        """The same rules, simplified; see :func:`crisplogic.expr.simplify`.

        Scores of crisp rules stay the same. With ``crisp=True`` they may change where
        something is unknown, and those of graded rules where something is neither true nor
        false.
        """
        return replace(
            self,
            rules=tuple(
                Rule(rule.label, simplify(rule.expression, crisp, kleene=self.crisp))
                for rule in self.rules
            ),
        )

    @property
    def operators(self) -> frozenset[str]:
        """The names of the operators that the rules use: of "and", "or" and "xor"."""
        return operators_of(self.expressions)

    def with_operators(self, allowed: Collection[str]) -> Self:
        """The same rules, written with *and* in place of *or*, or the other way round.

        No score changes. An *xor* that is not allowed is an error, and so is an *and* where
        neither *and* nor *or* is.
        """
        rules = tuple(
            Rule(rule.label, with_operators(rule.expression, allowed)) for rule in self.rules
        )
        written = replace(self, rules=rules)
        if forbidden := sorted(written.operators.difference(allowed)):
            raise RuleError(
                f"the rules use operators that are not allowed: {', '.join(forbidden)}"
            )
        return written

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
            predicts, parts, more = from_json(text)
            rules: RuleSet = kinds[predicts](*parts, **more)
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
            other = "; a whole estimator is loaded in Python, by load_estimator"
            hint = other if isinstance(error, UnicodeDecodeError) else ""
            raise RuleFileError(
                f"{os.fspath(path)} is no crisplogic rule file: {error}{hint}"
            ) from error

    def export(self, to: str, **options: Any) -> str | bytes:
        """Write the rules for another program, such as ``"sql"``, ``"c"`` or ``"onnx"``.

        See :func:`crisplogic.export.export` for targets and their options.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import RegressionRules, Step
        >>> price = Rule("price", parse("0"))
        >>> step = Step(0, 6.0)
        >>> rules = RegressionRules(("rooms",), (step,), (price,), 4.5, (9,), crisp=True)
        >>> print(rules.export("sql", table="houses", missing=False))  # doctest: +ELLIPSIS
        -- Predicts 'price' by crisp rules of 1 literal.
        ...
          + CASE WHEN rooms > 6 THEN 9 ELSE 0 END
          AS prediction
        FROM houses;
        <BLANKLINE>
        """
        # Exports are made of rules, so the name is looked up when it is used.
        written: str | bytes = import_module("crisplogic.export").export(self, to, **options)
        return written

    # Editing: each returns changed rules, see crisplogic.rules.editing.

    with_threshold = editing.with_threshold
    with_rule = editing.with_rule
    with_term = editing.with_term
    with_intercept = editing.with_intercept
    with_scale = editing.with_scale
    without_term = editing.without_term
    rename = editing.rename
    as_crisp = editing.as_crisp

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
        [['old', 'rule', 'age>40±10', 2], ['old', 'term', 'age>40±10', 2]]
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
    def explain(
        self,
        row: Any,
        changeable: Collection[str] | str | None = None,
        goal: Goal | None = None,
    ) -> Explanation:
        """Why one row is predicted as it is: the value of every term.

        The ``row`` is a dictionary by column, a row of a data frame, a list of values in the
        order of the columns, or a table of one row. With ``changeable`` columns, a list or
        ``"all"``, also the smallest change of one or two of them that reaches the ``goal``: any
        other class, unless it names one. A number needs a goal.
        """

    @abstractmethod
    def explain_each(
        self,
        table: Any,
        changeable: Collection[str] | str | None = None,
        goal: Goal | None = None,
    ) -> Iterator[Explanation]:
        """An explanation of each row of a table, one after the other."""

    reasons = find_reasons
    importance = measure_importance
    shape = measure_shape
