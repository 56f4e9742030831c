"""What every part gives to the page: a table of text, and verdicts on its targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.before import BEFORE
from benchmarks.measuring import Spread

# One line of results, as it is stored: plain numbers, texts, lists and dictionaries.
Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """A head and lines of text; the first column is text, the others are numbers."""

    head: Sequence[str]
    lines: Sequence[Sequence[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    """A figure beside its target, which is a lower or an upper bound.

    >>> Verdict("layer", 8.0, 10.0, "x").outcome
    'missed by 2 x'
    >>> Verdict("import", 0.1, 0.2, "s", at_least=False).outcome
    'reached'
    """

    what: str
    found: float
    target: float
    unit: str
    at_least: bool = True

    @property
    def before(self) -> float | None:
        """The figure before fits and predictions were made faster, if it was measured."""
        return BEFORE.get(self.what)

    @property
    def missing(self) -> float:
        """By how much the target is missed, or 0 if it is reached."""
        gap = self.target - self.found if self.at_least else self.found - self.target
        return max(gap, 0.0)

    @property
    def outcome(self) -> str:
        """Reached, or missed by how much."""
        return f"missed by {self.missing:.3g} {self.unit}" if self.missing else "reached"


def stored(spread: Spread) -> dict[str, float]:
    """A spread as it is stored in a row."""
    return asdict(spread)


def with_spread(spread: Mapping[str, float], digits: int = 3) -> str:
    """A median, and in brackets the least and the greatest value.

    >>> with_spread({"median": 2.0, "least": 1.5, "greatest": 20.4})
    '2 (1.5 to 20.4)'
    """
    middle, least, greatest = (
        number(spread[name], digits) for name in ("median", "least", "greatest")
    )
    return f"{middle} ({least} to {greatest})"


def number(value: float, digits: int = 3) -> str:
    """A number to so many digits, all of those before the point.

    >>> number(1234567.8), number(0.012345), number(12.345)
    ('1,230,000', '0.0123', '12.3')
    """
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if rounded >= 10**digits else f"{rounded:g}"


def milliseconds(spread: Mapping[str, float]) -> str:
    """A spread in seconds, written in milliseconds."""
    return with_spread({name: 1000 * value for name, value in spread.items()})


def mebibytes(size: float | None) -> str:
    """Bytes, written in MiB; a dash where nothing was measured.

    >>> mebibytes(3 * 2**20), mebibytes(4096), mebibytes(None)
    ('3', '< 0.1', '-')
    """
    if size is None:
        return "-"
    return number(size / 2**20) if size >= 2**20 / 10 else "< 0.1"
