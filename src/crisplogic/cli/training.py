"""From options and a table to an estimator, and from there to rules."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from crisplogic.cli.decision import decision_threshold, find_class, require_known
from crisplogic.cli.options import LearningOptions, LiteralsOption, LossOption, Pair, Task
from crisplogic.cli.output import shows_progress
from crisplogic.cli.performance import Performance, measure_performance
from crisplogic.cli.remarks import remarks_on
from crisplogic.cli.tables import TrainingTable, print_remarks
from crisplogic.errors import TargetWarning
from crisplogic.expr.connectives import OPERATORS
from crisplogic.messages import list_some
from crisplogic.rules import HeldOutErrors, Stability

if TYPE_CHECKING:
    from crisplogic.estimators.base import LogicEstimator
    from crisplogic.rules import AllRows, Frontier, RuleSet, SnapReport
    from crisplogic.rules.rule import Label


@dataclass(frozen=True)
class FitResult:
    """The selected rules, the rules of all sizes, what snapping changed, and the figures.

    ``performance`` is that on the training rows, ``errors`` are those on held-out rows, as far
    as they are known. ``stability`` is None unless it was asked for. ``all_rows`` are the
    figures of a table that was read in batches; ``performance`` is on all of its rows.
    """

    rules: RuleSet
    frontier: Frontier
    report: SnapReport
    performance: Performance
    errors: HeldOutErrors = field(default_factory=HeldOutErrors)
    stability: Stability | None = None
    all_rows: AllRows | None = None

    @property
    def expected_error(self) -> float:
        """The error of the rules to expect on new rows; NaN if it is not known."""
        return self.errors.crisp if self.rules.crisp else self.errors.graded


def fit_table(
    estimator: LogicEstimator, table: TrainingTable, checkpoint: Path | None = None
) -> FitResult:
    """Fit an estimator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TargetWarning)  # remarks_on says the same
        estimator.fit(table.columns, table.y, table.weights, checkpoint)
    return result_of(estimator, table)


def result_of(estimator: LogicEstimator, table: TrainingTable) -> FitResult:
    """What a fitted estimator has learned from a table. A number is named after the target."""
    fitted: Any = estimator  # each kind of estimator has its own report
    rules, frontier = fitted.rules_, fitted.frontier_
    if table.task == Task.REGRESSION:
        names = {rules.labels[0]: table.target}
        rules = rules.rename(labels=names)
        frontier = frontier.map_rules(lambda each: each.rename(labels=names))
    performance = measure_performance(
        rules, table.columns, table.y, table.weights, fitted.snap_report_.left_out
    )
    report, errors = fitted.snap_report_, fitted.held_out_errors_
    return FitResult(rules, frontier, report, performance, errors)


def check_stability(
    resamples: int | None, seconds: float | None, options: LearningOptions
) -> None:
    """Refuse to measure the stability of rules that cannot have one, before training."""
    if resamples is None and seconds is not None:
        raise typer.BadParameter("--stability-seconds needs --stability")
    if resamples is not None and options.literals != LiteralsOption.CRISP:
        raise typer.BadParameter("--stability needs --literals crisp")


