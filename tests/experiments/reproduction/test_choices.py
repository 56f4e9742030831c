from __future__ import annotations

from dataclasses import asdict

from experiments.harness.store import Document
from experiments.reproduction.choices import READINGS, TABLES, section, tasks
from experiments.reproduction.scale import Scale
from tests.experiments.reproduction.samples import document, paper_fold


def documents() -> list[Document]:
    """Every reading is a point worse than the one before, its snapped rules a point better."""
    return [
        document(
            {"folds": [paper_fold(0.10 + number / 100, 0.60 - number / 100, classes=1)] * 2},
            table=table,
            folds=2,
            reading=asdict(reading),
        )
        for table in TABLES
        for number, reading in enumerate(READINGS.values())
    ]


def test_every_choice_is_a_line_with_network_and_snapped_errors() -> None:
    page = section(documents())
    head = "breast-cancer-wisconsin: network | breast-cancer-wisconsin: snapped"
    assert head in page
    assert "| as chosen | 10.0 | 60.0 (3, 2) | 10.0 | 60.0 (3, 2) |" in page
    assert "| width 4 instead of 8 | 11.0 | 59.0 (3, 2) |" in page
    assert "| tanh left out of snapped expressions | 10.0 | 60.0 |" in page
    assert len([line for line in page.splitlines() if line.startswith("| ")]) == 17


def test_the_sentences_name_the_best_and_the_worst_choice() -> None:
    page = section(documents())
    last = list(READINGS)[-1]
    assert "the best choice is *width 4 instead of 8* (+1.0 points)" in page
    assert f"the worst is *{last}* (+13.0)" in page
    assert f"the best choice is *{last}* (-13.0 points)" in page


def test_tasks_come_in_the_order_in_which_the_section_reads_them() -> None:
    found = tasks(Scale(device="cpu"))
    readings = [asdict(reading) for reading in READINGS.values()]
    assert [task.question()["reading"] for task in found] == readings * len(TABLES)
    assert len({task.name for task in found}) == len(found)
