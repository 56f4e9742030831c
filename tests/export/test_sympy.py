"""SymPy computes what the library computes, on rows without gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.export import export
from crisplogic.rules import ClassificationRules, Flag, RuleSet
from tests.export.generated import rows_of, rules_of
from tests.export.hostile import hostile_rules
from tests.rules.crisp_rules import CLINIC

sympy = pytest.importorskip("sympy", reason="SymPy is not installed")


def complete_rows(rules: RuleSet, count: int) -> NDArray[np.float64]:
    matrix = rows_of(rules, 3000)
    whole = np.isfinite(matrix).all(axis=1) & (matrix != -1).all(axis=1)
    for each in rules.memberships:
        if isinstance(each, Flag):
            whole &= np.isin(matrix[:, each.feature], (0, 1))
    found: NDArray[np.float64] = matrix[whole][:count]
    return found


def substitutions(
    rules: RuleSet, module: dict[str, Any], row: NDArray[np.float64]
) -> dict[Any, Any]:
    values: dict[Any, Any] = {}
    for name, symbol in module["columns"].items():
        at = rules.features.index(name)
        levels = rules.levels[at] if rules.levels else None
        if isinstance(symbol, tuple):
            assert levels is not None
            code = int(row[at])
            known = [*range(len(levels.names)), *[len(levels.names)] * len(levels.others)]
            held = known.index(code)
            values |= {each: place == held for place, each in enumerate(symbol)}
        elif levels is not None and levels.values == "numbers":
            values[symbol] = float(levels.names[int(row[at])])
        else:
            values[symbol] = sympy.Float(row[at], 30)
    return values


@pytest.mark.parametrize("crisp", [True, False])
@pytest.mark.parametrize("task", ["two", "several", "number"])
def test_symbols_with_values_give_the_prediction(task: str, crisp: bool) -> None:
    rules = rules_of(5, task, crisp)
    assert_symbolic(rules, 2)


def test_a_checklist_with_a_category_gives_the_prediction() -> None:
    assert_symbolic(CLINIC, 8)
    assert_symbolic(hostile_rules("several", True, ("a'b", "two\nlines", "*/", "class")), 4)


def assert_symbolic(rules: RuleSet, count: int) -> None:
    module: dict[str, Any] = {}
    exec(str(export(rules, "sympy")), module)
    rows = complete_rows(rules, count)
    assert len(rows) == count
    predicted = rules.predict(rows, coded=True)
    for row, wanted in zip(rows, predicted, strict=True):
        given = substitutions(rules, module, row)
        found = sympy.sympify(module["prediction"]).subs(given)
        if isinstance(rules, ClassificationRules):
            assert rules.labels[int(found)] == wanted
        else:
            assert float(found) == pytest.approx(wanted, rel=1e-9)
