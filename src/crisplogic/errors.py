"""Errors that say what was needed, what came and what to try.

Each one is also the builtin that a caller would expect (``ValueError``, ``ArithmeticError``),
so no code has to know this module to catch them.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "CheckpointError",
    "CrisplogicError",
    "DeviceError",
    "DivergedError",
    "ExpressionError",
    "RuleError",
    "RuleFileError",
    "TableError",
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

    >>> TableError("column 'zip' holds text", {"drop": "zip"}).remedies
    {'drop': 'zip'}
    """

    def __init__(self, message: str, remedies: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.remedies = dict(remedies or {})


class ExpressionError(CrisplogicError, ValueError):
    """A logic expression is not well formed."""


class RuleError(CrisplogicError, ValueError):
    """A rule set has no meaning as it is."""


class RuleFileError(RuleError):
    """A saved rule set cannot be read."""


class DivergedError(CrisplogicError, ArithmeticError):
    """Training ran off to infinity or NaN."""


class CheckpointError(CrisplogicError, ValueError):
    """A checkpoint is damaged, or of another fit than the one that is to go on."""


class DeviceError(CrisplogicError, RuntimeError):
    """A device was asked for that is not there."""
