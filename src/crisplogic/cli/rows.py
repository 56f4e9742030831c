"""Rows of a file as rules read them: a matrix, and the true classes or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.messages import list_some

if TYPE_CHECKING:
    from crisplogic.io import Layout
    from crisplogic.rules import RuleSet
    from crisplogic.rules.rule import Label

Floats = NDArray[np.float64]


def read_matrix(path: Path, rule_sets: Sequence[RuleSet], layout: Layout) -> Floats:
    """All columns that rules of one table mention, encoded. Shape: returns (rows, features)."""
    from crisplogic.cli.tables import open_for_rules
    from crisplogic.rules.analysis.histograms import mentioned_features, shared_levels
    from crisplogic.tables import as_matrix

    rules, *also = rule_sets
    levels, needed = shared_levels(rule_sets), mentioned_features(rule_sets)
    with open_for_rules(path, rules, layout, also=also) as (chunks, _):
        parts = [as_matrix(chunk, rules.features, levels, needed) for chunk in chunks]
    if not parts:
        raise TableError(f"{path}: it has no rows")
    return np.concatenate(parts)


def read_target(
    path: Path, rules: RuleSet, target: str, layout: Layout
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """What is known of the target, and in which rows. Shape: (rows that are known,) each."""
    from crisplogic.io import open_chunks

    kind: Any = "number" if rules.predicts == "number" else "category"
    with open_chunks(path, {target: kind}, (), layout) as (chunks, _):
        values = np.concatenate([chunk.columns[0].values for chunk in chunks])
    if rules.predicts == "class":
        values = _labels(values, rules.labels, target)
        known = np.flatnonzero([value is not None for value in values])
    else:
        known = np.flatnonzero(np.isfinite(values.astype(np.float64)))
    if not len(known):
        raise TableError(f"{path}: no row has a value in the target {target!r}")
    return values[known], known


def find_target(path: Path, rules: RuleSet, layout: Layout) -> str | None:
    """The column that holds what rules predict, if exactly one does.

    That of a number has its name. That of classes is none of the columns of the rules, and
    holds nothing but their classes.
    """
    from crisplogic.io.files import open_table

    with open_table(path, layout) as file:
        others = [name for name in file.header if name.strip() not in rules.features]
    if rules.predicts == "number":
        return next((name for name in others if name.strip() == str(rules.labels[0])), None)
    found = [
        name for name in others if name.strip() and _holds_classes(path, rules, name, layout)
    ]
    return found[0] if len(found) == 1 else None


def _holds_classes(path: Path, rules: RuleSet, name: str, layout: Layout) -> bool:
    try:
        read_target(path, rules, name, layout)
    except (TableError, ValueError):
        return False
    return True


def _labels(texts: NDArray[Any], labels: tuple[Label, ...], target: str) -> NDArray[np.object_]:
    """The classes of the rules that cells of a file mean; None for a missing one.

    >>> _labels(np.array(["1", None, "2.0"], dtype=object), (1, 2), "y").tolist()
    [1, None, 2]
    """
    known: dict[Any, Label | None] = {None: None}
    for text in {text for text in texts.tolist() if text is not None}:
        matching = [label for label in labels if _means(text, label)]
        if not matching:
            raise TableError(
                f"the rules know no class {text!r}, which column {target!r} holds; "
                f"they know {list_some(labels)}"
            )
        known[text] = matching[0]
    found = np.empty(len(texts), dtype=object)
    found[:] = [known[text] for text in texts.tolist()]
    return found


def _means(text: str, label: Label) -> bool:
    if text == str(label):
        return True
    if isinstance(label, bool):
        return text.lower() == str(label).lower()
    try:
        return not isinstance(label, str) and float(text) == label
    except ValueError:
        return False
