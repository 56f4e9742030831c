"""Training: from a table to soft networks, and to networks that are ready to snap.

A network first trains as in the paper, softly. Rounding it then would destroy it. So a copy
trains on *through the rounding* (straight-through estimation): the forward pass uses the
rounded values, the backward pass changes the values behind them, and a penalty on literals
keeps their number small.

Several networks train side by side, as one batch dimension. *Restarts* see all rows and differ
in their random start. *Folds* do not see some of the rows, which evaluate them. Networks can
also train on several *parts* of a table at once, each without access to the rest: all folds of
a cross-validation in one training.
"""

from crisplogic.training.checkpoint import Checkpoint, fingerprint
from crisplogic.training.config import PAPER_CONFIG, PhaseConfig, TrainingConfig
from crisplogic.training.data import TrainingData
from crisplogic.training.device import device_for, matmul_precision, threads_for
from crisplogic.training.loop import Epoch, OnEpoch, objectives, train
from crisplogic.training.losses import LossName, Targets
from crisplogic.training.networks import (
    Fold,
    Restart,
    TrainedNetworks,
    train_networks,
    train_networks_by_part,
)
from crisplogic.training.problem import Part
from crisplogic.training.progress import progress_bar
from crisplogic.training.scoring import score_rows
from crisplogic.training.splits import stratified_folds, stratified_holdout
from crisplogic.training.streams import ShownRows, Stream, StreamedRows
from crisplogic.training.views import MakeViews, View, fixed_views

__all__ = [
    "PAPER_CONFIG",
    "Checkpoint",
    "Epoch",
    "Fold",
    "LossName",
    "MakeViews",
    "OnEpoch",
    "Part",
    "PhaseConfig",
    "Restart",
    "ShownRows",
    "Stream",
    "StreamedRows",
    "Targets",
    "TrainedNetworks",
    "TrainingConfig",
    "TrainingData",
    "View",
    "device_for",
    "fingerprint",
    "fixed_views",
    "matmul_precision",
    "objectives",
    "progress_bar",
    "score_rows",
    "stratified_folds",
    "stratified_holdout",
    "threads_for",
    "train",
    "train_networks",
    "train_networks_by_part",
]
