"""Run the notebooks of the documentation, and store what they show in them.

    python tools/run_notebooks.py

A kernel is not needed: cells are run here, one after the other, and shown as Jupyter would show
them.
"""

from __future__ import annotations

import ast
import base64
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parent.parent / "docs" / "notebooks"
DPI = 80
# What a notebook asks of an object that it shows.
FORMATS = {"text/html": "_repr_html_", "text/latex": "_repr_latex_"}

Output = dict[str, Any]


def execute(notebook: dict[str, Any], name: str) -> list[list[Output]]:
    """Run all cells of code. Returns the outputs of each."""
    names: dict[str, Any] = {"__name__": name}
    code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    return [list(run_cell("".join(cell["source"]), names, name)) for cell in code]


def run_cell(source: str, names: dict[str, Any], name: str) -> Iterator[Output]:
    """Run a cell, and show what it prints, the value of its last line, and its figures."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    shown = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
    value, printed = None, io.StringIO()
    with redirect_stdout(printed):
        if shown and isinstance(last, ast.Expr):
            tree.body.pop()
            exec(compile(tree, name, "exec"), names)
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
        else:
            exec(compile(tree, name, "exec"), names)
    if printed.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}
    if value is not None:
        data = {kind: _lines(text) for kind, text in bundle(value).items()}
        yield {"output_type": "execute_result", "data": data, "metadata": {}}
    yield from figures()


def bundle(value: Any) -> dict[str, str]:
    """What a notebook shows of a value, by the type of each text."""
    if hasattr(value, "_repr_mimebundle_"):
        found: dict[str, str] = value._repr_mimebundle_()
        return found
    texts = {"text/plain": repr(value)[:1000]}
    asked = ((kind, getattr(value, method, None)) for kind, method in FORMATS.items())
    return texts | {kind: write() for kind, write in asked if write is not None}


def figures() -> Iterator[Output]:
    """The open figures of pyplot, which are closed."""
    import matplotlib.pyplot as plt

    for number in plt.get_fignums():
        file = io.BytesIO()
        plt.figure(number).savefig(file, format="png", dpi=DPI)
        text = base64.b64encode(file.getvalue()).decode("ascii")
        data = {"image/png": text, "text/plain": ["<Figure>"]}
        yield {"output_type": "display_data", "data": data, "metadata": {}}
    plt.close("all")


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def store(path: Path) -> None:
    """Run a notebook and write it with its outputs."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(
        zip(code, execute(notebook, path.name), strict=True), start=1
    ):
        cell["execution_count"], cell["outputs"] = number, outputs
        for output in outputs:
            if output["output_type"] == "execute_result":
                output["execution_count"] = number
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    import matplotlib as mpl

    mpl.use("agg")
    for each in sorted(NOTEBOOKS.glob("*.ipynb")):
        store(each)
        print(each)
