"""The paper's layers as ordinary PyTorch modules, and the network stacked from them."""

from crisplogic.nn.all_pairings import AllPairings
from crisplogic.nn.feature_selector import FeatureSelector
from crisplogic.nn.fuzzy import Fuzzy
from crisplogic.nn.learned_membership import LearnedMembership
from crisplogic.nn.linear_membership import LinearMembership
from crisplogic.nn.logic_layer import LogicLayer
from crisplogic.nn.network import LogicNetwork

__all__ = [
    "AllPairings",
    "FeatureSelector",
    "Fuzzy",
    "LearnedMembership",
    "LinearMembership",
    "LogicLayer",
    "LogicNetwork",
]
