"""One plain function for any launcher: what every process runs."""

from __future__ import annotations

from typing import Any, TypeVar

from crisplogic.distributed.environment import open_group

E = TypeVar("E")


def train(
    rank: int | None,
    world: int | None,
    estimator: E,
    dataset: Any,
    target: str,
    *,
    init_method: str | None = None,
    **options: Any,
) -> E:
    r"""Fit an estimator in one of ``world`` processes that learn together; return it.

    ``rank`` is the number of this process. Where the launcher says both by variables of the
    environment, as torchrun does, or has initialised ``torch.distributed`` already, give
    None for both. ``init_method`` is where processes meet, see :func:`open_group`.
    ``dataset``, ``target`` and ``options`` are those of ``fit_dataset``. All processes end
    with the same rules; one of them may save these.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from crisplogic import LogicClassifier
    >>> path = Path(tempfile.mkdtemp(), "rows.csv")
    >>> _ = path.write_text("age,ill" + 20 * "\n30,no\n50,yes\n41,no\n66,yes")
    >>> clf = train(None, None, LogicClassifier(random_state=0), path, "ill")
    >>> clf.rules_.size
    1
    """
    fitted: Any = estimator
    with open_group(rank, world, init_method) as group:
        fitted.fit_dataset(dataset, target, group=group, **options)
    return estimator
