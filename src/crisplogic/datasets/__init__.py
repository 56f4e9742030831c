"""Tables: three bundled, two generated, one read from the user's own copy."""

from collections.abc import Callable
from typing import Any

from crisplogic.datasets._bundled import load_breast_cancer_wisconsin, load_vehicle, load_yeast
from crisplogic.datasets._dataset import Dataset
from crisplogic.datasets._diabetes import load_diabetes
from crisplogic.datasets._generated import load_waveform, make_titanic, save_titanic
from crisplogic.messages import did_you_mean

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

_LOADERS: dict[str, Callable[..., Dataset]] = {
    "breast-cancer-wisconsin": load_breast_cancer_wisconsin,
    "diabetes": load_diabetes,
    "vehicle": load_vehicle,
    "waveform": load_waveform,
    "yeast": load_yeast,
}


def names() -> tuple[str, ...]:
    """The names that :func:`load` knows.

    >>> names()
    ('breast-cancer-wisconsin', 'diabetes', 'vehicle', 'waveform', 'yeast')
    """
    return tuple(_LOADERS)


def load(name: str, **options: Any) -> Dataset:
    """Load a dataset by its name. The options are those of its own loader.

    >>> load("waveform", rows=100)
    Dataset('waveform': 100 rows, 40 features, 3 classes)
    """
    if name not in _LOADERS:
        hint = did_you_mean(name, _LOADERS, most=1)
        raise ValueError(f"no dataset {name!r}, there are {', '.join(_LOADERS)}{hint}")
    return _LOADERS[name](**options)
