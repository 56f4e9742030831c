"""The notebooks of the documentation run, and pages show all that is stored in them."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from tests.docs.blocks import ROOT
from tests.docs.test_python import quick  # noqa: F401

pytest.importorskip("myst_parser", reason="the extra docs is not installed")
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
Notebook = dict[str, Any]


def load(path: str) -> Any:
    """A module that is no part of a package."""
    spec = spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool, extension = load("tools/run_notebooks.py"), load("docs/_ext/notebooks.py")


def read(path: Path) -> Notebook:
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def code_cells(notebook: Notebook) -> list[Notebook]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def kinds(outputs: list[Notebook]) -> list[set[str]]:
    """The types of all that a cell shows; what is printed is text."""
    return [set(each.get("data", {"text/plain": ""})) for each in outputs]


def test_there_are_two() -> None:
    assert len(NOTEBOOKS) == 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_run_from_top_to_bottom(path: Path) -> None:
    notebook = read(path)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    cells = code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell["outputs"] for cell in cells)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_stored(path: Path) -> None:
    plt.switch_backend("agg")
    notebook = read(path)
    plt.close("all")  # those of other tests
    found = tool.execute(notebook, path.name)
    stored = [cell["outputs"] for cell in code_cells(notebook)]
    assert list(map(kinds, found)) == list(map(kinds, stored))


def test_all_that_people_look_at_is_shown() -> None:
    every = [cell for path in NOTEBOOKS for cell in code_cells(read(path))]
    shown = [kind for cell in every for one in kinds(cell["outputs"]) for kind in one]
    assert shown.count("text/html") >= 6
    assert shown.count("text/latex") >= 5
    assert shown.count("image/png") >= 9


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_shows_every_cell_and_every_output(path: Path) -> None:
    text = extension.to_markdown(path.read_text(encoding="utf-8"))
    for cell in read(path)["cells"]:
        assert "".join(cell["source"]) in text
        for output in cell.get("outputs", []):
            data = output["data"]
            best = data.get("image/png") or data.get("text/html") or data["text/plain"]
            assert "".join(best).rstrip() in text


def test_a_cell_shows_what_it_prints_and_its_last_value() -> None:
    printed, value = tool.run_cell("print(1)\nx = 2\nx + 1", {}, "cell")
    assert printed["text"] == ["1\n"]
    assert value["data"] == {"text/plain": ["3"]}
    assert list(tool.run_cell("x = 2\nx;", {}, "cell")) == []
    assert list(tool.run_cell("x = None\nx", {}, "cell")) == []
    [figure] = tool.run_cell("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", {}, "cell")
    assert set(figure["data"]) == {"image/png", "text/plain"}
    assert plt.get_fignums() == []


def test_no_text_ends_its_block() -> None:
    assert extension._fenced("text", "a\n````\nb") == "`````text\na\n````\nb\n`````"
