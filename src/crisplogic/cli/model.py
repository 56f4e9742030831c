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

from crisplogic.cli.output import check_can_write, lesson_text
from crisplogic.errors import RuleFileError
from crisplogic.rules import Frontier, RuleSet
from crisplogic.rules.frontier import Point
from crisplogic.rules.serialize import each, get

if TYPE_CHECKING:
    from crisplogic.cli.tables import Lesson

RULES, FRONTIER, REPORT = "rules.json", "frontier.json", "report.txt"
FORMAT, VERSION = "crisplogic.frontier", 1
_FIGURES = ("error", "held_out_error", "held_out_loss", "standard_error")


# Writing


def is_folder(out: str) -> bool:
    """Whether a model goes to a folder: one that is there, or a name that looks like one.

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
    strange = sorted(set(os.listdir(path)) - {RULES, FRONTIER, REPORT}) if path.exists() else []
    if strange:
        raise FileExistsError(
            errno.EEXIST, f"this is a folder with other files in it ({strange[0]})", out
        )
    check_can_write(path.resolve().parent / f".{path.name}.test", *inputs)


def save(out: str, lesson: Lesson) -> None:
    """Write a model, completely or not at all."""
    if not is_folder(out):
        lesson.rules.save(out)
        return
    path = Path(out).resolve()
    temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:50]}."))
    try:
        fresh = temporary / "new"
        fresh.mkdir()  # with the mode of an ordinary folder, unlike the temporary one
        lesson.rules.save(fresh / RULES)
        written = frontier_json(lesson.frontier, lesson.rules.size)
        (fresh / FRONTIER).write_text(written, encoding="utf-8", newline="\n")
        report = lesson_text(lesson, width=92) + "\n"
        (fresh / REPORT).write_text(report, encoding="utf-8", newline="\n")
        _put(fresh, path, temporary / "old")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _put(fresh: Path, path: Path, aside: Path) -> None:
    """Rename a folder; what stood there comes back if that fails."""
    if not path.exists():
        os.rename(fresh, path)
        return
    os.rename(path, aside)
    try:
        os.rename(fresh, path)
    except BaseException:
        os.rename(aside, path)
        raise


def frontier_json(frontier: Frontier, chosen: int) -> str:
    """Rules of all sizes as JSON text; ``chosen`` is the size that was."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "chosen": chosen,
        "points": frontier_entries(frontier),
    }
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def frontier_entries(frontier: Frontier, with_rules: bool = True) -> list[dict[str, Any]]:
    """An entry a size: what is known of its rules, and the rules themselves."""
    return [
        {
            "literals": point.size,
            **{name: _finite(getattr(point, name)) for name in _FIGURES},
            **({"rules": rules_entry(point.rules)} if with_rules else {}),
        }
        for point in frontier
    ]


def rules_entry(rules: RuleSet) -> Any:
    """Rules as JSON knows them."""
    return json.loads(rules.to_json())


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


# Reading


def load_rules(path: Path) -> RuleSet:
    """The rules of a model, be it a file or a folder."""
    return RuleSet.load(_inside(path, RULES) if path.is_dir() else path)


def load_frontier(path: Path) -> tuple[Frontier, int]:
    """The rules of all sizes of a model, and the size that was chosen."""
    file = _inside(path, FRONTIER) if path.is_dir() else path
    try:
        return _read(file.read_text(encoding="utf-8-sig"))
    except (RuleFileError, UnicodeDecodeError) as error:
        raise RuleFileError(
            f"{file} holds no rules of several sizes: {error}; "
            "a folder that 'fit --out model/' wrote is needed"
        ) from error


def _inside(folder: Path, name: str) -> Path:
    file = folder / name
    if not file.exists():
        raise FileNotFoundError(
            errno.ENOENT, f"this is a folder without {name}, so it is no model", str(folder)
        )
    return file


def _read(text: str) -> tuple[Frontier, int]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RuleFileError(f"it is not JSON ({error})") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise RuleFileError(f'it does not say "format": "{FORMAT}"')
    if get(document, "version", int) != VERSION:
        raise RuleFileError(f"this crisplogic reads version {VERSION}")
    points = tuple(_point(entry) for entry in each(document, "points", dict))
    if not points:
        raise RuleFileError('"points" must not be empty')
    return Frontier(points), get(document, "chosen", int)


def _point(entry: dict[str, Any]) -> Point:
    rules = RuleSet.from_json(json.dumps(get(entry, "rules", dict)))
    figures = (entry.get(name) for name in _FIGURES)
    return Point(rules, *(_figure(value) for value in figures))


def _figure(value: object) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (plain and abs(value) <= 1e300):  # type: ignore[arg-type]
        raise RuleFileError(f"an error must be a number or null, got {value!r:.50}")
    return math.nan if value is None else float(value)  # type: ignore[arg-type]
