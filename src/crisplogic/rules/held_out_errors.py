"""HeldOutErrors: what network, crisp and graded rules reach, for a user to choose."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from crisplogic.rules.number_format import four_digits
from crisplogic.rules.rule import Predicts

# How errors are written, and what they are called.
FORMATS: dict[Predicts, Callable[[float], str]] = {
    "class": "{:.1%}".format,
    "number": four_digits,
}
NAMES: dict[Predicts, str] = {"class": "error", "number": "root mean squared error"}
NOT_KNOWN = "not known"


@dataclass(frozen=True)
class HeldOutErrors:
    """The errors of network, crisp and graded rules on held-out rows; NaN if not known.

    Errors of rules are those of the chosen size, corrected for having been chosen on the same
    rows. A network is not chosen there, so its error needs no correction. For classes an error
    is the share of wrong predictions, for a number the root mean squared error in its units.

    >>> print(HeldOutErrors(network=0.031, crisp=0.036))
    error on held-out rows: network 3.1%, crisp rules 3.6%, graded rules not known
    """

    network: float = math.nan
    crisp: float = math.nan
    graded: float = math.nan
    predicts: Predicts = "class"

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What was compared, and its error as text."""
        errors = {
            "network": self.network,
            "crisp rules": self.crisp,
            "graded rules": self.graded,
        }
        return [(name, write_error(each, self.predicts)) for name, each in errors.items()]

    def to_dict(self) -> dict[str, float | None]:
        """The errors for JSON, which has no NaN."""
        errors = {"network": self.network, "crisp": self.crisp, "graded": self.graded}
        return {
            name: float(each) if math.isfinite(each) else None for name, each in errors.items()
        }

    def __str__(self) -> str:
        figures = ", ".join(f"{name} {error}" for name, error in self.lines)
        return f"{NAMES[self.predicts]} on held-out rows: {figures}"


def write_error(error: float, predicts: Predicts) -> str:
    """An error as text.

    >>> write_error(0.0312, "class"), write_error(math.nan, "number")
    ('3.1%', 'not known')
    """
    return FORMATS[predicts](error) if math.isfinite(error) else NOT_KNOWN
