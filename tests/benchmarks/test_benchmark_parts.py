"""Every part measures something, and stores what its table is made of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.__main__ import main
from benchmarks.layer import Shape, one_step, three_layers
from benchmarks.measuring import Run, peak_extra
from benchmarks.page import PARTS, to_markdown
from experiments.harness.store import Store

PNG = b"\x89PNG"


# All about a part in one test: what measures is slow, and tests may run in several processes.
@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_a_part_measures_and_writes_a_document_a_page_and_its_pictures(
    name: str, tmp_path: Path
) -> None:
    if name == "fit":
        pytest.importorskip("interpret", reason="comes with the experiments only")
    assert main(["--quick", "--only", name, "--output", str(tmp_path)]) == 0
    document = Store(tmp_path).load()[name]
    check_numbers(document["rows"])
    check_files(tmp_path, document)
    check_page((tmp_path / "README.md").read_text(encoding="utf-8"), document)


def check_numbers(rows: list[dict[str, Any]]) -> None:
    assert len(rows) > 0
    for row in rows:
        numbers = list(numbers_in(row))
        assert len(numbers) > 1
        assert all(math.isfinite(number) and number > 0 for number in numbers), row


def check_files(folder: Path, document: dict[str, Any]) -> None:
    pictures = {f"{name}.png" for name in document["pictures"]}
    wanted = {"measurements.jsonl", "README.md", *pictures}
    assert {file.name for file in folder.iterdir()} == wanted  # no temporary file is left
    assert all((folder / name).read_bytes().startswith(PNG) for name in pictures)


def check_page(page: str, document: dict[str, Any]) -> None:
    table = PARTS[document["part"]].module.table(document["rows"])
    assert len(table.lines) == len(document["rows"])
    for line in [table.head, *table.lines]:
        assert len(line) == len(table.head)
        assert f"| {' | '.join(line)} |" in page
    assert f"`{document['command']}`, {document['date']}" in page
    assert "those figures mean little" in page
    assert page == to_markdown({document["part"]: document})


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from numbers_in(each)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


@pytest.mark.parametrize("snapped", [False, True])
@pytest.mark.parametrize("copies", [None, 3])
def test_one_step_and_three_layers_compute_the_same(copies: int | None, snapped: bool) -> None:
    shape = Shape(inputs=5, rows=7, units=2, copies=copies)
    found, wanted = (make(shape, snapped)() for make in (one_step, three_layers))
    torch.testing.assert_close(found, wanted)


def ones(mebibytes: int) -> Run:
    return lambda: torch.ones(mebibytes, 2**18)


def test_the_memory_of_a_run_is_what_it_takes_at_most() -> None:
    assert peak_extra(ones, (1,), (64,)) == pytest.approx(64 * 2**20, rel=0.1)
