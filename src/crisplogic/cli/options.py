"""Options in groups that commands share, and options of two values: what typer has not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import typer
from typer.core import TyperCommand

from crisplogic.cli.app import SeedOption
from crisplogic.errors import TableError
from crisplogic.messages import did_you_mean, list_some

if TYPE_CHECKING:
    from crisplogic.io import Layout

Function = Callable[..., None]


class Command(TyperCommand):
    """A command in which an option whose metavar is two words takes two values each time."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for parameter in self.params:
            if len((parameter.metavar or "").split()) == 2:
                parameter.nargs = 2


def grouped(function: Function) -> Function:
    """A command with an option for every field of the dataclasses that a function takes.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Place:
    ...     street: str
    ...     town: str = "Oslo"
    >>> def send(what: str, to: Place, at_once: bool = False) -> None:
    ...     print(what, to)
    >>> print(signature(grouped(send)))
    (*, what: str, street: str, town: str = 'Oslo', at_once: bool = False) -> None
    >>> grouped(send)(what="a letter", street="Karl Johans gate", town="Oslo")
    a letter Place(street='Karl Johans gate', town='Oslo')
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @wraps(function)
    def command(**given: Any) -> None:
        for name, kind in groups.items():
            own = {each.name: given.pop(each.name) for each in fields(kind)}
            given[name] = kind(**own)
        function(**given)

    found = [
        option
        for parameter in signature(function).parameters.values()
        for option in (
            _options(groups[parameter.name])
            if parameter.name in groups
            else [_option(parameter.name, hints[parameter.name], parameter.default)]
        )
    ]
    command.__annotations__ = {each.name: each.annotation for each in found} | {"return": None}
    setattr(command, "__signature__", Signature(found, return_annotation=None))  # noqa: B010
    return command


def _options(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        default = Parameter.empty if each.default is MISSING else each.default
        yield _option(each.name, hints[each.name], default)


def _option(name: str, annotation: object, default: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


@dataclass(frozen=True)
class TextOptions:
    """How a text file is written, where that is not found out."""

    delimiter: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="What stands between cells, or 'tab' [found out]."),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Such as cp1252 or latin-1 [UTF-8, UTF-16 if marked]."
        ),
    ] = None
    no_header: Annotated[
        bool,
        typer.Option("--no-header", help="The first line is a row; columns are x0, x1 ..."),
    ] = False
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="What also means that a value is missing; repeatable."
        ),
    ] = None

    @property
    def layout(self) -> Layout:
        """The same as readers of files know it."""
        from crisplogic.io import Layout

        return Layout(
            self.delimiter, self.encoding, not self.no_header, tuple(self.missing or ())
        )


class Task(StrEnum):
    """What a target is."""

    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


@dataclass(frozen=True)
class ColumnOptions:
    """What is to be learned, and from which columns."""

    target: Annotated[
        str,
        typer.Option(metavar="COLUMN", help="The column to predict: a class or a number."),
    ]
    task: Annotated[
        Task,
        typer.Option(
            help="What the target is. Numbers are classes to 'auto' if there are at most 50 "
            "different ones, or 20 where some are no whole numbers."
        ),
    ] = Task.AUTO
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to leave out; may be repeated."),
    ] = None
    category: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="A column that is a category, whatever it holds; repeatable."
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A column that says how much each row counts: 2 as two such rows, 0 as none. "
            "It is not learned from.",
        ),
    ] = None


class Pair(NamedTuple):
    """Two values of one option."""

    first: str
    second: str


def _as_it_is(value: Any) -> Any:
    """For typer, which would make a text of whatever it has no type for."""
    return value


@dataclass(frozen=True)
class LearningOptions:
    """How large rules may become, what they have to keep to, and how they are found."""

    epochs: Annotated[int, typer.Option(min=1, help="Passes over the rows, a phase.")] = 30
    max_literals: Annotated[
        int, typer.Option(min=1, help="The most literals that all rules together may have.")
    ] = 60
    max_literals_of: Annotated[
        list[Pair] | None,
        typer.Option(
            metavar="CLASS N",
            parser=_as_it_is,
            help="The most literals in the rule of one class; repeatable. Of two classes the "
            "second, in sorted order, has all the literals.",
        ),
    ] = None
    up: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="As this column rises, the number, or the probability of the class (--of), "
            "must never fall; repeatable.",
        ),
    ] = None
    down: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="The same: it must never rise; repeatable."),
    ] = None
    of: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The class that --up and --down speak of [of two the second, in sorted "
            "order; of more it has to be said].",
        ),
    ] = None
    forbid_pair: Annotated[
        list[Pair] | None,
        typer.Option(
            metavar="COLUMN COLUMN",
            parser=_as_it_is,
            help="Two columns that must not stand in one term; repeatable.",
        ),
    ] = None
    allow_pair: Annotated[
        list[Pair] | None,
        typer.Option(
            metavar="COLUMN COLUMN",
            parser=_as_it_is,
            help="Two columns that may stand in one term, which then no others may that are "
            "not named like this; repeatable.",
        ),
    ] = None
    balanced: Annotated[
        bool, typer.Option("--balanced", help="All classes count the same, however rare.")
    ] = False
    missing_literals: Annotated[
        bool, typer.Option("--missing-literals", help="Rules may say that a value is missing.")
    ] = False
    seed: SeedOption = 0


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
    hint = did_you_mean(word, known, most=1) or "."
    raise TableError(
        f"{option}: there is no {one} {word!r}{hint} The {all_} are {list_some(known)}"
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
            f"{list_some(classes)}"
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
