"""Training: the loop, what it makes small, and what it shows meanwhile."""

from crisplogic.train.holdout import stratified_folds, stratified_holdout
from crisplogic.train.loop import Epoch, OnEpoch, Rows, objectives, train
from crisplogic.train.progress import progress_bar
from crisplogic.train.settings import PAPER_SETTINGS, Settings

__all__ = [
    "PAPER_SETTINGS",
    "Epoch",
    "OnEpoch",
    "Rows",
    "Settings",
    "objectives",
    "progress_bar",
    "stratified_folds",
    "stratified_holdout",
    "train",
]
