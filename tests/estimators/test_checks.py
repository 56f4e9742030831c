"""scikit-learn's own conformance tests, all of them, on the default classifier."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.utils.estimator_checks import parametrize_with_checks

from crisplogic import LogicClassifier


@parametrize_with_checks([LogicClassifier()])  # type: ignore[untyped-decorator]
def test_scikit_learn_conventions_hold(
    estimator: LogicClassifier, check: Callable[[LogicClassifier], None]
) -> None:
    check(estimator)
