"""The page: which targets are reached and which are missed, and all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.deep.evidence import evidence_for_monk_3
from experiments.deep.functions import IDLE, ROWS
from experiments.deep.problems import MORE_LITERALS, PROBLEMS
from experiments.deep.summary import (
    ExpressionSummary,
    ProblemSummary,
    TableSummary,
    Verdict,
    judge_logic,
    judge_tables,
    part_end_games,
    summarise_expressions,
    summarise_problems,
    summarise_tables,
    title,
)
from experiments.deep.tables import NAMES, SPLIT_SEED, SPLITS
from experiments.deep.tasks import DEPTHS, EXPRESSIONS, SEEDS
from experiments.harness.origin import Origin
from experiments.harness.pages import markdown_table, origins_list
from experiments.harness.store import Document
from experiments.reproduction.expressions import REPEATS


def to_markdown(documents: Sequence[Document], origin: Origin, date: str) -> str:
    """The whole page; a part that was not measured has no section."""
    problems = summarise_problems(documents)
    expressions = summarise_expressions(documents)
    end_games, tables = part_end_games(summarise_tables(documents))
    verdicts = [*judge_logic(problems, expressions, end_games), *judge_tables(tables)]
    parts = [
        "# Deep logic",
        "`LogicClassifier` with default settings, on problems whose truth is known and on"
        " tables. Nothing was chosen on the problems.",
        *_incomplete(problems, tables),
        "## Against the targets",
        _outcome(verdicts),
        markdown_table(
            ["target", "measured", "verdict"],
            [
                [one.target, one.measured, "reached" if one.reached else "**missed**"]
                for one in verdicts
            ],
        ),
        *_problem_section(problems),
        *_expression_section(expressions),
        *_end_games_section(end_games),
        *_table_section(tables),
        "## Where the figures come from",
        f"This page: `{origin.command}`, {date}.",
        origins_list(documents, "fits"),
    ]
    return "\n\n".join(parts) + "\n"


def _incomplete(
    problems: Sequence[ProblemSummary], tables: Mapping[str, Mapping[str, TableSummary]]
) -> list[str]:
    """A warning, if this is not the whole experiment."""
    if {one.fits for one in problems} == {SEEDS} and tables.keys() == set(NAMES):
        return []
    return ["**Not everything was measured: the figures are preliminary.**"]


def _outcome(verdicts: Sequence[Verdict]) -> str:
    reached = sum(one.reached for one in verdicts)
    return f"{reached} of {len(verdicts)} targets are reached."


def _problem_section(problems: Sequence[ProblemSummary]) -> list[str]:
    if not problems:
        return []
    rows = [
        [
            title(one.setting),
            f"{PROBLEMS[one.setting.problem].smallest or ''}",
            f"{one.right} of {one.fits}",
            f"{one.successes} of {one.fits}",
            f"{one.error:.2f}",
            f"{one.literals:g}",
            f"{one.seconds:.1f}",
        ]
        for one in problems
    ]
    head = [
        "problem",
        "smallest form",
        "right",
        f"right, at most {MORE_LITERALS} literals more",
        "mean error %",
        "literals",
        "processor seconds",
    ]
    measured = {one.setting.problem: None for one in problems}
    formulas = "\n".join(
        f"- *{name.replace('-', ' ')}*: {PROBLEMS[name].formula}" for name in measured
    )
    return [
        "## Problems whose truth is known",
        formulas,
        f"Functions are learned from {ROWS} rows with {IDLE} columns that tell nothing; the"
        " inputs stand in random places. *Right* means on all combinations of all columns,"
        " always without noise. *Intervals* are of whole numbers from 1 to 100 and must be"
        " right on the rows to learn from. If-then-else is the multiplexer of 3 and is measured"
        " once. Monk's problems are learned from as many random rows as were published, the"
        " third with noise, and tested on all 432. The *smallest form* is counted in literals,"
        " and *literals* are the median of all fits. The seed draws the rows and the noise, and"
        " is that of the classifier.",
        markdown_table(head, rows),
        *_what_rows_tell(problems),
    ]


def _what_rows_tell(problems: Sequence[ProblemSummary]) -> list[str]:
    """How much the rows of Monk's third problem tell of its truth, if it was measured."""
    measured = [one.fits for one in problems if one.setting.problem == "monk-3"]
    if not measured:
        return []
    found = evidence_for_monk_3(max(measured))
    return [
        "Monk's third problem has an exception that holds for 12 of 432 robots, and 6 of 122"
        " labels are wrong. Of rules of four literals that contain its first two, the truth"
        f" alone errs on the fewest rows for {found.clear} of {found.seeds} seeds; for"
        f" {found.none} the two literals err on no more rows than the truth. So no learner can"
        " be right on all of them but by luck."
    ]


def _expression_section(expressions: Sequence[ExpressionSummary]) -> list[str]:
    if not expressions:
        return []
    rows = [
        [
            f"{one.variables}",
            f"{one.right} of {one.fits}",
            f"{one.found} of {one.fits}",
            f"{one.literals:g}",
        ]
        for one in expressions
    ]
    return [
        "## Random expressions of two levels",
        f"Those of the reproduction of the paper, up to {EXPRESSIONS} of"
        f" each number of variables, every pattern {REPEATS} times. *Right* are the rules that"
        " held-out rows chose; *found* counts right rules of any size. *Literals* are the"
        " median.",
        markdown_table(["variables", "right", "found", "literals"], rows),
    ]


def _end_games_section(end_games: TableSummary | None) -> list[str]:
    if end_games is None:
        return []
    return [
        "## End games of tic-tac-toe",
        "All 958 final boards, found by playing: has x won? Means over"
        f" {end_games.folds} of {SPLITS} folds: error {end_games.error:.2f} % (network"
        f" {end_games.network_error:.2f} %), {end_games.literals:.1f} literals,"
        f" {end_games.seconds:.1f} processor seconds.",
    ]


def _table_section(tables: Mapping[str, Mapping[str, TableSummary]]) -> list[str]:
    if not tables:
        return []
    head = ["table", *[f"depth {depth}" for depth in DEPTHS], "network of depth 2"]
    rows = [
        [
            name,
            *[_cell(depths.get(str(depth))) for depth in DEPTHS],
            f"{depths['2'].network_error:.2f}" if "2" in depths else "",
        ]
        for name, depths in tables.items()
    ]
    folds = max(one.folds for depths in tables.values() for one in depths.values())
    return [
        "## Tables",
        f"Error % (literals, processor seconds of a fit), means over {folds} of {SPLITS} folds"
        f" (`StratifiedKFold({SPLITS}, shuffle=True, random_state={SPLIT_SEED})`; the seed is"
        " the number of the fold). *Car* has three classes: good, very good and neither."
        " *Balance* has all 625 scales of its definition. *Nursery-like* has the attributes of"
        " the nursery table and a hierarchy of rules of our own.",
        markdown_table(head, rows),
    ]


def _cell(one: TableSummary | None) -> str:
    if one is None:
        return ""
    return f"{one.error:.2f} ({one.literals:.0f}, {one.seconds:.1f} s)"
