"""Table I as a page: errors, differences with their significance, and what rules are like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from experiments.harness.folds import REPEATS, SPLIT_SEED, SPLITS
from experiments.harness.markdown import markdown_table, plus_minus
from experiments.reproduction.published import TABLE_ONE
from experiments.reproduction.table_one import Column

# Models in the order of the paper's columns, then ours.
MODELS = {
    "tanh": "tanh network (DNN)",
    "efc": "ensemble of ANFIS (EFC)",
    "network": "the paper's network",
    "snapped": "its rules, snapped to the nearest",
    "our network": "our network",
    "our rules": "our rules",
    "majority": "majority class",
}
ROWS = """How the rows are made:

- *tanh network*: four fully connected layers with biases, tanh after each, as many parameters
  as the paper's network, trained like it: one row a step, learning rate 0.01, 100 epochs,
  squared error.
- *ensemble of ANFIS*: ten five-layer ANFIS, each over four columns drawn at random (two
  memberships each, 16 rules) and a bootstrap sample of the training rows, trained by gradient
  descent (Adam), outputs averaged. This is our reading of such an ensemble: the paper gives no
  details of the one whose figures it quotes.
- *the paper's network*: its ten layers by the letter (learning rate 0.01, L1 0.0001, depth 2);
  the last section says what had to be chosen. *Its rules*: every alpha and weight at the
  nearest whole value.
- *our network*, *our rules*: `LogicClassifier()` as it comes, trained through the snap and
  polished; measured by `make rules-table`."""
SIGNIFICANT = 0.05
RULES = ("snapped", "our rules")


def section(columns: Sequence[Column]) -> str:
    """The whole section."""
    return "\n\n".join(
        [
            "## Table I: errors",
            f"Error %, mean ± standard deviation over {_folds(columns)} folds"
            f" (`RepeatedStratifiedKFold(n_splits={SPLITS}, n_repeats={REPEATS},"
            f" random_state={SPLIT_SEED})`; the paper states no split). *Published* rows are"
            " the paper's own figures. All models of a table are judged on the same rows.",
            ROWS,
            _errors(columns),
            "**Against the paper's network as reproduced**, in points (p of the corrected"
            f" resampled t-test; bold where p < {SIGNIFICANT}):",
            _differences(columns, "network"),
            "**Against the paper's snapped rules as reproduced:**",
            _differences(columns, "snapped", only=("our rules", "majority")),
            "**Are the rules a result?** Rules that predict a single class, or leave it to the"
            " order of the classes which of two equal scores wins, have learned nothing there:",
            _rules(columns),
            verdict(columns),
        ]
    )


def _folds(columns: Sequence[Column]) -> int:
    return min(len(column.errors["network"]) for column in columns)


def _errors(columns: Sequence[Column]) -> str:
    lines = []
    for model, title in MODELS.items():
        if model in TABLE_ONE[columns[0].table]:
            published = [TABLE_ONE[column.table][model] for column in columns]
            cells = ["-" if error is None else f"{error:.2f}" for error in published]
            lines.append([f"{title}, *published*", *cells])
        lines.append([title, *[plus_minus(column.percent(model)) for column in columns]])
    return markdown_table(["error %", *[column.table for column in columns]], lines)


def _differences(columns: Sequence[Column], base: str, only: Sequence[str] = ()) -> str:
    lines = [
        [title, *[_difference(column, model, base) for column in columns]]
        for model, title in MODELS.items()
        if model != base and (not only or model in only)
    ]
    return markdown_table(["points", *[column.table for column in columns]], lines)


def _difference(column: Column, model: str, base: str) -> str:
    points, p = column.difference(model, base)
    text = f"{points:+.2f} (p {_p(p)})"
    return f"**{text}**" if p < SIGNIFICANT else text


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _rules(columns: Sequence[Column]) -> str:
    lines = []
    for model in RULES:
        title = MODELS[model]
        ties = [f"{100 * column.tied[model] / column.rows:.1f}" for column in columns]
        single = [f"{column.constant[model]} of {_folds([column])}" for column in columns]
        sizes = [plus_minus(column.literals[model], digits=1) for column in columns]
        lines += [
            [f"{title}: rows tied, %", *ties],
            [f"{title}: folds with one class only", *single],
            [f"{title}: literals", *sizes],
        ]
    return markdown_table(["", *[column.table for column in columns]], lines)


def verdict(columns: Sequence[Column]) -> str:
    """What follows from the figures, in sentences made of them."""
    return "\n".join(f"- {sentence}" for sentence in _sentences(columns))


def _sentences(columns: Sequence[Column]) -> Iterator[str]:
    near = [c.table for c in columns if abs(_gap(c, "network")) <= 2]
    gaps = [f"{_gap(c, 'network'):+.1f} ({c.table})" for c in columns]
    yield (
        "The paper's network, reproduced, is within two points of its published error on"
        f" {_listed(near)}; the gaps are {_listed(gaps)}."
    )
    worse = [
        c.table for c in columns if fmean(c.percent("snapped")) > fmean(c.percent("network"))
    ]
    yield f"Snapping to the nearest makes it worse on {_listed(worse)}."
    ours = [f"{c.difference('our rules', 'our network')[0]:+.2f}" for c in columns]
    yield f"Our rules against our own network: {', '.join(ours)} points."
    better = [c.table for c in columns if _better(c, "our rules", "network")]
    lost = [c.table for c in columns if _better(c, "network", "our rules")]
    yield (
        "Our rules are significantly better than the paper's soft network on"
        f" {_listed(better)}, and significantly worse on {_listed(lost)}."
    )


def _gap(column: Column, model: str) -> float:
    return fmean(column.percent(model)) - float(TABLE_ONE[column.table][model] or 0)


def _better(column: Column, model: str, other: str) -> bool:
    points, p = column.difference(model, other)
    return points < 0 and p < SIGNIFICANT


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) if words else "none"
