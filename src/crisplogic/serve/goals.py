"""What the query of a request asks for: columns that may change, and what to reach."""

from __future__ import annotations

from collections.abc import Iterable

from crisplogic.messages import list_some, shorten
from crisplogic.rules import Goal, RuleSet
from crisplogic.rules.rule import Label
from crisplogic.serve.limits import WRONG, RequestError
from crisplogic.tables.kinds import parse_number

NUMBERS = ("at_least", "at_most", "by")


def read_goal(
    query: Iterable[tuple[str, str]], rules: RuleSet
) -> tuple[list[str] | str | None, Goal | None]:
    """The columns of ``change``, "all" for every one, and the goal; None where not asked for.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import RegressionRules, Rule, Step
    >>> price = Rule("price", parse("0"))
    >>> rules = RegressionRules(("rooms",), (Step(0, 6.0),), (price,), crisp=True)
    >>> read_goal([("change", "rooms"), ("by", "2")], rules)
    (['rooms'], Goal(to=None, at_least=None, at_most=None, by=2.0))
    """
    changeable: list[str] = []
    label: Label | None = None
    numbers: dict[str, float | None] = {}
    for name, text in query:
        if name == "change":
            changeable.append(text)
        elif name == "to":
            label = _label(text, rules)
        elif name in NUMBERS:
            numbers[name] = _number(name, text)
        else:
            known = list_some(["change", "to", *NUMBERS])
            raise RequestError(WRONG, f"the query has {shorten(name)!r}; it may have {known}")
    goal = Goal(label, **numbers) if label is not None or numbers else None
    if changeable == ["all"] and "all" not in rules.features:
        return "all", goal
    return changeable or None, goal


def _label(text: str, rules: RuleSet) -> Label:
    for label in rules.labels:
        if str(label) == text:
            return label
    known = list_some(rules.labels)
    raise RequestError(WRONG, f"there is no class {shorten(text)!r}; the classes are {known}")


def _number(name: str, text: str) -> float:
    number = parse_number(text)
    if number is None:
        raise RequestError(WRONG, f"{name} must be a number, got {shorten(text)!r}")
    return number
