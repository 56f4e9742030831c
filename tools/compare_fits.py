"""Compare what two revisions learn, bit for bit: run it before and after a refactoring.

    python tools/compare_fits.py                     # the working tree against HEAD
    python tools/compare_fits.py --against v0.1.0    # or against any other revision
    python tools/compare_fits.py --only depth        # some fits alone

Each revision makes the same fits in a process of its own, on this machine. A fit is described
by its rules as text and as JSON, the frontier, digests of all predictions and of the network,
and whatever is computed from the rules. Any difference is printed, and the exit code is 1.

A later revision may have other names for the same thing: `Names` knows them.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

ROOT = Path(__file__).parent.parent
Description = dict[str, Any]
FITS: dict[str, Callable[[], Description]] = {}


def fit(function: Callable[[], Description]) -> Callable[[], Description]:
    """Register a fit under the name of its function."""
    FITS[function.__name__] = function
    return function


class Names:
    """The names that the installed revision uses for parameters, values and methods."""

    RENAMED_PARAMETERS: ClassVar = {"literal_penalty": "literal_price", "penalties": "prices"}
    RENAMED_VALUES: ClassVar = {"search": "trained", "straight_through": "unpolished"}
    RENAMED_METHODS: ClassVar = {"without_term": "without", "rename": "renamed"}
    RENAMED_FUNCTIONS: ClassVar = {
        "compare": "crisplogic.editing",
        "refit": "crisplogic.editing",
    }

    @classmethod
    def call(cls, function: Callable[..., Any], *args: Any, **parameters: Any) -> Any:
        """Call a function with parameters under the names that it knows."""
        known = inspect.signature(function).parameters
        renamed = {
            name if name in known else cls.RENAMED_PARAMETERS.get(name, name): value
            for name, value in parameters.items()
        }
        if "literal_price" in known and "snapping" in renamed:
            value = renamed["snapping"]
            renamed["snapping"] = cls.RENAMED_VALUES.get(value, value)
        return function(*args, **renamed)

    @classmethod
    def method(cls, owner: Any, name: str) -> Callable[..., Any]:
        """A method under the name that the owner has for it."""
        found = name if hasattr(owner, name) else cls.RENAMED_METHODS[name]
        return getattr(owner, found)  # type: ignore[no-any-return]

    @classmethod
    def function(cls, name: str) -> Callable[..., Any]:
        """A public function, wherever the revision keeps it."""
        package = import_module("crisplogic")
        home = (
            package if name in package.__all__ else import_module(cls.RENAMED_FUNCTIONS[name])
        )
        return getattr(home, name)  # type: ignore[no-any-return]


def classifier(**parameters: Any) -> Any:
    """An unfitted classifier."""
    from crisplogic import LogicClassifier

    return Names.call(LogicClassifier, random_state=0, **parameters)


def regressor(**parameters: Any) -> Any:
    """An unfitted regressor."""
    from crisplogic import LogicRegressor

    return Names.call(LogicRegressor, random_state=0, **parameters)


def digest(values: Any) -> str:
    """A digest of every bit of an array."""
    array = np.ascontiguousarray(values)
    content = repr(array.tolist()).encode() if array.dtype.kind in "OUS" else array.tobytes()
    return f"{array.shape} {hashlib.sha256(content).hexdigest()[:16]}"


def described(estimator: Any, X: Any) -> Description:
    """All that a fitted estimator has learned."""
    rules = estimator.rules_
    network = estimator.network_.state_dict()
    found = {
        "rules": str(rules),
        "legend": rules.legend(),
        "json": rules.to_json(),
        "frontier": [
            [
                point.size,
                point.error,
                point.held_out_error,
                point.held_out_loss,
                str(point.rules),
            ]
            for point in estimator.frontier_
        ],
        "losses": [[epoch.loss, epoch.validation_loss] for epoch in estimator.history_],
        "network": {name: digest(tensor.numpy()) for name, tensor in network.items()},
        "scores": digest(rules.scores(X)),
        "predicted": digest(estimator.predict(X)),
    }
    if hasattr(estimator, "predict_proba"):
        found["probabilities"] = digest(estimator.predict_proba(X))
    estimator.set_params(predict_with="network")
    found["predicted by the network"] = digest(estimator.predict(X))
    estimator.set_params(predict_with="rules")
    return found


def breast_cancer() -> tuple[Any, Any]:
    """Nine columns of whole numbers, some missing, two classes."""
    from crisplogic.datasets import load_breast_cancer_wisconsin

    data = load_breast_cancer_wisconsin()
    return data.to_frame(), data.y


def vehicle() -> tuple[Any, Any]:
    """Eighteen columns, four classes."""
    from crisplogic.datasets import load_vehicle

    data = load_vehicle()
    return data.to_frame(), data.y


def titanic(target: str = "survived", rows: int = 600) -> tuple[Any, Any]:
    """Categories, truth values, numbers and gaps."""
    import pandas as pd

    from crisplogic.datasets import make_titanic

    made = pd.DataFrame(make_titanic(rows, seed=0)).replace("", np.nan)
    made = made.dropna(subset=[target])
    return made.drop(columns=[target, "name"]), made[target]


def patients() -> tuple[Any, Any]:
    """Ten columns, and a number to predict."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return X, y.rename("progression")


