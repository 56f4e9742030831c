"""History: who changed rules by hand, when, and what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from crisplogic.errors import RuleError

# Longer texts are no notes.
MOST_CHARACTERS = 10_000


@dataclass(frozen=True)
class Note:
    """One change of rules: when it was made, by whom, and what it was.

    ``when`` is a time as ISO 8601 has it.

    >>> str(Note("2026-01-31T09:30:00+00:00", "Ada", "age>40 becomes age>45"))
    '2026-01-31 09:30, Ada: age>40 becomes age>45'
    """

    when: str
    who: str
    what: str

    def __post_init__(self) -> None:
        for name in ("when", "who", "what"):
            text = getattr(self, name)
            if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
                raise RuleError(f"{name} of a note must be a text, not too long a one")

    @classmethod
    def now(cls, who: str, what: str) -> Note:
        """A note of this moment."""
        return cls(datetime.now(UTC).isoformat(timespec="seconds"), who, what)

    def __str__(self) -> str:
        return f"{self.when[:16].replace('T', ' ')}, {self.who}: {self.what}"

    def to_dict(self) -> dict[str, str]:
        """The note as JSON."""
        return {"when": self.when, "who": self.who, "what": self.what}
