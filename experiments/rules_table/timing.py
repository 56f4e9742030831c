"""How long a fit takes beside that of an explainable boosting machine, on whole tables."""

from __future__ import annotations

import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load
from experiments.harness.origin import Origin, now, origin_from
from experiments.harness.progress import OnStep, progress
from experiments.harness.store import Document, Store
from experiments.harness.threads import limited_threads

REPEATS = 3

# From a seed to a classifier that is not fitted yet.
Maker = Callable[[int], Any]


@dataclass(frozen=True)
class Timing:
    """Seconds of the fits of both on one table, in the order in which they were made."""

    table: str
    logic_seconds: tuple[float, ...]
    boosting_seconds: tuple[float, ...]
    origin: Origin
    date: str

    @property
    def ratio(self) -> float:
        """How many times as long as the boosting machine we take: a ratio of medians."""
        return median(self.logic_seconds) / median(self.boosting_seconds)


def require_interpret() -> None:
    """Find out before hours of folds that there is nothing to compare with."""
    if importlib.util.find_spec("interpret") is None:
        raise ModuleNotFoundError(
            "--timing needs interpret-core: pip install '.[experiments]', or leave it out"
        )


def timed(tables: Sequence[str], store: Store, origin: Origin) -> list[Timing]:
    """The timing of every table: stored ones as they are, all others measured now."""
    known = stored_timings(tables, store)
    missing = [table for table in tables if table not in known]
    with progress("timing", len(missing) * REPEATS * len(MAKERS)) as on_step:
        for table in missing:
            seconds = alternating(load(table), MAKERS, on_step)
            timing = Timing(table, seconds["LogicClassifier"], seconds["EBM"], origin, now())
            store.write(timing_name(table), to_document(timing))
            known[table] = timing
    return [known[table] for table in tables]


def alternating(
    table: Dataset,
    makers: Mapping[str, Maker],
    on_step: OnStep,
    repeats: int = REPEATS,
    threads: int = 1,
) -> dict[str, tuple[float, ...]]:
    """Seconds of fits on the whole table, by turns: a busy minute then slows down all."""
    seconds: dict[str, list[float]] = {name: [] for name in makers}
    for name, seed in _turns(makers, repeats):
        with limited_threads(threads):
            seconds[name].append(_fit_seconds(makers[name](seed), table))
        on_step(f"{table.name}, {name}: {seconds[name][-1]:.1f} s")
    return {name: tuple(values) for name, values in seconds.items()}


def to_document(timing: Timing) -> Document:
    """A timing as plain lists and dictionaries."""
    return {
        **_question(timing.table),
        "date": timing.date,
        **asdict(timing.origin),
        "logic_seconds": list(timing.logic_seconds),
        "boosting_seconds": list(timing.boosting_seconds),
        "ratio": timing.ratio,
    }


def stored_timings(tables: Sequence[str], store: Store) -> dict[str, Timing]:
    """By table, those that are there already; an error if they are of other settings."""
    return {table: timing for table in tables if (timing := _stored(table, store))}


def timing_name(table: str) -> str:
    """The name under which a timing is stored."""
    return f"timing/{table}"


def _turns(makers: Mapping[str, Maker], repeats: int) -> Iterator[tuple[str, int]]:
    for seed in range(repeats):
        for name in makers:
            yield name, seed


def _fit_seconds(clf: Any, table: Dataset) -> float:
    with warnings.catch_warnings():
        # Interpret cannot draw missing values; nothing is drawn here.
        warnings.filterwarnings("ignore", "Missing values detected", UserWarning)
        started = time.perf_counter()
        clf.fit(table.X, table.y)
        return time.perf_counter() - started


def _logic(seed: int) -> Any:
    return LogicClassifier(random_state=seed)


def _boosting(seed: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(interactions=0, n_jobs=1, random_state=seed)


MAKERS: dict[str, Maker] = {"LogicClassifier": _logic, "EBM": _boosting}


def _question(table: str) -> Document:
    """What a stored timing must agree with; the seeds are 0, 1 and so on."""
    return {"table": table, "repeats": REPEATS, "settings": LogicClassifier().get_params()}


def _stored(table: str, store: Store) -> Timing | None:
    document = store.read(timing_name(table), _question(table))
    return None if document is None else _from_document(document)


def _from_document(document: Document) -> Timing:
    return Timing(
        document["table"],
        tuple(document["logic_seconds"]),
        tuple(document["boosting_seconds"]),
        origin_from(document),
        document["date"],
    )
