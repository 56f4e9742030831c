"""The bundled tables are the published ones, byte for byte."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

import crisplogic.datasets
from crisplogic.datasets import load, load_breast_cancer_wisconsin, load_vehicle, load_yeast

PACKAGE = Path(crisplogic.datasets.__file__).parent


PUBLISHED_SHA256 = {
    "breast-cancer-wisconsin.csv": (
        "f795b5dab9049d147cb91dcf5c758a3e1a89bdd0a550c853713d52d82cff231c"
    ),
    "vehicle.csv": "5f2aa687cd5124c14f43f87249d9f46e4e2c1f76d2353979cad3c258d65b4872",
    "yeast.csv": "b0bc5b34b1946fedc23506ec9fdca74ad7e16cbb76d3eecd93e00f6ebd27bf2b",
}


@pytest.mark.parametrize("file", PUBLISHED_SHA256)
def test_a_bundled_file_is_the_published_one_byte_for_byte(file: str) -> None:
    content = (PACKAGE / "data" / file).read_bytes()
    assert hashlib.sha256(content).hexdigest() == PUBLISHED_SHA256[file]


def test_the_data_readme_states_the_checksum_of_every_bundled_file() -> None:
    readme = (PACKAGE / "data" / "README.md").read_text(encoding="utf-8")
    stated = re.findall(r"^## (\S+\.csv)$.*?sha256: `(\w+)`", readme, re.MULTILINE | re.DOTALL)
    assert dict(stated) == PUBLISHED_SHA256


def test_the_first_and_the_last_row_are_read_into_their_columns() -> None:
    table = load_yeast()
    assert table.feature_names == ("mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc")
    assert table.X[0].tolist() == [0.58, 0.61, 0.47, 0.13, 0.5, 0, 0.48, 0.22]
    assert table.y[0] == "MIT"
    assert table.X[-1].tolist() == [0.65, 0.54, 0.54, 0.13, 0.5, 0, 0.53, 0.22]
    assert table.y[-1] == "CYT"


def test_breast_cancer_misses_16_cells_all_in_bare_nuclei() -> None:
    table = load_breast_cancer_wisconsin()
    missing = np.isnan(table.X).sum(axis=0)
    counts = dict(zip(table.feature_names, missing.tolist(), strict=True))
    assert counts.pop("bare_nuclei") == 16
    assert set(counts.values()) == {0}


@pytest.mark.parametrize("name", ["breast-cancer-wisconsin", "vehicle", "yeast"])
def test_a_bundled_table_names_its_licence_and_source(name: str) -> None:
    table = load(name)
    assert table.licence == "CC BY 4.0"
    assert "doi:10.24432/" in table.citation


def test_vehicle_acknowledges_the_turing_institute_as_its_source() -> None:
    assert "Turing Institute, Glasgow" in load_vehicle().citation


def test_diabetes_is_not_among_the_package_files() -> None:
    files = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert files == {"data/README.md", *(f"data/{file}" for file in PUBLISHED_SHA256)}
