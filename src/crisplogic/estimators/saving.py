"""Save fitted estimators in files, and load them. Loading executes nothing of a file.

An estimator file is an archive of arrays and a JSON text: the parameters, and every fitted
attribute. Rules in it are written as in a rule file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from crisplogic.archive import ArchiveError, read_archive, write_archive
from crisplogic.errors import CrisplogicError, EstimatorFileError
from crisplogic.estimators.codec import Reader, Writer
from crisplogic.estimators.encoder import NO_CODE, FeatureEncoder
from crisplogic.messages import list_some
from crisplogic.rules import Frontier, Level

FORMAT, VERSION = "crisplogic.estimator", 1
# What not every estimator has: one that was fitted to a table without names, or whose stability
# was not measured, or that learned from a table in memory.
OPTIONAL = {"feature_names_in_", "stability_", "all_rows_"}

Arrays = Mapping[str, NDArray[Any]]
E = TypeVar("E", bound=BaseEstimator)


def save_estimator(estimator: BaseEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file, completely or not at all."""
    check_is_fitted(estimator)
    writer = Writer()
    parameters = estimator.get_params(deep=False)
    about = {
        "format": FORMAT,
        "version": VERSION,
        "crisplogic": metadata.version("crisplogic"),
        "estimator": _kind_of(type(estimator)),
        "parameters": {
            name: writer.write(value, f"the parameter {name}")
            for name, value in parameters.items()
        },
        "attributes": {
            name: writer.write(value, name)
            for name, value in vars(estimator).items()
            if _is_fitted_attribute(name)
        },
    }
    _decode(about, writer.arrays, [type(estimator)])  # or a file could not be read any more
    write_archive(path, about, writer.arrays)


def read_estimator(path: str | os.PathLike[str], kinds: Sequence[type[E]]) -> E:
    """The estimator in a file, which must be of one of these kinds."""
    try:
        return _decode(*read_archive(path), kinds)
    except ArchiveError as error:
        raise EstimatorFileError(
            f"{os.fspath(path)} is no estimator file, or a damaged one ({error}); "
            "rules alone are loaded by RuleSet.load"
        ) from error
    except EstimatorFileError as error:
        raise EstimatorFileError(f"{os.fspath(path)}: {error}") from error


def _decode(about: Mapping[str, Any], arrays: Arrays, kinds: Sequence[type[E]]) -> E:
    _check_version(about)
    kind = _find_kind(about, kinds)
    try:
        estimator: E = kind(**_parameters(about, arrays, kind))
        vars(estimator).update(_attributes(about, arrays, kind))
        _check_parts(estimator)
    except EstimatorFileError:
        raise
    except (  # whatever is wrong in a file is the file's fault
        CrisplogicError,
        ValueError,
        TypeError,
        AttributeError,
        LookupError,
        RecursionError,
        OverflowError,
    ) as error:
        raise EstimatorFileError(f"it is damaged or was changed: {error}"[:1000]) from error
    return estimator


def _check_version(about: Mapping[str, Any]) -> None:
    if about.get("format") != FORMAT:
        raise EstimatorFileError(f"it holds no estimator: it does not say {FORMAT!r}")
    if about.get("version") != VERSION:
        raise EstimatorFileError(
            f"it was written by {_writer(about)} in version {about.get('version')!r:.20} of "
            f"the format; this is crisplogic {metadata.version('crisplogic')}, which reads "
            f"version {VERSION}: load it with the former and save its rules, or fit again"
        )


def _writer(about: Mapping[str, Any]) -> str:
    return f"crisplogic {about.get('crisplogic')!s:.20}"


def _find_kind(about: Mapping[str, Any], kinds: Sequence[type[E]]) -> type[E]:
    name = about.get("estimator")
    for kind in kinds:
        if _kind_of(kind) == name:
            return kind
    known = " or ".join(map(_kind_of, kinds))
    raise EstimatorFileError(
        f"it holds a {name!s:.50}, not a {known}; load_estimator loads whichever there is"
    )


def _kind_of(kind: type) -> str:
    """The name of the class of this package that a class is, or is derived from."""
    package = __name__.partition(".")[0]
    own = (each for each in kind.__mro__ if each.__module__.partition(".")[0] == package)
    return next(own).__name__


