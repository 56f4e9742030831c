"""Cuts: thresholds that a user gave. A ramp of such a column has one of them as its middle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crisplogic.search.draft import Draft
from crisplogic.search.fit import calibrate
from crisplogic.search.training_set import TrainingSet

# What another cut has to gain, in the loss of one row.
CUT_PENALTY = 0.5


def move_to_cuts(draft: Draft, data: TrainingSet) -> Draft:
    """The draft with every threshold at the nearest cut of its column, if that has any."""
    centre = draft.centre.copy()
    for ramp, feature in enumerate(draft.feature):
        if (cuts := data.cuts_of(int(feature))).size:
            centre[ramp] = cuts[np.abs(cuts - centre[ramp]).argmin()]
    return replace(draft, centre=centre)


def improve_cuts(draft: Draft, data: TrainingSet) -> Draft:
    """Try the other cuts of every ramp in turn, and take the best if it pays."""
    loss = float(data.loss(draft.logits(draft.values(data))))
    for ramp, feature in enumerate(draft.feature):
        for cut in data.cuts_of(int(feature)):
            centre = draft.centre.copy()
            centre[ramp] = cut
            trial = replace(draft, centre=centre)
            values = trial.values(data)
            trial = calibrate(trial, values, data, steps=4)
            new = float(data.loss(trial.logits(values)))
            if new + CUT_PENALTY / data.total_weight < loss:
                draft, loss = trial, new
    return draft
