"""The command line: ``python -m experiments.reproduction``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from crisplogic.datasets import load
from crisplogic.files import atomic_writer
from experiments.harness.command_line import add_choice_option, add_run_options, exit_code
from experiments.harness.origin import current_origin
from experiments.harness.pages import save_picture
from experiments.harness.processes import worker_processes
from experiments.harness.store import Document, Store
from experiments.harness.tasks import Task, find_stored, run_tasks
from experiments.reproduction.page import PARTS, Part, to_markdown
from experiments.reproduction.published import TABLES
from experiments.reproduction.scale import Scale

HERE = Path(__file__).parents[1]
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "reproduction.md"
# Results of a quick run must not replace those of a full one.
QUICK_RESULTS = HERE.parent / "build" / "reproduction"


def main(arguments: Sequence[str]) -> int:
    """Run the reproduction and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments))


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    scale = Scale(options.quick, options.device, tuple(options.tables))
    for table in scale.tables:
        load(table)  # fail now instead of after hours
    folder = options.output or (QUICK_RESULTS if options.quick else RESULTS)
    work = {
        name: stored_tasks(part, scale, folder)
        for name, part in PARTS.items()
        if name in options.only
    }
    if options.again:
        for store, tasks in [each for of_part in work.values() for each in of_part]:
            store.forget(task.name for task in tasks)
    origin = current_origin("experiments.reproduction", arguments)
    with worker_processes(options.workers) as executor:
        for name, of_part in work.items():
            for store, tasks in of_part:
                run_tasks(tasks, store, origin, executor, name)
    if options.measure_only:
        return
    is_default = folder == RESULTS and scale == Scale(device=options.device)
    page = PAGE if is_default else folder / "reproduction" / "reproduction.md"
    write(scale, folder, page)
    print(f"the page is {page}")


def stored_tasks(part: Part, scale: Scale, folder: Path) -> list[tuple[Store, Sequence[Task]]]:
    """The tasks of a part with their stores: its own, and those of the rules table."""
    return [
        (Store(folder / "reproduction"), part.tasks(scale)),
        (Store(folder / "rules-table"), part.rules_tasks(scale)),
    ]


def write(scale: Scale, folder: Path, page: Path) -> None:
    """Draw all pictures and write the page, from what is stored of all parts."""
    pictures = folder / "reproduction" / "figures"
    found: dict[str, list[Document]] = {}
    for name, part in PARTS.items():
        documents = stored_documents(part, scale, folder)
        if documents is not None:
            found[name] = documents
            for title, figure in part.pictures(documents).items():
                save_picture(figure, pictures / f"{title}.png")
    relative = Path(os.path.relpath(pictures, page.parent)).as_posix()
    page.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(page) as file:
        file.write(to_markdown(found, relative, scale))


def stored_documents(part: Part, scale: Scale, folder: Path) -> list[Document] | None:
    """The documents of all tasks of a part, or None if one is missing."""
    documents: list[Document] = []
    for store, tasks in stored_tasks(part, scale, folder):
        known = find_stored(tasks, store)
        if len(known) < len(tasks):
            return None
        documents += [known[task.name] for task in tasks]
    return documents


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.reproduction",
        description="Reproduce the paper's validation and write docs/reproduction.md. "
        "A run that was stopped continues where it stopped.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a small version of everything, as a trial"
    )
    add_choice_option(parser, "--only", list(PARTS), "; the page has all that is stored")
    add_choice_option(parser, "--tables", TABLES)
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="device that trains networks (default: a GPU if there is one)",
    )
    parser.add_argument("--measure-only", action="store_true", help="write no page")
    add_run_options(parser, output=None)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
