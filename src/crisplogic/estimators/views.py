"""Source: a table before anything is learned from it, and what may be learned from some rows.

A network that is tested on held-out rows must not know anything of them. So everything that
depends on rows is found anew for every set of rows to learn from: the levels of categories and
which of them are rare, the weights of classes, the scale of a target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints import Constraints, Limits
from crisplogic.estimators.encoder import FeatureEncoder, align_encoders
from crisplogic.expr.connectives import OPERATORS
from crisplogic.search import TrainingSet
from crisplogic.tables import Columns, Schema, learn_levels
from crisplogic.tables.kinds import Text
from crisplogic.training import View

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
# All targets, scaled by what is known of some rows.
ScaleTargets = Callable[[NDArray[Any], TrainingSet], NDArray[Any]]


@dataclass(frozen=True, eq=False, kw_only=True)
class EncodedView(View):
    """A table as it is encoded by someone who knows only some rows: ``data``.

    ``known`` are these rows without any columns: there are many views of a large table.
    """

    encoder: FeatureEncoder
    known: TrainingSet

    @property
    def data(self) -> TrainingSet:
        """The rows that are known, as a training set of its own."""
        whole = len(self.rows) == len(self.inputs)
        return replace(self.known, X=self.inputs if whole else self.inputs[self.rows])

    def some(self, most: int) -> TrainingSet:
        """At most so many of these rows, drawn like those of ``data``; no others are copied."""
        return self.encoded(replace(self.known, X=as_column(self.rows)).subsample(most))

    def encoded(self, numbers: TrainingSet) -> TrainingSet:
        """Rows as they are encoded here. The one column of ``numbers`` says which they are."""
        return replace(numbers, X=self.inputs[numbers.X[:, 0].astype(np.intp)])


def as_column(rows: Rows) -> Floats:
    """Row numbers as the one column of a table. Shape: (rows,) to (rows, 1)."""
    return rows[:, None].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Source:
    """A validated table: rows of a weight above 0, as they were given.

    ``schema`` has the kinds of the columns, which belong to the table, and the levels of all
    rows. These are rows of a larger table where the schema ``is_given``: then nobody learns
    levels anew from a few of them. ``targets`` are the rows without any columns.

    Shape: ``matrix`` (rows, features), encoded by the schema.
    """

    columns: Columns
    matrix: Floats
    schema: Schema
    constraints: Constraints
    missing_literals: bool
    targets: TrainingSet
    is_given: bool = False

    @cached_property
    def encoder(self) -> FeatureEncoder:
        """The encoder of someone who knows all rows."""
        return self._encoder(self.schema)

    @property
    def weights(self) -> Floats | None:
        """The weights of all rows, with a mean of 1. Shape: (rows,)."""
        return self.targets.with_normalized_weights().weights

    @property
    def limits(self) -> Limits | None:
        """What rules and networks have to keep to."""
        return self.encoder.limits(self.constraints)

    def views(self, row_sets: Sequence[Rows], scale: ScaleTargets) -> list[EncodedView]:
        """The table as someone sees it who knows only these rows, for each set of rows."""
        schemas = [self._schema(rows) for rows in row_sets]
        encoders = align_encoders([self._encoder(schema) for schema in schemas])
        encoded: dict[Any, Floats] = {}
        views = []
        for rows, encoder in zip(row_sets, encoders, strict=True):
            key = encoder.groups
            if key not in encoded:
                encoded[key] = encoder.transform(self._matrix(encoder))
            known = self._known(rows, encoder)
            targets = scale(self.targets.y, known)
            views.append(_view(rows, encoder, encoded[key], known, targets))
        return views

    def training_set(self, rows: Rows, encoder: FeatureEncoder, inputs: Floats) -> TrainingSet:
        """Some rows as a training set of its own. Shape: ``inputs`` (all rows, columns)."""
        X = inputs if len(rows) == len(inputs) else inputs[rows]
        return replace(self._known(rows, encoder), X=X)

    def _known(self, rows: Rows, encoder: FeatureEncoder) -> TrainingSet:
        """Some rows as a training set of its own, without any columns yet."""
        return replace(
            self.targets.part(rows),
            crisp=encoder.crisp if encoder.indicators else None,
            limits=encoder.limits(self.constraints),
        )

    def arrays(self) -> dict[str, NDArray[Any] | None]:
        """All that networks are trained on, for a checkpoint to recognise it."""
        texts = [each.codes for each in self.columns.columns if isinstance(each, Text)]
        return {
            **self._limits_of_networks(),
            "table": self.encoder.transform(self.matrix),
            "texts": np.stack(texts) if texts else None,
            "targets": self.targets.y,
            "weights": self.weights,
        }

    def _limits_of_networks(self) -> dict[str, NDArray[Any] | None]:
        limits = None if self.limits is None else self.limits.of_networks
        if limits is None:
            return {}
        arrays = {"rises": limits.rises, "falls": limits.falls, "pairs": limits.pairs}
        allowed = limits.operators
        if allowed is not None:
            arrays["operators"] = np.array([each in allowed for each in OPERATORS])
        return arrays

    def _schema(self, rows: Rows) -> Schema:
        if self.is_given or len(rows) == len(self.columns):
            return self.schema
        return learn_levels(self.schema, self.columns, rows)

    def _encoder(self, schema: Schema) -> FeatureEncoder:
        forbidden, negated = self.constraints.forbidden, self.constraints.negated
        return FeatureEncoder.of(schema, self.missing_literals, forbidden, negated)

    def _matrix(self, encoder: FeatureEncoder) -> Floats:
        """The table with the codes of an encoder's levels. Shape: (rows, features)."""
        if encoder.levels == self.schema.levels:
            return self.matrix
        return encoder.matrix(self.columns)


def _view(
    rows: Rows,
    encoder: FeatureEncoder,
    inputs: Floats,
    known: TrainingSet,
    targets: NDArray[Any],
) -> EncodedView:
    limits = None if known.limits is None else known.limits.of_networks
    return EncodedView(
        rows, inputs, targets, known.weights, limits, encoder=encoder, known=known
    )
