"""Errors that say what was needed, what came and what to try, and warnings.

Each one is also the builtin that a caller would expect (``ValueError``, ``ArithmeticError``),
so no code has to know this module to catch them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = [
    "CheckpointError",
    "ColumnWarning",
    "CrisplogicError",
    "CrisplogicWarning",
    "CutWarning",
    "DeviceError",
    "DisagreementError",
    "DivergedError",
    "EstimatorFileError",
    "ExportError",
    "ExpressionError",
    "LostProcessError",
    "RuleError",
    "RuleFileError",
    "RuleSizeWarning",
    "TableError",
    "TargetWarning",
    "UnseenValuesWarning",
]


# Messages quote what they are about, and that may be a file of any size.
MAX_MESSAGE = 4000


class CrisplogicError(Exception):
    """Any error that crisplogic raises about what it was given."""

    def __str__(self) -> str:
        message = super().__str__()
        if len(message) <= MAX_MESSAGE:
            return message
        return f"{message[: MAX_MESSAGE // 2]} ... {message[-MAX_MESSAGE // 2 :]}"


class TableError(CrisplogicError, ValueError):
    """A table, a column or a target cannot be used as it is.

    ``remedies`` are parameters that would help, with the values to give them. The message
    names none of them, so that a front end can name its own: the command line its options.

    ``problems`` are the single errors, where several are reported at once.

    >>> TableError("column 'zip' holds text", {"drop": "zip"}).remedies
    {'drop': 'zip'}
    """

    def __init__(
        self,
        message: str,
        remedies: Mapping[str, str] | None = None,
        problems: Sequence[TableError] = (),
    ) -> None:
        super().__init__(message)
        self.remedies = dict(remedies or {})
        self.problems = tuple(problems)


# More problems than this are counted, not listed.
MOST_PROBLEMS = 20


def raise_problems(problems: Sequence[TableError], where: str = "") -> None:
    """Raise all problems with a table as one error; do nothing if there are none.

    ``where`` is what every message begins with. It is said once.

    >>> raise_problems([TableError("a.csv: 'x' is text"), TableError("a.csv: 'y' is")], "a.csv")
    Traceback (most recent call last):
    crisplogic.errors.TableError: a.csv: 2 columns cannot be used as they are:
      'x' is text
      'y' is
    """
    if not problems:
        return
    if len(problems) == 1:
        raise problems[0]
    parts = [
        TableError(str(each).removeprefix(where).lstrip(",: "), each.remedies)
        for each in problems[:MOST_PROBLEMS]
    ]
    more = len(problems) - len(parts)
    parts += [TableError(f"and {more} more")] if more else []
    head = f"{where}: " if where else ""
    head += f"{len(problems)} columns cannot be used as they are:"
    raise TableError("\n  ".join([head, *map(str, parts)]), problems=parts)


class TargetWarning(UserWarning):
    """A target can be learned, but perhaps not as it is meant."""


class ExpressionError(CrisplogicError, ValueError):
    """A logic expression is not well formed."""


class RuleError(CrisplogicError, ValueError):
    """A rule set has no meaning as it is."""


class RuleFileError(RuleError):
    """A saved rule set cannot be read."""


class ExportError(RuleError):
    """Rules cannot be written for a target, or not with these options."""


class DivergedError(CrisplogicError, ArithmeticError):
    """Training ran off to infinity or NaN."""


class CheckpointError(CrisplogicError, ValueError):
    """A checkpoint is damaged, or of another fit than the one that is to go on."""


class EstimatorFileError(CrisplogicError, ValueError):
    """An estimator cannot be saved in a file, or a file holds none that can be loaded."""


class DeviceError(CrisplogicError, RuntimeError):
    """A device was asked for that is not there."""


class DisagreementError(CrisplogicError, RuntimeError):
    """Processes that learn together do not agree on tables, settings, versions or networks."""


class LostProcessError(CrisplogicError, ConnectionError):
    """A process that learns together with others is gone, or cannot be reached."""


class CrisplogicWarning(UserWarning):
    """Any warning of crisplogic: what came out may not be what was wanted."""


class RuleSizeWarning(CrisplogicWarning):
    """Learned rules are larger than they should be, or say nothing at all."""


class ColumnWarning(CrisplogicWarning):
    """A column of a table in files was left out."""


class CutWarning(CrisplogicWarning):
    """A threshold that was asked for parts no rows."""


class UnseenValuesWarning(CrisplogicWarning):
    """A table to predict holds values that training never saw, and more than a few of them.

    What rules say of such a value is unknown. See
    :meth:`RuleSet.unseen_values <crisplogic.RuleSet.unseen_values>`.
    """