def _parameters(about: Mapping[str, Any], arrays: Arrays, kind: type) -> dict[str, Any]:
    entries = about["parameters"]
    unknown = sorted(set(entries) - set(kind._get_param_names()))  # type: ignore[attr-defined]
    if unknown:
        raise EstimatorFileError(
            f"it has parameters that {kind.__name__} does not have: {list_some(unknown)}; it "
            f"was written by {_writer(about)}, this is {metadata.version('crisplogic')}"
        )
    reader = Reader(arrays)
    return {name: reader.read(entry, name=name) for name, entry in entries.items()}


def _attributes(about: Mapping[str, Any], arrays: Arrays, kind: type) -> dict[str, Any]:
    entries = about["attributes"]
    hints = {
        name: hint for name, hint in get_type_hints(kind).items() if _is_fitted_attribute(name)
    }
    wrong = [name for name in entries if not _is_fitted_attribute(name)]
    missing = sorted(set(hints) - set(entries) - OPTIONAL)
    if wrong or missing:
        raise EstimatorFileError(
            f"it needs the attributes {list_some(missing)}, but does not have them; it was "
            f"written by {_writer(about)}"
            if missing
            else f"an estimator has no attribute {wrong[0]!r:.50}"
        )
    reader = Reader(arrays)
    return {
        name: reader.read(entry, hints.get(name, Any), name) for name, entry in entries.items()
    }


def _is_fitted_attribute(name: str) -> bool:
    """Whether scikit-learn takes it for something that a fit has learned."""
    return name.isidentifier() and name.endswith("_") and not name.startswith("_")


# What belongs together must agree: each part may be sound, and yet they may not fit.


def _check_parts(estimator: Any) -> None:
    rules, encoder, network = estimator.rules_, estimator.encoder_, estimator.network_
    columns = len(encoder.features)
    _require(estimator.n_features_in_ == columns, "n_features_in_ and encoder_")
    names = getattr(estimator, "feature_names_in_", None)
    own = names is None or list(map(str, names)) == list(encoder.features)
    _require(own, "feature_names_in_ and encoder_")
    _check_encoder(encoder, columns)
    _require(network.in_features == len(encoder.names), "network_ and encoder_")
    _require(network.out_features == len(rules.rules), "network_ and rules_")
    classes = getattr(estimator, "classes_", None)
    own = classes is None or (classes.ndim == 1 and tuple(classes.tolist()) == rules.labels)
    _require(own, "classes_ and rules_")
    _require(rules.features == encoder.features, "rules_ and encoder_")
    for point in estimator.frontier_:
        same = type(point.rules) is type(rules) and point.rules.labels == rules.labels
        _require(same and point.rules.features == rules.features, "frontier_ and rules_")
    _check_held_out(estimator.frontier_)


def _check_encoder(encoder: FeatureEncoder, columns: int) -> None:
    places = [*encoder.numbers, *encoder.excluded, *encoder.negated]
    places += [indicator.feature for indicator in encoder.indicators]
    _require(all(0 <= place < columns for place in places), "the columns of encoder_")
    for each in (encoder.levels, encoder.ranges):
        _require(len(each) in (0, columns), "the columns of encoder_")
    for level in encoder.indicators:
        if isinstance(level, Level):
            levels = encoder.levels[level.feature]
            known = levels is not None and NO_CODE <= level.code < len(levels)
            _require(known, "the levels of encoder_")


def _check_held_out(frontier: Frontier) -> None:
    held_out, sizes = frontier.held_out, len(frontier)
    if held_out is None:
        return
    drawn = (len(held_out.drawn_losses), sizes)
    shapes = {
        "losses": (sizes,),
        "errors": (sizes,),
        "covariance": (sizes, sizes),
        "drawn_losses": drawn,
        "drawn_errors": drawn,
        "left_out_errors": drawn,
    }
    found = {name: np.shape(getattr(held_out, name)) for name in shapes}
    _require(found == shapes, "the sizes of frontier_")


def _require(agree: bool, what: str) -> None:
    if not agree:
        raise EstimatorFileError(f"it is damaged or was changed: {what} do not agree")
