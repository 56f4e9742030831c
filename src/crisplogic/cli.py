"""The command line: read arguments, call the library, print. Nothing is computed here.

Heavy imports stand inside the commands, so that ``crisplogic --help`` answers at once and
``predict`` and ``rules`` never load torch.
"""

from __future__ import annotations

import csv
import errno
import os
import re
import shutil
import sys
import textwrap
from dataclasses import replace
from io import TextIOWrapper
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from crisplogic.errors import CrisplogicError

if TYPE_CHECKING:
    from crisplogic.data import Table
    from crisplogic.expr import Notation
    from crisplogic.rules import RuleSet

app = typer.Typer(
    name="crisplogic",
    help="Learn small logic rules from tables, and use them.",
    epilog="Start with: crisplogic demo",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

ModelArgument = Annotated[Path, typer.Argument(help="A rule file that 'fit --out' wrote.")]
SeedOption = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="The seed of every random draw.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="No progress bar.")]

# What typer raises about arguments: a class without a name that all its versions share.
_UsageError: Any = typer.BadParameter.__bases__[0]

INTERRUPTED = 130


def main() -> None:
    """Run the command line: every error is one message and exit code 2."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A name that standard output cannot show is no reason to fail.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        # Typer itself is quiet about broken pipes (exit code 1) and returns 130 for Ctrl-C.
        code = app(prog_name=app.info.name, standalone_mode=False)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except _UsageError as error:
        command = error.ctx.command_path if error.ctx else app.info.name
        code = _failed(f"{error.format_message().rstrip('.')}; try '{command} --help'")
    except (CrisplogicError, OSError, ValueError, ArithmeticError, MemoryError) as error:
        code = _failed(_said(error))
    except RuntimeError as error:  # torch's, which adds the frames of its C++ code
        code = _failed(str(error).partition("\n")[0])
    if code == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    sys.exit(code)


def _failed(problem: str) -> int:
    print(f"error: {problem}", file=sys.stderr)
    return 2


def _said(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _version(asked: bool) -> None:
    if asked:
        from crisplogic import __version__

        typer.echo(f"crisplogic {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def demo(seed: SeedOption = 0, quiet: QuietOption = False) -> None:
    """Learn rules from a bundled table and show them.

    \b
    Example:
      crisplogic demo
    """
    from sklearn.model_selection import train_test_split

    from crisplogic.datasets import load_breast_cancer_wisconsin
    from crisplogic.estimators import LogicClassifier

    data = load_breast_cancer_wisconsin()
    X, X_new, y, y_new = train_test_split(
        data.X, data.y, test_size=0.3, stratify=data.y, random_state=seed
    )
    clf = LogicClassifier(random_state=seed, verbose=_shows_progress(quiet)).fit(X, y)
    rules = replace(clf.rules_, features=data.feature_names)
    by_rules = clf.score(X_new, y_new)
    by_network = clf.set_params(predict_with="network").score(X_new, y_new)

    typer.echo(f"{data.name}: learned from {len(y)} rows, tested on {len(y_new)} others\n")
    typer.echo(f"accuracy of the rules    {by_rules:.1%}")
    typer.echo(f"accuracy of the network  {by_network:.1%}\n")
    _print_rules(rules)
    typer.echo(f"\nWhat snapping did:\n{_indented(str(clf.snap_report_))}")
    typer.echo(f"\n{_NEXT_STEPS}")


_NEXT_STEPS = """Try next, with a CSV file of your own:
  crisplogic fit data.csv --target COLUMN --out rules.json
  crisplogic predict rules.json new.csv --out predictions.csv
  crisplogic rules rules.json"""


@app.command()
def fit(
    table: Annotated[Path, typer.Argument(help="A CSV file with a header line.")],
    target: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column that holds the class.")
    ],
    out: Annotated[Path | None, typer.Option(help="Where to write the rules (JSON).")] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to leave out; may be repeated."),
    ] = None,
    depth: Annotated[int, typer.Option(min=1, max=16, help="Levels of logic.")] = 1,
    width: Annotated[
        int, typer.Option(min=1, max=1000, help="Expressions between two levels.")
    ] = 8,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the rows, a phase.")] = 60,
    term_price: Annotated[
        float, typer.Option(min=0.0, help="Price of a term: more gives smaller rules.")
    ] = 0.002,
    seed: SeedOption = 0,
    quiet: QuietOption = False,
) -> None:
    """Learn rules from a table.

    Every column but the target must hold numbers; an empty cell is "unknown".

    \b
    Examples:
      crisplogic fit patients.csv --target diagnosis --out rules.json
      crisplogic fit patients.csv --target diagnosis --drop id --term-price 0.01
    """
    from crisplogic.data import check_classes, read_table

    data = read_table(table, target, drop=drop or ())
    assert data.y is not None
    check_classes(data.y, target)
    if out is not None:
        _check_can_write(out, table)

    from crisplogic.estimators import LogicClassifier  # takes seconds; errors come at once

    clf = LogicClassifier(
        depth=depth,
        width=width,
        epochs=epochs,
        term_price=term_price,
        random_state=seed,
        verbose=_shows_progress(quiet),
    ).fit(data.X, data.y)
    rules = replace(clf.rules_, features=data.columns)
    if out is not None:
        rules.save(out)  # before anything is printed: printing may fail
    _print_rules(rules)
    typer.echo(f"\n{clf.snap_report_}")
    if out is not None:
        typer.echo(f"\nwrote the rules to {out}")


@app.command()
def predict(
    model: ModelArgument,
    table: Annotated[Path, typer.Argument(help="A CSV file with the columns of the rules.")],
    out: Annotated[
        Path | None, typer.Option(help="Where to write; standard output if left out.")
    ] = None,
) -> None:
    """Predict the class of every row of a table.

    Writes a CSV with the predicted class and the probability of every class, a line a row.

    \b
    Examples:
      crisplogic predict rules.json new.csv --out predictions.csv
      crisplogic predict rules.json new.csv | head
    """
    from crisplogic.data import read_table
    from crisplogic.files import atomic_writer
    from crisplogic.rules import RuleSet

    rules = RuleSet.load(model)
    data = read_table(table, columns=rules.features)
    if out is None:
        _write_predictions(rules, data, _standard_output())
        return
    _check_can_write(out, model, table)
    with atomic_writer(out) as file:
        _write_predictions(rules, data, file)
    typer.echo(f"wrote {len(data.X)} predictions to {out}")


@app.command()
def rules(
    model: ModelArgument,
    ascii_: Annotated[
        bool, typer.Option("--ascii", help="~ and ^ instead of the paper's symbols.")
    ] = False,
    numbered: Annotated[
        bool, typer.Option("--numbered", help="Numbers for names, as in the paper.")
    ] = False,
) -> None:
    """Print the rules in a rule file.

    \b
    Example:
      crisplogic rules rules.json --ascii
    """
    from crisplogic.rules import RuleSet

    _print_rules(RuleSet.load(model), ascii_, numbered)


def _print_rules(rules: RuleSet, ascii_: bool = False, numbered: bool = False) -> None:
    size = rules.measured
    typer.echo(
        f"Rules: {size.literals} literals, {size.operators} operators, depth {size.depth}.\n"
        "The class with the greatest score is predicted; a name stands for how far\n"
        "that column is high, from -1 (false) to 1 (true).\n"
    )
    typer.echo(_indented(_wrapped(rules.to_text(_notation(ascii_), numbered))))
    if legend := rules.legend():
        typer.echo(f"\n{_indented(legend)}")


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


def _indented(text: str) -> str:
    return textwrap.indent(text, "  ")


def _write_predictions(rules: RuleSet, data: Table, file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["prediction", *(f"P({label})" for label in rules.labels)])
    probabilities = rules.predict_proba(data.X)
    # The class of the greatest score, which is that of the greatest probability.
    winners = rules.predict(data.X)
    for winner, row in zip(winners, probabilities, strict=True):
        writer.writerow([winner, *(f"{probability:.6g}" for probability in row)])
    file.flush()  # here and not at exit, where an error would be too late to report


def _standard_output() -> TextIO:
    """Standard output for data: byte for byte what ``--out`` would write."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="")
    return sys.stdout


def _check_can_write(out: Path, *inputs: Path) -> None:
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


def _shows_progress(quiet: bool) -> bool:
    return not quiet and sys.stderr.isatty()
