"""The command line: ``python -m experiments.reproduction``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from crisplogic.datasets import load
from crisplogic.files import atomic_writer
from experiments.harness.command_line import count, exit_code
from experiments.harness.origin import here
from experiments.harness.pictures import save
from experiments.harness.pool import worker_processes
from experiments.harness.run import Task, answered
from experiments.harness.store import Document, Store
from experiments.reproduction.page import to_markdown
from experiments.reproduction.parts import FOLDER, PARTS
from experiments.reproduction.published import TABLES
from experiments.reproduction.scale import Scale

HERE = Path(__file__).parents[1]
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "reproduction.md"
# What is measured in a hurry must not replace what was measured with care.
QUICK_RESULTS = HERE.parent / "build" / "reproduction"


def main(arguments: Sequence[str]) -> int:
    """Run the reproduction and return the exit code; what a user can mend is one message."""
    options = _parser().parse_args(arguments)
    return exit_code(
        lambda: _run(options, arguments), "without --again the next run goes on from here"
    )


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    scale = Scale(options.quick, options.device, tuple(dict.fromkeys(options.tables)))
    for table in scale.tables:
        load(table)  # what would fail after hours fails now
    store = Store(options.output or (QUICK_RESULTS if options.quick else RESULTS))
    tasks = {name: PARTS[name].tasks(scale) for name in PARTS if name in options.only}
    if options.again:
        store.forget(task.name for part in tasks.values() for task in part)
    origin = here("experiments.reproduction", arguments)
    with worker_processes(options.workers) as executor:
        for name, of_part in tasks.items():
            answered(of_part, store, origin, executor, name)
    if options.measure_only:
        return
    is_default = store.folder == RESULTS and scale == Scale(device=options.device)
    page = PAGE if is_default else store.folder / FOLDER / "reproduction.md"
    write(scale, store, page)
    print(f"the page is {page}")


def write(scale: Scale, store: Store, page: Path) -> None:
    """Draw all pictures and write the page, from what is stored of all parts."""
    pictures = store.folder / FOLDER / "figures"
    found: dict[str, list[Document]] = {}
    for name, part in PARTS.items():
        documents = stored(part.tasks(scale), store)
        if documents is not None:
            found[name] = documents
            for title, figure in part.pictures(documents).items():
                save(figure, pictures / f"{title}.png")
    folder = Path(os.path.relpath(pictures, page.parent)).as_posix()
    page.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(page) as file:
        file.write(to_markdown(found, folder, scale))


def stored(tasks: Sequence[Task], store: Store) -> list[Document] | None:
    """The answers to all tasks, or nothing if one is missing."""
    found = [store.read(task.name, task.question()) for task in tasks]
    known = [document for document in found if document is not None]
    return known if len(known) == len(tasks) else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.reproduction",
        description="Do the paper's validation again and write docs/reproduction.md. "
        "A run that was stopped goes on where it stopped.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a small version of everything, to see it work"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=list(PARTS),
        default=list(PARTS),
        metavar="PART",
        help=f"measure only these of {', '.join(PARTS)}; the page has all that is stored",
    )
    parser.add_argument(
        "--tables",
        nargs="+",
        choices=TABLES,
        default=list(TABLES),
        metavar="NAME",
        help=f"only these of {', '.join(TABLES)}",
    )
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="where networks are trained (a GPU if there is one)",
    )
    parser.add_argument(
        "--workers", type=count, default=os.cpu_count() or 1, help="processes (all cores)"
    )
    parser.add_argument(
        "--again", action="store_true", help="measure anew what is stored already"
    )
    parser.add_argument("--measure-only", action="store_true", help="write no page")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="where results go")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
