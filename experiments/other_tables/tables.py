"""The tables: data that packages carry, with categories and gaps.

Nothing is copied here. ``pydataset`` holds tables of R packages as CSV in an archive, which is
read without importing the package: that would unpack it into the home folder.
"""

from __future__ import annotations

import importlib.util
import io
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

SPLITS = 5
SPLIT_SEED = 0


@dataclass(frozen=True)
class Source:
    """Where a table comes from, what it predicts, and which columns would tell the target.

    ``licence`` is that of the data: the R package's, or that of the data themselves.
    """

    package: str
    file: str
    licence: str
    target: str
    without: tuple[str, ...] = ()
    is_number: bool = False


def _from_r(
    file: str, licence: str, target: str, *without: str, number: bool = False
) -> Source:
    return Source("pydataset", file, licence, target, without, number)


GPL = "GPL-2 or later"
SOURCES = {
    "aids": _from_r("MASS/Aids2", GPL, "status", "death"),
    "bfi": _from_r("psych/bfi", GPL, "gender"),
    "cars": _from_r("MASS/Cars93", GPL, "Type", "Manufacturer", "Model", "Make"),
    "chile": _from_r("car/Chile", GPL, "vote"),
    "lung": _from_r("survival/lung", "LGPL-2 or later", "status", "time", "inst"),
    "mortgages": _from_r("Ecdat/Hdma", GPL, "deny"),
    "participation": _from_r("Ecdat/Participation", GPL, "lfp"),
    "pbc": _from_r("survival/pbc", "LGPL-2 or later", "status", "id", "time"),
    "penguins": Source("palmerpenguins", "penguins", "CC0", "species"),
    "stagec": _from_r("rpart/stagec", GPL, "pgstat", "pgtime"),
    "survey": _from_r("MASS/survey", GPL, "Sex"),
    "titanic": _from_r("COUNT/titanic", "GPL-2", "survived"),
    "turnout": _from_r("Zelig/turnout", GPL, "vote"),
    "womenlf": _from_r("car/Womenlf", GPL, "partic"),
    "airquality": _from_r("datasets/airquality", GPL, "Ozone", number=True),
    "houses": _from_r("Ecdat/Housing", GPL, "price", number=True),
    "penguin mass": Source("palmerpenguins", "penguins", "CC0", "body_mass_g", (), True),
    "prestige": _from_r("car/Prestige", GPL, "prestige", "census", number=True),
    "wages": _from_r("car/SLID", GPL, "wages", number=True),
}
NAMES = tuple(SOURCES)


@dataclass(frozen=True, eq=False)
class Table:
    """A data frame and its target. Shape: ``X`` (rows, columns), ``y`` (rows,)."""

    X: pd.DataFrame
    y: NDArray[Any]
    is_number: bool

    @property
    def categories(self) -> int:
        """How many columns hold text."""
        return sum(not pd.api.types.is_numeric_dtype(kind) for kind in self.X.dtypes)

    @property
    def gaps(self) -> float:
        """The share of the cells that are missing."""
        return float(self.X.isna().to_numpy().mean())


class Split(NamedTuple):
    """Rows to learn from and rows to test on, by number."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


@lru_cache
def table(name: str) -> Table:
    """The table of this name, without rows that have no target."""
    return make_table(_READERS[SOURCES[name].package](SOURCES[name].file), SOURCES[name])


def make_table(frame: pd.DataFrame, source: Source) -> Table:
    """Part a frame into columns and target.

    >>> frame = pd.DataFrame({"a": [1, 2], "id": [7, 8], "t": ["x", None]})
    >>> found = make_table(frame, Source("", "", "", "t", ("id",)))
    >>> list(found.X.columns), found.y.tolist()
    (['a'], ['x'])
    """
    known = frame.dropna(subset=[source.target]).reset_index(drop=True)
    target = known[source.target]
    X = known.drop(columns=[source.target, *source.without])
    y = target.to_numpy(float) if source.is_number else target.astype(str).to_numpy(object)
    return Table(X, y, source.is_number)


def split_of(table: Table, fold: int) -> Split:
    """One of the folds, counted from 0: the same rows on every machine."""
    return list(_splits(table))[fold]


def _splits(table: Table) -> Iterator[Split]:
    kind = KFold if table.is_number else StratifiedKFold
    folds = kind(SPLITS, shuffle=True, random_state=SPLIT_SEED)
    for train, test in folds.split(table.X, table.y):
        yield Split(train, test)


def _folder(package: str) -> Path:
    """The folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"the tables need {package}: pip install '.[experiments]'")
    return Path(found.submodule_search_locations[0])


def _read_archive(file: str) -> pd.DataFrame:
    """A table of an R package; its first column numbers the rows."""
    return _read_csv(io.BytesIO(_archive()[file])).iloc[:, 1:]


@lru_cache
def _archive() -> dict[str, bytes]:
    """All files that are needed: an archive is read from its beginning each time."""
    wanted = {
        f"resources/rdata/csv/{source.file}.csv": source.file
        for source in SOURCES.values()
        if source.package == "pydataset"
    }
    found = {}
    with tarfile.open(_folder("pydataset") / "resources.tar.gz") as archive:
        for member in archive:
            if member.name in wanted and (file := archive.extractfile(member)) is not None:
                found[wanted[member.name]] = file.read()
    missing = set(wanted.values()) - found.keys()
    if missing:
        raise FileNotFoundError(f"pydataset has no {', '.join(sorted(missing))}")
    return found


def _read_penguins(file: str) -> pd.DataFrame:
    return _read_csv(_folder("palmerpenguins") / "data" / f"{file}.csv")


def _read_csv(file: Any) -> pd.DataFrame:
    """Only NA and empty cells are missing: ``None`` is a value of some tables."""
    return pd.read_csv(file, keep_default_na=False, na_values=["NA", ""])


_READERS: dict[str, Callable[[str], pd.DataFrame]] = {
    "pydataset": _read_archive,
    "palmerpenguins": _read_penguins,
}
