"""What options ask of an estimator, in its own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import typer

from crisplogic.cli.options import LearningOptions
from crisplogic.errors import TableError
from crisplogic.similar import similar
from crisplogic.tables.columns import listed


def parameters_for(
    asked: LearningOptions, columns: Sequence[str], classes: Sequence[str] | None
) -> dict[str, Any]:
    """The parameters of a classifier or, if there are no classes, of a regressor.

    What there is not is refused here, by the name of the option; the estimator would call it
    by that of a parameter.

    >>> asked = LearningOptions(up=["age"], of="ill")
    >>> parameters_for(asked, columns=["age", "sex"], classes=["ill", "well"])["monotone"]
    {'age': {'ill': 'up'}}
    """
    for option, column in _columns_in(asked):
        _require_known(option, "column", column, columns, "columns to learn from")
    for option, label in _classes_in(asked):
        if classes is None:
            raise typer.BadParameter(f"{option} is about classes, but a number is learned")
        if label is not None:
            _require_known(option, "class", label, classes, "classes")
    shared = {
        "epochs": asked.epochs,
        "max_literals": asked.max_literals,
        "missing_literals": asked.missing_literals,
        "monotone": _monotone(asked, classes),
        "forbidden_pairs": asked.forbid_pair,
        "allowed_pairs": asked.allow_pair,
        "random_state": asked.seed,
    }
    if classes is None:
        return shared
    return {
        **shared,
        "class_weight": "balanced" if asked.balanced else None,
        "max_literals_per_class": _budgets(asked),
    }


def _columns_in(asked: LearningOptions) -> Iterator[tuple[str, str]]:
    """The columns that options speak of."""
    yield from (("--up", column) for column in asked.up or [])
    yield from (("--down", column) for column in asked.down or [])
    yield from (("--forbid-pair", each) for pair in asked.forbid_pair or [] for each in pair)
    yield from (("--allow-pair", each) for pair in asked.allow_pair or [] for each in pair)


def _classes_in(asked: LearningOptions) -> Iterator[tuple[str, str | None]]:
    """The classes that options speak of; None stands for all of them."""
    if asked.of is not None:
        yield "--of", asked.of
    yield from (("--max-literals-of", label) for label, _ in asked.max_literals_of or [])
    if asked.balanced:
        yield "--balanced", None


def _require_known(option: str, one: str, word: str, known: Sequence[str], all_: str) -> None:
    if word in known:
        return
    close = similar(word, known, most=1)
    hint = f", did you mean {close[0]!r}?" if close else "."
    raise TableError(
        f"{option}: there is no {one} {word!r}{hint} The {all_} are {listed(known)}"
    )


def _monotone(asked: LearningOptions, classes: Sequence[str] | None) -> dict[str, Any] | None:
    up, down = asked.up or [], asked.down or []
    for column in up:
        if column in down:
            raise typer.BadParameter(f"column {column!r} cannot be --up and --down as well")
    words = {**dict.fromkeys(up, "up"), **dict.fromkeys(down, "down")}
    if asked.of is not None and not words:
        raise typer.BadParameter("--of says what --up and --down are about; there is neither")
    if not words:
        return None
    if asked.of is not None:
        return {column: {asked.of: word} for column, word in words.items()}
    if classes is not None and len(classes) > 2:
        raise typer.BadParameter(
            f"--up and --down need --of, which says what class they are about; there are "
            f"{listed(classes)}"
        )
    return words


def _budgets(asked: LearningOptions) -> dict[str, int] | None:
    budgets = {}
    for label, most in asked.max_literals_of or []:
        if not (most.isascii() and most.isdecimal()):
            raise typer.BadParameter(
                f"--max-literals-of needs a class and a whole number, got {label!r} {most!r}"
            )
        budgets[label] = int(most)
    return budgets or None
