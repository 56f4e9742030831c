"""The paper's layers as ordinary PyTorch modules, and the network stacked from them."""

from crisplogic.nn.all_pairings import AllPairings
from crisplogic.nn.feature_selector import FeatureSelector
from crisplogic.nn.fuzzy import Fuzzy
from crisplogic.nn.membership import LinearMembership
from crisplogic.nn.network import LogicNetwork

__all__ = ["AllPairings", "FeatureSelector", "Fuzzy", "LinearMembership", "LogicNetwork"]
