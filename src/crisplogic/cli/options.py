"""Arguments and options that commands share, some of them in groups."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from crisplogic.io import Layout


def _table_path(name: str) -> Path:
    """A dash stands for standard input, as usual."""
    return Path("/dev/stdin" if name == "-" else name)


def _count_or_auto(text: str | int) -> str | int:
    """A number, such as that of levels of logic, or auto."""
    text = str(text)
    if text != "auto" and not (text.isdecimal() and int(text)):
        raise typer.BadParameter(f"needed a whole number from 1, or auto; got {text!r}")
    return text if text == "auto" else int(text)


TableArgument = Annotated[
    Path,
    typer.Argument(
        parser=_table_path,
        metavar="TABLE",
        help="A table: CSV, TSV or other text, Parquet or Feather; gzipped or not. "
        "- is standard input.",
    ),
]
TablesArgument = Annotated[
    list[Path],
    typer.Argument(
        parser=_table_path,
        metavar="TABLE...",
        help="A table: CSV, TSV or other text, Parquet or Feather; a file, several, a folder, "
        "or a quoted pattern such as 'sales/*.parquet'. - is standard input.",
    ),
]
ModelArgument = Annotated[
    Path,
    typer.Argument(
        help="A model: a rule file or a folder that 'fit --out' wrote, or a file that an "
        "estimator wrote with save."
    ),
]
DepthOption = Annotated[
    Any,
    typer.Option(
        parser=_count_or_auto,
        metavar="N",
        help="Levels of logic: a statement of one level has at most two literals. auto: "
        "as many literals as pay in crisp rules, one level in networks and graded rules.",
    ),
]
SeedOption = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="The random seed.")
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", help="Print the result only: no progress, no remarks.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.")
]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Overwrite a file, or the model of another table or target."),
]


# Groups of options. Their defaults are those of the estimators, which a test compares: help
# must not wait for torch to be imported.


@dataclass(frozen=True)
class TextOptions:
    """How a text file is written, where that cannot be detected."""

    delimiter: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="The cell delimiter, or 'tab' [detected]."),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The text encoding, such as cp1252 or latin-1 [UTF-8, or UTF-16 with a byte "
            "order mark].",
        ),
    ] = None
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header", help="The first line is a row. Columns are named x0, x1, ..."
        ),
    ] = False
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Read this text as a missing value. Repeatable."),
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="The decimal mark, '.' or ',' [detected]."),
    ] = None
    thousands: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR", help="What separates thousands, such as ',' or 'space' [nothing]."
        ),
    ] = None

    @property
    def layout(self) -> Layout:
        """The options as the readers of files take them."""
        from crisplogic.io import Layout

        return Layout(
            self.delimiter,
            self.encoding,
            not self.no_header,
            tuple(self.missing or ()),
            self.decimal,
            self.thousands,
        )


@dataclass(frozen=True)
class StreamOptions:
    """Whether a table is read in batches, and how many of its rows are learned from."""

    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Read the table in batches, learn from a sample and measure on all rows "
            "[several files, and files above 1 GiB].",
        ),
    ] = None
    sample_rows: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Rows of the sample that is learned from with --stream."
        ),
    ] = 256_000
    workers: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Processes that read and train together, with --stream. Where one is killed, "
            "all go on from the checkpoint.",
        ),
    ] = 1


# The options for the parameters of the functions that read tables.
_OPTION_OF = {
    "categories": "--category",
    "decimal": "--decimal",
    "drop": "--drop",
    "encoding": "--encoding",
    "header": "--no-header",
    "keep": "--keep",
    "missing": "--missing",
    "task": "--task",
    "thousands": "--thousands",
}


def with_options(message: str, remedies: Mapping[str, str]) -> str:
    """A message and the options that would help, on one line.

    >>> with_options("column 'zip' holds text", {"drop": "zip", "missing": "not known"})
    "column 'zip' holds text (--drop zip or --missing 'not known')"
    >>> with_options("column 'zip' holds text", {"drop": "zip", "missing": "two\\nlines"})
    "column 'zip' holds text (--drop zip)"
    """
    options = [
        _OPTION_OF[name] if name == "header" else f"{_OPTION_OF[name]} {shlex.quote(value)}"
        for name, value in remedies.items()
        if value.isprintable()  # others cannot be typed
    ]
    return f"{message} ({' or '.join(options)})" if options else message


# The options for the parameters of estimators, longer names first.
_PARAMETERS = {
    "max_literals_per_class": "--max-literals-of",
    "missing_literals": "--missing-literals",
    "compare_literals": "--compare-literals",
    "forbidden_columns": "--drop",
    "forbidden_pairs": "--forbid-pair",
    "decision_threshold": "--decision-threshold",
    "target_transform": "--target-transform",
    "allowed_pairs": "--allow-pair",
    "sample_weight": "--weight",
    "class_weight": "--balanced",
    "random_state": "--seed",
    "max_literals": "--max-literals",
    "tolerance": "--tolerance",
    "monotone": "--up and --down",
    "literals": "--literals",
    "dialect": "--dialect",
    "epochs": "--epochs",
    "depth": "--depth",
    "truth": "--truth",
    "width": "--width",
    "folds": "--folds",
}
# A quoted text, which may be a name of the user's; or a parameter, perhaps with one of its
# entries. Without an underscore it may be an ordinary word, unless it "must be" something.
_PARAMETER = re.compile(
    r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|"
    + "|".join(
        rf"\b{name}\b(?:\[[^]]*\])?" + ("" if "_" in name else "(?= must )")
        for name in _PARAMETERS
    )
)


def speak_of_options(message: str) -> str:
    """A message that names parameters of Python, with the options instead.

    >>> speak_of_options("max_literals must be a whole number, not 'max_literals'")
    "--max-literals must be a whole number, not 'max_literals'"
    """
    return _PARAMETER.sub(
        lambda found: _PARAMETERS.get(found[0].partition("[")[0], found[0]), message
    )


class Task(StrEnum):
    """What to learn."""

    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


@dataclass(frozen=True)
class ColumnOptions:
    """Which column to predict, and from which columns."""

    target: Annotated[
        str,
        typer.Option(metavar="COLUMN", help="The column to predict: classes or numbers."),
    ]
    task: Annotated[
        Task,
        typer.Option(
            help="What to learn. auto: text, at most 10 distinct whole numbers or at most 5 "
            "with fractions mean classification."
        ),
    ] = Task.AUTO
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave this column out. Repeatable."),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Learn from this column, even if its numbers seem to identify rows. "
            "Repeatable.",
        ),
    ] = None
    category: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Read this column as a category, even if it holds numbers. Repeatable.",
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of sample weights: a row of weight 2 counts as two rows, a row of "
            "weight 0 not at all. Rules do not use it.",
        ),
    ] = None


class LiteralsOption(StrEnum):
    """What literals of numbers are."""

    CRISP = "crisp"
    GRADED = "graded"


class LossOption(StrEnum):
    """How errors of numbers count."""

    AUTO = "auto"
    SQUARED_ERROR = "squared_error"
    HUBER = "huber"


class TransformOption(StrEnum):
    """Which function of a number is learned."""

    LOG = "log"
    LOG1P = "log1p"


class Pair(NamedTuple):
    """The two values of one option."""

    first: str
    second: str


def _unparsed(value: Any) -> Any:
    """Keep a value that typer has no type for; typer would make it a string."""
    return value


@dataclass(frozen=True)
class DecisionOptions:
    """Which of two classes is the positive one, and when it is predicted."""

    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The one of two classes that the rules speak of [1, true or yes; not 'no ...' "
            "or 'normal'; else the rarer one].",
        ),
    ] = None
    decision_threshold: Annotated[
        str | None,
        typer.Option(
            metavar="P",
            help="Predict the positive of two classes from this probability on; 'prevalence' "
            "is the share of its rows [0.5].",
        ),
    ] = None
    cost: Annotated[
        list[Pair] | None,
        typer.Option(
            metavar="CLASS COST",
            parser=_unparsed,
            help="What it costs to miss a row of this class, 1 by default; the threshold "
            "follows. Repeatable.",
        ),
    ] = None


@dataclass(frozen=True)
class LearningOptions(DecisionOptions):
    """How large rules may become, which constraints they keep, and how they are trained."""

    literals: Annotated[
        LiteralsOption,
        typer.Option(
            help="crisp: a literal such as age>40 is true or false. graded: it becomes true "
            "gradually; such rules often predict better and are harder to read."
        ),
    ] = LiteralsOption.CRISP
    epochs: Annotated[
        Any,
        typer.Option(
            parser=_count_or_auto,
            metavar="N",
            help="Passes of training over the rows. auto: 30, and fewer for many rows.",
        ),
    ] = "auto"
    max_literals: Annotated[
        int, typer.Option(min=1, metavar="N", help="At most N literals in all rules together.")
    ] = 60
    tolerance: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="X",
            help="Take the smallest rules whose held-out loss is at most X standard errors "
            "above the least.",
        ),
    ] = 0.25
    max_literals_of: Annotated[
        list[Pair] | None,
        typer.Option(
            metavar="CLASS N",
            parser=_unparsed,
            help="At most N literals in the rule of one class. Repeatable. With two classes, "
            "the positive one has all literals.",
        ),
    ] = None
    up: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="The prediction must not fall as this column rises: the number, or the "
            "probability of the class --of. Repeatable.",
        ),
    ] = None
    down: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="The prediction must not rise as this column rises. Repeatable.",
        ),
    ] = None
    of: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The class for --up and --down. Needed with three or more classes [of two, "
            "the positive one].",
        ),
    ] = None
    forbid_pair: Annotated[
        list[Pair] | None,
        typer.Option(
            metavar="COLUMN COLUMN",
            parser=_unparsed,
            help="Never use these two columns in one term. Repeatable.",
        ),
    ] = None
    allow_pair: Annotated[
        list[Pair] | None,
        typer.Option(
            metavar="COLUMN COLUMN",
            parser=_unparsed,
            help="Allow only these column pairs. Repeatable.",
        ),
    ] = None
    operators: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The operators that may join columns: some of and,or,xor, or none [all].",
        ),
    ] = None
    cut: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NUMBERS",
            help="The only thresholds that a column may have, as age=40,65. Repeatable.",
        ),
    ] = None
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Give all classes the same total weight.")
    ] = False
    loss: Annotated[
        LossOption,
        typer.Option(
            help="How errors of numbers count. huber: large ones not by their square. auto: "
            "huber if a few rows would decide alone."
        ),
    ] = LossOption.AUTO
    target_transform: Annotated[
        TransformOption | None,
        typer.Option(help="Learn the logarithm of the number, or of the number plus 1."),
    ] = None
    missing_literals: Annotated[
        bool,
        typer.Option(
            "--missing-literals", help="Allow literals that test if a value is missing."
        ),
    ] = False
    seed: SeedOption = 0


# What typer cannot do by itself: groups of options, and options of two values.


class Command(TyperCommand):
    """A command in which an option whose metavar is two words takes two values each time."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for parameter in self.params:
            if len((parameter.metavar or "").split()) == 2:
                parameter.nargs = 2


