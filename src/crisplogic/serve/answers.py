"""Answers: predictions and explanations of rows, as JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.rules import ClassificationRules, Goal, RegressionRules, RuleSet
from crisplogic.rules.analysis.counterfactual import make_finder
from crisplogic.rules.analysis.explain import ClassExplainer, Explainer, NumberExplainer
from crisplogic.rules.rule import Label, as_plain
from crisplogic.rules.scoring import winners
from crisplogic.serve.cells import CellCoder
from crisplogic.serve.limits import WRONG, RequestError
from crisplogic.serve.rows import RowReader
from crisplogic.tables import Columns, UnseenValues

Json: TypeAlias = dict[str, Any]
Floats = NDArray[np.float64]

# Classes and their probabilities, or numbers; and what training never saw.
Predicted: TypeAlias = tuple[list[Label], list[list[float]] | None, UnseenValues]
# Called between pieces of work: others have a turn, or time is up.
Pause: TypeAlias = Callable[[], Awaitable[None]]
# So many rows are answered before others get a turn.
ROWS_AT_A_TIME = 256


class Answers:
    """Rules that answer rows of requests. What they answer is what the rules predict.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True)
    >>> answer = Answers(rules).predict_one({"age": 41})
    >>> answer["prediction"], answer["classes"]
    ('ill', ['ill', 'well'])
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.labels: list[Label] = [as_plain(label) for label in rules.labels]
        self._reader = RowReader(rules)
        self._coder = CellCoder(rules)
        self._explainer = _explainer(rules)
        # Rows that were predicted as each class, and that held values never seen, so far.
        self.predicted: dict[Label, int] = dict.fromkeys(self.labels, 0)
        self.unseen: dict[str, int] = dict.fromkeys(rules.mentioned_columns, 0)

    def predict_one(self, row: Any) -> Json:
        """The prediction of one row."""
        predicted, outputs, unseen = self._predict_one(row)
        return {
            "prediction": predicted[0],
            **({} if outputs is None else {"probabilities": outputs[0]}),
            **self._rest(unseen),
        }

    async def predict_many(self, rows: Sequence[Any], pause: Pause) -> Json:
        """The predictions of many rows."""
        predictions: list[Label] = []
        probabilities: list[list[float]] = []
        every = UnseenValues(0)
        for columns in self._pieces(rows):
            predicted, outputs, unseen = self._predict(columns)
            predictions += predicted
            probabilities += outputs or []
            every += unseen
            await pause()
        shares = {} if self._is_number else {"probabilities": probabilities}
        return {"predictions": predictions, **shares, **self._rest(every)}

    def explain_one(
        self, row: Any, changeable: list[str] | str | None = None, goal: Goal | None = None
    ) -> Json:
        """Why one row is predicted as it is, and what would change that, if it is asked for."""
        try:
            finder = make_finder(self.rules, changeable, goal)
        except RuleError as error:
            raise RequestError(WRONG, str(error)) from error
        [explanation] = self._explainer.explain_each(self._reader.read([row]), finder)
        found: Json = explanation.to_dict()
        return found

    async def explain_many(self, rows: Sequence[Any], pause: Pause) -> Json:
        """Why many rows are predicted as they are."""
        found: list[Json] = []
        for columns in self._pieces(rows):
            for explanation in self._explainer.explain_each(columns):
                found.append(explanation.to_dict())
                await pause()
        return {"explanations": found}

    @property
    def _is_number(self) -> bool:
        return isinstance(self.rules, RegressionRules)

    def _pieces(self, rows: Sequence[Any]) -> Iterator[Columns]:
        for start in range(0, len(rows), ROWS_AT_A_TIME):
            yield self._reader.read(rows[start : start + ROWS_AT_A_TIME], start)

    def _predict_one(self, row: Any) -> Predicted:
        """The same as :meth:`_predict` for a row, sooner if its values are known."""
        matrix = self._coder.encode(row)
        if matrix is not None:
            return self._decide(matrix, UnseenValues(1))
        columns = self._reader.read([row])
        matrix = self.rules.matrix(columns)
        unseen = self.rules.unseen_values(columns, matrix)
        if not unseen:
            self._coder.remember(row, matrix)
        return self._decide(matrix, unseen)

    def _predict(self, columns: Columns) -> Predicted:
        matrix = self.rules.matrix(columns)
        return self._decide(matrix, self.rules.unseen_values(columns, matrix))

    def _decide(self, matrix: Floats, unseen: UnseenValues) -> Predicted:
        """What scores mean, counted. Shape: ``matrix`` (rows, features)."""
        rules = self.rules
        for name, column in unseen.columns.items():
            self.unseen[name] += column.rows
        scores = rules.scores(matrix, coded=True)
        if isinstance(rules, RegressionRules):
            self.predicted[self.labels[0]] += len(matrix)
            return rules.numbers(scores[:, 0]).tolist(), None, unseen
        classes = [self.labels[at] for at in winners(scores.T).tolist()]
        for label in classes:
            self.predicted[label] += 1
        return classes, rules.outputs(scores).tolist(), unseen

    def _rest(self, unseen: UnseenValues) -> Json:
        classes = {"number": self.labels[0]} if self._is_number else {"classes": self.labels}
        return {**classes, **({"unseen": unseen.to_dict()} if unseen else {})}


def _explainer(rules: RuleSet) -> Explainer[Any]:
    if isinstance(rules, ClassificationRules):
        return ClassExplainer(rules)
    assert isinstance(rules, RegressionRules)
    return NumberExplainer(rules)
