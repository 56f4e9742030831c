"""Estimators in files: all that was fitted comes back, and nothing else ever does."""

from __future__ import annotations

import json
import math
import pickle
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.validation import check_is_fitted

import crisplogic
from crisplogic import LogicClassifier, LogicRegressor, RuleSet, load_estimator
from crisplogic.archive import read_archive, write_archive
from crisplogic.errors import (
    CrisplogicError,
    EstimatorFileError,
    RuleFileError,
    UnseenValuesWarning,
)
from crisplogic.estimators import saving
from crisplogic.nn import LogicNetwork
from tests.estimators.samples import NEW, X, Y, digest_of, quick, some_labels
from tests.platforms import posix

Estimator = LogicClassifier | LogicRegressor
SOON: dict[str, Any] = {
    "epochs": 2,
    "restarts": 1,
    "folds": 2,
    "max_literals": 4,
    "random_state": 0,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.npz"


def passengers(rows: int = 60, seed: int = 0) -> pd.DataFrame:
    """Every kind of column: numbers with gaps, texts, two values, truth values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.uniform(0, 80, rows),
            "sex": rng.choice(["female", "male"], rows),
            "port": rng.choice(["S", "C", "Q", "naïve\n"], rows, p=[0.5, 0.4, 0.07, 0.03]),
            "deck": rng.choice([1, 2], rows),
            "alone": rng.random(rows) < 0.4,
        }
    )
    frame.loc[rng.random(rows) < 0.2, "age"] = np.nan
    return frame


PEOPLE, OTHERS = passengers(), passengers(seed=1)
SAVED = np.where((PEOPLE.sex == "female") | (PEOPLE.age < 15), "yes", "no")
FARE = pd.Series(PEOPLE.deck * 10.5 + (PEOPLE.sex == "female"), name="fare")


@dataclass(frozen=True)
class Case:
    """An estimator, what to fit it to, and other rows to predict."""

    estimator: Estimator
    X: Any
    y: Any
    others: Any


CASES = {
    "arrays": Case(quick(epochs=2), X, Y, NEW),
    "frame": Case(
        LogicClassifier(
            **SOON | {"random_state": np.random.RandomState(3), "folds": np.int64(2)},
            missing_literals=True,
            monotone={"age": "down"},
            forbidden_pairs=[("sex", "port")],
            forbidden_columns=["deck"],
            class_weight={"yes": 2.0, "no": np.float64(0.5)},
            max_literals_per_class={"yes": 8},
        ),
        PEOPLE,
        pd.Series(SAVED, dtype=object),
        OTHERS,
    ),
    "three classes": Case(quick(epochs=2), X, np.digitize(X[:, 0], [17, 22]) * 10, NEW),
    "truth": Case(quick(epochs=2), PEOPLE, SAVED == "yes", OTHERS),
    "decided": Case(
        quick(
            epochs=2,
            positive="no",
            decision_threshold={"yes": 3, "no": 1},
            operators=("and", "or"),
            cuts={"age": [15, 40.5]},
        ),
        PEOPLE,
        SAVED,
        OTHERS,
    ),
    "deep": Case(quick(epochs=2, depth=2, width=3, snapping="straight_through"), X, Y, NEW),
    "selected": Case(quick(epochs=2, max_columns=2), X, Y, NEW),
    "paper": Case(LogicClassifier.as_in_paper(epochs=2, random_state=0), X, Y, NEW),
    "number": Case(LogicRegressor(**SOON), PEOPLE, FARE, OTHERS),
    "transformed": Case(
        LogicRegressor(**SOON, loss="huber", target_transform="log1p"), PEOPLE, FARE, OTHERS
    ),
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    case = CASES[request.param]
    fitted = clone(case.estimator).fit(case.X, case.y)
    return Case(fitted, case.X, case.y, case.others)


@pytest.fixture
def reloaded(case: Case, path: Path) -> Estimator:
    case.estimator.save(path)
    return load_estimator(path)


@pytest.fixture(scope="module")
def mixed() -> LogicClassifier:
    """Fitted to a table of every kind of column."""
    return LogicClassifier(**SOON, monotone={"age": "down"}).fit(PEOPLE, SAVED)


@pytest.fixture(scope="module")
def content(mixed: LogicClassifier, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the file of this classifier says, and its arrays."""
    path = tmp_path_factory.mktemp("content") / "model.npz"
    mixed.save(path)
    return read_archive(path)


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same to the bit, found out without the code under test."""
    if isinstance(one, LogicNetwork):
        states = [{k: v.numpy() for k, v in each.state_dict().items()} for each in (one, other)]
        return same(states[0], states[1]) and same(vars(one)["limits"], vars(other)["limits"])
    if isinstance(one, np.random.RandomState):
        return same(one.get_state(), other.get_state())
    if isinstance(one, np.ndarray) and one.dtype != object:
        return (one.dtype, one.shape, one.tobytes()) == (
            other.dtype,
            other.shape,
            other.tobytes(),
        )
    if isinstance(one, np.ndarray):
        return other.dtype == object and same(one.tolist(), other.tolist())
    if isinstance(one, np.generic):
        one = one.item()
    if type(one) is not type(other):
        return False
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping):
        return same(list(one), list(other)) and same([*one.values()], [*other.values()])
    return bool(one == other or (one != one and other != other))


# --- all comes back ---------------------------------------------------------------------------


def test_every_parameter_and_every_fitted_attribute_survives(
    case: Case, reloaded: Estimator
) -> None:
    assert type(reloaded) is type(case.estimator)
    assert list(vars(reloaded)) == list(vars(case.estimator))
    differ = [
        name
        for name, value in vars(case.estimator).items()
        if not same(value, getattr(reloaded, name))
    ]
    assert differ == []


@pytest.mark.parametrize("predict_with", ["rules", "network"])
def test_predictions_are_those_of_before_to_the_bit(
    case: Case, reloaded: Estimator, predict_with: Any
) -> None:
    before = clone(case.estimator)
    vars(before).update(vars(case.estimator))
    for estimator in (before, reloaded):
        estimator.set_params(predict_with=predict_with)
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(before, method):
            for rows in (case.X, case.others):
                assert same(getattr(before, method)(rows), getattr(reloaded, method)(rows))
    assert reloaded.score(case.X, case.y) == before.score(case.X, case.y)


def test_rules_of_every_size_can_be_chosen(case: Case, reloaded: Estimator) -> None:
    check_is_fitted(reloaded)
    frontier, before = reloaded.frontier_, case.estimator.frontier_
    for tolerance in (0.0, 0.5, 5.0):
        assert same(frontier.choose(None, tolerance), before.choose(None, tolerance))
        errors = [each.expected_error(None, tolerance) for each in (frontier, before)]
        assert same(*errors)
    for size in range(before[0].size, before[-1].size + 1):
        assert reloaded.rules_at(size) == case.estimator.rules_at(size)


def test_it_is_cloned_and_fitted_again_as_before(path: Path) -> None:
    fitted = quick(epochs=1, folds=0, random_state=np.random.RandomState(5)).fit(X, Y)
    fitted.save(path)
    again = LogicClassifier.load(path)
    assert clone(again).get_params()["epochs"] == 1
    with pytest.raises(NotFittedError):
        clone(again).predict(X)
    assert cross_val_score(again.set_params(epochs=1), X, Y, cv=2).shape == (2,)
    # The generator goes on where it was.
    again = LogicClassifier.load(path)
    assert digest_of(again.fit(X, Y)) == digest_of(fitted.fit(X, Y))


def test_a_file_overwrites_the_one_before_and_can_be_loaded_and_saved_again(
    mixed: LogicClassifier, path: Path
) -> None:
    path.write_text("something else")
    mixed.save(str(path))
    first = read_archive(path)
    LogicClassifier.load(str(path)).save(path)
    assert same(read_archive(path), first)
    assert list(path.parent.iterdir()) == [path]


# Tables of all kinds.

COLUMNS = {
    "number": st.floats(-100, 100) | st.sampled_from([math.nan, 1e300, -1e-300, 0.0, -0.0]),
    "whole": st.integers(-5, 5),
    "two": st.sampled_from([3, 4, None]),
    "truth": st.booleans(),
    "text": st.sampled_from(["red", "blue", "", "a>1", "naïve\n", None]),
}
LABELS: list[list[Any]] = [
    ["b", "a"],
    ["é" * 30, "", "x is y"],
    [3, -1],
    [True, False],
    [0.0, 2.0, -1e9],
]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, Any]:
    rows, kinds = 12, draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3))
    columns = {
        f"{place} {kind}": draw(st.lists(COLUMNS[kind], min_size=rows, max_size=rows))
        for place, kind in enumerate(kinds)
    }
    columns["x"] = [float(row) for row in range(rows)]  # a column to learn from
    labels = draw(st.sampled_from(LABELS))
    y = np.array([labels[row % len(labels)] for row in range(rows)])
    return pd.DataFrame(columns), y.astype(object) if draw(st.booleans()) else y


@settings(max_examples=8)
@given(tables(), st.booleans())
def test_what_is_learned_from_any_table_survives(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[Any, Any], missing: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "generated.npz"
    options: dict[str, Any] = {"epochs": 1, "restarts": 1, "folds": 0, "random_state": 0}
    fitted = LogicClassifier(**options, missing_literals=missing).fit(*table)
    fitted.save(path)
    again = LogicClassifier.load(path)
    assert all(same(value, getattr(again, name)) for name, value in vars(fitted).items())
    for predict_with in ("rules", "network"):
        fitted.set_params(predict_with=predict_with)
        again.set_params(predict_with=predict_with)
        assert same(fitted.predict(table[0]), again.predict(table[0]))
        assert same(fitted.predict_proba(table[0]), again.predict_proba(table[0]))


# --- which estimator --------------------------------------------------------------------------


class OwnClassifier(LogicClassifier):
    """A user's class."""


def test_a_file_says_which_estimator_it_holds(mixed: LogicClassifier, path: Path) -> None:
    mixed.save(path)
    assert type(crisplogic.load_estimator(path)) is LogicClassifier
    assert type(OwnClassifier.load(path)) is OwnClassifier
    OwnClassifier.load(path).save(path)
    assert type(LogicClassifier.load(path)) is LogicClassifier
    with pytest.raises(
        EstimatorFileError, match="holds a LogicClassifier, not a LogicRegressor"
    ):
        LogicRegressor.load(path)


def test_only_a_fitted_estimator_is_saved(path: Path) -> None:
    with pytest.raises(NotFittedError):
        LogicClassifier().save(path)
    assert not path.exists()


def test_what_a_file_cannot_hold_is_refused_by_name_and_leaves_the_old_file(
    mixed: LogicClassifier, path: Path
) -> None:
    mixed.save(path)
    before = path.read_bytes()
    odd: list[Any] = [lambda: 0, {print}, [object()], {"age": print}, np.array([1j])]
    odd += [np.random.RandomState(np.random.PCG64(1)), np.array([[None]])]
    for value in odd:
        changed = LogicClassifier.load(path).set_params(class_weight=value)
        with pytest.raises(EstimatorFileError, match="the parameter class_weight"):
            changed.save(path)
    changed = LogicClassifier.load(path)
    changed.own_ = lambda: 0
    with pytest.raises(EstimatorFileError, match="own_ holds a function"):
        changed.save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_attributes_of_ones_own_are_kept(path: Path) -> None:
    fitted = quick(epochs=1, folds=0).fit(X, Y)
    fitted.notes_ = {"made by": ("me", math.inf)}
    fitted.save(path)
    assert vars(LogicClassifier.load(path))["notes_"] == {"made by": ("me", math.inf)}


# --- other versions ---------------------------------------------------------------------------


def test_another_version_of_the_format_is_refused_with_both_versions(
    mixed: LogicClassifier, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(saving, "VERSION", 2)
        patch.setattr(metadata, "version", lambda name: "99.1")
        mixed.save(path)
    with pytest.raises(
        EstimatorFileError, match=r"model\.npz: it was written by crisplogic 99\.1"
    ) as error:
        LogicClassifier.load(path)
    assert f"this is crisplogic {crisplogic.__version__}, which reads version 1" in str(
        error.value
    )


def test_a_parameter_that_is_not_known_is_refused_by_name(content: Any, path: Path) -> None:
    about, arrays = content
    write_archive(path, {**about, "parameters": {"depht": 1}, "crisplogic": "99.1"}, arrays)
    with pytest.raises(EstimatorFileError, match=r"'depht'.*written by crisplogic 99\.1"):
        LogicClassifier.load(path)


def test_a_parameter_that_came_later_has_its_default(content: Any, path: Path) -> None:
    about, arrays = content
    parameters = {name: each for name, each in about["parameters"].items() if name != "l1"}
    write_archive(path, {**about, "parameters": parameters}, arrays)
    assert LogicClassifier.load(path).l1 == LogicClassifier().l1


# --- files from strangers ---------------------------------------------------------------------


def test_other_files_are_refused(mixed: LogicClassifier, path: Path) -> None:
    mixed.rules_.save(path)
    with pytest.raises(EstimatorFileError, match=r"no estimator file.*RuleSet\.load"):
        load_estimator(path)
    write_archive(path, {"format": "crisplogic checkpoint 2"}, {})
    with pytest.raises(EstimatorFileError, match=r"model\.npz: it holds no estimator"):
        load_estimator(path)
    for other in (b"", b"PK\x05\x06", pickle.dumps(mixed), b"age,ill\n50,yes\n"):
        path.write_bytes(other)
        with pytest.raises(EstimatorFileError, match=r"model\.npz is no estimator file"):
            load_estimator(path)
    with pytest.raises(FileNotFoundError):
        load_estimator(path.with_name("none.npz"))


def test_an_estimator_is_no_rule_file_and_the_error_says_how_to_load_it(
    mixed: LogicClassifier, path: Path
) -> None:
    mixed.save(path)
    with pytest.raises(
        RuleFileError, match=r"model\.npz is no crisplogic rule.*load_estimator"
    ):
        RuleSet.load(path)


def test_reading_executes_nothing(path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return (pytest.fail, ("it was executed",))

    with path.open("wb") as file:
        np.savez(file, about=np.array([Bomb()], dtype=object))
    with pytest.raises(EstimatorFileError, match="must hold numbers or text, got object"):
        load_estimator(path)


def test_a_file_that_was_cut_or_changed_is_refused_or_harmless(
    mixed: LogicClassifier, path: Path
) -> None:
    mixed.save(path)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    damaged = [whole[: rng.integers(len(whole))] for _ in range(15)]
    for place in rng.integers(len(whole), size=60):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        damaged.append(bytes(flipped))
    refused = 0
    for content in damaged:
        path.write_bytes(content)
        try:
            read = LogicClassifier.load(path)
        except EstimatorFileError:
            refused += 1
        else:  # dates and the like, which nothing depends on
            assert all(same(value, getattr(read, name)) for name, value in vars(mixed).items())
    assert refused > len(damaged) / 2


def places(entry: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a tree of JSON."""
    yield way
    if isinstance(entry, dict | list):
        for key, value in entry.items() if isinstance(entry, dict) else enumerate(entry):
            yield from places(value, (*way, key))


def changed_at(entry: Any, way: tuple[Any, ...], value: Any) -> Any:
    if not way:
        return value
    copy = dict(entry) if isinstance(entry, dict) else list(entry)
    copy[way[0]] = changed_at(entry[way[0]], way[1:], value)
    return copy


ODD: list[Any] = [None, [], {}, "text", -1, True, 0.5, 10**400, {"type": "array", "name": "0"}]
ODD += [{"type": "Levels", "fields": {}}, {"type": ["dict"]}, {"type": "RandomState"}]


def test_no_value_in_a_file_gives_anything_but_a_clear_error(
    content: Any, mixed: LogicClassifier
) -> None:
    about, arrays = content
    rng = np.random.default_rng(0)
    everywhere = [way for way in places(about) if way and not {"document", "points"} & {*way}]
    refused = 0
    for number in rng.permutation(len(everywhere))[:250]:
        value = ODD[int(rng.integers(len(ODD)))]
        try:
            read = saving._decode(
                changed_at(about, everywhere[number], value), arrays, [LogicClassifier]
            )
        except EstimatorFileError:
            refused += 1
            continue
        try:
            read.set_params(predict_with="network").predict(PEOPLE[:2])
            read.set_params(predict_with="rules").predict(PEOPLE[:2])
        except (CrisplogicError, UnseenValuesWarning):  # a level may be another text
            pass
    assert refused > 100


Change = Callable[[Any, dict[str, Any]], None]


def network_of(about: Any) -> Any:
    return about["attributes"]["network_"]


def set_network(key: str, value: Any) -> Change:
    def change(about: Any, arrays: dict[str, Any]) -> None:
        items = dict(network_of(about)["shape"]["items"])
        network_of(about)["shape"]["items"] = [*{**items, key: value}.items()]

    return change


def replace_alpha(make: Callable[[Any], Any]) -> Change:
    def change(about: Any, arrays: dict[str, Any]) -> None:
        name = dict(network_of(about)["state"]["items"])["logic.level1.fuzzy.alpha"]["name"]
        arrays[name] = make(arrays[name])

    return change


def set_attribute(name: str, value: Any) -> Change:
    return lambda about, arrays: about["attributes"].update({name: value})


CHANGES: dict[str, tuple[Change, str]] = {
    "shape": (replace_alpha(lambda alpha: alpha[:-1]), "fuzzy.alpha' of shape"),
    "dimensions": (replace_alpha(lambda alpha: alpha[None]), "fuzzy.alpha' of shape"),
    "type": (replace_alpha(lambda alpha: alpha.astype(np.float64)), "of type torch.float32"),
    "whole numbers": (replace_alpha(lambda alpha: alpha.astype(int)), "of type torch.float32"),
    "text": (replace_alpha(lambda alpha: alpha.astype(str)), "damaged or was changed"),
    "not finite": (replace_alpha(lambda alpha: alpha * np.nan), "not finite"),
    "huge": (set_network("in_features", 10**9), "of shape"),
    "huge width": (set_network("width", 10**9), "do not agree|of shape|damaged"),
    "many levels": (set_network("depth", 10**12), "needs more than"),
    "fewer outputs": (set_network("out_features", 1), "of shape"),
    "other option": (set_network("dtype", 1), "the shape of a network has"),
    "private": (set_attribute("__class__", 1), "no attribute '__class__'"),
    "method": (set_attribute("predict", 1), "no attribute 'predict'"),
    "columns": (set_attribute("n_features_in_", 7), "n_features_in_ and encoder_"),
    "names": (set_attribute("feature_names_in_", {"type": "objects", "items": ["a"]}), "names"),
    "classes": (set_attribute("classes_", {"type": "objects", "items": ["a"]}), "classes_ and"),
    "no rules": (lambda about, arrays: about["attributes"].pop("rules_"), "'rules_'"),
    "type of rules": (set_attribute("rules_", 3), "rules_ must be of type"),
    "class": (set_attribute("rules_", {"type": "Path", "fields": {}}), "no type 'Path'"),
    "array": (set_attribute("classes_", {"type": "array", "name": "none"}), "damaged"),
    "deep": (set_attribute("deep_", json.loads("[" * 900 + "]" * 900)), "recursion"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_what_was_tampered_with_is_refused(content: Any, path: Path, kind: str) -> None:
    about, arrays = json.loads(json.dumps(content[0])), dict(content[1])
    change, said = CHANGES[kind]
    change(about, arrays)
    write_archive(path, about, arrays)
    if kind == "huge width":  # which one level does not have
        assert LogicClassifier.load(path).network_.width == 10**9
        return
    tracemalloc.start()
    with pytest.raises(EstimatorFileError, match=rf"model\.npz.*({said})"):
        LogicClassifier.load(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20_000_000


def test_parts_of_other_tables_do_not_fit_together(content: Any, path: Path) -> None:
    about, arrays = content
    number = quick(epochs=1, folds=2).fit(X, some_labels(X))
    number.save(path)
    others, _ = read_archive(path)
    for name in ("rules_", "encoder_", "frontier_", "n_features_in_"):
        mixture = {**about["attributes"], name: others["attributes"][name]}
        write_archive(path, {**about, "attributes": mixture}, arrays)
        with pytest.raises(EstimatorFileError):
            LogicClassifier.load(path)


# --- killed -----------------------------------------------------------------------------------

KILLED = """
import os, signal, sys, zipfile
from crisplogic import load_estimator
estimator = load_estimator(sys.argv[1])
zipfile.ZipFile.close = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
estimator.set_params(epochs=77).save(sys.argv[1])
"""


@posix
def test_killed_while_writing_the_old_file_is_still_whole(
    mixed: LogicClassifier, path: Path
) -> None:
    mixed.save(path)
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    assert RuleSet.from_json(LogicClassifier.load(path).rules_.to_json()) == mixed.rules_