def weights(rows: int) -> Any:
    """Weights of rows, some of them 0."""
    return np.random.default_rng(1).integers(0, 4, rows).astype(float)


@fit
def classes_by_default() -> Description:
    X, y = breast_cancer()
    return described(classifier().fit(X, y), X)


@fit
def classes_many() -> Description:
    X, y = vehicle()
    return described(classifier(epochs=8, restarts=2, folds=3).fit(X, y), X)


@fit
def classes_ten() -> Description:
    from crisplogic.datasets import load_yeast

    data = load_yeast()
    X, y = data.X[:600], data.y[:600]
    return described(classifier(epochs=5, restarts=1, folds=2).fit(X, y), X)


@fit
def classes_of_numbers_as_labels() -> Description:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return described(classifier(epochs=10).fit(X, y), X)


@fit
def classes_without_folds() -> Description:
    X, y = breast_cancer()
    return described(classifier(epochs=10, restarts=2, folds=0).fit(X, y), X)


@fit
def classes_at_other_penalties() -> Description:
    X, y = breast_cancer()
    model = classifier(epochs=10, l1=1e-3, literal_penalty=3e-3, max_literals=6, tolerance=1.0)
    return described(model.fit(X, y), X)


@fit
def classes_stopped_early() -> Description:
    X, y = breast_cancer()
    return described(classifier(validation_fraction=0.2, patience=3).fit(X, y), X)


@fit
def categories_and_gaps() -> Description:
    X, y = titanic()
    return described(classifier(epochs=15, restarts=2, folds=3).fit(X, y), X)


@fit
def categories_with_missing_literals() -> Description:
    X, y = titanic()
    model = classifier(epochs=15, restarts=2, folds=3, missing_literals=True)
    return described(model.fit(X, y), X)


@fit
def truth_values() -> Description:
    import pandas as pd

    rng = np.random.default_rng(3)
    X = pd.DataFrame({name: rng.random(300) < 0.5 for name in "abcd"})
    y = np.where((X["a"] & X["b"]) | X["c"], "yes", "no")
    return described(classifier(epochs=15).fit(X, y), X)


@fit
def weights_of_rows_and_classes() -> Description:
    X, y = titanic()
    model = classifier(epochs=15, restarts=2, folds=3, class_weight="balanced")
    return described(model.fit(X, y, sample_weight=weights(len(y))), X)


@fit
def weights_of_numbers() -> Description:
    X, y = patients()
    model = regressor(epochs=10, restarts=2, folds=3)
    return described(model.fit(X, y, sample_weight=weights(len(y))), X)


@fit
def constraints_on_classes() -> Description:
    X, y = breast_cancer()
    names = list(X.columns)
    model = classifier(
        epochs=15,
        forbidden_columns=[names[0]],
        monotone={names[1]: "up", names[5]: "up", names[8]: "down"},
        forbidden_pairs=[(names[1], names[2])],
        max_literals_per_class={"malignant": 6},
    )
    return described(model.fit(X, y), X)


@fit
def constraints_on_many_classes() -> Description:
    X, y = vehicle()
    names = list(X.columns)
    model = classifier(
        epochs=5,
        restarts=1,
        folds=2,
        monotone={names[0]: {"bus": "up", "van": "down"}},
        allowed_pairs=[(names[0], names[1]), (names[2], names[3])],
        max_literals_per_class=8,
    )
    return described(model.fit(X, y), X)


