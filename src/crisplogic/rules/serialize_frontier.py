"""Rules of all sizes as JSON: the figures of every size, and rules as rule files have them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np

from crisplogic.errors import RuleFileError
from crisplogic.rules.frontier import Frontier, Point
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.serialize import each, get, parse_object

FORMAT, VERSION = "crisplogic.frontier", 1
# Those of a whole frontier; older files lack some of them.
_FIGURES_OF_ALL = ("baseline", "network_error", "other_rules_error")
_FIGURES = tuple(field.name for field in fields(Point) if field.name != "rules")


def frontier_json(frontier: Frontier, selected: int) -> str:
    """Rules of all sizes as JSON text; ``selected`` is the size of the model's rules."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "chosen": selected,
        **({} if frontier.loss is None else {"loss": frontier.loss}),
        **({} if frontier.rows is None else {"rows": frontier.rows}),
        **({} if frontier.learner is None else {"learner": frontier.learner}),
        **({"expected_error": frontier.expected} if math.isfinite(frontier.expected) else {}),
        **frontier_figures(frontier),
        **_bounds_entry(frontier),
        "points": frontier_entries(frontier),
    }
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _bounds_entry(frontier: Frontier) -> dict[str, Any]:
    """The bounds of the held-out errors, if they are known; older files have none."""
    bounds = frontier.error_bounds()
    if bounds is None or not np.isfinite(bounds).all():
        return {}
    return {"error_bounds": bounds.tolist()}


def frontier_figures(frontier: Frontier) -> dict[str, float | None]:
    """The figures that are not of one size."""
    return {name: finite(getattr(frontier, name)) for name in _FIGURES_OF_ALL}


def frontier_entries(frontier: Frontier, with_rules: bool = True) -> list[dict[str, Any]]:
    """One entry per size: its errors and, if asked for, the rules."""
    return [
        {
            "literals": point.size,
            **{name: finite(getattr(point, name)) for name in _FIGURES},
            **({"rules": rules_document(point.rules)} if with_rules else {}),
        }
        for point in frontier
    ]


def rules_document(rules: RuleSet) -> Any:
    """Rules as the content of a rule file."""
    return json.loads(rules.to_json())


def finite(value: float) -> float | None:
    """A number as JSON, which has no NaN."""
    return float(value) if math.isfinite(value) else None


def parse_frontier(text: str) -> tuple[Frontier, int]:
    """What :func:`frontier_json` wrote: the rules of all sizes, and the size selected."""
    document = parse_object(text)
    if document.get("format") != FORMAT:
        raise RuleFileError(f'it does not say "format": "{FORMAT}"')
    if get(document, "version", int) != VERSION:
        raise RuleFileError(f"this crisplogic reads version {VERSION}")
    points = points_from(each(document, "points", dict))
    baseline, network, other = (_figure(document.get(name)) for name in _FIGURES_OF_ALL)
    loss = get(document, "loss", str) if "loss" in document else None
    frontier = Frontier(
        points,
        baseline,
        loss=loss,
        network_error=network,
        other_rules_error=other,
        bounds=_bounds(document, len(points)),
        rows=get(document, "rows", int) if "rows" in document else None,
        learner=get(document, "learner", str) if "learner" in document else None,
        expected=_figure(document.get("expected_error")),
    )
    return frontier, get(document, "chosen", int)


def _bounds(document: dict[str, Any], sizes: int) -> tuple[tuple[float, ...], ...]:
    if "error_bounds" not in document:
        return ()
    bounds = tuple(tuple(map(_figure, row)) for row in each(document, "error_bounds", list))
    if [len(row) for row in bounds] != [sizes, sizes]:
        raise RuleFileError(f'"error_bounds" must be two lists of {sizes} numbers')
    return bounds


def points_from(entries: Iterable[dict[str, Any]]) -> tuple[Point, ...]:
    """The points in the entries that :func:`frontier_entries` made."""
    points = tuple(map(_point, entries))
    if not points:
        raise RuleFileError('"points" must not be empty')
    return points


def rules_from(document: object) -> RuleSet:
    """The rules in what :func:`rules_document` made."""
    return RuleSet.from_json(json.dumps(document))


def _point(entry: dict[str, Any]) -> Point:
    figures = {name: _figure(entry.get(name)) for name in _FIGURES}
    return Point(rules_from(get(entry, "rules", dict)), **figures)


def _figure(value: object) -> float:
    """An error, which is a finite number, or null where it is not known."""
    if value is None:
        return math.nan
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e300:
        return float(value)
    raise RuleFileError(f"an error must be a number or null, got {value!r:.50}")
