"""What commands print and draw on the terminal, and where they can write."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from io import TextIOWrapper
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

    from crisplogic.cli.training import FitResult
    from crisplogic.expr import Notation
    from crisplogic.rules import AllRows, Frontier, HeldOutErrors, RuleSet


# Rules as text

SIZES = "The best rules found at each size (--max-literals chooses):"


def rules_text(
    rules: RuleSet,
    ascii_: bool = False,
    numbered: bool = False,
    width: int | None = None,
    logic: bool = False,
) -> str:
    """Size, rules, legend and formulas for a person, by default as wide as the terminal.

    Crisp rules are written in words, unless their ``logic`` or numbers are wanted.
    """
    from crisplogic.rules import RegressionRules

    size = rules.measure()
    if rules.crisp and not (logic or numbered):
        words = _wrap_words(rules.describe(), width)
        return f"Rules: {_count(size.literals, 'literal')}.\n\n{indent(words)}"
    # The terms of a number are inside the brackets that its scale is multiplied by.
    depth = 1 if isinstance(rules, RegressionRules) else 0
    written = notation(ascii_)
    parts = [
        f"Rules: {_count(size.literals, 'literal')}, {_count(size.operators, 'operator')}, "
        f"depth {size.depth}.",
        indent(_wrap(rules.to_text(written, numbered), width, depth)),
    ]
    if legend := rules.legend(numbered, written):
        parts.append(indent(legend))
    return "\n\n".join([*parts, rules.formulas(written, numbered)])


def frontier_text(rules: RuleSet, frontier: Frontier, width: int | None = None) -> str:
    """The rules, and error against size."""
    sizes = indent(frontier.to_text(mark=rules.size))
    return f"{rules_text(rules, width=width)}\n\n{SIZES}\n{sizes}"


def result_text(result: FitResult, width: int | None = None, verbose: bool = False) -> str:
    """The rules, error against size and on training rows; if ``verbose``, what snapping did."""
    report, all_rows = result.report, result.all_rows
    on_rows = f"On the {report.rows} training rows, which the rules were made from:"
    if all_rows is not None:
        on_rows = (
            f"On all {all_rows.rows:,} rows, {all_rows.learned:,} of which the rules were made "
            "from:"
        )
    figures = result.performance.to_text(report.network_error)
    # What the frontier says of network and other rules is said below, in more words.
    frontier = replace(result.frontier, network_error=math.nan, other_rules_error=math.nan)
    blocks = [frontier_text(result.rules, frontier, width)]
    if math.isfinite(result.expected_error):
        blocks.append(_errors_text(result.errors, result.rules.crisp, all_rows))
    if result.stability is not None:
        blocks.append(_wrap_words(result.stability.to_text(), width))
    blocks.append(f"{on_rows}\n{indent(figures)}")
    if report.remark is not None:
        blocks.append(_rank_remark(result.rules) or report.remark)
    if verbose:
        blocks.append(f"What snapping did:\n{indent(report.to_text())}")
    return "\n\n".join(blocks)


# What follows an error of rules on held-out rows.
_CORRECTED = "corrected for having chosen their size there"


def _errors_text(errors: HeldOutErrors, crisp: bool, all_rows: AllRows | None = None) -> str:
    """What rules and network reach on held-out rows, those that were learned first.

    >>> from crisplogic.rules import HeldOutErrors
    >>> print(_errors_text(HeldOutErrors(network=0.031, crisp=0.036), crisp=True))
    On new rows, expect these errors, as measured on held-out rows:
      crisp rules   3.6%  (corrected for having chosen their size there)
      network       3.1%
      graded rules  not known; try --compare-literals or --literals graded
    """
    from crisplogic.rules.held_out_errors import NAMES, NOT_KNOWN

    network, *rules = errors.lines
    own, other = rules if crisp else rules[::-1]
    options = f"--compare-literals or --literals {'graded' if crisp else 'crisp'}"
    known = other[1] != NOT_KNOWN
    of_own = _CORRECTED
    if all_rows is not None:
        of_own = f"on {all_rows.rows - all_rows.learned:,} rows that were not learned from"
    remarks = [f"  ({of_own})", "", f"  ({_CORRECTED})" if known else f"; try {options}"]
    lines = [
        f"  {name:<12}  {error}{remark}"
        for (name, error), remark in zip([own, network, other], remarks, strict=True)
    ]
    head = f"On new rows, expect these {NAMES[errors.predicts]}s, as measured on held-out rows:"
    return "\n".join([head, *lines])


def _count(number: int, noun: str) -> str:
    """A number of things.

    >>> _count(1, "literal"), _count(0, "operator")
    ('1 literal', '0 operators')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _rank_remark(rules: RuleSet) -> str | None:
    """What to do if rules tell rows apart, but not so far that another class is predicted."""
    from crisplogic.rules import ClassificationRules

    if not rules.size or not isinstance(rules, ClassificationRules):
        return None
    options = ["--balanced"]
    if len(rules.labels) == 2:
        options = ["--decision-threshold prevalence", "--cost", *options]
    return textwrap.fill(
        "The rules predict one class only, as no other is ever likelier. But they tell where "
        f"others are likelier than elsewhere. To predict these, try {' or '.join(options)}.",
        84,
    )


