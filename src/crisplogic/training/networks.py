"""learn and learn_parts: from a table, or parts of it, to networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits
from crisplogic.parameters import require
from crisplogic.training.checkpoint import Checkpoint
from crisplogic.training.config import TrainingConfig
from crisplogic.training.loop import OnEpoch
from crisplogic.training.phases import taught
from crisplogic.training.problem import Aside, Learned, Lesson, Targets
from crisplogic.training.splits import stratified_holdout

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


@torch.inference_mode(False)  # learning needs gradients, wherever it is called from
@torch.enable_grad()
def learn(
    table: Floats,
    targets: Targets,
    classes: int,
    plan: TrainingConfig,
    seed: int,
    on_epoch: OnEpoch = lambda epoch: None,
    weights: Floats | None = None,
    checkpoint: Checkpoint | None = None,
    limits: Limits | None = None,
) -> Learned:
    """Train networks on a table, softly and then through the snap.

    Every random draw comes from ``seed``: the same seed, table and machine give the same
    result, bit for bit. Restarts are ordered by what training made small, on all rows they
    saw: a few rows set aside would tell much less. ``weights``, all above 0, are how much each
    row counts; without them all count the same. Learning is kept in ``checkpoint`` and goes on
    from what is kept there, with the same result; it must be one of the same question and seed.
    Networks keep to ``limits``.

    To predict numbers, ``targets`` are these, with a mean of about 0 and a spread of about 1,
    there is one "class", and the loss in the plan is "distance".

    Shape: ``table`` (rows, features), ``targets`` (rows,) with numbers below ``classes``,
    ``weights`` (rows,).

    >>> table = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> from crisplogic.training.config import PhaseConfig
    >>> settings = PhaseConfig(epochs=40, batch_size=1)
    >>> plan = TrainingConfig(depth=1, width=8, soft=settings, snapped=settings)
    >>> learned = learn(table, np.array([0, 1, 1, 0]), 2, plan, seed=0)
    >>> learned.restarts[0].snapped.predict(torch.from_numpy(table)).tolist()
    [0, 1, 1, 0]
    """
    generator = torch.Generator().manual_seed(seed)
    targets = targets.reshape(-1)
    part, aside = np.arange(len(table)), None
    if plan.validation_fraction:
        answers = torch.from_numpy(targets)
        kept, held_out = stratified_holdout(answers, plan.validation_fraction, generator)
        part, aside = kept.numpy(), Aside.of(held_out, weights)
    counts = None if weights is None else weights[part]
    lesson = Lesson.on(table, targets, classes, plan, [part], generator, [counts], limits)
    return taught(lesson, on_epoch, aside, checkpoint)[0]


@torch.inference_mode(False)  # learning needs gradients, wherever it is called from
@torch.enable_grad()
def learn_parts(
    table: Floats,
    targets: Targets,
    classes: int,
    plan: TrainingConfig,
    seed: int,
    parts: Sequence[Numbers],
    on_epoch: OnEpoch = lambda epoch: None,
    penalties: Sequence[tuple[float, float]] | None = None,
    weights: Sequence[Floats | None] | None = None,
    limits: Limits | None = None,
) -> list[Learned]:
    """Learn from several parts of a table at once, from each as if the rest did not exist.

    ``parts`` are row numbers, and so are the rows that folds hold out. All parts train as
    long as the others: ``plan`` may neither set rows aside for validation nor stop early.
    ``penalties`` are what each part pays of the plan's penalties, softly and through the snap;
    the
    same rows may be learned from at several penalties. ``weights`` are how much each row of
    each
    part counts in it, None where all count the same. ``targets`` may be (parts, rows): numbers
    in units of each part's own.
    """
    early = plan.validation_fraction or plan.soft.patience is not None
    require(not early, "plan", "one without validation_fraction and patience", plan)
    generator = torch.Generator().manual_seed(seed)
    counts = [None] * len(parts) if weights is None else weights
    lesson = Lesson.on(table, targets, classes, plan, parts, generator, counts, limits)
    return taught(replace(lesson, penalties=penalties), on_epoch)