def resample(
    result: FitResult,
    estimator: LogicEstimator,
    table: TrainingTable,
    resamples: int,
    seconds: float | None,
) -> FitResult:
    """The result of a fit with the stability of its rules."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is to be said of the table was said
        stability = estimator.measure_stability(
            table.columns, table.y, table.weights, resamples=resamples, max_seconds=seconds
        )
    return replace(result, stability=stability)


def make_estimator(
    table: TrainingTable, options: LearningOptions, quiet: bool, **more: Any
) -> LogicEstimator:
    """A classifier or a regressor with the parameters that the options ask for.

    Unless ``quiet``, print remarks about the table once the options are found to be usable.
    """
    parameters = estimator_parameters(options, table.names, table.classes)
    if not quiet:
        print_remarks(remarks_on(table, options))

    if parameters.get("literals", "crisp") == "crisp":
        # Processes load what they need while this one loads more.
        from crisplogic.search.crisp.processes import start_processes

        start_processes(None, len(table.columns) * len(table.names))
    from crisplogic import estimators  # takes seconds; errors and remarks come before

    kind: Any = estimators.LogicClassifier
    if table.task == Task.REGRESSION:
        kind = estimators.LogicRegressor
    estimator: LogicEstimator = kind(**parameters, **more, verbose=shows_progress(quiet))
    return estimator


def estimator_parameters(
    options: LearningOptions, names: Sequence[str], classes: Sequence[Label] = ()
) -> dict[str, Any]:
    """The parameters of a classifier, or of a regressor if there are no classes.

    Unknown columns and classes are refused here, with the name of the option.

    >>> options = LearningOptions(up=["age"], of="ill")
    >>> estimator_parameters(options, ["age", "sex"], ["ill", "well"])["monotone"]
    {'age': {'ill': 'up'}}
    """
    for option, column in _columns_in(options):
        require_known(option, "column", column, names, "columns to learn from")
    for option, pairs in _pairs_in(options):
        if same := [first for first, second in pairs if first == second]:
            raise typer.BadParameter(
                f"{option} needs two different columns, got {same[0]!r} twice"
            )
    for option, label in _classes_in(options):
        if not classes:
            raise typer.BadParameter(f"{option} needs classes, but the target is a number")
        if label is not None:
            find_class(option, label, classes)
    for option, value in _number_options(options):
        if classes and value is not None:
            raise typer.BadParameter(f"{option} needs a number, but the target holds classes")
    parameters: dict[str, Any] = {
        "literals": options.literals.value,
        "epochs": options.epochs,
        "max_literals": options.max_literals,
        "tolerance": options.tolerance,
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
        parameters["max_literals_per_class"] = _max_literals_per_class(options, classes)
        if options.positive is not None:
            parameters["positive"] = find_class("--positive", options.positive, classes)
        parameters["decision_threshold"] = decision_threshold(
            options.decision_threshold, options.cost, classes
        )
    else:
        parameters["loss"] = options.loss.value
        transform = options.target_transform
        parameters["target_transform"] = None if transform is None else transform.value
    return parameters


def _number_options(options: LearningOptions) -> Iterator[tuple[str, object]]:
    """Options that are about numbers, and what was given if that is not the default."""
    yield "--loss", None if options.loss == LossOption.AUTO else options.loss
    yield "--target-transform", options.target_transform


def _columns_in(options: LearningOptions) -> Iterator[tuple[str, str]]:
    """Options and the columns that they name."""
    for option, columns in (("--up", options.up), ("--down", options.down)):
        yield from ((option, column) for column in columns or [])
    yield from (("--cut", _cut(text)[0]) for text in options.cut or [])
    for option, pairs in _pairs_in(options):
        yield from ((option, column) for pair in pairs for column in pair)


def _pairs_in(options: LearningOptions) -> list[tuple[str, list[Pair]]]:
    """Options and the pairs of columns that they name."""
    return [
        ("--forbid-pair", options.forbid_pair or []),
        ("--allow-pair", options.allow_pair or []),
    ]


def _classes_in(options: LearningOptions) -> Iterator[tuple[str, str | None]]:
    """Options about classes and the classes that they name; None stands for all classes."""
    if options.of is not None:
        yield "--of", options.of
    yield from (("--max-literals-of", label) for label, _ in options.max_literals_of or [])
    if options.positive is not None:
        yield "--positive", options.positive
    yield from (("--cost", label) for label, _ in options.cost or [])
    if options.balanced:
        yield "--balanced", None
    if options.decision_threshold is not None:
        yield "--decision-threshold", None


def _monotone(options: LearningOptions, classes: Sequence[Label]) -> dict[str, Any] | None:
    up, down = options.up or [], options.down or []
    if both := [column for column in up if column in down]:
        raise typer.BadParameter(f"column {both[0]!r} cannot be both --up and --down")
    directions = {**dict.fromkeys(up, "up"), **dict.fromkeys(down, "down")}
    if options.of is not None:
        if not directions:
            raise typer.BadParameter("--of needs --up or --down")
        label = options.of if not classes else find_class("--of", options.of, classes)
        return {column: {label: way} for column, way in directions.items()}
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


def _max_literals_per_class(
    options: LearningOptions, classes: Sequence[Label]
) -> dict[Label, int] | None:
    sizes = {}
    for label, size in options.max_literals_of or []:
        if not (size.isascii() and size.isdecimal()):
            raise typer.BadParameter(
                f"--max-literals-of needs a class and a whole number, got {label!r} {size!r}"
            )
        sizes[find_class("--max-literals-of", label, classes)] = int(size)
    return sizes or None