def expand_groups(function: Callable[..., None]) -> Callable[..., None]:
    """Replace parameters that are dataclasses by one option for each of their fields.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Place:
    ...     street: str
    ...     town: str = "Oslo"
    >>> def send(what: str, to: Place, at_once: bool = False) -> None:
    ...     print(what, to)
    >>> print(signature(expand_groups(send)))
    (*, what: str, street: str, town: str = 'Oslo', at_once: bool = False) -> None
    >>> expand_groups(send)(what="a letter", street="Karl Johans gate", town="Oslo")
    a letter Place(street='Karl Johans gate', town='Oslo')
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @wraps(function)
    def command(**given: Any) -> None:
        for name, kind in groups.items():
            own = {field.name: given.pop(field.name) for field in fields(kind)}
            given[name] = kind(**own)
        function(**given)

    options: list[Parameter] = []
    for parameter in signature(function).parameters.values():
        if parameter.name in groups:
            options += _options(groups[parameter.name])
        else:
            options.append(_option(parameter.name, hints[parameter.name], parameter.default))
    command.__annotations__ = {each.name: each.annotation for each in options}
    command.__annotations__["return"] = None
    setattr(command, "__signature__", Signature(options, return_annotation=None))  # noqa: B010
    return command


def _options(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        default = Parameter.empty if field.default is MISSING else field.default
        yield _option(field.name, hints[field.name], default)


def _option(name: str, annotation: object, default: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
