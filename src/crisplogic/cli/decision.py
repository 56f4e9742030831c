"""Options about classes: the class that a word names, the positive one and its threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from crisplogic.cli.options import DecisionOptions
from crisplogic.errors import TableError
from crisplogic.messages import did_you_mean, list_some
from crisplogic.tables.kinds import parse_number

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet
    from crisplogic.rules.rule import Label


def decision_threshold(
    given: str | None, costs: Sequence[tuple[str, str]] | None, classes: Sequence[Label]
) -> Any:
    """The threshold that the options ask for: a number, a word, costs, or None.

    >>> decision_threshold(None, [("1", "5")], [0, 1])
    {1: 5.0}
    """
    asked = "--cost" if given is None else "--decision-threshold"
    if (given or costs) and len(classes) != 2:
        raise typer.BadParameter(f"{asked} needs two classes, but there are {len(classes)}")
    if given is not None and costs:
        raise typer.BadParameter("--decision-threshold and --cost cannot be given at once")
    if costs:
        return {
            find_class("--cost", word, classes): _positive_number("--cost", cost)
            for word, cost in costs
        }
    if given is None or given == "prevalence":
        return given
    threshold = _positive_number("--decision-threshold", given)
    if threshold >= 1:
        raise typer.BadParameter(
            f"--decision-threshold must be a number above 0 and below 1, got {given!r}"
        )
    return threshold


def decide_otherwise(rules: RuleSet, options: DecisionOptions) -> RuleSet:
    """Rules with the positive class and the threshold that the options ask for, if any."""
    from crisplogic.rules import ClassificationRules

    given = {
        "--positive": options.positive,
        "--decision-threshold": options.decision_threshold,
        "--cost": options.cost,
    }
    asked = [option for option, value in given.items() if value]
    if not asked:
        return rules
    if not isinstance(rules, ClassificationRules):
        raise typer.BadParameter(
            f"{asked[0]} needs classes, but these rules predict a number, {rules.labels[0]!r}"
        )
    if asked == ["--positive"]:
        raise typer.BadParameter("--positive needs --decision-threshold or --cost")
    labels = rules.labels
    positive = options.positive and find_class("--positive", options.positive, labels)
    threshold = decision_threshold(options.decision_threshold, options.cost, labels)
    if threshold == "prevalence":
        raise typer.BadParameter(
            "--decision-threshold prevalence is the share of training rows, which a model does "
            "not hold; give a number here, or give prevalence to 'fit'"
        )
    return rules.with_decision_threshold(threshold, positive)


def _positive_number(option: str, text: str) -> float:
    value = parse_number(text)
    if value is None or not 0 < value < math.inf:
        raise typer.BadParameter(f"{option} needs a finite number above 0, got {text!r}")
    return value


def find_class(option: str, word: str, classes: Sequence[Label]) -> Label:
    """The class that an option names; 1.0 is 1."""
    found = {str(label): label for label in classes}
    number = parse_number(word)
    if word not in found and number in classes:
        return classes[classes.index(number)]
    require_known(option, "class", word, list(found), "classes")
    return found[word]


def require_known(option: str, one: str, word: str, known: Sequence[str], all_: str) -> None:
    """Refuse a word that is not known, and say what is."""
    if word in known:
        return
    hint = did_you_mean(word, known, most=1) or "."
    raise TableError(
        f"{option}: there is no {one} {word!r}{hint} The {all_} are {list_some(known)}"
    )
