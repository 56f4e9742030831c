"""The options that commands share, in groups: files, what is learned from them, and how."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from crisplogic.cli.app import SeedOption

if TYPE_CHECKING:
    from crisplogic.data import Layout


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
        from crisplogic.data import Layout

        return Layout(
            self.delimiter, self.encoding, not self.no_header, tuple(self.missing or ())
        )


class Task(StrEnum):
    """What a target is."""

    AUTO = "auto"
    CLASSES = "classes"
    NUMBER = "number"


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