def notation(ascii_: bool) -> Notation:
    """The paper's symbols, or ASCII if requested or if the output can show nothing else."""
    from crisplogic.expr import ASCII, PAPER

    try:
        f"{PAPER.not_}{PAPER.xor}".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return ASCII
    return ASCII if ascii_ else PAPER


def indent(text: str) -> str:
    """Indent every line by two spaces."""
    return textwrap.indent(text, "  ")


# A quoted name is one token, whatever it contains; every other character is one.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|.', re.DOTALL)
_GLUE = "\0"


def _width(width: int | None) -> int:
    return width or max(60, shutil.get_terminal_size().columns - 4)


def _wrap(text: str, width: int | None, depth: int) -> str:
    """Break long rules between terms, which are inside at most ``depth`` brackets."""
    width = _width(width)
    return "\n".join(
        textwrap.fill(
            _glue(line, depth),
            width,
            subsequent_indent=" " * (line.index(" = ") + 1),
            break_long_words=False,
            break_on_hyphens=False,
        ).replace(_GLUE, " ")
        for line in text.split("\n")
    )


# How a line of words begins: "  - ", "  -  2 points: ", "+0.5  ", " 1 -2  ", "  7 of 20  ".
_START = r" *(?:- (?: *\d+ points?: +)?|\+\S+ +|\d+ of \d+ +|(?:[-+.\d]+ +)+)?"


def _wrap_words(text: str, width: int | None) -> str:
    """Break long lines of words; what follows stands below what the line begins with."""
    width = _width(width)
    lines = []
    for line in text.split("\n"):
        start = re.match(_START, line)
        assert start is not None  # which may be empty
        lines.append(
            textwrap.fill(
                line,
                width,
                subsequent_indent=" " * start.end(),
                break_long_words=False,
                break_on_hyphens=False,
            )
        )
    return "\n".join(lines)


def _glue(line: str, depth: int) -> str:
    """Keep only the spaces before a plus inside at most ``depth`` brackets."""
    tokens = _TOKEN.findall(line)
    depths = accumulate((token == "(") - (token == ")") for token in tokens)
    return "".join(
        token if token == " " and after == "+" and at <= depth else token.replace(" ", _GLUE)
        for token, after, at in zip(tokens, [*tokens[1:], ""], depths, strict=True)
    )


# Standard output and files


def print_json(document: object) -> None:
    """Print a document, whatever characters standard output can show otherwise."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    # Half a surrogate pair is no character; it can only be written as an escape.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    file = standard_output()
    file.write(text + "\n")
    file.flush()


def standard_output() -> TextIO:
    """Standard output for data: byte for byte what ``--out`` would write."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="")
    return sys.stdout


def check_can_write(out: Path, *inputs: Path) -> None:
    """Find out before a long training that its result could not be written."""
    if out.is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "this is a folder, not the name of a file", str(out)
        )
    if out.is_file() and any(path.exists() and out.samefile(path) for path in inputs):
        raise FileExistsError(errno.EEXIST, "this would overwrite an input", str(out))
    if out.exists() and not out.is_file():
        return  # a pipe or a device is written to directly
    folder = out.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the folder to write to does not exist", str(out.parent)
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "the folder cannot be written to", str(out.parent))


# Progress on standard error

DELAY = 1.0  # seconds before a progress bar is drawn


def shows_progress(quiet: bool) -> bool:
    """Whether to show progress: not if ``quiet``, and only on a terminal."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def progress_bar(description: str, quiet: bool) -> Iterator[Callable[[float], None]]:
    """A function to call with the share that is done, from 0 to 1.

    >>> with progress_bar("reading", quiet=True) as on_progress:
    ...     on_progress(0.5)
    """
    start = time.monotonic()
    bar: Progress | None = None

    with ExitStack() as stack:

        def update(share: float) -> None:
            nonlocal bar
            if bar is None and time.monotonic() - start > DELAY:
                bar = stack.enter_context(_make_bar(description))
            if bar is not None:
                bar.update(bar.task_ids[0], completed=share)

        yield update if shows_progress(quiet) else lambda _: None


def _make_bar(description: str) -> Progress:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("time left"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(escape(description), total=1.0)
    return bar
