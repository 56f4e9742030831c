"""Models on disk: a rule file, or a folder with the rules of all sizes beside it."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crisplogic.cli.output import check_can_write, result_text
from crisplogic.errors import RuleFileError
from crisplogic.rules import Frontier, RuleSet
from crisplogic.rules.frontier import Point
from crisplogic.rules.serialize import each, get

if TYPE_CHECKING:
    from crisplogic.cli.training import FitResult

RULES, FRONTIER, REPORT = "rules.json", "frontier.json", "report.txt"
FORMAT, VERSION = "crisplogic.frontier", 1
_FIGURES = ("error", "held_out_error", "held_out_loss", "standard_error")


# Writing


def is_folder(out: str) -> bool:
    """Whether a model goes to a folder: one that exists, or a name that looks like one.

    >>> is_folder("model.v2/"), is_folder("model"), is_folder("model.json")
    (True, True, False)
    """
    path = Path(out)
    return path.is_dir() or out.endswith(("/", os.sep)) or not (path.suffix or path.exists())


def check_can_save(out: str, *inputs: Path) -> None:
    """Find out before a long training that a model could not be written."""
    path = Path(out)
    if not is_folder(out):
        check_can_write(path, *inputs)
        return
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "this is a file, not a folder", out)
    others = sorted(set(os.listdir(path)) - {RULES, FRONTIER, REPORT}) if path.exists() else []
    if others:
        raise FileExistsError(
            errno.EEXIST, f"this is a folder with other files in it ({others[0]})", out
        )
    check_can_write(path.resolve().parent / f".{path.name}.test", *inputs)


def save(out: str, result: FitResult) -> None:
    """Write a model, completely or not at all."""
    if not is_folder(out):
        result.rules.save(out)
        return
    path = Path(out).resolve()
    temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:50]}."))
    try:
        folder = temporary / "new"
        folder.mkdir()  # with the mode of an ordinary folder, unlike the temporary one
        result.rules.save(folder / RULES)
        _write(folder / FRONTIER, frontier_json(result.frontier, result.rules.size))
        _write(folder / REPORT, result_text(result, width=92) + "\n")
        _replace(path, folder, backup=temporary / "old")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _replace(path: Path, folder: Path, backup: Path) -> None:
    """Move a folder to its place; if that fails, the old one comes back."""
    if not path.exists():
        os.rename(folder, path)
        return
    os.rename(path, backup)
    try:
        os.rename(folder, path)
    except BaseException:
        os.rename(backup, path)
        raise


def frontier_json(frontier: Frontier, selected: int) -> str:
    """Rules of all sizes as JSON text; ``selected`` is the size of the model's rules."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "chosen": selected,
        **({} if frontier.loss is None else {"loss": frontier.loss}),
        "points": frontier_entries(frontier),
    }
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def frontier_entries(frontier: Frontier, with_rules: bool = True) -> list[dict[str, Any]]:
    """One entry per size: its errors and, if asked for, the rules."""
    return [
        {
            "literals": point.size,
            **{name: _finite(getattr(point, name)) for name in _FIGURES},
            **({"rules": rules_document(point.rules)} if with_rules else {}),
        }
        for point in frontier
    ]


def rules_summary(rules: RuleSet) -> dict[str, Any]:
    """Size, text and document of rules, for the commands that print JSON."""
    return {
        "literals": rules.size,
        "text": rules.to_text(),
        "rules": rules_document(rules),
    }


def rules_document(rules: RuleSet) -> Any:
    """Rules as the content of a rule file."""
    return json.loads(rules.to_json())


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


# Reading


def load_rules(path: Path) -> RuleSet:
    """The rules of a model, which is a file or a folder."""
    return RuleSet.load(_file_in(path, RULES) if path.is_dir() else path)


def load_frontier(path: Path) -> tuple[Frontier, int]:
    """The rules of all sizes of a model, and the size that was selected."""
    file = _file_in(path, FRONTIER) if path.is_dir() else path
    try:
        return _parse_frontier(file.read_text(encoding="utf-8-sig"))
    except (RuleFileError, UnicodeDecodeError) as error:
        raise RuleFileError(
            f"{file} does not hold rules of several sizes: {error}; "
            "use a folder that 'fit --out model/' wrote"
        ) from error


def _file_in(folder: Path, name: str) -> Path:
    file = folder / name
    if not file.exists():
        raise FileNotFoundError(
            errno.ENOENT, f"this folder has no {name}, so it is no model", str(folder)
        )
    return file


def _parse_frontier(text: str) -> tuple[Frontier, int]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RuleFileError(f"it is not JSON ({error})") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise RuleFileError(f'it does not say "format": "{FORMAT}"')
    if get(document, "version", int) != VERSION:
        raise RuleFileError(f"this crisplogic reads version {VERSION}")
    points = tuple(_parse_point(entry) for entry in each(document, "points", dict))
    if not points:
        raise RuleFileError('"points" must not be empty')
    loss = get(document, "loss", str) if "loss" in document else None
    return Frontier(points, loss=loss), get(document, "chosen", int)


def _parse_point(entry: dict[str, Any]) -> Point:
    rules = RuleSet.from_json(json.dumps(get(entry, "rules", dict)))
    return Point(rules, *(_parse_figure(entry.get(name)) for name in _FIGURES))


def _parse_figure(value: object) -> float:
    """An error, which is a finite number, or null where it is not known."""
    if value is None:
        return math.nan
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e300:
        return float(value)
    raise RuleFileError(f"an error must be a number or null, got {value!r:.50}")
