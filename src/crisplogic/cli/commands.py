"""The commands: read arguments, call the library, print. Nothing is computed here.

Heavy imports stand inside the commands, so that ``crisplogic --help`` answers at once and
``predict`` and ``rules`` never load torch.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crisplogic.cli.output import (
    check_can_write,
    indented,
    print_rules,
    standard_output,
    write_predictions,
)

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
    print_rules(rules)
    typer.echo(f"\n{_SIZES}\n{indented(clf.frontier_.to_text(mark=rules.size))}")
    typer.echo(f"\nWhat snapping did:\n{indented(str(clf.snap_report_))}")
    typer.echo(f"\n{_NEXT_STEPS}")


_SIZES = "The best rules found at each size (--max-literals chooses):"
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
    depth: Annotated[int, typer.Option(min=1, help="Levels of logic.")] = 1,
    width: Annotated[int, typer.Option(min=1, help="Expressions between two levels.")] = 8,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the rows, a phase.")] = 30,
    max_literals: Annotated[
        int, typer.Option(min=1, help="The most literals that all rules together may have.")
    ] = 60,
    plot: Annotated[
        Path | None, typer.Option(help="Where to draw error against size (PNG, SVG or PDF).")
    ] = None,
    seed: SeedOption = 0,
    quiet: QuietOption = False,
) -> None:
    """Learn rules from a table.

    Every column but the target must hold numbers; an empty cell is "unknown".

    \b
    Examples:
      crisplogic fit patients.csv --target diagnosis --out rules.json
      crisplogic fit patients.csv --target diagnosis --drop id --max-literals 12
    """
    from crisplogic.data import check_classes, read_table

    data = read_table(table, target, drop=drop or ())
    assert data.y is not None
    check_classes(data.y, target)
    for target_file in (out, plot):
        if target_file is not None:
            check_can_write(target_file, table)
    if plot is not None:
        from crisplogic.plot import check_can_draw

        check_can_draw(plot)

    from crisplogic.estimators import LogicClassifier  # takes seconds; errors come at once

    clf = LogicClassifier(
        depth=depth,
        width=width,
        epochs=epochs,
        max_literals=max_literals,
        random_state=seed,
        verbose=_shows_progress(quiet),
    ).fit(data.X, data.y)
    rules = replace(clf.rules_, features=data.columns)
    if out is not None:
        rules.save(out)  # before anything is printed: printing may fail
    if plot is not None:
        from crisplogic.plot import save_frontier

        save_frontier(plot, clf.frontier_, rules.size)
    print_rules(rules)
    typer.echo(f"\n{_SIZES}\n{indented(clf.frontier_.to_text(mark=rules.size))}")
    typer.echo(f"\n{clf.snap_report_}")
    if out is not None:
        typer.echo(f"\nwrote the rules to {out}")
    if plot is not None:
        typer.echo(f"\ndrew error against size in {plot}")


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
        write_predictions(rules, data, standard_output())
        return
    check_can_write(out, model, table)
    with atomic_writer(out) as file:
        write_predictions(rules, data, file)
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

    print_rules(RuleSet.load(model), ascii_, numbered)


def _shows_progress(quiet: bool) -> bool:
    return not quiet and sys.stderr.isatty()
