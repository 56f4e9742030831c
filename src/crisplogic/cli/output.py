"""What the commands print, and where they can write."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
import textwrap
from io import TextIOWrapper
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from crisplogic.cli.tables import Lesson
    from crisplogic.expr import Notation
    from crisplogic.rules import RuleSet


SIZES = "The best rules found at each size (--max-literals chooses):"


def rules_text(
    rules: RuleSet, ascii_: bool = False, numbered: bool = False, width: int | None = None
) -> str:
    """Size, rules and legend, as a person reads them; as wide as the terminal by default."""
    size = rules.measure()
    # Terms of a number stand in the brackets that its scale is multiplied by.
    deepest = 1 if rules.predicts == "number" else 0
    parts = [
        f"Rules: {size.literals} literals, {size.operators} operators, depth {size.depth}.\n"
        f"{_introduction(rules)}",
        indented(_wrapped(rules.to_text(notation(ascii_), numbered), width, deepest)),
    ]
    if legend := rules.legend(numbered):
        parts.append(indented(legend))
    return "\n\n".join(parts)


_LITERALS = (
    "A literal is worth -1 where it is false, 1 where it is true, and something between on the "
    "way, as listed below."
)


def _introduction(rules: RuleSet) -> str:
    """How a prediction comes about."""
    if rules.predicts == "number" and not rules.size:
        return "The same number is predicted for every row."
    predicted = "The class with the greatest score is predicted."
    if rules.predicts == "number":
        predicted = (
            f"A term adds {rules.scale:.15g} to the number where it is true, and takes as much "
            "away where it is false; behind a whole number, it does so that many times."
        )
    return textwrap.fill(f"{predicted} {_LITERALS}", 84)


def lesson_text(lesson: Lesson, width: int | None = None) -> str:
    """All that is to be said of what was learned."""
    sizes = indented(lesson.frontier.to_text(mark=lesson.rules.size))
    rules = rules_text(lesson.rules, width=width)
    return f"{rules}\n\n{SIZES}\n{sizes}\n\n{lesson.report}"


def print_json(document: object) -> None:
    """A document on standard output, whatever else it can show."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    # Half a surrogate pair is no character; only as an escape can it be written.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    file = standard_output()
    file.write(text + "\n")
    file.flush()


def notation(ascii_: bool) -> Notation:
    """The paper's symbols, or ASCII if that is asked for or all that can be shown."""
    from crisplogic.expr import ASCII, PAPER

    try:
        f"{PAPER.not_}{PAPER.xor}".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return ASCII
    return ASCII if ascii_ else PAPER


def _wrapped(text: str, width: int | None, deepest: int) -> str:
    """Long rules broken between their terms, indented behind their equals sign.

    Terms stand inside of ``deepest`` brackets at most.
    """
    width = width or max(60, shutil.get_terminal_size().columns - 4)
    return "\n".join(
        textwrap.fill(
            _glued(line, deepest),
            width,
            subsequent_indent=" " * (line.index(" = ") + 1),
            break_long_words=False,
            break_on_hyphens=False,
        ).replace(_GLUE, " ")
        for line in text.split("\n")
    )


def _glued(line: str, deepest: int) -> str:
    """A line that can be broken before a plus inside of so many brackets, and nowhere else."""
    tokens = _TOKEN.findall(line)
    depths = accumulate((token == "(") - (token == ")") for token in tokens)
    return "".join(
        token
        if token == " " and after == "+" and depth <= deepest
        else token.replace(" ", _GLUE)
        for token, after, depth in zip(tokens, [*tokens[1:], ""], depths, strict=True)
    )


# A quoted name is one token, whatever stands in it; all else is taken apart.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|.', re.DOTALL)
_GLUE = "\0"


def indented(text: str) -> str:
    """The same text, a little to the right."""
    return textwrap.indent(text, "  ")


def standard_output() -> TextIO:
    """Standard output for data: byte for byte what ``--out`` would write."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="")
    return sys.stdout


def check_can_write(out: Path, *inputs: Path) -> None:
    """Find out before a long training that its result could not be written."""
    if out.is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "this is a folder, --out needs the name of a file", str(out)
        )
    if out.is_file() and any(out.samefile(path) for path in inputs):
        raise FileExistsError(errno.EEXIST, "--out would overwrite what is read", str(out))
    if out.exists() and not out.is_file():
        return  # a pipe or a device is written to as it is
    folder = out.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the folder to write to does not exist", str(out.parent)
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "the folder cannot be written to", str(out.parent))
