"""``crisplogic demo``: what to expect, in seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import JsonOption, QuietOption, SeedOption
from crisplogic.cli.output import (
    SIZES,
    check_can_write,
    indent,
    print_json,
    rules_text,
    shows_progress,
)

if TYPE_CHECKING:
    from crisplogic.estimators import LogicClassifier

_NEXT_STEPS = """Try next, with a table of your own:
  crisplogic fit data.csv --target COLUMN --out model/
  crisplogic evaluate data.csv --target COLUMN
  crisplogic predict model/ new.csv --out predictions.csv
  crisplogic explain model/ new.csv --row 1
  crisplogic report model/ --data data.csv --out report.html"""


@app.command()
def demo(
    seed: SeedOption = 0,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a page to look at to this file [a temporary file]."
        ),
    ] = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Learn rules from a bundled table, print them, and write a page to look at.

    \b
    Examples:
      crisplogic demo
      crisplogic demo --report demo.html
    """
    if report is not None:
        from crisplogic.report import check_can_report

        check_can_report()
        check_can_write(report)

    import numpy as np
    from sklearn.model_selection import train_test_split

    from crisplogic.datasets import load_breast_cancer_wisconsin
    from crisplogic.estimators import LogicClassifier
    from crisplogic.rules.metrics import majority_error

    data = load_breast_cancer_wisconsin()
    X_train, X_test, y_train, y_test = train_test_split(
        data.X, data.y, test_size=0.3, stratify=data.y, random_state=seed
    )
    clf = LogicClassifier(random_state=seed, verbose=shows_progress(quiet or json))
    clf.fit(X_train, y_train)
    names = tuple(name.replace("_", " ") for name in data.feature_names)
    rules = replace(clf.rules_, features=names)
    accuracy = clf.score(X_test, y_test)
    network_accuracy = clf.set_params(predict_with="network").score(X_test, y_test)

    if report is not None:
        _write_report(clf, names, X_test, y_test, report)

    baseline = 1 - majority_error(np.unique(y_test, return_inverse=True)[1])

    if json:
        accuracies = {
            "accuracy": accuracy,
            "network_accuracy": network_accuracy,
            "accuracy_of_guessing": baseline,
        }
        texts = {"text": rules.to_text(), "description": rules.describe(notes=False)}
        print_json({**accuracies, "literals": rules.size, **texts})
        return
    typer.echo(
        f"{data.name}: learned from {len(y_train)} rows, tested on {len(y_test)} others\n"
    )
    typer.echo(f"accuracy of the rules    {accuracy:.1%}")
    typer.echo(f"accuracy of the network  {network_accuracy:.1%}")
    typer.echo(f"always the most frequent {baseline:.1%}\n")
    typer.echo(rules.describe(notes=False) if quiet else rules_text(rules))
    if quiet:
        return
    typer.echo(f"\n{SIZES}\n{indent(clf.frontier_.to_text(mark=rules.size))}")
    if report is None:
        report = _temporary_report()
        if report is not None:
            _write_report(clf, names, X_test, y_test, report)
    if report is not None:
        typer.echo(f"\nOpen this page in a browser to see and try the rules:\n  {report}")
    typer.echo(f"\n{_NEXT_STEPS}")


def _temporary_report() -> Path | None:
    """A new file in a new folder, so that nothing is overwritten; None without the extra."""
    import tempfile
    from importlib.util import find_spec

    if find_spec("jinja2") is None:
        return None
    return Path(tempfile.mkdtemp(prefix="crisplogic-"), "report.html")


def _write_report(
    clf: LogicClassifier, names: tuple[str, ...], X: Any, y: Any, path: Path
) -> None:
    """A page about the rules of every size on rows that they were not learned from."""
    from crisplogic.report import summarize, write_report

    summary = summarize(
        replace(clf.rules_, features=names),
        X,
        y,
        frontier=clf.frontier_.map_rules(lambda rules: replace(rules, features=names)),
        compared=clf.held_out_errors_,
        expected_error=clf.expected_error_,
        title="Is a breast tumour malignant?",
        made=[("rows of this report", "kept from learning")],
    )
    write_report(summary, path)
