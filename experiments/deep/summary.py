"""From documents to means, and to targets reached or missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from experiments.deep.problems import PROBLEMS, SETTINGS, Setting, succeeds
from experiments.deep.tables import TIC_TAC_TOE
from experiments.harness.store import Document

# The share of random expressions whose chosen rules must be right.
EXPRESSIONS_TARGET = 0.95
# End games: the greatest error in percent, and the literals of the eight lines.
END_GAMES_ERROR = 1.0
END_GAMES_LITERALS = 24
# Rules of depth 2 may err so many points more than their network.
MARGIN = 1.0
# A fit may take so many times as long as one of depth 1.
SLOWER = 2.0


@dataclass(frozen=True)
class ProblemSummary:
    """All fits to a problem. ``successes`` are right and hardly larger than they must be."""

    setting: Setting
    fits: int
    right: int
    successes: int
    error: float
    literals: float
    seconds: float

    @property
    def reached(self) -> bool:
        """Whether enough seeds succeeded."""
        return self.successes >= self.setting.target * self.fits


@dataclass(frozen=True)
class ExpressionSummary:
    """All expressions of some number of variables: rules right as chosen, or found at all."""

    variables: int
    fits: int
    right: int
    found: int
    literals: float


@dataclass(frozen=True)
class TableSummary:
    """Means over the folds of a table at one depth. Errors are percentages."""

    table: str
    depth: str
    folds: int
    error: float
    network_error: float
    literals: float
    seconds: float


@dataclass(frozen=True)
class Verdict:
    """A target, what was measured, and whether that reaches it."""

    target: str
    measured: str
    reached: bool


def summarise_problems(documents: Sequence[Document]) -> list[ProblemSummary]:
    """In the order of the settings; those that were not measured are left out."""
    found: dict[tuple[str, float], list[Document]] = {}
    for document in _of_part(documents, "problems"):
        place = document["problem"], document["noise"]
        found.setdefault(place, []).append(document["figures"])
    return [
        _problem(setting, found[setting[:2]]) for setting in SETTINGS if setting[:2] in found
    ]


def summarise_expressions(documents: Sequence[Document]) -> list[ExpressionSummary]:
    """By the number of variables."""
    found: dict[int, list[Document]] = {}
    for document in _of_part(documents, "expressions"):
        found.setdefault(document["variables"], []).append(document["figures"])
    return [
        ExpressionSummary(
            variables,
            len(fits),
            sum(each["right"] for each in fits),
            sum(each["least_right"] is not None for each in fits),
            median(each["literals"] for each in fits),
        )
        for variables, fits in sorted(found.items())
    ]


def summarise_tables(documents: Sequence[Document]) -> dict[str, dict[str, TableSummary]]:
    """By table and by depth, as it is written; end games among them."""
    found: dict[str, dict[str, list[Document]]] = {}
    for document in _of_part(documents, "tables"):
        depths = found.setdefault(document["table"], {})
        depth = str(document["settings"]["depth"])
        depths.setdefault(depth, []).append(document["figures"])
    return {
        table: {depth: _table(table, depth, folds) for depth, folds in depths.items()}
        for table, depths in found.items()
    }


def judge_logic(
    problems: Sequence[ProblemSummary],
    expressions: Sequence[ExpressionSummary],
    end_games: TableSummary | None,
) -> list[Verdict]:
    """Whether logic is learned where the truth is known."""
    found = [
        Verdict(
            f"{title(one.setting)}: {_share(one.setting.target)} of seeds",
            f"{one.successes} of {one.fits}",
            one.reached,
        )
        for one in problems
    ]
    if expressions:
        right, fits = (
            sum(one.right for one in expressions),
            sum(one.fits for one in expressions),
        )
        found.append(
            Verdict(
                f"random expressions: rules right for {_share(EXPRESSIONS_TARGET)}",
                f"{right} of {fits}",
                right >= EXPRESSIONS_TARGET * fits,
            )
        )
    if end_games is not None:
        found.append(
            Verdict(
                f"end games: at most {END_GAMES_ERROR:g} % error and"
                f" {END_GAMES_LITERALS} literals",
                f"{end_games.error:.2f} %, {end_games.literals:.1f} literals",
                end_games.error <= END_GAMES_ERROR and end_games.literals <= END_GAMES_LITERALS,
            )
        )
    return found


def judge_tables(tables: Mapping[str, Mapping[str, TableSummary]]) -> list[Verdict]:
    """Whether any depth is worth it, on the mean over tables, and what depth 2 loses."""
    pairs = [(depths["1"], depths["auto"]) for depths in tables.values() if _both(depths)]
    found = []
    if pairs:
        flat, deep = ([pair[at] for pair in pairs] for at in (0, 1))
        for what, unit in (("error", " %"), ("literals", "")):
            before, after = (fmean(getattr(one, what) for one in each) for each in (flat, deep))
            found.append(
                Verdict(
                    f"mean {what} at most that of depth 1, {before:.2f}{unit}",
                    f"{after:.2f}{unit}",
                    after <= before,
                )
            )
        ratio = sum(one.seconds for one in deep) / sum(one.seconds for one in flat)
        found.append(
            Verdict(
                f"time of fits at most {SLOWER:g} times that of depth 1",
                f"{ratio:.2f} times",
                ratio <= SLOWER,
            )
        )
    for table, depths in tables.items():
        if "2" in depths:
            gap = depths["2"].error - depths["2"].network_error
            found.append(
                Verdict(
                    f"{table}: rules of depth 2 within {MARGIN:g} point of their network",
                    f"{gap:+.2f} points",
                    gap <= MARGIN,
                )
            )
    return found


def title(setting: Setting) -> str:
    """The name of a problem, and its noise.

    >>> title(SETTINGS[7])
    'parity of 3, 5 % noise'
    """
    name = setting.problem.replace("-", " ")
    return f"{name}, {100 * setting.noise:g} % noise" if setting.noise else name


def _problem(setting: Setting, fits: Sequence[Document]) -> ProblemSummary:
    problem = PROBLEMS[setting.problem]
    return ProblemSummary(
        setting,
        len(fits),
        sum(each["error"] == 0 for each in fits),
        sum(succeeds(problem, each["error"], each["literals"]) for each in fits),
        100 * fmean(each["error"] for each in fits),
        median(each["literals"] for each in fits),
        fmean(each["seconds"] for each in fits),
    )


def _table(table: str, depth: str, folds: Sequence[Document]) -> TableSummary:
    def mean(what: str) -> float:
        return fmean(each[what] for each in folds)

    errors = 100 * mean("error"), 100 * mean("network_error")
    return TableSummary(table, depth, len(folds), *errors, mean("literals"), mean("seconds"))


def _both(depths: Mapping[str, TableSummary]) -> bool:
    return {"1", "auto"} <= depths.keys()


def _share(target: float) -> str:
    return "all" if target == 1 else f"at least {100 * target:g} %"


def _of_part(documents: Sequence[Document], part: str) -> list[Document]:
    return [document for document in documents if document["part"] == part]


def part_end_games(
    tables: Mapping[str, Mapping[str, TableSummary]],
) -> tuple[TableSummary | None, dict[str, Mapping[str, TableSummary]]]:
    """The end games, which are measured at the default depth alone, and the other tables."""
    others = {name: depths for name, depths in tables.items() if name != TIC_TAC_TOE}
    return next(iter(tables.get(TIC_TAC_TOE, {}).values()), None), others
