"""Models on disk: a rule file, or a folder with the rules of all sizes beside it."""

from __future__ import annotations

import errno
import math
import os
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crisplogic.cli.output import check_can_write, frontier_text, result_text
from crisplogic.errors import RuleFileError
from crisplogic.files import atomic_writer, read_text
from crisplogic.folders import atomic_folder, recover_folder
from crisplogic.messages import list_some
from crisplogic.rules import Frontier, RuleSet
from crisplogic.rules.serialize_frontier import (
    frontier_json,
    parse_frontier,
    rules_document,
)

if TYPE_CHECKING:
    from crisplogic.cli.training import FitResult

RULES, FRONTIER, REPORT = "rules.json", "frontier.json", "report.txt"


# Writing


def is_folder(out: str) -> bool:
    """Whether a model goes to a folder: one that exists, or a name that looks like one.

    >>> is_folder("model.v2/"), is_folder("model"), is_folder("model.json")
    (True, True, False)
    """
    path = Path(out)
    return path.is_dir() or out.endswith(("/", os.sep)) or not (path.suffix or path.exists())


class Origin(NamedTuple):
    """What rules are about: it tells a model that is learned again from another one."""

    predicts: str
    labels: frozenset[str]
    columns: frozenset[str]

    @classmethod
    def of(cls, predicts: str, labels: Iterable[object], columns: Iterable[str]) -> Origin:
        """The task, the classes or the name of the number, and the columns."""
        return cls(predicts, frozenset(map(str, labels)), frozenset(columns))

    def __str__(self) -> str:
        return f"{self.predicts} {list_some(sorted(self.labels), 4)}"


def check_can_save(out: str, *inputs: Path, origin: Origin, force: bool) -> None:
    """Find out before a long training that a model could not be written.

    Without ``force``, the model of another table or target is not overwritten. Columns may be
    added or left out.
    """
    path = Path(out)
    if not is_folder(out):
        check_can_write(path, *inputs)
    else:
        recover_folder(path)
        _check_folder(path, *inputs)
    if not force:
        _check_origin(out, origin)


def _check_folder(path: Path, *inputs: Path) -> None:
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "this is a file, not a folder", str(path))
    others = sorted(set(os.listdir(path)) - {RULES, FRONTIER, REPORT}) if path.exists() else []
    if others:
        raise FileExistsError(
            errno.EEXIST, f"this is a folder with other files in it ({others[0]})", str(path)
        )
    check_can_write(path.resolve().parent / f".{path.name}.test", *inputs)


def _check_origin(out: str, new: Origin) -> None:
    """Refuse to overwrite what is no model, or one of another table or target."""
    file = Path(out, RULES) if is_folder(out) else Path(out)
    if not file.is_file() or not file.stat().st_size:
        return
    advice = "write to another name, or overwrite it with --force"
    try:
        rules = RuleSet.load(file)
    except RuleFileError as error:
        raise FileExistsError(errno.EEXIST, f"this is no rule file; {advice}", out) from error
    old = Origin.of(rules.predicts, rules.labels, rules.features)
    if (old.predicts, old.labels) != (new.predicts, new.labels):
        problem = f"it holds rules that predict {old}, not {new}"
    elif not (old.columns <= new.columns or new.columns <= old.columns):
        names = list_some(sorted(old.columns - new.columns), 4)
        problem = f"it holds rules of another table, with {names} among its columns"
    else:
        return
    raise FileExistsError(errno.EEXIST, f"{problem}; {advice}", out)


def save(out: str, result: FitResult) -> None:
    """Write a model, completely or not at all."""
    _save(out, result.rules, result.frontier, result_text(result, width=92))


def choose_size(out: str, model: Path, frontier: Frontier, rules: RuleSet, force: bool) -> None:
    """Write rules of another size. A folder is a whole model, with the sizes and a report.

    The rule file inside a folder stands for the folder, whose report would be stale otherwise.
    """
    if Path(out).name == RULES and Path(out).with_name(FRONTIER).exists():
        out = str(Path(out).parent)
    origin = Origin.of(rules.predicts, rules.labels, rules.features)
    check_can_save(out, *model_files(model), origin=origin, force=force)
    # What was expected are errors of the rules that the fit chose.
    frontier = replace(frontier, expected=math.nan)
    _save(out, rules, frontier, frontier_text(rules, frontier, width=92))


def _save(out: str, rules: RuleSet, frontier: Frontier, report: str) -> None:
    if not is_folder(out):
        rules.save(out)
        return
    with atomic_folder(out) as folder:
        rules.save(folder / RULES)
        _write(folder / FRONTIER, frontier_json(frontier, rules.size))
        _write(folder / REPORT, report + "\n")


def _write(path: Path, text: str) -> None:
    with atomic_writer(path) as file:
        file.write(text)


def rules_summary(rules: RuleSet) -> dict[str, Any]:
    """Size, text and document of rules, for the commands that print JSON."""
    return {
        "literals": rules.size,
        "text": rules.to_text(),
        "description": rules.describe(),
        "rules": rules_document(rules),
    }


# Reading


def is_estimator(path: Path) -> bool:
    """Whether a file is an archive, as those of estimators are."""
    return path.is_file() and zipfile.is_zipfile(path)


def load_rules(path: Path) -> RuleSet:
    """The rules of a model, which is a rule file, a folder or the file of an estimator."""
    recover_folder(path)
    if path.is_dir():
        return RuleSet.load(_file_in(path, RULES))
    if not is_estimator(path):
        return RuleSet.load(path)
    from crisplogic.estimators import load_estimator

    rules: RuleSet = load_estimator(path).rules_
    return rules


def load_frontier(path: Path) -> tuple[Frontier, int]:
    """The rules of all sizes of a model, and the size that was selected."""
    recover_folder(path)
    file = _file_in(path, FRONTIER) if path.is_dir() else path
    try:
        return parse_frontier(read_text(file))
    except (RuleFileError, UnicodeDecodeError) as error:
        raise RuleFileError(
            f"{file} does not hold rules of several sizes: {error}; "
            "use a folder that 'fit --out model/' wrote"
        ) from error


def model_files(path: Path) -> list[Path]:
    """The files of a model."""
    return [path / name for name in (RULES, FRONTIER, REPORT)] if path.is_dir() else [path]


def _file_in(folder: Path, name: str) -> Path:
    file = folder / name
    if not file.exists():
        raise FileNotFoundError(
            errno.ENOENT, f"this folder has no {name}, so it is no model", str(folder)
        )
    return file
