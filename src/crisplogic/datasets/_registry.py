"""The loaders by name, for whoever has the name as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crisplogic.datasets._bundled import load_breast_cancer_wisconsin, load_vehicle, load_yeast
from crisplogic.datasets._dataset import Dataset
from crisplogic.datasets._diabetes import load_diabetes
from crisplogic.datasets._waveform import load_waveform
from crisplogic.messages import did_you_mean

_LOADERS: dict[str, Callable[..., Dataset]] = {
    "breast-cancer-wisconsin": load_breast_cancer_wisconsin,
    "diabetes": load_diabetes,
    "vehicle": load_vehicle,
    "waveform": load_waveform,
    "yeast": load_yeast,
}


def names() -> tuple[str, ...]:
    """The names that ``load`` knows.

    >>> names()
    ('breast-cancer-wisconsin', 'diabetes', 'vehicle', 'waveform', 'yeast')
    """
    return tuple(_LOADERS)


def load(name: str, **options: Any) -> Dataset:
    """The dataset of that name; the options are those of its own loader.

    >>> load("waveform", rows=100)
    Dataset('waveform': 100 rows, 40 features, 3 classes)
    """
    if name not in _LOADERS:
        hint = did_you_mean(name, _LOADERS, most=1)
        raise ValueError(f"no dataset {name!r}, there are {', '.join(_LOADERS)}{hint}")
    return _LOADERS[name](**options)
