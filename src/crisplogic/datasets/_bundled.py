"""The tables that the package contains; ``data/README.md`` describes their origin."""

from __future__ import annotations

import csv
from importlib import resources

import numpy as np

from crisplogic.datasets._dataset import Dataset


def load_breast_cancer_wisconsin() -> Dataset:
    """Breast Cancer Wisconsin (Original): benign or malignant from nine cytology grades.

    The grades are integers 1 to 10; 16 cells of ``bare_nuclei`` are missing (NaN). Of the
    rows, 236 are exact copies of an earlier one, as published.

    Shape: (699, 9).

    >>> load_breast_cancer_wisconsin()
    Dataset('breast-cancer-wisconsin': 699 rows, 9 features, 2 classes)
    """
    return _load(
        "breast-cancer-wisconsin",
        citation=(
            'W. H. Wolberg and O. L. Mangasarian, "Multisurface method of pattern separation'
            ' for medical diagnosis applied to breast cytology", PNAS 87 (1990) 9193-9196.'
            " UCI Machine Learning Repository, doi:10.24432/C5HP4Z."
        ),
    )


def load_vehicle() -> Dataset:
    """Statlog (Vehicle Silhouettes): bus, opel, saab or van from 18 integer shape measures.

    Publications must acknowledge the Turing Institute, Glasgow, as the source.

    Shape: (846, 18).

    >>> load_vehicle()
    Dataset('vehicle': 846 rows, 18 features, 4 classes)
    """
    return _load(
        "vehicle",
        citation=(
            'J. P. Siebert, "Vehicle Recognition Using Rule Based Methods", Turing Institute'
            " Research Memorandum TIRM-87-018 (1987). Source: the Turing Institute, Glasgow."
            " UCI Machine Learning Repository, doi:10.24432/C5HG6N."
        ),
    )


def load_yeast() -> Dataset:
    """Yeast: the site of a protein in the cell, one of ten, from eight scores.

    The classes are very unbalanced: ``CYT`` has 463 rows, ``ERL`` only 5.
    Of the rows, 31 are exact copies of an earlier one, as published.

    Shape: (1484, 8).

    >>> load_yeast()
    Dataset('yeast': 1484 rows, 8 features, 10 classes)
    """
    return _load(
        "yeast",
        citation=(
            'P. Horton and K. Nakai, "A Probabilistic Classification System for Predicting the'
            ' Cellular Localization Sites of Proteins", Intelligent Systems in Molecular'
            " Biology (1996) 109-115. UCI Machine Learning Repository, doi:10.24432/C5KG68."
        ),
    )


def _load(name: str, citation: str) -> Dataset:
    source = resources.files("crisplogic.datasets") / "data" / f"{name}.csv"
    header, *rows = csv.reader(source.read_text(encoding="utf-8").splitlines())
    return Dataset(
        name=name,
        X=np.array([[float(cell or "nan") for cell in row[:-1]] for row in rows]),
        y=np.array([row[-1] for row in rows]),
        feature_names=tuple(header[:-1]),
        target_name=header[-1],
        citation=citation,
        licence="CC BY 4.0",
    )
