"""All commands, in the order in which help lists them.

They read arguments, call the library and print; nothing is computed in them. Heavy imports
stand inside the commands, so that ``crisplogic --help`` answers at once and ``predict`` and
``rules`` never load torch.
"""

from crisplogic.cli.app import app
from crisplogic.cli.demo import demo
from crisplogic.cli.fit import fit
from crisplogic.cli.predict import predict

from crisplogic.cli.evaluate import evaluate  # isort: skip, help lists it after predict

from crisplogic.cli.show import explain, frontier, rules

__all__ = ["app", "demo", "evaluate", "explain", "fit", "frontier", "predict", "rules"]
