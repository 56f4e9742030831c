"""Edits: one change of rules each, as a request says it, and what it does to them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from crisplogic.errors import RuleError
from crisplogic.expr.walk import inputs_in
from crisplogic.messages import list_some
from crisplogic.rules import Checklist, ClassificationRules, RuleSet, normal_form
from crisplogic.rules.formatting import terms_of
from crisplogic.rules.number_format import all_digits
from crisplogic.rules.rule import AnyRules
from crisplogic.rules.words import labels_in_words

Kind = Literal["threshold", "drop", "add", "rule", "needed"]
# A text that a person writes is not longer.
MOST_CHARACTERS = 10_000


@dataclass(frozen=True)
class Edit:
    """One change: of a ``threshold``, of a statement (``drop``, ``add``), of a whole ``rule``,
    or of how many statements are ``needed``.

    ``text`` is a literal, a statement or a rule, as rules are printed. ``at`` is the place of a
    class among all, ``value`` the new threshold or count.

    >>> Edit.read({"kind": "threshold", "text": "age>40", "value": 45}, 2)
    Edit(kind='threshold', text='age>40', at=0, value=45.0)
    """

    kind: Kind
    text: str = ""
    at: int = 0
    value: float = math.nan

    @classmethod
    def read(cls, document: Mapping[str, Any], classes: int) -> Edit:
        """The edit that a JSON object says; rules have so many classes."""
        kind: Any = document.get("kind")
        text = document.get("text", "")
        at, value = document.get("at", 0), document.get("value", math.nan)
        if kind not in get_args(Kind):
            raise RuleError(f"an edit must be one of {list_some(get_args(Kind))}, got {kind!r}")
        if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
            raise RuleError("what is edited must be a text, not too long a one")
        if type(at) is not int or not 0 <= at < classes:
            raise RuleError(f"there are {classes} rules, counted from 0, but none is {at!r}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RuleError(f"the new value must be a number, got {value!r}")
        if kind in ("threshold", "needed") and not math.isfinite(value):
            raise RuleError("the new value must be a number")
        return cls(kind, text, at, float(value))


def apply_edit(rules: AnyRules, edit: Edit) -> tuple[AnyRules, str]:
    """The changed rules, and what was changed in words.

    A statement that is added to crisp rules counts nothing where it fails, and one that is
    dropped leaves all others as they are: how many are needed, the points to begin with and the
    base of a number stay.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(
    ...     ("age", "bmi"), (Step(0, 40.0),), both, 1.0, (-0.5, 0.0), crisp=True
    ... )
    >>> rules, what = apply_edit(rules, Edit("add", "bmi>30"))
    >>> what
    'added bmi>30 to the rule of ill'
    >>> print(rules.describe(notes=False))
    ill, if any of these 2 statements holds:
      - age is above 40
      - bmi is above 30
    otherwise well
    """
    label = rules.labels[edit.at]
    [name] = labels_in_words([label])
    match edit.kind:
        case "threshold":
            changed = rules.with_threshold(edit.text, edit.value)
            return changed, f"moved {edit.text} to {all_digits(edit.value)}"
        case "add":
            changed = _keep_bases(rules, rules.with_term(label, edit.text))
            return changed, f"added {edit.text} to the rule of {name}"
        case "drop":
            changed = _keep_bases(rules, rules.without_term(edit.text, label))
            return changed, f"dropped {edit.text} from the rule of {name}"
        case "rule":
            return rules.with_rule(label, edit.text), f"wrote the rule of {name}: {edit.text}"
        case "needed":
            changed = with_needed(rules, edit.value)
            return changed, f"{all_digits(edit.value)} statements are needed"


def _keep_bases(before: AnyRules, after: AnyRules) -> AnyRules:
    """Crisp rules after a change of terms, with what sums begin with as it was."""
    if not after.crisp:
        return after
    moved = [
        intercept + factor * (_votes(after, at) - _votes(before, at))
        for at, (intercept, factor) in enumerate(
            zip(after.intercepts, after.factors, strict=True)
        )
    ]
    return replace(after, intercepts=tuple(float(f"{each:.15g}") for each in moved))


def _votes(rules: RuleSet, at: int) -> int:
    """How many terms a rule has, each as often as it counts."""
    return sum(bool(inputs_in([term])) for term in terms_of(rules.expressions[at]))


def checklist_of(rules: RuleSet) -> Checklist | None:
    """The rules as a checklist, if they are one."""
    if not (rules.crisp and isinstance(rules, ClassificationRules) and len(rules.rules) == 2):
        return None
    form = normal_form(rules)
    return form if isinstance(form, Checklist) else None


def with_needed(rules: AnyRules, needed: float) -> AnyRules:
    """The rules of a checklist for which so many statements have to hold."""
    form = checklist_of(rules)
    if form is None:
        raise RuleError("only a checklist of two classes needs a number of statements")
    if not 0 < needed <= form.total or needed * 2 % 1:
        raise RuleError(
            f"from 1/2 to {form.total} can be needed, in halves, got {all_digits(needed)}"
        )
    # A score moves by two for each that holds: see the class Checklist.
    positive = rules.labels.index(form.positive)
    step = _votes(rules, 0) + _votes(rules, 1)
    share = step / form.total if form.total else 1.0
    move = 2 * share * (form.needed - needed)
    changed = rules.with_intercept(form.positive, rules.intercepts[positive] + move)
    found = checklist_of(changed)
    if found is None or found.needed != needed:
        raise RuleError("the rules cannot be counted so; write the rule with its constant")
    return changed
