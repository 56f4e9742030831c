"""One run of an experiment: collect, measure what is missing, in parts if wanted."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.harness.origin import Origin
from experiments.harness.processes import worker_processes
from experiments.harness.store import Document, Store
from experiments.harness.tasks import Task, find_stored, run_tasks


class Part(NamedTuple):
    """Every ``of``-th task, beginning with the ``number``-th; both count from 1."""

    number: int = 1
    of: int = 1

    def select(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks of this part.

        Tasks take turns over the tables, so that every part has some of each.
        """
        return list(tasks[self.number - 1 :: self.of])


def part(text: str) -> Part:
    """An argument like ``2/4``.

    >>> part("2/4")
    Part(number=2, of=4)
    """
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"must be like 2/4, the second of four; got {text}")
    return Part(int(found[1]), int(found[2]))


def add_part_options(parser: argparse.ArgumentParser) -> None:
    """Add options for runs on several machines or in several steps."""
    parser.add_argument(
        "--part",
        type=part,
        default=Part(),
        metavar="I/N",
        help="measure the I-th of N parts; give each part an --output of its own",
    )
    parser.add_argument(
        "--collect",
        type=Path,
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="first add the measurements that other runs wrote to these folders",
    )
    parser.add_argument(
        "--stored",
        action="store_true",
        help="measure nothing: write the page from what is stored so far",
    )


def prepare(options: argparse.Namespace, tasks: Sequence[Task]) -> Store:
    """The store of a run: others' measurements added, those to make again forgotten.

    Stored measurements with other settings are an error now, not after hours.
    """
    store = Store(options.output)
    for folder in options.collect:
        store.collect(Store(folder))
    if options.again:
        store.forget(task.name for task in options.part.select(tasks))
    find_stored(tasks, store)
    return store


def measure(
    tasks: Sequence[Task],
    store: Store,
    origin: Origin,
    options: argparse.Namespace,
    what: str,
    workers: int | None = None,
) -> list[Document] | None:
    """The documents of all tasks, or None if other parts have yet to be measured.

    With ``--stored`` these are the documents that are there.
    """
    if options.stored:
        return list(find_stored(tasks, store).values())
    with worker_processes(workers or options.workers) as executor:
        run_tasks(options.part.select(tasks), store, origin, executor, what)
    known = find_stored(tasks, store)
    if len(known) < len(tasks):
        print(
            f"{len(known)} of {len(tasks)} measurements are in {store.path};"
            " --collect adds those of the other parts and writes the page",
            file=sys.stderr,
        )
        return None
    return [known[task.name] for task in tasks]
