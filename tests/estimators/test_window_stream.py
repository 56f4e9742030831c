"""Windows of a table in files, as networks train on them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.estimators.window_stream import WindowStream
from crisplogic.group import ALONE, Group
from crisplogic.search import TrainingSet
from crisplogic.streaming import Examples, StreamedTable, TableStatistics
from crisplogic.tables import Text
from crisplogic.training import Part, StreamedRows
from tests.groups import run_together

Floats = NDArray[np.float64]
ROWS, WINDOW = 1000, 100
LABELS = ["no", "yes"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of different lengths, one of which has a category of its own."""
    folder = tmp_path_factory.mktemp("shards")
    ends = [0, 100, 400, 450, ROWS]
    for number, (start, end) in enumerate(pairwise(ends)):
        words = ["red", "blue", "rare" if number == 3 else "red"]
        lines = [
            f"{row},{words[row % 3]},{LABELS[row % 7 < 3] if row % 10 else ''},{row % 4}"
            for row in range(start, end)
        ]
        text = "\n".join(["number,colour,ill,weight", *lines]) + "\n"
        (folder / f"part-{number}.csv").write_text(text, encoding="utf-8")
    return folder


def read_labels(part: Examples) -> NDArray[np.intp]:
    assert isinstance(part.target, Text)
    return np.array([LABELS.index(word) for word in part.target.uniques])[part.target.codes]


def unscaled(y: NDArray[Any], known: TrainingSet) -> NDArray[Any]:
    return y


def as_given(y: NDArray[Any], weights: Floats | None) -> Floats:
    return np.ones(len(y)) if weights is None else weights


class Streams:
    """A table, a sample of it, and streams of windows."""

    def __init__(self, folder: Path, weight: str | None = None) -> None:
        self.table, self.weight = StreamedTable.open(folder), weight
        parts = list(self.table.examples(["number", "colour"], "ill", weight))
        self.numbers = np.concatenate([part.numbers for part in parts])
        self.sample = self.numbers[::5]
        self.schema = TableStatistics.of(parts).schema()

    def part(self, folds: int, tests: Sequence[int] = ()) -> Part:
        """The part of the sample that networks learn from."""
        rows = np.setdiff1d(np.arange(len(self.sample)), np.array(tests, dtype=int))
        encoder = FeatureEncoder.of(self.schema, False, (), ())
        empty = np.empty((0, len(encoder.names)))
        view: Any = SimpleNamespace(
            encoder=encoder, inputs=empty, targets=np.empty(0, np.intp), known=None
        )
        return Part(rows, np.arange(len(rows)) % max(folds, 1), [view] * (1 + folds))

    def open(self, group: Group = ALONE) -> WindowStream:
        return WindowStream(
            self.table,
            ["number", "colour"],
            "ill",
            self.weight,
            False,
            self.sample,
            read_labels,
            unscaled,
            as_given,
            seed=3,
            n_rows=WINDOW,
            group=group,
        )


def numbers_of(rows: StreamedRows, view: int = 0) -> NDArray[np.float64]:
    return rows.shown[view].inputs[:, 0]


def in_order(found: Sequence[StreamedRows]) -> NDArray[np.float64]:
    """The rows of a window that several processes read, in the order of the window."""
    places = np.concatenate([each.places for each in found])
    assert sorted(places) == list(range(WINDOW))
    return np.concatenate([numbers_of(each) for each in found])[np.argsort(places)]


@pytest.mark.parametrize("size", [2, 3, 7])
def test_windows_are_the_same_whoever_reads_which_part(folder: Path, size: int) -> None:
    streams = Streams(folder)
    part, alone = streams.part(0), streams.open()
    groups: list[Any] = [SimpleNamespace(rank=rank, size=size) for rank in range(size)]
    several = [streams.open(group) for group in groups]
    for number in range(25):  # more than twice through the table
        whole = in_order([alone.read(number, part)])
        assert np.array_equal(in_order([each.read(number, part) for each in several]), whole)


def test_a_pass_shows_every_row_with_a_target_once(folder: Path) -> None:
    streams = Streams(folder)
    part, stream = streams.part(0), streams.open()
    found = np.concatenate([numbers_of(stream.read(number, part)) for number in range(9)])
    assert sorted(found) == streams.numbers.tolist()
    assert len(found) == 900


def test_any_window_can_be_read_again(folder: Path) -> None:
    streams = Streams(folder)
    part, stream = streams.part(0), streams.open()
    expected = [numbers_of(stream.read(number, part)) for number in range(4)]
    assert np.array_equal(numbers_of(streams.open().read(3, part)), expected[3])
    assert np.array_equal(numbers_of(stream.read(1, part)), expected[1])


def test_what_is_shown_is_what_the_files_say(folder: Path) -> None:
    streams = Streams(folder, "weight")
    part = streams.part(0)
    [shown] = streams.open().read(0, part).shown
    numbers = shown.inputs[:, 0].astype(int)
    assert shown.targets.tolist() == [int(row % 7 < 3) for row in numbers]
    assert shown.weights.tolist() == [row % 4 for row in numbers]
    assert all(row % 4 for row in numbers)  # rows of weight 0 are not even read
    assert shown.inputs[:, 1:].sum(axis=1).tolist() == [1.0] * len(numbers)
    assert (shown.inputs[:, 1:].sum(axis=0) > 0).all()  # all colours, each in its column


def test_folds_do_not_see_their_own_rows(folder: Path) -> None:
    streams = Streams(folder)
    part, stream = streams.part(3), streams.open()
    in_sample = dict(zip(streams.sample[part.rows], part.fold_of_row, strict=True))
    folds: dict[float, set[int]] = {}
    totals = np.zeros(4)
    for number in range(18):
        rows = stream.read(number, part)
        weights = np.array([each.weights for each in rows.shown])
        totals += weights.sum(axis=1)
        assert (weights[0] == 1).all()
        assert ((weights[1:] == 0).sum(axis=0) == 1).all()
        for row, fold in zip(numbers_of(rows), (weights[1:] == 0).argmax(axis=0), strict=True):
            folds.setdefault(row, set()).add(int(fold))
    assert all(len(each) == 1 for each in folds.values())  # in every pass the same
    assert all(folds[row] == {fold} for row, fold in in_sample.items())
    assert totals[1:] / totals[0] == pytest.approx(1, abs=0.1)


def test_rows_to_test_on_are_hidden_from_all_networks(folder: Path) -> None:
    streams = Streams(folder)
    part, stream = streams.part(0, tests=range(50)), streams.open()
    tests = set(streams.sample[:50])
    for number in range(9):
        rows = stream.read(number, part)
        hidden = rows.shown[0].weights == 0
        assert set(numbers_of(rows)[hidden]) == tests & set(numbers_of(rows))


def test_a_process_without_shards_has_empty_windows(folder: Path) -> None:
    streams = Streams(folder)
    part = streams.part(2)
    for found in run_together(6, lambda group: streams.open(group).read(0, part)):
        assert isinstance(found, StreamedRows)
        assert len(found.places) == len(found.shown[0].inputs) == len(found.shown[2].weights)
    assert isinstance(found, StreamedRows)
    assert not len(found.places)


def test_a_table_without_any_target_has_empty_windows(tmp_path: Path, folder: Path) -> None:
    streams = Streams(folder)
    (tmp_path / "empty.csv").write_text("number,colour,ill,weight\n1,red,,1\n2,red,,1\n")
    stream = streams.open()
    stream.table = StreamedTable.open(tmp_path)
    assert not len(stream.read(0, streams.part(0)).places)
