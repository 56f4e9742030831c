"""Teaching: the phases of a lesson, softly and then through the snap."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from crisplogic.nn import LinearMembership, LogicNetwork
from crisplogic.training.checkpoint import Checkpoint, NoCheckpoint
from crisplogic.training.config import PhaseConfig
from crisplogic.training.device import matmul_precision, threads_for
from crisplogic.training.loop import Epoch, OnEpoch, objectives, train
from crisplogic.training.problem import Aside, Learned, Lesson
from crisplogic.training.screening import column_scores, renewed, screened


def taught(
    lesson: Lesson,
    on_epoch: OnEpoch,
    aside: Aside | None = None,
    checkpoint: Checkpoint | None = None,
) -> list[Learned]:
    """All networks of a lesson after both phases, part by part.

    Rows that are ``aside`` choose the best epoch.
    """
    plan, network = lesson.plan, lesson.network
    kept = checkpoint or NoCheckpoint()
    used = torch.from_numpy(np.unique(np.concatenate(lesson.parts)))
    crowd = len(used) / float(np.mean([len(part) for part in lesson.parts]))

    def trained(pupil: LogicNetwork, settings: PhaseConfig, phase: str) -> list[Epoch]:
        rows = lesson.seen(used, through_the_snap=phase == "snapped")
        validation = None if aside is None else lesson.rows(aside.numbers, aside.weights)
        # A step shows each network as many of its own rows as if it were alone.
        size = math.ceil(settings.batch_size * crowd)
        settings = replace(settings, batch_size=size)
        return train(
            pupil,
            rows,
            settings,
            lesson.generator,
            validation,
            phase,
            on_epoch,
            kept.begun(phase),
            kept.keeper(phase, network, history),
        )

    with matmul_precision(tf32=plan.tf32), threads_for(network, plan.soft.batch_size):
        # What was kept replaces the phases before the one that was interrupted.
        history = kept.earlier(network)
        if lesson.screens and not kept.past("screening"):
            network.columns.copy_(_promising_columns(lesson))
            network.apply_constraints()
            history += trained(network, plan.soft, "screening")
            network.look_at(_promising_columns(lesson, again=True))
        if not kept.past("soft"):
            history += trained(network, plan.soft, "soft")
        snapped = copy.deepcopy(network)
        snapped.snap()
        if plan.snapped:
            history += trained(snapped, plan.snapped, "snapped")
        rows = lesson.seen(used, through_the_snap=plan.snapped is not None)
        worth = objectives(snapped, rows, plan.snapped or plan.soft)
    return [
        lesson.graduates(number, snapped, worth, history) for number in range(len(lesson.parts))
    ]


@torch.no_grad()
def _promising_columns(lesson: Lesson, again: bool = False) -> Tensor:
    """For every network the columns to look at, by what the rows that it sees say.

    At first by the targets themselves, ``again`` by what of them it cannot explain yet.
    Shape: (copies, n_selected_features).
    """
    network, found = lesson.network, []
    for number, looked_at in enumerate(network.columns):
        part, counts = lesson.seen_by(number)
        unexplained = lesson.truth(number)[part]
        if again:
            unexplained = unexplained - _explained(lesson, number, part)
        whole = LinearMembership(network.in_features).to(part.device)
        degrees = whole.fit(lesson.inputs[part])(lesson.inputs[part]).float()
        scores = column_scores(degrees, unexplained, counts)
        found.append(
            renewed(looked_at, network.usage()[number], scores)
            if again
            else screened(scores, network.n_selected_features)
        )
    return torch.stack(found)


def _explained(lesson: Lesson, number: int, rows: Tensor) -> Tensor:
    """What a network says of some rows: probabilities, or the number. (rows, outputs)."""
    one = lesson.one_of(lesson.network, number)
    logits = one.logits(one.scores_by_chunks(one.scaled(lesson.inputs[rows])))
    return logits if lesson.targets.is_floating_point() else logits.softmax(-1)
