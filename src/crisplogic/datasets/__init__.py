"""Tables: three bundled, two generated, one read from where the user has it."""

from crisplogic.datasets._bundled import load_breast_cancer_wisconsin, load_vehicle, load_yeast
from crisplogic.datasets._dataset import Dataset
from crisplogic.datasets._diabetes import load_diabetes
from crisplogic.datasets._registry import load, names
from crisplogic.datasets._titanic import make_titanic, save_titanic
from crisplogic.datasets._waveform import load_waveform

__all__ = [
    "Dataset",
    "load",
    "load_breast_cancer_wisconsin",
    "load_diabetes",
    "load_vehicle",
    "load_waveform",
    "load_yeast",
    "make_titanic",
    "names",
    "save_titanic",
]
