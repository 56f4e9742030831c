"""The command line: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from benchmarks.page import part_section, to_markdown
from benchmarks.parts import PARTS
from crisplogic.files import atomic_writer
from experiments.harness.command_line import exit_code
from experiments.harness.origin import Origin, here, now
from experiments.harness.pictures import save
from experiments.harness.store import Document, Store

HERE = Path(__file__).parent
RESULTS = HERE / "results"
# What is measured in a hurry must not replace what was measured with care.
QUICK_RESULTS = HERE.parent / "build" / "benchmarks"


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks and return the exit code; what a user can mend is one message."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments), "the parts that were done are stored")


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    names = [name for name in PARTS if name in options.only]
    _check_possible(names)
    folder = options.output or (QUICK_RESULTS if options.quick else RESULTS)
    store = Store(folder)
    origin = here("benchmarks", arguments)
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        document = _measured(name, options.quick, origin, folder)
        store.write(name, document)
        _write_page(store)
        print(part_section(name, document), end="\n\n", flush=True)


def _check_possible(names: Sequence[str]) -> None:
    """What would fail after minutes fails now."""
    needed = {"fit": "interpret", "copies": "matplotlib", "growth": "matplotlib"}
    for name in names:
        if name in needed and find_spec(needed[name]) is None:
            raise ModuleNotFoundError(
                f"{name} needs {needed[name]}: pip install '.[experiments,plot]', "
                "or name other parts after --only"
            )


def _measured(name: str, quick: bool, origin: Origin, folder: Path) -> Document:
    """One part as a document; its pictures are drawn into the folder."""
    started = time.perf_counter()
    rows = PARTS[name].measure(quick)
    seconds = time.perf_counter() - started
    folder.mkdir(parents=True, exist_ok=True)
    pictures = PARTS[name].draw(rows)
    for picture, figure in pictures.items():
        save(figure, folder / f"{picture}.png")
    return {
        "part": name,
        "quick": quick,
        "date": now(),
        **asdict(origin),
        "seconds": seconds,
        "pictures": list(pictures),
        "rows": rows,
    }


def _write_page(store: Store) -> None:
    """The page of all parts that are stored, those of earlier runs included."""
    found = {name: store.read(name, {}) for name in PARTS}
    page = to_markdown({name: document for name, document in found.items() if document})
    with atomic_writer(store.folder / "README.md") as file:
        file.write(page)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure how fast crisplogic is, and write tables and pictures.",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=list(PARTS),
        default=list(PARTS),
        metavar="NAME",
        help=f"only these of {', '.join(PARTS)}; the page keeps what is stored of the others",
    )
    parser.add_argument(
        "--quick", action="store_true", help="seconds a part, to see that everything works"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="where results go (benchmarks/results)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
