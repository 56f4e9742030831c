"""What the commands write: rules on a terminal, predictions into a file."""

from __future__ import annotations

import csv
import errno
import os
import re
import shutil
import sys
import textwrap
from io import TextIOWrapper
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

if TYPE_CHECKING:
    from crisplogic.data import Table
    from crisplogic.expr import Notation
    from crisplogic.rules import RuleSet


def print_rules(rules: RuleSet, ascii_: bool = False, numbered: bool = False) -> None:
    """Size, rules and legend, as a person reads them."""
    size = rules.measured
    typer.echo(
        f"Rules: {size.literals} literals, {size.operators} operators, depth {size.depth}.\n"
        "The class with the greatest score is predicted. A literal is worth -1 where it is\n"
        "false, 1 where it is true, and something between on the way, as listed below.\n"
    )
    typer.echo(indented(_wrapped(rules.to_text(_notation(ascii_), numbered))))
    if legend := rules.legend(numbered):
        typer.echo(f"\n{indented(legend)}")


def _notation(ascii_: bool) -> Notation:
    """The paper's symbols, or ASCII if that is asked for or all that can be shown."""
    from crisplogic.expr import ASCII, PAPER

    try:
        f"{PAPER.not_}{PAPER.xor}".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return ASCII
    return ASCII if ascii_ else PAPER


def _wrapped(text: str) -> str:
    """Long rules broken between their terms, indented behind their equals sign."""
    width = max(60, shutil.get_terminal_size().columns - 4)
    return "\n".join(
        textwrap.fill(
            _glued(line),
            width,
            subsequent_indent=" " * (line.index(" = ") + 1),
            break_long_words=False,
            break_on_hyphens=False,
        ).replace(_GLUE, " ")
        for line in text.split("\n")
    )


def _glued(line: str) -> str:
    """A line that can be broken before a plus outside of brackets, and nowhere else."""
    tokens = _TOKEN.findall(line)
    depths = accumulate((token == "(") - (token == ")") for token in tokens)
    return "".join(
        token if token == " " and after == "+" and depth == 0 else token.replace(" ", _GLUE)
        for token, after, depth in zip(tokens, [*tokens[1:], ""], depths, strict=True)
    )


# A quoted name is one token, whatever stands in it; all else is taken apart.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|.', re.DOTALL)
_GLUE = "\0"


def indented(text: str) -> str:
    """The same text, a little to the right."""
    return textwrap.indent(text, "  ")


def write_predictions(rules: RuleSet, data: Table, file: TextIO) -> None:
    """One CSV line a row: the predicted class and the probability of every class."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["prediction", *(f"P({label})" for label in rules.labels)])
    labels, scores = rules.labels, rules.scores(data.X)
    for winner, row in zip(scores.argmax(axis=1), rules.probabilities(scores), strict=True):
        writer.writerow([labels[winner], *(f"{share:.6g}" for share in row)])
    file.flush()  # here and not at exit, where an error would be too late to report


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