@fit
def constraints_on_numbers() -> Description:
    X, y = patients()
    model = regressor(
        epochs=15,
        forbidden_columns=["sex"],
        monotone={"bmi": "up", "bp": "up", "s3": "down"},
        forbidden_pairs=[("age", "bmi")],
    )
    return described(model.fit(X, y), X)


@fit
def numbers_by_default() -> Description:
    X, y = patients()
    return described(regressor().fit(X, y), X)


@fit
def numbers_from_categories() -> Description:
    X, y = titanic("fare")
    return described(regressor(epochs=15, restarts=2, folds=3).fit(X, y.astype(float)), X)


@fit
def depth_two_for_classes() -> Description:
    X, y = breast_cancer()
    model = classifier(depth=2, width=4, epochs=10, restarts=2, folds=3, max_literals=None)
    return described(model.fit(X, y), X)


@fit
def depth_two_for_numbers() -> Description:
    X, y = patients()
    model = regressor(depth=2, width=4, epochs=8, restarts=1, folds=2, max_literals=None)
    return described(model.fit(X, y), X)


@fit
def paper() -> Description:
    from crisplogic import LogicClassifier

    X, y = breast_cancer()
    model = LogicClassifier.as_in_paper(random_state=0).set_params(epochs=3)
    return described(model.fit(X, y), X)


@fit
def snapping_straight_through() -> Description:
    X, y = breast_cancer()
    return described(classifier(epochs=10, snapping="straight_through").fit(X, y), X)


@fit
def snapping_to_the_nearest() -> Description:
    X, y = breast_cancer()
    return described(classifier(epochs=10, snapping="nearest").fit(X, y), X)


@fit
def memberships_linear() -> Description:
    X, y = breast_cancer()
    return described(classifier(epochs=10, memberships="linear").fit(X, y), X)


@fit
def memberships_two() -> Description:
    X, y = vehicle()
    return described(classifier(epochs=4, restarts=1, folds=2, memberships=2).fit(X, y), X)


@fit
def wide_table() -> Description:
    rng = np.random.default_rng(5)
    X = rng.random((400, 150))
    y = (X[:, 3] > 0.5) ^ (X[:, 70] > 0.5)
    model = classifier(epochs=10, restarts=2, folds=2, max_columns=24)
    return described(model.fit(X, y), X)


@fit
def parts_at_several_penalties() -> Description:
    validate = Names.function("cross_validate")
    X, y = breast_cancer()
    grid = {"l1": [1e-3, 4e-3]}
    model = classifier(epochs=6, restarts=1, folds=2)
    found = Names.call(validate, model, X, y, cv=3, penalties=grid, return_estimator=True)
    return _scores(found, X)


@fit
def parts_of_numbers() -> Description:
    validate = Names.function("cross_validate")
    X, y = patients()
    model = regressor(epochs=6, restarts=1, folds=2)
    given = weights(len(y))
    found = validate(model, X, y, cv=3, sample_weight=given, return_estimator=True)
    return _scores(found, X)


def _scores(found: dict[str, Any], X: Any) -> Description:
    fitted = found.pop("estimator")
    scores = {name: np.asarray(value).tolist() for name, value in found.items()}
    scores.pop("fit_time")
    return {"scores": scores, "estimators": [described(one, X) for one in fitted]}


@fit
def rules_edited_refitted_and_explained() -> Description:
    X, y = breast_cancer()
    rules = classifier(epochs=10).fit(X, y).rules_
    text = "(cell_size_uniformity>3 & clump_thickness>5) + bare_nuclei>4 - 0.3"
    edited = rules.with_rule("malignant", text, width=2).with_threshold("bare_nuclei>4", 3.5)
    edited = Names.method(edited, "without_term")("clump_thickness>5 & cell_size_uniformity>3")
    edited = edited.with_term("malignant", "~(mitoses<2 | clump_thickness<6)")
    edited = Names.method(edited, "rename")(columns={"mitoses": "mitosis count"})
    X = X.rename(columns={"mitoses": "mitosis count"})
    refitted = Names.function("refit")(edited, X, y)
    return {
        "edited": edited.to_json(),
        "refitted": refitted.to_json(),
        "compared": list(Names.function("compare")(edited, refitted, X, y).changed),
        **_analysed(refitted, X, y),
    }


