"""Session: all versions of some rules, and which of them is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace

from crisplogic.errors import RuleError
from crisplogic.rules import Note, RuleSet


@dataclass(frozen=True)
class Version:
    """Rules, the version that they were made from, and what was changed there.

    The first version was made from none: ``before`` is None.
    """

    rules: RuleSet
    what: str
    before: int | None = None


@dataclass(frozen=True)
class Session:
    """The versions in the order in which they were made; ``at`` is the one that is shown.

    Nothing is ever lost: an edit after an undo is another version, beside the undone ones.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True)
    >>> session = Session.start(rules).add(rules.with_threshold("age", 45), "moved age>40")
    >>> session.at, session.undo().at, session.undo().redo().at, len(session.undo().versions)
    (1, 0, 1, 2)
    """

    versions: tuple[Version, ...]
    at: int = 0

    @classmethod
    def start(cls, rules: RuleSet) -> Session:
        """A session with the rules as they were."""
        return cls((Version(rules, "as it was"),))

    @property
    def rules(self) -> RuleSet:
        """The rules that are shown."""
        return self.versions[self.at].rules

    @property
    def can_undo(self) -> bool:
        """Whether the rules were made from others."""
        return self.versions[self.at].before is not None

    @property
    def can_redo(self) -> bool:
        """Whether others were made from the rules."""
        return self._next() is not None

    def add(self, rules: RuleSet, what: str) -> Session:
        """Show changed rules as a new version."""
        return Session((*self.versions, Version(rules, what, self.at)), len(self.versions))

    def undo(self) -> Session:
        """Show the version that this one was made from."""
        before = self.versions[self.at].before
        if before is None:
            raise RuleError("there is nothing to undo")
        return replace(self, at=before)

    def redo(self) -> Session:
        """Show the last version that was made from this one."""
        after = self._next()
        if after is None:
            raise RuleError("there is nothing to do again")
        return replace(self, at=after)

    def go(self, at: int) -> Session:
        """Show any version."""
        self.version(at)
        return replace(self, at=at)

    def version(self, at: int) -> Version:
        """A version by its number."""
        if type(at) is not int or not 0 <= at < len(self.versions):
            raise RuleError(f"there are {len(self.versions)} versions, but none is {at!r}")
        return self.versions[at]

    def _next(self) -> int | None:
        made = [at for at, each in enumerate(self.versions) if each.before == self.at]
        return made[-1] if made else None

    def changes(self) -> list[str]:
        """What was changed on the way from the first version to the one that is shown."""
        found: list[str] = []
        at: int | None = self.at
        while at is not None:
            version = self.versions[at]
            if version.before is not None:
                found.append(version.what)
            at = version.before
        return found[::-1]

    def signed(self, who: str, why: str = "") -> RuleSet:
        """The rules that are shown, with notes of who changed what."""
        told = [*self.changes(), *([why] if why.strip() else [])]
        notes = tuple(Note.now(who, what) for what in told)
        return replace(self.rules, history=(*self.versions[0].rules.history, *notes))
