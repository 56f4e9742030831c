"""Training: from a table to soft networks, and to networks that are ready to snap.

First a network is trained as in the paper, softly. Rounding it then would destroy it. So
a copy is trained on *through the rounding*: its forward pass uses the snapped values, its
backward pass changes the values behind them, and a penalty on literals keeps few of them.

Several networks train side by side, as one batch dimension: *restarts*, which see all rows
and differ in their random start, and *folds*, each kept from some of the rows, on which it
is judged. Several *parts* of a table can be learned from at once, each by networks that
never see the rest: all folds of a cross-validation in one training.
"""

from crisplogic.training.checkpoint import Checkpoint
from crisplogic.training.config import PAPER_CONFIG, PhaseConfig, TrainingConfig
from crisplogic.training.dataset import Rows
from crisplogic.training.device import device_for, matmul_precision, threads_for
from crisplogic.training.loop import Epoch, OnEpoch, objectives, train
from crisplogic.training.networks import learn, learn_parts
from crisplogic.training.problem import Fold, Learned, Pair, Targets
from crisplogic.training.progress import progress_bar
from crisplogic.training.splits import stratified_folds, stratified_holdout

__all__ = [
    "PAPER_CONFIG",
    "Checkpoint",
    "Epoch",
    "Fold",
    "Learned",
    "OnEpoch",
    "Pair",
    "PhaseConfig",
    "Rows",
    "Targets",
    "TrainingConfig",
    "device_for",
    "learn",
    "learn_parts",
    "matmul_precision",
    "objectives",
    "progress_bar",
    "stratified_folds",
    "stratified_holdout",
    "threads_for",
    "train",
]
