"""Learning: from a table to soft networks and to ones that are ready to snap.

First the network is trained as in the paper, softly. Rounding it then would destroy it. So
a copy is trained on *through the snap*: its forward pass uses the snapped values, its
backward pass changes the values behind them, and a price on literals keeps few of them. What
it has learned in the end are its rules, not something that rounding will have to spare.

Several networks learn side by side: *restarts*, which see all rows and differ in their
random start, and *folds*, each kept from some of the rows, on which it can be judged. And
several *parts* of a table can be learned from at once, each by networks that never see the
rest: all folds of a cross-validation in one training.
"""

from crisplogic.learn.learned import Fold, Learned, Pair
from crisplogic.learn.learning import learn, learn_parts
from crisplogic.learn.lesson import Targets
from crisplogic.learn.plan import Plan

__all__ = ["Fold", "Learned", "Pair", "Plan", "Targets", "learn", "learn_parts"]