@fit
def rules_of_a_number_edited_refitted_and_explained() -> Description:
    X, y = patients()
    rules = regressor(epochs=10).fit(X, y).rules_
    edited = rules.with_rule("progression", "150 + 20 × (2 × (bmi>30) + (bp>90 & s5>4.6))")
    refitted = Names.function("refit")(edited, X, y)
    return {
        "edited": edited.to_json(),
        "refitted": refitted.to_json(),
        **_analysed(refitted, X, y),
    }


def _analysed(rules: Any, X: Any, y: Any) -> Description:
    frame = rules.to_frame(X, y)
    return {
        "evidence": json.loads(frame.to_json(double_precision=15)),
        "explained": rules.explain(X.iloc[0]).to_dict(),
        "directions": rules.directions(),
        "scores": digest(rules.scores(X)),
    }


@fit
def command_line_for_classes() -> Description:
    X, y = titanic()
    return _command_line(X.assign(survived=y), "survived")


@fit
def command_line_for_numbers() -> Description:
    X, y = patients()
    return _command_line(X.assign(progression=y), "progression")


def _command_line(frame: Any, target: str) -> Description:
    """The files that the commands write."""
    with tempfile.TemporaryDirectory() as folder:
        frame.to_csv(Path(folder, "table.csv"), index=False)
        small = ["--target", target, "--epochs", "8", "--seed", "0", "--quiet"]
        _run(folder, "fit", "table.csv", *small, "--out", "model")
        _run(folder, "predict", "model", "table.csv", "--out", "predicted.csv", "--quiet")
        rules = _run(folder, "rules", "model", "--json")
        return {
            "files": {
                path.name: path.read_text(encoding="utf-8")
                for path in sorted(Path(folder, "model").iterdir())
                if path.suffix == ".json"
            },
            "predicted": Path(folder, "predicted.csv").read_text(encoding="utf-8"),
            "rules": rules,
            "explained": _run(folder, "explain", "model", "table.csv", "--row", "3", "--json"),
        }


def _run(folder: str, *arguments: str) -> str:
    program = [sys.executable, "-X", "utf8", "-m", "crisplogic", *arguments]
    done = subprocess.run(
        program, cwd=folder, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    return done.stdout


def record(only: str) -> Iterator[tuple[str, Description]]:
    """Make the fits and describe them, one after the other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in FITS.items():
            if only in name:
                yield name, json.loads(json.dumps(make(), default=_plain))


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else list(value)


def recorded_by(tree: Path, only: str) -> dict[str, Description]:
    """What the revision in a folder learns, recorded by a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
    program = [sys.executable, str(Path(__file__).resolve()), "--record", "--only", only]
    found: dict[str, Description] = {}
    with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            name, found_here = json.loads(line)
            found[name] = found_here
    if run.returncode:
        raise SystemExit(f"the fits of {tree} ended with exit code {run.returncode}")
    return found


def differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Where two descriptions differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            yield from differences(before.get(key), after.get(key), f"{place}/{key}")
    elif before != after:
        yield f"{place}: {str(before)[:160]!r} became {str(after)[:160]!r}"


def main() -> int:
    """Record, or compare two revisions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--against", default="HEAD", help="the revision to compare with")
    parser.add_argument("--only", default="", help="fits with this text in their names alone")
    parser.add_argument("--before", type=Path, help="a recording to read or, if new, to write")
    parser.add_argument("--record", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.record:
        for name, description in record(asked.only):
            print(json.dumps([name, description]), flush=True)
        return 0
    before = _before(asked.against, asked.only, asked.before)
    after = recorded_by(ROOT, asked.only)
    before = {name: before[name] for name in after if name in before}
    found = list(differences(before, after))
    print("\n".join(found) or f"{len(after)} fits are identical, bit for bit")
    return bool(found)


def _before(revision: str, only: str, file: Path | None) -> dict[str, Description]:
    if file is not None and file.exists():
        kept: dict[str, Description] = json.loads(file.read_text(encoding="utf-8"))
        return kept
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(tree), revision], check=True)
        try:
            found = recorded_by(tree, only)
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    if file is not None:
        file.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return found


if __name__ == "__main__":
    sys.exit(main())
