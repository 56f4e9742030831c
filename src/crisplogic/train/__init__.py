"""Training: the loop, what it makes small, and what it shows meanwhile."""

from crisplogic.train.checkpoints import Checkpoint
from crisplogic.train.device import device_for, multiplying, threads_for
from crisplogic.train.holdout import stratified_folds, stratified_holdout
from crisplogic.train.loop import Epoch, OnEpoch, objectives, train
from crisplogic.train.progress import progress_bar
from crisplogic.train.rows import Rows
from crisplogic.train.settings import PAPER_SETTINGS, Settings

__all__ = [
    "PAPER_SETTINGS",
    "Checkpoint",
    "Epoch",
    "OnEpoch",
    "Rows",
    "Settings",
    "device_for",
    "multiplying",
    "objectives",
    "progress_bar",
    "stratified_folds",
    "stratified_holdout",
    "threads_for",
    "train",
]
