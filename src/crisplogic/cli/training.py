"""From options and a table to an estimator, and from there to rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from crisplogic.cli.options import LearningOptions, Task
from crisplogic.cli.output import shows_progress
from crisplogic.cli.performance import Performance, measure_performance
from crisplogic.cli.tables import TrainingTable, print_remarks
from crisplogic.errors import TableError
from crisplogic.expr.connectives import OPERATORS
from crisplogic.messages import did_you_mean, list_some

if TYPE_CHECKING:
    from crisplogic.estimators.base import LogicEstimator
    from crisplogic.rules import Frontier, RuleSet, SnapReport


@dataclass(frozen=True)
class FitResult:
    """The selected rules, the rules of all sizes, what snapping changed, and the figures.

    ``performance`` is that on the training rows, ``expected_error`` the error to expect on new
    rows; NaN if it is not known.
    """

    rules: RuleSet
    frontier: Frontier
    report: SnapReport
    performance: Performance
    expected_error: float = math.nan


def fit_table(
    estimator: LogicEstimator, table: TrainingTable, checkpoint: Path | None = None
) -> FitResult:
    """Fit an estimator. A number is named after the target."""
    estimator.fit(table.columns, table.y, table.weights, checkpoint)
    fitted: Any = estimator  # each kind of estimator has its own report
    rules, frontier = fitted.rules_, fitted.frontier_
    if table.task == Task.REGRESSION:
        names = {rules.labels[0]: table.target}
        rules = rules.rename(labels=names)
        frontier = frontier.map_rules(lambda each: each.rename(labels=names))
    performance = measure_performance(rules, table.columns, table.y, table.weights)
    report, expected = fitted.snap_report_, fitted.expected_error_
    return FitResult(rules, frontier, report, performance, expected)


def make_estimator(
    table: TrainingTable, options: LearningOptions, quiet: bool, **more: Any
) -> LogicEstimator:
    """A classifier or a regressor with the parameters that the options ask for.

    Unless ``quiet``, print remarks about the table once the options are found to be usable.
    """
    parameters = estimator_parameters(options, table.names, table.classes)
    if not quiet:
        _print_remarks(table)

    from crisplogic import estimators  # takes seconds; errors and remarks come before

    kind: Any = estimators.LogicClassifier
    if table.task == Task.REGRESSION:
        kind = estimators.LogicRegressor
    estimator: LogicEstimator = kind(**parameters, **more, verbose=shows_progress(quiet))
    return estimator


def _print_remarks(table: TrainingTable) -> None:
    remarks = []
    if table.inferred and table.task == Task.REGRESSION:
        remarks.append(
            f"{table.target!r} is learned as a number; --task classification learns classes"
        )
    print_remarks(table.remarks, *remarks)


def estimator_parameters(
    options: LearningOptions, names: Sequence[str], classes: Sequence[str] = ()
) -> dict[str, Any]:
    """The parameters of a classifier, or of a regressor if there are no classes.

    Unknown columns and classes are refused here, with the name of the option.

    >>> options = LearningOptions(up=["age"], of="ill")
    >>> estimator_parameters(options, ["age", "sex"], ["ill", "well"])["monotone"]
    {'age': {'ill': 'up'}}
    """
    for option, column in _columns_in(options):
        _require_known(option, "column", column, names, "columns to learn from")
    for option, label in _classes_in(options):
        if not classes:
            raise typer.BadParameter(f"{option} needs classes, but the target is a number")
        if label is not None:
            _require_known(option, "class", label, classes, "classes")
    parameters: dict[str, Any] = {
        "epochs": options.epochs,
        "max_literals": options.max_literals,
        "missing_literals": options.missing_literals,
        "monotone": _monotone(options, classes),
        "forbidden_pairs": options.forbid_pair,
        "allowed_pairs": options.allow_pair,
        "operators": _operators(options),
        "cuts": dict(map(_cut, options.cut or [])) or None,
        "random_state": options.seed,
    }
    if classes:
        parameters["class_weight"] = "balanced" if options.balanced else None
        parameters["max_literals_per_class"] = _max_literals_per_class(options)
    return parameters


def _columns_in(options: LearningOptions) -> Iterator[tuple[str, str]]:
    """Options and the columns that they name."""
    for option, columns in (("--up", options.up), ("--down", options.down)):
        yield from ((option, column) for column in columns or [])
    yield from (("--cut", _cut(text)[0]) for text in options.cut or [])
    pairs = (("--forbid-pair", options.forbid_pair), ("--allow-pair", options.allow_pair))
    for option, named in pairs:
        yield from ((option, column) for pair in named or [] for column in pair)


def _classes_in(options: LearningOptions) -> Iterator[tuple[str, str | None]]:
    """Options about classes and the classes that they name; None stands for all classes."""
    if options.of is not None:
        yield "--of", options.of
    yield from (("--max-literals-of", label) for label, _ in options.max_literals_of or [])
    if options.balanced:
        yield "--balanced", None


def _require_known(option: str, one: str, word: str, known: Sequence[str], all_: str) -> None:
    if word in known:
        return
    hint = did_you_mean(word, known, most=1) or "."
    raise TableError(
        f"{option}: there is no {one} {word!r}{hint} The {all_} are {list_some(known)}"
    )


def _monotone(options: LearningOptions, classes: Sequence[str]) -> dict[str, Any] | None:
    up, down = options.up or [], options.down or []
    if both := [column for column in up if column in down]:
        raise typer.BadParameter(f"column {both[0]!r} cannot be both --up and --down")
    directions = {**dict.fromkeys(up, "up"), **dict.fromkeys(down, "down")}
    if options.of is not None:
        if not directions:
            raise typer.BadParameter("--of needs --up or --down")
        return {column: {options.of: way} for column, way in directions.items()}
    if directions and len(classes) > 2:
        raise typer.BadParameter(
            f"--up and --down need --of, the class they are about: one of {list_some(classes)}"
        )
    return directions or None


def _cut(text: str) -> tuple[str, list[float]]:
    """A column and its thresholds.

    >>> _cut("age=40,65")
    ('age', [40.0, 65.0])
    """
    column, _, numbers = text.rpartition("=")
    try:
        return column, [float(number) for number in numbers.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"--cut needs a column and its thresholds, as age=40,65, got {text!r}"
        ) from None


def _operators(options: LearningOptions) -> list[str] | None:
    """The names, which commas separate; "none" stands for single columns only."""
    if options.operators is None:
        return None
    names = [name.strip() for name in options.operators.split(",")]
    if names == ["none"]:
        return []
    if unknown := [name for name in names if name not in OPERATORS]:
        raise typer.BadParameter(
            f"--operators needs some of {','.join(OPERATORS)}, or none, got {unknown[0]!r}"
        )
    return names


def _max_literals_per_class(options: LearningOptions) -> dict[str, int] | None:
    sizes = {}
    for label, size in options.max_literals_of or []:
        if not (size.isascii() and size.isdecimal()):
            raise typer.BadParameter(
                f"--max-literals-of needs a class and a whole number, got {label!r} {size!r}"
            )
        sizes[label] = int(size)
    return sizes or None
