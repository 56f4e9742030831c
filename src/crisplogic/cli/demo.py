"""``crisplogic demo``: what to expect, in seconds."""

from __future__ import annotations

from dataclasses import replace

import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import JsonOption, QuietOption, SeedOption
from crisplogic.cli.output import SIZES, indent, print_json, rules_text, shows_progress

_NEXT_STEPS = """Try next, with a table of your own:
  crisplogic fit data.csv --target COLUMN --out model/
  crisplogic evaluate data.csv --target COLUMN
  crisplogic predict model/ new.csv --out predictions.csv
  crisplogic explain model/ new.csv --row 1"""


@app.command()
def demo(seed: SeedOption = 0, quiet: QuietOption = False, json: JsonOption = False) -> None:
    """Learn rules from a bundled table and print them.

    \b
    Example:
      crisplogic demo
    """
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
    typer.echo(f"\n{_NEXT_STEPS}")
